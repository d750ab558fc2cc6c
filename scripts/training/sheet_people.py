"""Who does what in a house: a prompt's list of people, and callers who say what they need."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Final, NamedTuple

from desk_told import Fact, person
from domain import choose_branches
from open_words import open_word
from order_items import joined
from sheet_lines import Row, rows_text

#: What people of a house are called, and what they do, with the words of somebody who needs it.
_FIELDS: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "vet": ("Vets:|Our vets:|Doctors:|", {
        "cats": "my cat is [ill|limping|not well]|something for my kitten|my tomcat hurt his paw", "dogs": "my dog is [ill|limping|sneezing]|my puppy needs his jabs|my terrier hurt his leg", "birds": "my [parrot|budgie|canary] [is ill|isn't eating|lost its feathers]|there's something wrong with my budgie",
        "reptiles": "my [snake|tortoise|lizard] [is ill|won't eat]|it's about a tortoise", "rabbits": "my [rabbit|bunny] [is ill|won't eat]", "horses": "my [pony|mare|horse] is [lame|ill]", "fish": "my goldfish looks ill", "hamsters": "my [hamster|guinea pig] is ill",
    }),
    "music": ("Teachers:|Our teachers:|Lessons:|", {
        "piano": "", "violin": "", "guitar": "", "drums": "", "flute": "", "singing": "i want to sing|my daughter likes to sing", "the cello": "", "the trumpet": "", "the harp": "", "the accordion": "", "saxophone": "", "clarinet": "",
    }),
    "hair": ("Stylists:|Our team:|Team:|", {
        "cuts": "i need a [cut|haircut|trim]|my hair is too long", "colour": "i'd like to go [blonde|darker|red]|i want my roots done|i need my hair dyed", "perms": "i want curls", "beards": "my beard needs a trim|i need my beard done", "bridal hair": "i'm getting married|it's for my wedding", "extensions": "i want longer hair", "children": "my son needs a haircut|it's for my little girl", "highlights": "i'd like some streaks", "manicures": "i want my nails done", "massages": "my back hurts",
    }),
    "driving": ("Instructors:|Our instructors:|", {
        "automatic": "i only [drive|want to drive] automatic|i can't do gears|one without gears", "manual": "i want to learn with gears|with a gear stick", "motorbikes": "i want to ride a motorbike", "lorries": "i want to drive a lorry", "refreshers": "i haven't driven for years", "trailers": "i want to pull a caravan",
    }),
    "languages": ("Teachers:|Tutors:|", {
        "French": "", "Spanish": "", "German": "", "Italian": "", "Polish": "", "Japanese": "", "Greek": "", "Turkish": "", "Arabic": "", "English": "", "maths": "my son is bad at sums", "chemistry": "", "physics": "", "latin": "",
    }),
    "doctors": ("Doctors:|Our doctors:|The team:|", {
        "children": "my [baby|son|daughter|little one] [is ill|has a fever]|it's for my child", "skin": "i have a rash|i've got a funny mole|my skin is itching", "eyes": "i can't see well|my eye is red", "ears": "my ear hurts|i can't hear well", "hearts": "my heart is racing", "teeth": "i have toothache", "braces": "my daughter's teeth are crooked", "knees": "my knee hurts", "backs": "my back hurts|i hurt my back", "allergies": "i get hay fever", "vaccinations": "i need a jab", "feet": "my foot hurts", "root canals": "", "implants": "i lost a tooth",
    }),
    "craft": ("Staff:|The team:|Who does what:|", {
        "brakes": "my brakes squeal", "tyres": "i've got a flat", "paint": "there's a scratch on my door", "engines": "my engine makes noises", "electrics": "my lights don't work", "phones": "my phone is broken", "laptops": "my laptop won't start", "watches": "my watch stopped", "shoes": "my heel came off", "zips": "my zip is stuck", "keys": "i need a key cut", "windows": "my window is broken", "gears": "my gears slip", "wheels": "my wheel is bent",
    }),
    "classes": ("Trainers:|Coaches:|Teachers:|Classes:|", {
        "yoga": "", "pilates": "", "karate": "", "ballet": "", "boxing": "", "swimming": "i want to learn to swim", "tennis": "", "climbing": "", "salsa": "", "tango": "", "beginners": "i've never done it before|i'm new to it", "spinning": "", "judo": "", "chess": "", "pottery": "", "painting": "", "the children": "it's for my kids",
    }),
    "office": ("Contacts:|Staff:|Who to ask:|", {
        "bookings": "i want to book", "complaints": "i'm not happy with something", "rentals": "", "sales": "i want to buy", "invoices": "my bill is wrong", "events": "we're planning a party", "wills": "i want to make my will", "divorces": "my wife is leaving me", "taxes": "it's about my tax", "passports": "my passport ran out", "lost property": "i lost something", "groups": "we're a big group", "weddings": "we want to get married",
    }),
}  # fmt: skip
_ASKS: Final = (
    "[who [does|teaches|is doing|looks after|is in charge of|handles|takes care of] {s}|who [do|would|will|should|can] i [see|ask for|get|go to|speak to] for {s}|who is [it|the one|the person|the right one] for {s}|who's the {s} [person|one|expert]|for {s} who [is it|would i see|do i get|would that be]|"
    "[i need|i want|i'd like|i'm interested in|it's about|i'm after] {s} [so|] [who is that|who would i see|who do i get|who would that be with|who does that|who is it with]|{s} with whom|{s} is with who|which of you does {s}|who have you got for {s}|whose job is {s}|{s} who's that|and who does {s}|is there somebody for {s} and who|"
    "do you have someone for {s} what's the name|can you tell me the name of the {s} person|what's the name of the one who does {s}|{n}]"
)
_WITH_NEED: Final = "[{p} [who|whom|which one|who of you] [do i [see|ask for|need|go to]|would i [see|get|ask for]|should i see|is that|is it then|looks at that|can help|would be right|does that]|{p} [so|] who'd be [right|the one|seeing us|teaching]|{p} who [do i|should i|can i] [speak to|book with|come to]]"
_MORE: Final = "[and|what about|and for|how about|okay and] {s}"
_WHAT: Final = "[what does {n} do|what is {n} [for|doing|there for]|what's {n}'s [job|part|subject|area]|{n} does what|and {n} what does [he|she] do|what can i see {n} for|who is {n}]"
_WHETHER: Final = "[does {n} do {s}|can i see {n} for {s}|is {n} the one for {s}|is {s} with {n}|is it {n} who does {s}|would {n} do {s}|do i go to {n} for {s}|it's {n} for {s} [right|isn't it]]"


_LEARN: Final = "[my [son|daughter|boy|girl|wife|husband] wants to [learn|do|try|have] {s} who would [that be|it be with|be teaching|do that]|i'd like to learn {s} who [teaches|does] it|who'd be [teaching|doing|giving] {s}]"
_WORKING: Final = "[who [works|is] there|who [have you got|is on your team|are your people]|what are the names of your [people|staff|team]|who could i see]"


class Team(NamedTuple):
    """People, what each is for, and what is asked of them."""

    does: dict[str, list[str]]
    asks: list[tuple[str, str]]
    more: list[tuple[str, str]]
    heading: str


def draw_team(rng: random.Random, most: int = 2) -> Team:
    """Two to four people of one kind of house, each for something."""
    heading, table = _FIELDS[rng.choice(tuple(_FIELDS))]
    needs = dict(table)
    for _ in range(2):
        needs[open_word(rng)] = ""
    names = list({person(rng): None for _ in range(rng.choice((2, 2, 2, 3, 3, 4)))})
    team = Team({}, [], [], rng.choice(heading.split("|")))
    pool = rng.sample(tuple(needs), len(needs))
    for name in names:
        both = most > 1 and rng.random() < 0.3 and len(pool) > 5
        team.does[name] = [pool.pop() for _ in range(2 if both else 1)]
    for name, what in team.does.items():
        said = f"{name} is for {joined(what)}."
        for one in what:
            learn = choose_branches(_LEARN, rng)
            need = _ASKS
            if needs[one]:
                need = f"[{_ASKS}|{_WITH_NEED}|{_WITH_NEED}]".replace("{p}", f"[{needs[one]}]")
            words = need.replace("{n}", learn).replace("{s}", one)
            team.asks.extend([(words, f"That is {name}.")] * 3)
            team.more.append((_MORE.replace("{s}", one), f"That is {name}."))
        team.asks.append((_WHAT.replace("{n}", name), said))
        other = rng.choice([one for others in team.does.values() for one in others])
        words = _WHETHER.replace("{n}", name).replace("{s}", other)
        team.asks.append((words, f"{'Yes' if other in what else 'No'}, {said}"))
    return team


def who_does(rng: random.Random) -> Fact:
    """People and what each is for, as a prompt lists them."""
    team = draw_team(rng)
    if rng.random() < 0.22:  # ``piano - Mrs. Novak``
        rows = [Row(joined(what), [("who", name)]) for name, what in team.does.items()]
    else:
        rows = []
        for name, what in team.does.items():
            listed = rng.choice((joined(what), joined(what), ", ".join(what), "/".join(what)))
            rows.append(Row(name, [("does", listed)]))
    told = " ".join(rows_text(rows, team.heading, rng))
    asks = [*team.asks, (_WORKING, f"We have {joined(tuple(team.does))}.")]
    return Fact("people", told, asks, team.more)
