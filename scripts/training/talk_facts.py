"""What callers tell of themselves, and what they want kept: said back in the same form when asked."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from conversation import Conversation
from dialogue_values import capitalise, draw_value, invented_name, proper
from domain import choose_branches
from open_words import open_snack, open_word, with_drawn
from set_phrases import ENJOY
from shapes import Kind
from slots import phrases
from spoken_numbers import MONTHS, WEEKDAYS, spoken_number, spoken_ordinal
from talk_names import Asker
from talk_numbers import plainly, told_before

_COLOURS: Final = phrases(
    "red, blue, green, yellow, pink, purple, orange, black, white, grey, brown, turquoise, gold, silver, lilac, beige, navy blue, dark green, light blue"
)
_JOBS: Final = phrases(
    "nurse, teacher, baker, driver, doctor, cook, gardener, lawyer, painter, farmer, pilot, waiter, student, plumber, singer, writer, builder, tailor, vet, dentist"
)
_PLACES: Final = phrases(
    "in the drawer, under the mat, on the shelf, in the car, behind the clock, in my bag, on the table, in the kitchen, by the door, on the hook, in the garage, under the bed, in the green box, on the fridge, upstairs, in the cellar, at work, in the top drawer"
)
_THINGS: Final = phrases(
    "keys, glasses, phone, wallet, passport, charger, umbrella, spare key, remote, car keys, tickets, hat, gloves, book, tools, medicine, torch, ladder, bag, coat, ring"
)
_FAVOURITES: Final[Mapping[str, Callable[[random.Random], str]]] = {
    "colour": lambda rng: rng.choice(_COLOURS),
    "food": open_snack,
    "animal": lambda rng: draw_value("animal", rng, False).text,
    "music": lambda rng: draw_value("genre", rng, False).text,
    "number": lambda rng: spoken_number(rng.randint(1, 99)),
    "day": lambda rng: draw_value("weekday", rng, False).text,
    "word": open_word,
    "team": open_word,
    "flower": open_word,
    "subject": open_word,
    "band": lambda rng: f"{open_word(rng)} {open_word(rng)}",
    "drink": lambda rng: draw_value("drink", rng, False).text,
    "city": lambda rng: draw_value("city", rng, False).text,
}


@dataclass(frozen=True)
class Fact:
    """Something told: how the user says it, what is remembered of it, how it is asked for."""

    told: str
    known: str
    asked: str
    answer: str = ""  # where it isn't said back at once


def _age(rng: random.Random) -> Fact:
    years = spoken_number(rng.choice((rng.randint(3, 12), rng.randint(3, 99))))
    return Fact(
        f"[i'm {years} years old|i am {years} years old|i'm {years}|i am {years} now|i turned {years} [today|yesterday|last week]|i just turned {years}|my age is {years}|i'm already {years}|i'm only {years}|i'm {years} you know]",
        f"you are {years}",
        "[how old am i|how old did i say i am|what's my age|what age am i|do you [know|remember] how old i am|do you know my age]",
    )


def _favourite(rng: random.Random) -> Fact:
    kind = rng.choice((*_FAVOURITES, "colour", "colour", "food"))
    what = _FAVOURITES[kind](rng)
    said = proper(what) if kind in ("city", "day") else what
    spelt = rng.choice((kind, kind, "color")) if kind == "colour" else kind
    return Fact(
        f"[my favourite {spelt} is {what}|{what} is my favourite {spelt}|my favorite {spelt} is {what}|the {spelt} i like best is {what}|my favourite {spelt} has always been {what}|my best {spelt} is {what}]",
        f"your favourite {kind} is {said}",
        f"[what's my favourite {spelt}|what is my favorite {spelt}|which {spelt} do i like best|do you [remember|know] my favourite {spelt}|which {spelt} is my favourite|what did i say my favourite {spelt} is|what {spelt} do i like [most|best]]",
    )


def _home(rng: random.Random) -> Fact:
    city = draw_value("city", rng, False).text if rng.random() < 0.6 else invented_name(rng)
    said = proper(city)
    if rng.random() < 0.5:
        return Fact(
            f"[i live in {city}|i'm living in {city}|my home is in {city}|we live in {city}|my house is in {city}]",
            f"you live in {said}",
            "[where do i live|where do we live|which town do i live in|do you [know|remember] where i live|where did i say i live|where is my home|in which town do i live|what place did i say i live in|where is it i live]",
        )
    return Fact(
        f"[i'm from {city}|i come from {city}|i was born in {city} i'm from there|we're from {city}|originally i'm from {city}]",
        f"you are from {said}",
        "[where am i from|where do i come from|which place am i from|do you [know|remember] where i'm from|where did i say i'm from|from where do i come [i have told you|]|from where am i|which country am i from|what town did i say i come from|where did i tell you i'm from]",
    )


def _work(rng: random.Random) -> Fact:
    job = rng.choice(_JOBS) if rng.random() < 0.6 else open_word(rng)
    job = f"{'an' if job[0] in 'aeiou' else 'a'} {job}"
    return Fact(
        f"[i work as {job}|i'm working as {job}|my job is {job} i work as {job}|i'm {job} by trade|i'm {job} for a living]",
        f"you work as {job}",
        "[what do i do for a living|what's my job|what do i work as|what is my job|do you [know|remember] what i do|what did i say my job is]",
    )


def _birthday(rng: random.Random) -> Fact:
    day, month = spoken_ordinal(rng.randint(1, 28)), rng.choice(MONTHS)
    return Fact(
        f"[my birthday is on the {day} of {month}|my birthday's the {day} of {month}|i was born on the {day} of {month}|my birthday is {month} {day}|it's my birthday on the {day} of {month}]",
        f"your birthday is on the {day} of {capitalise(month)}",
        "[when is my birthday|when's my birthday|what's my birthday|do you [know|remember] my birthday|when was i born|when did i say my birthday is|what day is my birthday]",
    )


def _put_away(rng: random.Random) -> Fact:
    thing = rng.choice(_THINGS) if rng.random() < 0.6 else open_word(rng)
    place = (
        rng.choice(_PLACES)
        if rng.random() < 0.6
        else f"{rng.choice(('in', 'under', 'behind', 'on', 'next to'))} the {open_word(rng)}"
    )
    many = thing.endswith("s") and not thing.endswith("ss")
    be = "are" if many else "is"
    them = "them" if many else "it"
    return Fact(
        f"[my {thing} {be} {place}|i put my {thing} {place}|i left my {thing} {place} i put {them} there|the {thing} {be} {place}|i keep my {thing} {place}|i've put the {thing} {place}]",
        f"your {thing} {be} {place.replace('my ', 'your ')}",
        f"[where {be} my {thing}|where did i put my {thing}|where did i leave my {thing}|where did i say my {thing} {be}|do you [know|remember] where my {thing} {be}|where {be} the {thing}|where do i find my {thing}]",
    )


def _parked(rng: random.Random) -> Fact:
    where = rng.choice((
        f"on level {spoken_number(rng.randint(1, 9))}", f"in row {spoken_number(rng.randint(1, 40))}",
        f"in {invented_name(rng)} street", f"behind the {open_word(rng)}", f"next to the {open_word(rng)}",
    ))  # fmt: skip
    return Fact(
        f"[i parked {where}|i parked the car {where}|the car is {where} i parked there|my car is {where}|we parked {where}]",
        f"your car is {where}",
        "[where did i park|where is my car|where's the car|where did i leave the car|where did we park|do you [know|remember] where i parked]",
    )


def _age_of(rng: random.Random) -> Fact:
    who = rng.choice(("daughter", "son", "dog", "cat", "grandson", "granddaughter", "baby", "brother", "sister", "mother", "nephew"))  # fmt: skip
    years = spoken_number(rng.randint(1, 90))
    return Fact(
        f"[my {who} is {years}|my {who} is {years} years old|my {who}'s {years} [now|]|my {who} just turned {years}]",
        f"your {who} is {years}",
        f"[how old is my {who}|how old did i say my {who} is|what age is my {who}|do you [know|remember] how old my {who} is]",
    )


def _plan(rng: random.Random) -> Fact:
    day, city = draw_value("weekday", rng, False), draw_value("city", rng, False).text
    going = rng.choice(("flying", "going", "driving", "moving", "cycling", "sailing", "travelling"))
    if rng.random() < 0.3:
        city = invented_name(rng)
    who, you = rng.choice((("i'm", "you are"), ("we're", "you are"), ("i am", "you are")))
    return Fact(
        f"[{who} {going} to {city} on {day.text}|on {day.text} {who} {going} to {city}|{who} {going} to {city} this {day.text}]",
        f"{you} {going} to {proper(city)} on {day.say}",
        f"[where am i {going} on {day.text}|where are we {going}|when am i {going} to {city}|what am i doing on {day.text}|what are my plans for {day.text}|what did i say i'm doing on {day.text}|which day am i {going}|where did i say i'm {going}]",
        ENJOY,
    )


_FACTS: Final = (_age, _age, _favourite, _favourite, _favourite, _home, _work, _birthday, _put_away, _put_away, _plan, _parked, _age_of)  # fmt: skip
_BEFORE: Final = "[|||||so|and|sorry|right|okay|tell me|now|um|uh|wait|great|perfect|hang on|never mind|fine|hmm|lovely|nice] ~"
_AFTER: Final = "[||||||again|then|please|now|do you remember|do you recall|you know|by the way]"


def tell_fact(talk: Conversation) -> list[Asker]:
    """Something of the caller's: it is said back at once, and when it is asked for."""
    rng = talk.rng
    fact = rng.choice(_FACTS)(rng)
    opening = "[||||by the way|you know|just so you know|oh|so|remember|guess what|listen|you should know|i should say|well] ~"
    plainly(talk, f"{opening} {fact.told}")
    if rng.random() < 0.15:
        told_before(talk, rng.choice(("Got it.", "Okay, I'll remember that.", "Noted.", "Thanks for telling me.", "How nice!")))  # fmt: skip
    else:
        talk.assistant(fact.answer or f"Okay, {fact.known}.")
    if rng.random() < 0.12:
        corrected = _same_kind(rng, fact)
        if corrected:
            plainly(talk, f"[no|sorry|no wait|actually|wait no] {corrected.told}")
            talk.assistant(f"I'm sorry, {corrected.known}.")
            fact = corrected
    askers: list[Asker] = [partial(_ask, talk, fact)]
    if rng.random() < 0.12:
        askers.append(partial(_ask_untold, talk, fact))
    return askers


