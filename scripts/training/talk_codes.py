"""Numbers and codes of any name: told, kept, and asked for whole or in part when other things were said."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from conversation import Conversation
from dialogue_values import capitalise, invented_name
from domain import choose_branches
from open_words import open_word
from shapes import Kind
from slots import phrases
from spoken_numbers import UNITS, spoken_number
from talk_names import AFTER, BEFORE, Asker
from talk_numbers import draw_digits, heard_number, number_words, plainly, told_before

#: What is told digit by digit.
_NUMBERED: Final = phrases(
    "student number, library card number, clinic card number, card number, account number, patient number, badge number, locker code,"
    "garage code, alarm code, gate code, safe code, door code, pin, customer number, order code, membership number, licence number, staff number,"
    "ticket number, parcel code, tracking number, policy number, case number, insurance number, passport number, wifi code, lottery number, member code"
)
#: What is told as one number.
_COUNTED: Final = phrases(
    "house number, flat number, room number, door number, seat number, bay number, locker number, table number, gate number, apartment number, bus number, shoe size, shirt number, queue number, desk number"
)
_ROADS: Final = phrases("lane, road, street, avenue, close, drive, hill, square, terrace, park, gardens, way, crescent, grove, row, court")  # fmt: skip
_TELL: Final = (
    "[my {k} is {v}|the {k} is {v}|my {k}'s {v}|my {k} it's {v}|{k} {v}|it's {v} my {k}|{v} is my {k}|for the {k} it's {v}|"
    "let me give you my {k} it is {v}|i'll give you my {k} ~ it's {v}|here's my {k} {v}|here is my {k} ~ {v}|you'll want my {k} it's {v}|note my {k} ~ {v}|can you keep my {k} it's {v}|"
    "can you remember my {k} ~ it's {v}|my {k} that would be {v}|okay so my {k} ~ {v}]"
)
_KEEP: Final = "[||||||keep it for me|can you remember that|don't let me forget it|hang on to that|write that down|please keep that|remember it for me|have you got that|if you need it|just so you have it|i always forget it|can you mind that for me]"
_FIRST: Final = "[|||||hi|oh and|and|by the way|right|um|okay|so|listen|hello|one thing|before i forget|please] ~"


def _kind(rng: random.Random) -> tuple[str, bool]:
    """What it is the number of, and whether it is one number rather than digits."""
    pick = rng.random()
    if pick < 0.3:
        return rng.choice(_COUNTED), True
    if pick < 0.8:
        return rng.choice(_NUMBERED), False
    return f"{open_word(rng)} {rng.choice(('number', 'code', 'card number'))}", False


def _mixed(rng: random.Random) -> tuple[str, str]:
    """Letters and digits in any order: ``k 7 q 2``, ``K seven Q two``."""
    signs = [
        rng.choice("abcdefghijklmnopqrstuvwxyz") if rng.random() < 0.5 else str(rng.randint(0, 9))
        for _ in range(rng.randint(3, 7))
    ]
    said = " ".join(UNITS[int(sign)] if sign.isdigit() else sign.upper() for sign in signs)
    if rng.random() < 0.35:
        heard = " ".join(signs).upper() if rng.random() < 0.6 else "".join(signs).upper()
    else:
        heard = said.lower()
    return heard, said


def tell_code(talk: Conversation) -> list[Asker]:
    """A number or two of the caller's, of whatever kind; each is asked for by its own name."""
    rng = talk.rng
    askers: list[Asker] = []
    for _ in range(rng.choice((1, 1, 1, 2))):
        askers += _tell_one(talk)
    return askers


