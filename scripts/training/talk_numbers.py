"""Numbers and codes that a caller tells: in any grouping, put right, read back, asked for again."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from typing import Final

from conversation import Conversation
from dialogue_values import capitalise
from domain import choose_branches
from open_words import open_word
from shapes import Kind
from spoken_numbers import UNITS
from user_requests import misheard, typed

_KINDS: Final = ("number",) * 9 + (
    "code",
    "pin",
    "customer number",
    "booking number",
    "membership number",
    "ticket number",
    "reference number",
    "plate",
    "postcode",
    "door code",
)
_LETTERED: Final = ("plate", "postcode", "booking number", "reference number", "ticket number", "code")  # fmt: skip
_LENGTHS: Final = (3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 10, 11, 12, 13)
_NO: Final = "[no|sorry|no sorry|wait|no wait|actually|hang on|oh no|sorry my mistake|hmm no|nearly|not quite]"


def plainly(talk: Conversation, text: str, kind: Kind = Kind.PLAIN, *, exact: bool = True) -> None:
    """The user says it with nothing around it: every further word would be a part of what is told.

    ``~`` is where somebody who types may end a sentence; nobody hears it. What is told ``exact`` is
    heard rightly, or letters and words would be copied that nobody said.
    """
    rng, text = talk.rng, choose_branches(text, talk.rng).strip("~ ")
    if rng.random() > 0.3:
        text = text.replace("~", " ")
        talk.user(text if exact and kind is not Kind.QUESTION else misheard(text, rng))
        return
    said, *more = (part.strip() for part in typed(text, kind, rng).split("~"))
    for part in more:
        mark = "" if said.endswith(",") else rng.choice((".", ".", ",", ",", "!", ""))
        said += f"{mark} {capitalise(part) if mark in ('.', '!') else part}"
    talk.user(said)


def told_before(talk: Conversation, text: str) -> None:
    """An answer in another assistant's words: history, never imitated."""
    talk.messages.append({"role": "assistant", "content": text, "learn": False})


def draw_digits(rng: random.Random) -> list[int]:
    """Any digits; in one of three some follow one another twice or more often."""
    digits = [rng.randint(0, 9) for _ in range(rng.choice(_LENGTHS))]
    if rng.random() < 0.35:
        at = rng.randrange(len(digits) - 1)
        for more in range(rng.choice((1, 1, 1, 2, 2, 3))):
            if at + more + 1 < len(digits):
                digits[at + more + 1] = digits[at]
    return digits


def number_words(digits: list[int]) -> str:
    """Digit by digit, as the assistant says it."""
    return " ".join(UNITS[digit] for digit in digits)


def heard_number(talk: Conversation, digits: list[int]) -> str:
    """As it is told: in words with "oh" and "double", or in figures of any grouping."""
    rng = talk.rng
    if rng.random() < 0.3:
        return _figures(rng, "".join(map(str, digits)))
    zero = rng.choice(("oh", "oh", "zero", "zero", "o", "nought"))
    doubles, said, index = rng.random() < 0.6, list[str](), 0
    while index < len(digits):
        word = zero if digits[index] == 0 else UNITS[digits[index]]
        run = 1
        while index + run < len(digits) and digits[index + run] == digits[index] and run < 3:
            run += 1
        if doubles and run > 1:
            said.append(f"{'double' if run == 2 else 'triple'} {word}")
            index += run
            continue
        said.append(word)
        index += 1
    comma = rng.random() < 0.08 and len(said) > 4
    half = len(said) // 2
    return f"{' '.join(said[:half])}, {' '.join(said[half:])}" if comma else " ".join(said)


def _figures(rng: random.Random, figures: str) -> str:
    pick = rng.random()
    if pick < 0.3:
        return " ".join(figures)
    if pick < 0.55 or len(figures) < 5:
        return figures
    size, mark = rng.choice((2, 3, 3, 4)), rng.choice(("-", " ", " ", ". ", "/"))
    return mark.join(figures[at : at + size] for at in range(0, len(figures), size)).strip()


def _told_number(talk: Conversation, kind: str, digits: list[int]) -> tuple[str, str]:
    """The user's words and the assistant's; some codes begin with letters."""
    words, heard = number_words(digits), heard_number(talk, digits)
    if kind not in _LETTERED or talk.rng.random() < 0.3:
        return heard, words
    letters = [talk.rng.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(talk.rng.randint(1, 3))]
    said = " ".join(letters)
    return f"{said.upper() if talk.rng.random() < 0.2 else said} {heard}", f"{said.upper()} {words}"


