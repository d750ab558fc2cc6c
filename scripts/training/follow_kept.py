"""Things said in passing and confirmed in any words: asked for by what they are."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final, NamedTuple

from conversation import Conversation
from dialogue_values import capitalise, draw_value, invented_name
from open_words import open_snack, open_word
from shapes import Kind
from slots import phrases
from spoken_numbers import MONTHS, spoken_number, spoken_ordinal
from talk_between import exchange
from talk_numbers import plainly, told_before


class _Kept(NamedTuple):
    """What the caller says, how others confirm it, how it is asked for, what is answered."""

    told: str
    heard: str
    asks: str
    answer: str


_FOODS: Final = phrases(
    "nuts, peanuts, milk, dairy, eggs, gluten, wheat, fish, shellfish, soy, sesame, meat, pork, tomatoes, garlic, onions, sugar, cheese, honey, strawberries, celery, mustard"
)
_TAKES: Final = "[i take|i always take|i have|i like|i usually have|i drink it with]"


def _diet(rng: random.Random) -> _Kept:
    food = rng.choice(_FOODS) if rng.random() < 0.75 else open_word(rng)
    told, known, asked = rng.choice((
        (f"[i can't have [any|] {food}|i can't eat [any|] {food}|no {food} for me i can't have it|i mustn't have {food}|i'm not allowed {food}]", f"you can't have {food}", "[what did i say i can't have|what can't i have|what am i not allowed|what did i tell you i can't eat|what is it i can't have]"),
        (f"[i'm allergic to {food}|i have an allergy to {food}|i've got a {food} allergy]", f"you are allergic to {food}", "[what am i allergic to|what did i say i'm allergic to|which allergy did i tell you of|what's my allergy|what was i allergic to]"),
        (f"[i don't like {food}|i hate {food}|i can't stand {food}]", f"you don't like {food}", "[what did i say i don't like|what don't i like|what is it i don't like|what did i tell you i don't like]"),
        (f"[i don't eat {food}|i never eat {food}|i don't touch {food}]", f"you don't eat {food}", "[what did i say i don't eat|what don't i eat|what is it that i don't eat]"),
    ))  # fmt: skip
    return _Kept(
        f"{told} [by the way|just so you know||you know]",
        f"[Thanks for telling me, I'll keep that in mind.|No {food}, got it.|Okay, no {food}.|I'll remember that.|Noted.|Good to know.]",
        asked,
        f"{capitalise(known)}.",
    )


def _sugar(rng: random.Random) -> _Kept:
    count = rng.choice(("one", "two", "three", "four", "no"))
    what = rng.choice(
        (
            "sugars",
            "sugars",
            "sweeteners",
            "ice cubes",
            "spoons of honey",
            "pumps of syrup",
            "shots",
        )
    )
    many = (
        what
        if count != "one"
        else what.replace("s of", " of")
        if " of" in what
        else what.removesuffix("s")
    )
    drink = rng.choice(("tea", "coffee", "cocoa", "latte", "lemonade", open_word(rng)))
    return _Kept(
        f"[just so you know|by the way|] {_TAKES} {count} {many} in my {drink}",
        f"[{capitalise(count)} {many}, I'll remember.|Okay, {count} {many}.|Got it, {count} {many}.|Noted.|I'll keep that in mind.]",
        f"[how many {what} did i say [i take|]|how many {what} do i take|how many {what} was it|how many {what} [in my {drink}|]]",
        f"You take {count} {many}.",
    )


def _minutes(rng: random.Random) -> _Kept:
    thing = rng.choice(
        (
            "lasagne",
            "eggs",
            "pasta",
            "rice",
            "bread",
            "cake",
            "pizza",
            "chicken",
            "potatoes",
            "cookies",
            "tea",
            "laundry",
            "nap",
            "roast",
            open_word(rng),
            open_snack(rng),
        )
    )
    number = rng.choice((rng.randint(2, 59), 5 * rng.randint(1, 12)))
    time = f"{spoken_number(number)} minutes"
    told = rng.choice((time, time, f"{number} minutes"))
    hyphened = time.replace("ty ", "ty-", 1)
    return _Kept(
        f"[{told} for the {thing} [please|]|the {thing} takes {told}|the {thing} needs {told}|it's {told} for the {thing}]",
        f"[Okay, {hyphened} for the {thing}.|{capitalise(time)} for the {thing}, got it.|Noted, {hyphened}.|All right, {time}.]",
        f"[how long did i say for the {thing}|how long was it for the {thing}|how many minutes did i say for the {thing}|how long does the {thing} [take|need]|the {thing} was how long|how many minutes for the {thing}]",
        f"You said {time} for the {thing}.",
    )


def _size(rng: random.Random) -> _Kept:
    size = rng.choice(("small", "medium", "large", "double", "extra large", "regular"))
    drink = rng.choice(
        (
            "latte",
            "cappuccino",
            "mocha",
            "tea",
            "hot chocolate",
            "lemonade",
            "americano",
            "pizza",
            "soup",
            f"{open_word(rng)} tea",
            open_word(rng),
        )
    )
    article = "an" if size[0] in "aeiou" else "a"
    return _Kept(
        f"[{article} {size} {drink} please|{size} {drink} please|i'd like {article} {size} {drink}|can i get {article} {size} {drink}|i'll have {article} {size} {drink}]",
        f"[{capitalise(article)} {size} {drink}, {spoken_number(rng.randint(2, 9))} euros. Anything else?|{capitalise(article)} {size} {drink}. Anything else?|Okay, {article} {size} {drink}.|One {size} {drink}, coming up.]",
        f"[what size did i say [for the {drink}|]|which size did i [say|order|ask for|take]|what size was [it|my {drink}|the {drink}]|how big was the {drink} i ordered]",
        f"You said {article} {size} {drink}.",
    )


_WHO: Final = phrases(
    "daughter, son, wife, husband, mother, father, sister, brother, grandson, granddaughter, friend, boss, niece, nephew, partner, uncle, aunt, cousin"
)


def _birthday(rng: random.Random) -> _Kept:
    who, month = rng.choice(_WHO), rng.choice(MONTHS)
    day = spoken_ordinal(rng.randint(1, 31 if month not in ("february",) else 28))
    date = f"the {day} of {capitalise(month)}"
    event = rng.choice(("birthday", "birthday", "wedding", "party", "exam", "graduation"))
    return _Kept(
        f"[my {who}'s {event} is [on|] {date}|it's my {who}'s {event} on {date}|my {who} has {'a' if event != 'exam' else 'an'} {event} on {date}]",
        f"[How nice, {date}.|{capitalise(date)}, lovely.|Noted.|I'll remember that.|Okay, {date}.]",
        f"[which date did i [tell you|say] for my {who}'s {event}|when is my {who}'s {event}|when did i say my {who}'s {event} is|what date is my {who}'s {event}|my {who}'s {event} is when|on which day is my {who}'s {event}]",
        f"Your {who}'s {event} is on {date}.",
    )


_COMES: Final = phrases(
    "taxi, plumber, cleaner, delivery, gardener, postman, bus, electrician, train, babysitter, doctor, visitor, parcel, nurse, piano tuner, painter, chimney sweep, guests, in laws, neighbours, children, cousins"
)


def _arrival(rng: random.Random) -> _Kept:
    who = rng.choice(_COMES) if rng.random() < 0.85 else open_word(rng)
    many = who.endswith("s") and who != "bus"
    base = rng.choice(("come", "arrive"))
    verb = base if many else f"{base}s"
    time = draw_value("time", rng, False)
    day = rng.choice(
        ("", "", "", "tomorrow ", f"on {capitalise(draw_value('weekday', rng, False).say)} ")
    )
    the, your = ("my", "your") if many else ("the", "the")
    told = f"{the} {who} {verb} {day}at {time.text}"
    said = f"{your} {who} {verb} {day}at {time.say}"
    keep = "[keep that in your head|keep that in mind|remember that [for me|]|don't let me forget|don't forget that|just so you know|make a note of that|note that|bear that in mind]"
    do = "do" if many else "does"
    heard = (
        f"[Okay, I'll remember that {said}.|Noted.|I'll keep it in mind.|Got it, {day}{time.say}.]"
    )
    return _Kept(
        f"[{told} ~ {keep}|{keep} ~ {told}|{told}]",
        heard,
        f"[when {do} {the} {who} {base}|when {verb} {the} {who} [i forgot|again|]|what time {do} {the} {who} {base}|at what time {verb} {the} {who}|when did i say {the} {who} {verb}|so at what hour {do} {the} {who} {base}|when was that with {the} {who}]",
        f"{capitalise(said)}.",
    )


def _letter(rng: random.Random) -> _Kept:
    name = (
        draw_value("name", rng, False).say if rng.random() < 0.6 else capitalise(invented_name(rng))
    )
    letter = name[0].upper()
    if not letter.isascii():
        letter, name = "K", "Karla"
    return _Kept(
        f"[it's for {name} with [a|an] {letter}|{name} with [a|an] {letter}|the name is {name} with [a|an] {letter}|{name} it's spelled with [a|an] {letter}]",
        f"[{name} with {'an' if letter in 'AEFHILMNORSX' else 'a'} {letter}, thank you.|Okay, {name} with {'an' if letter in 'AEFHILMNORSX' else 'a'} {letter}.|Noted.]",
        "[so which letter does it start with|which letter does it begin with|what's the first letter|what letter did i say it starts with|with which letter is it spelled|it starts with which letter]",
        f"It starts with {letter}.",
    )


_KINDS: Final[tuple[tuple[Callable[[random.Random], _Kept], float], ...]] = (
    (_diet, 3), (_sugar, 2), (_minutes, 2.5), (_size, 2), (_birthday, 2.5), (_arrival, 4), (_letter, 1),
)  # fmt: skip


def kept_turn(talk: Conversation) -> None:
    """Told, confirmed, something else talked of, asked for."""
    rng = talk.rng
    makers = [make for make, _ in _KINDS]
    kept = rng.choices(makers, [weight for _, weight in _KINDS])[0](rng)
    plainly(talk, f"[||||hi|oh|okay|right|well] {kept.told}")
    if (
        kept.answer.startswith(("You said", "It starts"))
        or rng.random() < 0.6
        or "remember that" not in kept.heard
    ):
        told_before(talk, _one(kept.heard, rng))
    else:
        talk.assistant(f"Okay, I'll remember that {kept.answer[0].lower()}{kept.answer[1:]}")
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        if talk.order:
            break
        exchange(talk)
    plainly(
        talk,
        f"[|||so|and|sorry|anyway|hmm|wait|now|okay] {kept.asks} [|||again|please]",
        Kind.QUESTION,
    )
    talk.assistant(kept.answer)


def _one(text: str, rng: random.Random) -> str:
    return rng.choice(text.strip("[]").split("|"))