def _same_kind(rng: random.Random, fact: Fact) -> Fact | None:
    """Another value of the same kind."""
    for _ in range(30):
        other = rng.choice(_FACTS)(rng)
        if other.asked == fact.asked and other.known != fact.known:
            return other
    return None


def _ask_untold(talk: Conversation, told: Fact) -> None:
    """Something that was never told isn't known."""
    other = talk.rng.choice(_FACTS)(talk.rng)
    if other.asked != told.asked and other.known[:8] != told.known[:8]:
        plainly(talk, f"{_BEFORE} {other.asked}", Kind.QUESTION)
        talk.assistant("I don't know that yet.")


def _ask(talk: Conversation, fact: Fact) -> None:
    plainly(talk, f"{_BEFORE} {fact.asked} {_AFTER}", Kind.QUESTION)
    talk.assistant(f"{capitalise(fact.known)}.")


#: What is to be kept: ``{o}`` any word, ``{t}`` a time, ``{w}`` a weekday, ``{n}`` a name, ``{p}`` a place.
_KEPT: Final = (
    "the [spare key|{o}|parcel|money|cat food|{o} {o}] is {p}|the [{o}|plumber|delivery|cleaner|{o}|gardener] comes [at {t}|on {w}|on {w} at {t}]|{n} owes me {x} euros|i owe {n} {x} euros|"
    "[{n}|the dog|the baby|{o}] doesn't like {o}|{n} is allergic to [nuts|milk|eggs|{o}]|the [door code|bin day|secret word|{o}|password] is {o}|the meeting is [on {w}|at {t}|in room {x}]|my [{o}|bike|jacket] is at the {o}|"
    "we need [{o}|{o} and {o}] for {w}|the [{o}|car|bike] needs [new {o}|{o}|water]|{n} [likes|hates|wants] {o}|my appointment is [on {w} at {t}|at {t}]|{n} arrives on {w}|the bins go out on {w}|the [{o}|party|dinner] is on {w} at {t}|"
    "the {o} of the {o} is {o}|i lent the {o} to {n}|{n} has my {o}|the {o} goes {p}|the cat was fed at {t}|i took my pill at {t}|the [recipe|plan] needs {x} {o}"
)