#: What comes before a number of one's own.
_CARRIERS: Final = (
    "[my [phone|telephone|mobile|cell|home|work|new|contact|] number is|my number's|the number is|my phone's|here is my number|here's my number|"
    "[you can|you could|please|] [reach|ring|call|get|find] me [back|] [at|on|under]|call me back [on|at]|give me a [ring|call] [on|at]|"
    "write down my number [please|] [it's|]|take my number [down|] [it's|]|can you [note|take] [down|] my number [it's|]|please note my number|for the number it's|"
    "it's|the phone number is|phone number|phone|mobile|if there's a problem call|number|the best number for me is|you'll want my number it's|"
    "i'll give you my number it's|let me leave my number|i'm on|my number then|best to text me on|okay my number it's]"
)
_CODE_CARRIERS: Final = (
    "[my {k} is|the {k} is|here is my {k}|here's the {k} it's|write down my {k}|{k}|remember my {k} it's|my {k} that's|"
    "and the {k} is|you'll need my {k}|note the {k} please|for the {k} it's|can you keep my {k} it's|the {k}'s|it's {k}|save my {k}]"
)


def phone_turn(talk: Conversation) -> None:
    """Somebody gives their telephone number, or another number of theirs; perhaps puts it right."""
    rng, kind = talk.rng, talk.rng.choice(_KINDS)
    digits = draw_digits(rng)
    heard, words = _told_number(talk, kind, digits)
    carrier = _CARRIERS if kind == "number" else _CODE_CARRIERS.replace("{k}", kind)
    after = rng.choice(("", "", "", "", "", "please", "okay", "did you get that", "got it", "thanks"))  # fmt: skip
    plainly(talk, f"{carrier}{rng.choice(('', '', '', ':'))} {heard} {after}")
    _taken(talk, kind, words)
    if words == number_words(digits):
        words = _put_right(talk, kind, digits)
    talk.numbers[kind] = words
    if rng.random() < 0.2:
        read_back(talk, kind)


def _taken(talk: Conversation, kind: str, words: str) -> None:
    """The number is said back; in some conversations another assistant did so in its own words."""
    rng = talk.rng
    if rng.random() > 0.2:
        talk.assistant(f"Thank you. Your {kind} is {words}.")
        return
    told_before(
        talk,
        choose_branches(
            f"[{words}. Is that right?|Got it, {words}.|I have noted {words}.|{words}, thank you.|Okay, {words}. Correct?|Thanks. I wrote down {words}.]",
            rng,
        ),
    )


def number_put_right(talk: Conversation) -> None:
    """A telephone number with some digits wrong: they are replaced, the others stay."""
    digits = draw_digits(talk.rng)
    plainly(talk, f"{_CARRIERS} {heard_number(talk, digits)}")
    _taken(talk, "number", number_words(digits))
    talk.numbers["number"] = _put_right(talk, "number", digits, 1.0)
    if talk.rng.random() < 0.4:
        read_back(talk, "number")


def _put_right(talk: Conversation, kind: str, digits: list[int], share: float = 0.2) -> str:
    rng = talk.rng
    while rng.random() < share:
        plainly(talk, f"{_NO} {_correction(talk, kind, digits)}")
        talk.assistant(f"I'm sorry. Your {kind} is {number_words(digits)}.")
        share = 0.15
    return number_words(digits)


