"""What people say that is no sentence: telephone numbers, spelled names, single words."""

from __future__ import annotations

import random
from typing import Final

from slots import NAMES, SURNAMES

DIGITS: Final = "zero one two three four five six seven eight nine".split()
COMMANDS: Final = (
    "yes no on off stop go up down left right yeah nope okay hello hi bye goodbye thanks please "
    "help cancel wait sorry"
).split()
_LENGTHS: Final = (3, 4, 5, 6, 7, 7, 8, 9, 10, 10, 10, 10, 11, 12)
_BEFORE_NUMBER: Final = (
    *[""] * 8, "my number is", "it's", "the number is", "my phone number is", "call me at", "call",
)  # fmt: skip
_BEFORE_NAME: Final = ("", "", "it's", "that's", "my name is", "spelled", "i spell it")


def telephone_number(rng: random.Random) -> str:
    """Digit by digit; some people say "oh" and "double"."""
    digits = [rng.choice(DIGITS) for _ in range(rng.choice(_LENGTHS))]
    said: list[str] = []
    while digits:
        digit = digits.pop(0)
        if digits[:1] == [digit] and rng.random() < 0.3:
            digits.pop(0)
            said.append("double")
        said.append("oh" if digit == "zero" and rng.random() < 0.4 else digit)
    return " ".join([*rng.choice(_BEFORE_NUMBER).split(), *said])


def spelled_name(rng: random.Random) -> str:
    """Letter by letter, with a point after each, as the dictionary has them."""
    letters = [f"{letter}." for letter in rng.choice(NAMES + SURNAMES).replace(" ", "")]
    return " ".join([*rng.choice(_BEFORE_NAME).split(), *letters])


def single_word(rng: random.Random) -> str:
    """A digit or a command."""
    return rng.choice(rng.choice((DIGITS, [*COMMANDS, "oh"])))