def _tell_one(talk: Conversation) -> list[Asker]:
    rng = talk.rng
    kind, counted = _kind(rng)
    digits: list[int] = []
    if counted:
        count = rng.randint(1, 199)
        heard, words = _counted_words(rng, count), spoken_number(count)
    elif rng.random() < 0.35:
        kind = rng.choice(("booking code", "code", "reference", "booking reference", kind))
        heard, words = _mixed(rng)
    else:
        digits = draw_digits(rng)
        heard, words = heard_number(talk, digits), number_words(digits)
    words_told = _TELL.replace("{k}", kind).replace("{v}", heard)
    plainly(talk, f"{_FIRST} {words_told} ~ {_KEEP}")
    _taken(talk, kind, words)
    if counted and rng.random() < 0.25:
        words = _recounted(talk, kind, count)
    talk.numbers[kind] = words
    askers: list[Asker] = [partial(_ask, talk, kind, words)]
    if len(digits) > 3 and rng.random() < 0.5:
        askers.append(partial(ask_part, talk, kind, digits))
    return askers


def _counted_words(rng: random.Random, count: int) -> str:
    words = spoken_number(count)
    return str(count) if rng.random() < 0.25 else words.replace(" and ", rng.choice((" ", " and ")))


def _taken(talk: Conversation, kind: str, words: str) -> None:
    """Said back; at times by another assistant, in other words."""
    if talk.rng.random() < 0.7:
        talk.assistant(f"Thank you. Your {kind} is {words}.")
        return
    hyphened = words.replace("ty ", "ty-") if talk.rng.random() < 0.5 else words
    told_before(
        talk,
        choose_branches(
            f"[Thank you, {hyphened}.|Got it, {hyphened}.|Okay, I'll keep that for you.|Noted.|I've written down {hyphened}.|{capitalise(hyphened)}, thanks.|Sure, I'll remember your {kind}.|Okay.|{capitalise(kind)} {hyphened}. Anything else?]",
            talk.rng,
        ),
    )


def _recounted(talk: Conversation, kind: str, old: int) -> str:
    rng, new = talk.rng, talk.rng.randint(1, 199)
    new += new == old
    was, now = spoken_number(old), spoken_number(new)
    plainly(
        talk,
        f"[no|sorry|no sorry|wait|oh no|actually|hang on] ~ [not {was} {now}|it's {now} not {was}|{now}|i meant {now}|i said {now}|not {was} it's {now}|{now} not {was}|make that {now}]",
    )
    if rng.random() < 0.6:
        talk.assistant(f"I'm sorry. Your {kind} is {now}.")
    else:
        told_before(talk, choose_branches(f"[Sorry, {now}.|Okay, {now}.|My mistake, {now}.|I've changed it to {now}.]", rng))  # fmt: skip
    return now


def _ask(talk: Conversation, kind: str, words: str) -> None:
    """By its name, or by the last words of it where there is no other number."""
    if talk.numbers.get(kind) != words:
        return  # another was told since
    rng = talk.rng
    k = kind
    if len(talk.numbers) == 1 and rng.random() < 0.4:
        k = " ".join(kind.split()[-rng.choice((1, 2)) :])
    plainly(
        talk,
        f"{BEFORE} [what's my {k}|what was my {k}|what was the {k}|what was that {k}|what is that {k} i gave you|which {k} did i [give|tell] you|which {k} have you [got|written down|noted]|what {k} have you got for me|tell me my {k}|my {k} please|"
        f"do you [still|] [know|have|remember] my {k}|can you [read|say|tell] me my {k}|remind me of my {k}|i forgot my {k} what was it|what did i say my {k} [is|was]|read my {k} back|what's the {k} i told you|have you still got my {k}|give me the {k}|my {k} what is it|the {k} was|{k}|{k} again|and the {k}|what's the {k} [again|]|the {k} please|{k} what was it] {AFTER}",
        Kind.QUESTION,
    )
    talk.assistant(f"Your {kind} is {words}.")


_ENDS: Final[Mapping[int, str]] = {1: "digit", 2: "two digits", 3: "three digits", 4: "four digits"}


