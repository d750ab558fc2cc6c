"""Several people and what is said of each: who is six, who takes tea, what the caller's son is called."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from typing import Final

from conversation import Conversation
from dialogue_values import capitalise, draw_value
from open_words import open_drink, open_word
from order_items import joined
from shapes import Kind
from spoken_numbers import spoken_number
from talk_names import (
    AFTER,
    BEFORE,
    Asker,
    Name,
    apart,
    ask_letters,
    ask_name,
    draw_name,
    with_spelling,
)
from talk_numbers import plainly, told_before
from talk_people import Person, ask_person, draw_person

_ACKNOWLEDGED: Final = (
    "How lovely!", "How nice!", "What a lively house!", "I see.", "Got it.", "Good to know.", "Thanks for telling me.", "Okay.", "Noted.", "Lovely names!",
)  # fmt: skip


def tell_several(talk: Conversation) -> list[Asker]:
    """Two or three by name, and something of each, in one breath or in two."""
    rng = talk.rng
    names = list({name.written: name for name in (draw_name(rng, whole=0.0) for _ in range(rng.choice((2, 3, 3))))}.values())  # fmt: skip
    verb, values, asked, which = _trait(rng, len(names))
    if len(set(values)) < len(values) or len(names) < 2:
        return []
    group = rng.choice(("kids", "children", "cats", "dogs", "sons", "daughters", "sisters", "brothers", "grandchildren", "lads", "girls", "boys", "friends"))  # fmt: skip
    count = spoken_number(len(names))
    listed = joined([name.heard for name in names])
    if rng.random() < 0.6:
        plainly(talk, f"[||by the way|oh|you know|hi] ~ [i have {count} {group} {listed}|i've got {count} {group} {listed}|we have {count} {group} {listed}|my {group} are called {listed}|my {group} are {listed}|there are {count} of us {listed}]")  # fmt: skip
        if rng.random() < 0.5:
            told_before(talk, rng.choice(_ACKNOWLEDGED))
        else:
            talk.assistant(f"Okay, {joined([name.written for name in names])}.")
    told = [f"{name.heard} {verb} {value}" for name, value in zip(names, values, strict=True)]
    plainly(talk, f"[||so|and|well] ~ {rng.choice((joined(told), ' '.join(told), ' and '.join(told)))}")  # fmt: skip
    said = [f"{name.written} {verb} {value}" for name, value in zip(names, values, strict=True)]
    if rng.random() < 0.4:
        told_before(talk, rng.choice(_ACKNOWLEDGED))
    else:
        talk.assistant(f"Okay, {joined(said)}.")
    askers: list[Asker] = []
    for name, value, fact in zip(names, values, said, strict=True):
        words = asked.replace("{n}", name.heard)
        if rng.random() < 0.5:
            words = which.replace("{v}", value)
        askers.append(partial(_ask, talk, words, fact))
    rng.shuffle(askers)
    return askers[: rng.choice((1, 2))]


def _ask(talk: Conversation, words: str, fact: str) -> None:
    plainly(talk, f"{BEFORE} [{words}] {AFTER}", Kind.QUESTION)
    talk.assistant(f"{fact}.")


def _trait(rng: random.Random, count: int) -> tuple[str, list[str], str, str]:
    """The verb, a value for each, how one is asked for by name, and how by the value."""
    pick = rng.random()
    if pick < 0.5:
        years = rng.sample(range(1, 19) if rng.random() < 0.7 else range(1, 99), count)
        return (
            "is", [spoken_number(year) for year in years],
            "how old is {n}|how old was {n}|what age is {n}|how old did i say {n} is|{n} is how old|and {n} is",
            "which [one|] of them is {v}|who is {v}|which [one|] is {v}|who's {v}|which of them is {v} years old|who did i say is {v}|who is the one that's {v}|and who is {v}",
        )  # fmt: skip
    if pick < 0.75:
        verb = rng.choice(("takes", "wants", "drinks", "has", "likes"))
        base = {"takes": "take", "wants": "want", "drinks": "drink", "has": "have", "likes": "like"}[verb]  # fmt: skip
        return (
            verb, [rng.choice((open_drink(rng), open_word(rng), draw_value("drink", rng, False).text)) for _ in range(count)],
            f"what does {{n}} {base}|what did i say {{n}} {verb}|{{n}} {verb} what|and what does {{n}} {base}",
            f"who {verb} [the|] {{v}}|which of them {verb} {{v}}|who did i say {verb} {{v}}|which one {verb} {{v}}",
        )  # fmt: skip
    verb, ask = rng.choice((("lives in", "where does {n} live|where did i say {n} lives|which place does {n} live in"), ("works in", "where does {n} work|where did i say {n} works")))  # fmt: skip
    return (
        verb, [draw_value("city", rng, False).say for _ in range(count)], ask,
        f"who {verb} {{v}}|which of them {verb} {{v}}|which one {verb} {{v}}|who did i say {verb} {{v}}",
    )  # fmt: skip


_TITLES: Final = ("captain", "boss", "doc", "chief", "champ", "queen", "sunshine", "professor", "coach", "sarge", "skipper", "princess", "duke", "buddy", "granny", "mama", "ace", "tiger")  # fmt: skip


def tell_nickname(talk: Conversation) -> list[Asker]:
    """``my name is raj but everyone calls me jay``: jay it is."""
    rng, long, short = talk.rng, draw_name(talk.rng, whole=0.1), draw_name(talk.rng, whole=0.0)
    if rng.random() < 0.25:  # any word at all: ``call me captain``
        word = rng.choice(_TITLES) if rng.random() < 0.5 else open_word(rng)
        short = replace(short, heard=word, written=capitalise(word), letters=apart(word))
    x, y = long.heard, short.heard
    only = f"|call me {y} [from now on|please|]|you can call me {y}|from now on i'm {y}|i want you to call me {y}|please call me {y}|just call me {y}"
    plainly(
        talk,
        f"[|hi|hello|oh|well|um|by the way] ~ [call me {y}{only}|my name is {x} but [everyone|everybody|people|they all|my friends|my family] [calls|call] me {y}|i'm {x} but [call me|you can call me|please call me|i go by] {y}|my name's {x} {y} for short|it's {x} but {y} is fine|"
        f"{x} is my name but i go by {y}|officially {x} but everyone says {y}|the name is {x} but just call me {y}|they christened me {x} but i'm {y} to everyone|my full name is {x} but say {y}]".replace(
            "everyone call me", "everyone calls me"
        ),
    )
    talk.name = short.written
    if rng.random() < 0.4:
        told_before(talk, rng.choice((f"Nice to meet you, {short.written}.", f"Hello {short.written}!", f"Okay, {short.written} it is.")))  # fmt: skip
    else:
        talk.assistant(f"Nice to meet you, {short.written}. How can I help you?")

    def ask() -> None:
        if talk.name != short.written:
            return
        if rng.random() < 0.4:
            ask_name(talk)
            return
        plainly(talk, f"{BEFORE} [what does everyone call me|what do people call me|what do they call me|what do my friends call me|what should you call me|what am i called|what do i go by|what name do i go by|how should you call me|what did i say to call me|what's my nickname|what do you call me] {AFTER}", Kind.QUESTION)  # fmt: skip
        talk.assistant(f"Your name is {short.written}.")

    return [ask]


def tell_together(talk: Conversation) -> list[Asker]:
    """The caller and somebody with them, by name, in one sentence; perhaps a table under the other's name."""
    rng, own, other = talk.rng, draw_name(talk.rng, whole=0.1), draw_name(talk.rng, whole=0.0)
    person = draw_person(rng)
    while not person.heard.startswith("my"):
        person = draw_person(rng)
    x, y, h = own.heard, other.heard, person.heard
    plainly(
        talk,
        f"[|hi|hello|good morning|good evening|hey|hi there] ~ [i'm {x} and this is {h} {y}|i'm {x} and {h} is called {y}|{h}'s called {y} and i'm {x}|{h} is {y} and i'm {x}|it's {x} and {h} {y}|this is {x} and {h} {y}|"
        f"{x} here with {h} {y}|my name is {x} and this is {y} {h}|i'm {x} i'm here with {h} {y}|we're {x} and {y} ~ {y} is {h}|my name's {x} and {h}'s name is {y}]",
    )
    talk.name = own.written
    if rng.random() < 0.4:
        told_before(talk, rng.choice((f"Hello {own.written}, hello {other.written}.", f"Nice to meet you both, {own.written} and {other.written}.", "Hello you two!", f"Welcome, {own.written} and {other.written}. What can I do for you?")))  # fmt: skip
    else:
        talk.assistant(f"Nice to meet you, {own.written}. How can I help you?")
    askers: list[Asker] = [partial(ask_person, talk, person, other, alone=True)]
    if rng.random() < 0.3:
        askers.append(partial(_ask_own, talk, own.written))
    if rng.random() < 0.35:
        askers.insert(0, partial(_under_their_name, talk, person, other))
    return askers


