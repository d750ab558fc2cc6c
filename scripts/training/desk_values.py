"""More values of a booking: a birthday, a card, heights, an age, from when to when, what is hired, a date."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from conversation import Conversation
from dialogue_values import capitalise, draw_value
from domain import choose_branches
from instructed_values import Told
from open_words import open_word
from spoken_numbers import MONTHS, UNITS, spoken_number, spoken_ordinal
from talk_numbers import heard_number, number_words

#: For how long something is hired.
_TERMS: Final = ("half a day", "a whole day", "the whole day", "the morning", "the afternoon", "two hours", "an hour", "three hours", "two days", "three days", "a week", "the weekend", "four hours", "one day", "ten days")  # fmt: skip


def draw_date(rng: random.Random) -> Told:
    """``the ninth of March``, ``march 9th``, ``9 March``: the assistant says all of them in one way."""
    number, month = rng.randint(1, 31), capitalise(rng.choice(MONTHS))
    ordinal = spoken_ordinal(number)
    mark = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}.get(number, "th")
    if rng.random() < 0.15:
        said = rng.choice((f"the {ordinal}", f"the {ordinal}", f"the {number}{mark}"))
        return Told(said, f"on the {ordinal}")
    said = rng.choice(
        (
            f"the {ordinal} of {month}", f"the {ordinal} of {month}", f"{month} the {ordinal}", f"{ordinal} of {month}", f"{ordinal} {month}", f"{month} {ordinal}",
            f"{number}{mark} {month}", f"{number}{mark} of {month}", f"{month} {number}{mark}", f"the {number}{mark} of {month}",
        )
    )  # fmt: skip
    before = rng.choice(("from ", "on ", "on ", "arriving on ", "", "", "", ""))
    return Told(before + said, f"on the {ordinal} of {month}")


def _year(year: int) -> str:
    if 2000 <= year < 2010:
        return f"two thousand{f' and {UNITS[year - 2000]}' if year > 2000 else ''}"
    head, rest = divmod(year, 100)
    if rest == 0:
        return f"{spoken_number(head)} hundred"
    return f"{spoken_number(head)} {'oh ' if rest < 10 else ''}{spoken_number(rest)}"


def draw_birth(rng: random.Random) -> Told:
    """``the third of June nineteen forty one``."""
    number, month, year = (
        rng.randint(1, 31),
        capitalise(rng.choice(MONTHS)),
        rng.randint(1928, 2022),
    )
    ordinal, words = spoken_ordinal(number), _year(year)
    said = rng.choice(
        (
            f"the {ordinal} of {month} {words}", f"{ordinal} of {month} {words}", f"{month} {ordinal} {words}", f"{ordinal} {month} {words}",
            f"{month} the {ordinal} {words}", f"{ordinal} of {month} {year}", f"{month} {ordinal}, {year}", f"the {ordinal} of {month} {year}",
        )
    )  # fmt: skip
    return Told(said, f"the {ordinal} of {month} {words}")


def draw_card(talk: Conversation) -> Told:
    """``six six oh one two nine``, at times with letters before it."""
    rng = talk.rng
    digits = [rng.randint(0, 9) for _ in range(rng.choice((4, 5, 6, 6, 7, 8)))]
    if rng.random() < 0.4:
        at = rng.randrange(len(digits) - 1)
        digits[at + 1] = digits[at]
    letters = "".join(f"{rng.choice('ABCDEFGHKLMNPRSTVWXYZ')} " for _ in range(rng.choice((0, 0, 0, 1, 2))))  # fmt: skip
    return Told(f"{letters}{heard_number(talk, digits)}", f"{letters}{number_words(digits)}")


def draw_heights(count: int, rng: random.Random) -> Told:
    """``one metre sixty five and one metre ninety two``."""
    feet = rng.random() < 0.25
    said, heard = list[str](), list[str]()
    for _ in range(count):
        if feet:
            foot, inch = rng.choice(("five", "five", "six", "four")), rng.choice(UNITS[1:12])
            full = f"{foot} foot {inch}"
            heard.append(full)
        else:
            tail = spoken_number(rng.randint(11, 99))
            metre = "one" if rng.random() < 0.95 else "two"
            full = f"{metre} metre {tail}"
            heard.append(rng.choice((full, full, f"{metre} {tail}")))
        said.append(full)
    who = rng.sample(("my husband", "my wife", "my son", "the other", "my friend", "the boy", "my daughter", "she", "he"), max(1, count))  # fmt: skip
    mine = rng.choice(("i'm ", "i am ", "", "", "me "))
    texts = [mine + heard[0]] + [
        f"{who[at] if mine else ''} {text}".strip() for at, text in enumerate(heard[1:])
    ]
    return Told(rng.choice((" and ", " and ", ", ", " ")).join(texts), " and ".join(said))


def draw_age(rng: random.Random) -> Told:
    """``nine``; ``she's nine years old``."""
    age = spoken_number(rng.randint(3, 16))
    text = "[{v}|she's {v}|he's {v}|{v} years old|he is {v} years old|she is {v}|my daughter is {v}|my son is {v}|she just turned {v}]"
    return Told(choose_branches(text.replace("{v}", age), rng), age)