def ask_part(talk: Conversation, kind: str, digits: list[int]) -> None:
    """The first or the last digits alone."""
    if talk.numbers.get(kind) != number_words(digits):
        return
    rng, size = talk.rng, talk.rng.choice((1, 2, 2, 3, 3, 4, 4, 4))
    size = min(size, len(digits) - 1)
    last = rng.random() < 0.7
    end, part = ("last", digits[-size:]) if last else ("first", digits[:size])
    be = "is" if size == 1 else "are"
    was = "was" if size == 1 else "were"
    what = (
        f"{end} {_ENDS[size].replace('digit', rng.choice(('digit', 'digit', 'number', 'figure')))}"
    )
    if size > 1 and rng.random() < 0.2:
        what = f"{end} {UNITS[size]}"
    plainly(
        talk,
        f"{BEFORE} [what {was} the {what}|what {be} the {what} [of my {kind}|of it|]|the {what} please|just the {what}|can you [tell|give|read] me the {what}|which {be} the {what}|only the {what} of my {kind}|"
        f"do you have the {what}|say the {what}|what {was} the {what} of that|and the {what} {be}|what did i say the {what} {was}] {AFTER}",
        Kind.QUESTION,
    )
    talk.assistant(f"The {end} {_ENDS[size]} {be} {number_words(part)}.")


def tell_address(talk: Conversation) -> list[Asker]:
    """Where the caller lives: the number of the house and the street, the number often put right."""
    rng = talk.rng
    street = f"{_street_word(rng)} {rng.choice(_ROADS)}"
    written = " ".join(capitalise(word) for word in street.split())
    count = rng.randint(1, 130)
    where = f"{_counted_words(rng, count)} {street}"
    plainly(
        talk,
        f"{_FIRST} [i live at {where}|we live at {where}|my address is {where}|the address is {where}|it's {where}|i'm at {where}|we're at {where}|i've moved to {where}|my new address is {where}|{where} that's my address|you deliver to {where} [don't you|right|]|please deliver [it|] to {where}|bring it to {where}|it goes to {where}|send it to {where}|it's for {where}]",
    )
    said = f"{spoken_number(count)} {written}"
    _heard_address(talk, "Okay, you live at", said, "Thank you")
    if rng.random() < 0.35:
        old, count = count, count + rng.choice((10, -10, 1, 40, 3, 9))
        count = count if count > 0 else old + 7
        now, was = spoken_number(count), spoken_number(old)
        plainly(talk, f"[no|sorry|no sorry|wait|actually|oh no] ~ [not {was} {now}|it's {now} not {was}|number {now}|it's number {now}|{now} i said|{now} not {was}|not {was} it's {now}|i meant {now}]")  # fmt: skip
        said = f"{now} {written}"
        _heard_address(talk, "I'm sorry, you live at", said, "Sorry")

    def ask() -> None:
        plainly(
            talk,
            f"{BEFORE} [what's my address|which address have you [got|written down|noted]|which house number have you [got|written down]|what house number did i [say|give you]|what number do i live at|where do i live|what's my house number|which street do i live [in|on]|what street did i say|tell me my address|"
            f"what address did i give you|do you [know|remember] where i live|which number {street.rsplit(maxsplit=1)[-1]} did i say|at what address do i live|what did i say my address was] {AFTER}",
            Kind.QUESTION,
        )
        talk.assistant(f"You live at {said}.")

    return [ask]


def _street_word(rng: random.Random) -> str:
    draw: Callable[[random.Random], str] = invented_name if rng.random() < 0.4 else open_word
    return draw(rng)


def _heard_address(talk: Conversation, ours: str, said: str, theirs: str) -> None:
    if talk.rng.random() < 0.65:
        talk.assistant(f"{ours} {said}.")
        return
    street = said.split(" ", 1)[1].split()[-2:]
    told = said.replace("ty ", "ty-") if talk.rng.random() < 0.5 else said
    told_before(talk, talk.rng.choice((f"{theirs}, {told}.", f"{theirs}, {told}.", f"{' '.join(street)}, yes.", f"{theirs}, I've noted that.", "Got it.")))  # fmt: skip