def draw_kept(rng: random.Random) -> str:
    """Something to be kept in mind, in the caller's words."""
    text = choose_branches(f"[{_KEPT}]", rng)
    draws: dict[str, Callable[[], str]] = {
        "{o}": lambda: open_word(rng),
        "{t}": lambda: draw_value("time", rng, False).text,
        "{w}": lambda: draw_value("weekday", rng, False).text,
        "{n}": lambda: (
            invented_name(rng) if rng.random() < 0.4 else draw_value("name", rng, False).text
        ),
        "{p}": lambda: rng.choice(_PLACES),
        "{x}": lambda: spoken_number(rng.randint(2, 60)),
    }
    return with_drawn(text, draws)


def as_yours(text: str) -> str:
    """``i owe tom -> you owe tom``: as the assistant says it."""
    for mine, yours in (("my", "your"), ("i", "you"), ("me", "you"), ("we", "you")):
        text = re.sub(rf"\b{mine}\b", yours, text)
    text = re.sub(rf"\b({'|'.join(WEEKDAYS)})\b", lambda day: capitalise(day.group()), text)
    return re.sub(r" ([ap]) m\b", r" \1.m.", text)


def tell_to_keep(talk: Conversation) -> list[Asker]:
    """Something is to be remembered: asked for first, or told in one breath."""
    rng, kept = talk.rng, draw_kept(talk.rng)
    if rng.random() < 0.5:
        plainly(
            talk,
            "[i need you to|i want you to|can you|could you|would you|please|will you|i'd like you to|you have to|are you able to|is it possible for you to] [remember something [for me|]|keep something in mind [for me|]|not forget something|"
            "remember one thing [for me|]|remember a thing for me|hold on to something for me|keep a secret|make a mental note] [please|can you manage that|is that possible|would that work|]",
        )
        talk.assistant("Of course. What shall I remember?")
        plainly(talk, f"[|||that|it's that|well|okay|so|right|remember that] {kept}")
    else:
        plainly(
            talk,
            f"[|please|can you|could you|i need you to|and|oh|will you|also] [remember [that|] {kept}|don't forget [that|] {kept}|keep in mind [that|] {kept}|bear in mind that {kept}|make a note that {kept}|remember this {kept}|remember for me that {kept}]",
        )
    said = as_yours(kept)
    talk.assistant(f"Okay, I'll remember that {said}.")

    def ask() -> None:
        plainly(
            talk,
            f"{_BEFORE} [what did i [ask|tell] you to [remember|keep in mind]|what should you remember [for me|]|what was it you should remember|what are you remembering for me|what did i want you to remember|"
            "do you [still|] remember what i told you|what was that thing i told you|what was i telling you to remember|what was the thing to remember|tell me what i asked you to remember|what have you remembered|remind me what i told you|"
            f"what did you have to remember|what was it i asked you to keep in mind] {_AFTER}",
            Kind.QUESTION,
        )
        talk.assistant(f"You told me that {said}.")

    return [ask]
