"""The caller's people: family, friends, pets, guests; what they are called, and their numbers."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import partial
from typing import Final

from conversation import Conversation
from dialogue_values import capitalise, proper
from domain import choose_branches
from open_words import open_word
from shapes import Kind
from slots import phrases
from talk_names import AFTER, BEFORE, Asker, Name, ask_letters, draw_name, with_spelling
from talk_numbers import draw_digits, heard_number, number_words, plainly, told_before

_SHE: Final = phrases(
    "sister, wife, mum, mother, daughter, aunt, girlfriend, granddaughter, gran, grandma, niece, mom, nan"
)
_HE: Final = phrases("brother, husband, dad, father, son, uncle, boyfriend, grandson, grandad, nephew, granddad")  # fmt: skip
_ANY: Final = phrases(
    "boss, neighbour, cousin, friend, best friend, flatmate, teacher, doctor, partner, colleague, landlord,"
    "baby, roommate, manager, trainer, therapist, accountant, assistant, coach, driver, little one"
)
_PETS: Final = phrases(
    "dog, cat, rabbit, hamster, parrot, goldfish, horse, pony, kitten, puppy, tortoise, guinea pig, budgie, car, boat, house, company, band, school, street"
)
_HELP: Final = phrases(
    "guest, babysitter, cleaner, plumber, gardener, nanny, electrician, visitor, au pair, sitter, dog walker, builder, painter, new neighbour, childminder, piano teacher"
)


@dataclass(frozen=True)
class Person:
    """Somebody the caller tells of: ``my brother``, ``your brother``, ``his``."""

    heard: str
    said: str
    noun: str
    his: str


def draw_person(rng: random.Random) -> Person:
    """Family, friends, pets, those who come to the house; in one of ten any word at all."""
    pick = rng.random()
    if pick < 0.1:
        noun, his = open_word(rng), "its"
    elif pick < 0.32:
        noun, his = rng.choice(_SHE), "her"
    elif pick < 0.54:
        noun, his = rng.choice(_HE), "his"
    elif pick < 0.68:
        noun, his = rng.choice(_ANY), rng.choice(("his", "her", "their"))
    elif pick < 0.82:
        noun, his = rng.choice(_PETS), rng.choice(("its", "his", "her"))
    else:
        noun, his = rng.choice(_HELP), rng.choice(("his", "her", "her"))
        if rng.random() < 0.6:
            return Person(f"the {noun}", f"the {noun}", noun, his)
    whose = rng.choice(("my", "my", "my", "our"))
    return Person(f"{whose} {noun}", f"your {noun}", noun, his)


def tell_people(talk: Conversation) -> list[Asker]:
    """One person is named, or two; a number of theirs may be told too."""
    rng = talk.rng
    people = [draw_person(rng) for _ in range(rng.choice((1, 1, 1, 2, 2)))]
    if len({person.noun for person in people}) < len(people):
        people = people[:1]
    names = [draw_name(rng, whole=0.08) for _ in people]
    _tell_people(talk, people, names)
    askers: list[Asker] = []
    alone = len(people) == 1
    for person, name in zip(people, names, strict=True):
        askers.append(partial(ask_person, talk, person, name, alone=alone))
        if rng.random() < 0.5:
            whose = person.his if alone and rng.random() < 0.6 else f"{person.heard}'s"
            askers.append(partial(ask_letters, talk, whose, name))
    if rng.random() < 0.25:
        askers.append(_tell_their_number(talk, people[-1]))
    if rng.random() < 0.12:
        askers.append(partial(_ask_unknown, talk, people))
    return askers


def _tell_people(talk: Conversation, people: list[Person], names: list[Name]) -> None:
    rng = talk.rng
    told = [_told_person(rng, person, name) for person, name in zip(people, names, strict=True)]
    text = " and ".join(told)
    if len(people) == 1 and rng.random() < 0.35:
        text += " ~ " + with_spelling(talk, names[0])
    answer = "Okay, " + " and ".join(
        f"{person.said} is called {name.written}"
        for person, name in zip(people, names, strict=True)
    )
    if len(people) == 1 and rng.random() < 0.2:
        own = draw_name(rng)
        plainly(talk, f"[hi|hello|] [i'm|my name is|my name's|this is] {own.heard} and {text}")
        talk.name = own.written
        if rng.random() < 0.3:
            told_before(talk, f"Nice to meet you, {own.written}, and hello to {names[0].written}.")
        else:
            talk.assistant(f"Nice to meet you, {own.written}. How can I help you?")
        return
    plainly(
        talk,
        f"[||||by the way|just so you know|oh|so|hi there|listen|you should know|one thing|remember] {text}",
    )
    if rng.random() < 0.15:
        told_before(
            talk,
            rng.choice(
                (
                    "Got it.",
                    "Okay, I'll remember that.",
                    f"{names[0].written}, lovely name.",
                    "Noted.",
                    "Thanks for telling me.",
                )
            ),
        )
        return
    talk.assistant(f"{answer}.")


def _told_person(rng: random.Random, person: Person, name: Name) -> str:
    n = proper(name.heard) if rng.random() < 0.2 else name.heard
    h, noun = person.heard, person.noun
    she = {"her": "she", "his": "he"}.get(person.his, "it")
    own = "[i have|i've got|we have|we've got]"
    return choose_branches(
        f"[{h} is called {n}|{h} is called {n}|{h}'s called {n}|{h}'s name is {n}|the name of {h} is {n}|{own} a {noun} called {n}|{own} a {noun} named {n}|{own} a {noun} {she}'s called {n}|"
        f"{n} is {h}|{h} is {n}|{h} goes by {n}|{h} has the name {n}|{own} a {noun} [tonight|today|coming|here|] {person.his} name is {n}|{h}'s name's {n}|{h} {n}|they call {h} {n}|we call {h} {n}|it's about {h} {n}|{h}'s here {person.his} name is {n}]",
        rng,
    )


def ask_person(talk: Conversation, person: Person, name: Name, *, alone: bool) -> None:
    """What somebody is called who was told of."""
    h, his, rng = person.heard, person.his, talk.rng
    she = {"her": "she", "his": "he"}.get(his, "it")
    words = (
        f"what's {h} called|what is {h} called|what's {h}'s name|what was {h}'s name|what's the name of {h}|do you [know|remember|recall] [{h}'s name|what {h} is called|the name of {h}]|"
        f"what did i say {h} is called|who is {h}|who's {h}|what name did i give you for {h}|surely you know what {h} is called|how is {h} called|tell me {h}'s name|what do we call {h}|which name has {h}|{h}'s name please|"
        f"can you tell me {h}'s name|have you got {h}'s name|what's {h} named"
    )
    if alone and rng.random() < 0.3:
        words = f"what's {his} name|what was {his} name|what's {she} called|do you remember {his} name|what did i say {his} name was|what is {she} called|and {his} name|{his} name was"
    elif name.heard and rng.random() < 0.15:
        words = f"who is {name.heard}|who's {name.heard}|who was {name.heard}|do you know who {name.heard} is|who did i say {name.heard} is"
    plainly(talk, f"{BEFORE} [{words}] {AFTER}", Kind.QUESTION)
    said = capitalise(person.said)
    talk.assistant(f"{said} is called {name.written}.")


def _ask_unknown(talk: Conversation, people: list[Person]) -> None:
    """Somebody who was never told of is not known."""
    person = draw_person(talk.rng)
    if any(person.noun == other.noun for other in people):
        return
    plainly(
        talk,
        f"{BEFORE} [what's {person.heard} called|what's {person.heard}'s name|do you know {person.heard}'s name|what is the name of {person.heard}]",
        Kind.QUESTION,
    )
    talk.assistant(f"I don't know {person.said}'s name yet.")


def _tell_their_number(talk: Conversation, person: Person) -> Asker:
    """A number of somebody else's."""
    digits = draw_digits(talk.rng)
    h, heard, said = person.heard, heard_number(talk, digits), person.said
    plainly(
        talk,
        f"[|and|also|oh and|so] [{h}'s [phone|mobile|] number is|{person.his} number is|you can [reach|call] {h} [on|at]|{person.his} [phone|number]'s|the number of {h} is|{person.his} mobile is|{h} is on] {heard}",
    )
    talk.assistant(f"Thank you. {capitalise(said)}'s number is {number_words(digits)}.")

    def ask() -> None:
        plainly(
            talk,
            f"{BEFORE} [what's {h}'s [phone|mobile|] number|what was {h}'s number|what number did i give you for {h}|how do i reach {h}|do you [have|still have|remember] {h}'s number|{h}'s number please|read me {h}'s number|on what number do i get {h}] {AFTER}",
            Kind.QUESTION,
        )
        talk.assistant(f"{capitalise(said)}'s number is {number_words(digits)}.")

    return ask