def _ask_own(talk: Conversation, name: str) -> None:
    if talk.name == name:
        ask_name(talk)


def _under_their_name(talk: Conversation, person: Person, other: Name) -> None:
    """A table or an appointment under the name of somebody told of before."""
    rng = talk.rng
    count, time = draw_value("count", rng, False), draw_value("time", rng, False)
    day = rng.choice(("tonight", "tomorrow", f"on {draw_value('weekday', rng, False).say}"))
    people = f"{count.say} people" if count.say != "one" else "one person"
    plainly(talk, f"[we'd like|i'd like|we want|can we have|could i book|we need] a table for {count.text} {day.lower()} [please|]")  # fmt: skip
    if rng.random() < 0.5:
        told_before(talk, rng.choice((f"A table for {count.say} {day}. What time?", f"Certainly, a table for {count.say} {day}. When would you like to come?")))  # fmt: skip
    else:
        talk.assistant(f"Okay, a table for {people} {day}. For what time?")
    whose = f"[put it|can you put it|book it|it's|make it] under {person.heard}'s name|[in|under] {person.heard}'s name"
    if rng.random() < 0.6:
        plainly(talk, f"[at|] {time.text} [please|] ~ [and|] [{whose}]")
    else:
        plainly(talk, f"[at|] {time.text} [please|]")
        talk.assistant(f"Okay, a table for {people} {day} at {time.say}. Whose name shall I put it under?")  # fmt: skip
        plainly(talk, f"[|um|well] [{person.heard}'s [name|]|{whose}] [please|]")
    booked = f"a table for {people} {day} at {time.say} for {other.written}"
    talk.assistant(f"Okay. That is {booked}. Shall I book it?")
    if rng.random() < 0.7:
        plainly(talk, "[yes|yes please|that's right|correct|yes book it|perfect yes|go ahead]")
        talk.assistant(f"Thank you. {capitalise(booked)} is booked.")
        talk.booked = [booked]


def tell_spelled_person(talk: Conversation) -> list[Asker]:
    """``his name is tyrell you spell it t y r e double l``, of somebody mentioned just before."""
    rng, name, person = talk.rng, draw_name(talk.rng, whole=0.0), draw_person(talk.rng)
    his = person.his
    plainly(
        talk,
        f"[|well|oh|you know|so] ~ [{person.heard} is [coming to stay|coming tonight|here with me|asleep|at school|visiting|new here]|i'm waiting for {person.heard}|{person.heard} will be here soon]",
    )
    told_before(talk, rng.choice(("How nice.", "Okay.", "I see.", "Lovely. What can I do for you?", "That's good to hear.")))  # fmt: skip
    with_letters = f" ~ {with_spelling(talk, name)}" if rng.random() < 0.5 else ""
    plainly(talk, f"[{his} name is {name.heard}|{his} name's {name.heard}|called {name.heard}|the name is {name.heard}]{with_letters}")  # fmt: skip
    talk.assistant(f"Okay, {person.said} is called {name.written}.")
    askers: list[Asker] = [partial(ask_person, talk, person, name, alone=True)]
    if rng.random() < 0.4:
        askers.append(partial(ask_letters, talk, his, name))
    return askers