def _correction(talk: Conversation, kind: str, digits: list[int]) -> str:
    """Change some digits and say how; at times the whole is said again."""
    rng, pick = talk.rng, talk.rng.random()
    old = digits[-1]
    if pick < 0.6:
        digits[-1] = (old + rng.randint(1, 9)) % 10
        new, was = _digit(rng, digits[-1]), _digit(rng, old)
        again = f"[||||so {heard_number(talk, digits)}|{heard_number(talk, digits)}]"
        return (
            f"[[it|that] [ends in|ends with|should end in|should end with] [a|] {new} [not {was}|]|the last [one|digit|number|figure|one's|one there] [is|should be|was|must be] [a|] {new} [not [a|] {was}|]|"
            f"the last one's [a|] {new}|at the end it's [a|] {new}|{new} at the end [not {was}|]|make the last [one|digit] [a|] {new}|"
            f"[it's|] a {new} at the end|last [digit|one] is {new}|change the last [digit|one] to [a|] {new}|with a {new} at the end] {again}"
        )
    if pick < 0.75:
        old, digits[0] = digits[0], (digits[0] + rng.randint(1, 9)) % 10
        new, was = _digit(rng, digits[0]), _digit(rng, old)
        return f"[it [starts|begins] with [a|] {new}|the first [one|digit|number] [is|should be] [a|] {new} [not {was}|]|make the first one [a|] {new}|{new} at the [start|beginning]]"
    if pick < 0.85:
        digits[-2:] = [rng.randint(0, 9), rng.randint(0, 9)]
        new = f"{_digit(rng, digits[-2])} {_digit(rng, digits[-1])}"
        return f"[the last two [are|should be]|it ends in|it ends|at the end it's|the end is] {new}"
    digits[:] = draw_digits(rng)
    return f"[it's|i meant|the {kind} is|that's|the right one is|i got it wrong it's|] {heard_number(talk, digits)}"


def _digit(rng: random.Random, digit: int) -> str:
    if rng.random() < 0.12:
        return str(digit)
    return rng.choice(("oh", "zero")) if digit == 0 else UNITS[digit]


def read_back(talk: Conversation, kind: str) -> None:
    """Right after it was told, with no word for what is meant."""
    plainly(
        talk,
        "[can you|could you|would you|please|just|so|and|] [read it back [to me|]|read that back [to me|]|say it back [to me|]|repeat the number|read me the number back|"
        "tell me what you wrote down|say the number again|give me that number again|read the number back to me] [once more|again|please|]",
        Kind.QUESTION,
    )
    talk.assistant(f"Your {kind} is {talk.numbers[kind]}.")


def ask_phone_turn(talk: Conversation) -> None:
    """Somebody wants to hear a number of theirs again."""
    kind = talk.rng.choice(tuple(talk.numbers)) if talk.numbers else "number"
    if talk.name and talk.numbers and talk.rng.random() < 0.15:
        _ask_both(talk, talk.name, kind)
        return
    phone = "[phone|telephone|mobile|] " if kind == "number" else ""
    plainly(
        talk,
        f"[[so|and|sorry|right|] what's my {phone}{kind} [again|]|do you [have|know|remember|still have|still know] my {phone}{kind}|"
        f"[can|could] you [repeat|read back|say|tell me] my {phone}{kind} [again|please|once more|]|"
        f"which {phone}{kind} did i [give|tell] you|what {phone}{kind} [do you have|have you got|did you write down|did i leave|did i say] [for me|]|read my {phone}{kind} back [to me|]|"
        f"what was my {phone}{kind} [again|]|[what was|tell me] the {phone}{kind} i [gave|told] you|have you got my {phone}{kind} right what is it|"
        f"which {kind} have you got down|on which {kind} would you call me|i want to check my {phone}{kind} [what is it|]]".replace(
            "on which " + kind + " would you call me", f"what {kind} is mine"
        ),
        Kind.QUESTION,
    )
    known = talk.numbers.get(kind)
    talk.assistant(f"Your {kind} is {known}." if known else f"I don't know your {kind} yet.")


def _ask_both(talk: Conversation, name: str, kind: str) -> None:
    plainly(
        talk,
        f"[|so|and|right] [what's my name and [my|] {kind}|what name and {kind} did i give [you|]|read me back my name and {kind}|which name and {kind} have you got|my name and {kind} please|tell me my name and my {kind}]",
        Kind.QUESTION,
    )
    talk.assistant(f"Your name is {name}. Your {kind} is {talk.numbers[kind]}.")


def long_run(talk: Conversation) -> None:
    """Digits or words said after the caller, whatever they are: nothing to know, all to copy."""
    rng = talk.rng
    if rng.random() < 0.5:
        digits = draw_digits(rng)
        heard, said = heard_number(talk, digits), number_words(digits)
    else:
        heard = said = " ".join(open_word(rng) for _ in range(rng.randint(1, 6)))
    plainly(
        talk,
        f"[repeat after me|say after me|repeat|say|please repeat|can you repeat|can you say|say these words|say this back|repeat this] {heard}",
    )
    talk.assistant(f"{capitalise(said)}.")