def draw_email(rng: random.Random) -> Told:
    """``anna dot kim at mailbox dot com``."""
    first = draw_value("name", rng, False).text if rng.random() < 0.7 else open_word(rng)
    last = draw_value("surname", rng, False).text if rng.random() < 0.5 else open_word(rng)
    glue = rng.choice((" dot ", " dot ", " underscore ", ""))
    who = f"{first}{glue}{last}" if glue else rng.choice((first, f"{first} {last}"))
    digits = (
        f" {UNITS[rng.randint(1, 9)]} {UNITS[rng.randint(1, 9)]}" if rng.random() < 0.15 else ""
    )
    house = rng.choice(("mailbox", "mail", "post", "web", open_word(rng), open_word(rng)))
    end = rng.choice(("com", "com", "net", "org", "example", "info"))
    said = f"{who}{digits} at {house} dot {end}".lower()
    return Told(said, said)


def draw_postcode(rng: random.Random) -> Told:
    """``B S five zero J Q``."""
    signs = "".join(
        rng.choice("ABCDEGHJKLMNPRSTUVWXYZ") if sign == "L" else str(rng.randint(0, 9))
        for sign in rng.choice(("LLDDLL", "LLDDDLL", "LDDLL", "DDDDD", "LDLDLL", "DDDDLL"))
    )
    said = " ".join(UNITS[int(sign)] if sign.isdigit() else sign for sign in signs)
    heard = rng.choice((said, said, said.replace("zero", "oh"), signs, " ".join(signs)))
    return Told(heard, said)


def draw_term(rng: random.Random) -> Told:
    """For how long something is hired."""
    term = rng.choice(_TERMS)
    return Told(term, term)


def draw_span(start: Told, rng: random.Random, minutes: int) -> Told:
    """``from two to three``; the datum is the start's."""
    begin = start.say.split(" in the ")[0].removesuffix(" a.m.").removesuffix(" p.m.")
    begin = begin.removesuffix(" o'clock")
    end = _end(begin, start.data, minutes)
    half = "" if "noon" in (begin, end) else rng.choice(("", "", "", " p m" if start.data % 1440 >= 720 else " a m"))  # fmt: skip
    to = rng.choice(("to", "to", "to", "till", "until"))
    text = rng.choice(
        (
            f"from {begin} {to} {end}{half}", f"from {begin} {to} {end}{half}", f"{begin} {to} {end}{half}", f"between {begin} and {end}{half}",
            f"starting at {begin} and ending at {end}", f"start {begin} end {end}", f"from {begin} {to} {end}{half}",
        )
    )  # fmt: skip
    return Told(text, f"from {begin} to {end}", start.data)


def _end(begin: str, data: int, minutes: int) -> str:
    """The end in the same style as the beginning: ``two thirty`` to ``three thirty``."""
    minute = (data + minutes) % 1440
    this, following = UNITS[(minute // 60 - 1) % 12 + 1], UNITS[minute // 60 % 12 + 1]
    rest = minute % 60
    if rest == 0:
        return this
    if "past" in begin or "quarter" in begin or begin.startswith("half"):
        return {15: f"quarter past {this}", 30: f"half past {this}", 45: f"quarter to {following}"}[
            rest
        ]
    return f"{this} {spoken_number(rest)}"


#: Between what was said wrongly and what is meant, within one turn.
_MENDS: Final = "[no|no wait|sorry|i mean|no i mean|um no|er no|nah hang on|hang on|actually no|oh no|no sorry|uh make that|or rather|wait no|no actually|ah sorry]"


def mended(wrong: Sequence[str], right: str, rng: random.Random) -> str:
    """``friday no sorry saturday``: the last word counts."""
    others = [text for text in wrong if text != right]
    return f"{choose_branches(f'{others[0]} {_MENDS}', rng)} {right}" if others else right
