"""What callers name of the menu: each thing with its number, its look, and what is in or on it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from menu import MENU, NUMBERS, SIZES, STYLES, TENS


def _any(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_TENS: Final = rf"(?:{_any(TENS[2:])})(?: (?:{'|'.join(NUMBERS[1:10])})\b)?"
NUMBER: Final = (
    rf"(?:{_TENS}|{_any(NUMBERS[1:])}|a couple(?: of)?|a pair of|a dozen|half a dozen|a hundred)"
)
_AMOUNTS: Final = {
    "a hundred": 100,
    "a couple": 2,
    "a couple of": 2,
    "a pair of": 2,
    "half a dozen": 6,
    "a dozen": 12,
}
_OUNCES: Final = rf"(?:{_any(NUMBERS[1:])}|(?:twenty|thirty|forty)(?: \w+)?) ounces?"
LOOK: Final = rf"(?:{_any(SIZES)}|{_OUNCES}|{_any(STYLES)})"
"""A size or a style."""

_SHORT: Final = {"juice": "orange juice", "matcha": "matcha latte", "blueberry": "blueberry muffin"}
_DET: Final = (
    r"an?|the other|the|my|that|those|these|his|her|our|your|some|any|one more|both"
    r"|another(?: one of (?:the|those|these))?|all(?: the)?(?: (?:two|three|four|five|six))?"
    r"|(?:the )?both(?: the)?"
)
#: "A cheese sandwich", "an earl grey tea": one word that the menu does not know.
_KIND: Final = rf"(?!{NUMBER}\b)(?!(?:with|and|in|on|for|the|of|please|an?)\b)[a-z]+"
_MENTION: Final = re.compile(
    rf"(?:\b(?P<det>(?:(?:the|those|my|only) )?{NUMBER}(?: more| extra)?"
    rf"(?: of (?:the|those|your|my|them))?|{_DET}) )?"
    rf"(?P<looks>(?:\b{LOOK} (?:of )?)*)(?(det)(?P<kind>(?:{_KIND} ){{1,2}}?)??)"
    rf"(?P<more>(?:\b{LOOK} )*)"
    rf"\b(?P<name>{_any(MENU)}|{_any(_SHORT)})(?:e?s)?\b"
)
IN_IT: Final = re.compile(
    r"\b(?:milk|creamer|cream|sugars?|sweeteners?|honey|syrup|shots?|foam|froth|cinnamon|nutmeg"
    r"|cocoa|chocolate|vanilla|caramel|hazelnut|ice|lemon|butter|jam|marmalade|cheese|salt|sauce"
    r"|sprinkles|marshmallows?|whip|toppings?|oat|soya?|almond|coconut|skimmed|whole milk|pumpkin"
    r"|spice|mint|ginger|ketchup|mayo|lettuce|tomato|ham|avocado|egg|mustard|hot water"
    r"|stevia|agave|drizzle|peppermint|gingerbread|lavender|splenda|cardamom|dairy milk)\b"
)
"""What may be in or on a thing, by the words that callers have for it."""

#: Where one thing that is in it ends and the next begins.
_BETWEEN: Final = re.compile(
    r"\bwith\b|\band\b|\bplus\b|,|\b(?:in|on) (?:it|that|them)\b|\bon top\b|\b(?=without\b|no \w)"
    rf"|(?<=\bmilk) (?=(?:{NUMBER}|an?|\w+ (?:syrup|sugars?))\b)|(?<=\bsyrup) (?=(?:{NUMBER}|an?"
    rf"|\w+ milk)\b)"
)
_BEFORE: Final = (
    r"in|on|of|have|has|add|put|some|the|can|could|be|both|needs?|wants?|make|yeah|yes|ok|okay|so"
    r"|now|only|should|supposed to|meant to|it|takes?"
)
_BEHIND: Final = re.compile(
    r"^(?:it'?s?|she|he|i|they)\b.*"
    r"|\b(?:in|on|for|to|it's|its|instead|because|he|she|i|there'll|or|cause|if)\b.*$"
)
_OF_PEOPLE: Final = re.compile(r"\b(?:takes|likes|loves|wants|will be|already)\b")
MOST_WORDS: Final = 5  # that say what is in it

WISH: Final = (
    r"(?:i|we|she|he|they|my \w+|\w+)(?:'d| would| will|'ll)(?: rather| prefer to)?"
    r" (?:like|love|have|take|get|do|need|try|go for|also)"
    r"|(?:i|we) (?:want|need|fancy)|(?:she|he) (?:wants|needs)|they (?:want|need)"
    r"|(?:can|could|may) (?:i|we|you|he|she|they)(?: (?:get|have|order|grab|do|give|add|put))*"
    r"|give (?:me|us)|get (?:me|us)|let me (?:get|have)|let's (?:get|have|do|go with)|gimme"
    r"|throw in|add"
)
"""How a caller begins to say what they would like."""


@dataclass(frozen=True, slots=True)
class Thing:
    """Something of the menu. `count`: 0 = none is said."""

    name: str
    before: str = ""  # "large decaf"
    count: int = 0
    counted: bool = False  # by a number, not by "a"
    extras: tuple[str, ...] = ()
    known: bool = False  # "the latte": one that is ordered
    more: bool = False  # "another latte"


def mentions(text: str) -> list[re.Match[str]]:
    """Where things are named; the water of "hot water" is in one."""
    found = _MENTION.finditer(text)
    return [one for one in found if one["name"] != "water" or "hot" not in one["looks"]]


def things(text: str) -> list[Thing]:
    """All that are named, in their order."""
    found = mentions(text)
    ends = [*(one.start() for one in found), len(text)][1:]
    return [_thing(one, text[one.end() : end]) for one, end in zip(found, ends, strict=True)]


def extras(text: str) -> tuple[str, ...]:
    """`oat milk` and `two sugars` in "with oat milk and two sugars please"."""
    found = []
    text = re.sub(r"\bwithout (\w+) (?:and|or) (\w+)(?= *$)", r"without \1 without \2", text)
    for piece in _BETWEEN.split(text):
        bare = re.sub(rf"^(?:(?:{WISH}|{_BEFORE}) )+", "", " ".join(piece.split()))
        bare = re.sub(r"^without (?:any |the )?", "no ", _BEHIND.sub("", bare)).strip()
        bare = bare.partition(" not ")[0]  # "hazelnut syrup, not caramel"
        if IN_IT.search(bare) and len(bare.split()) <= MOST_WORDS and not _OF_PEOPLE.search(bare):
            found.append(bare)
    return tuple(found)


def whole_names(text: str, spoken_of: Sequence[str]) -> str:
    """`the mint tea` for "the mint one", where teas are spoken of or named before it."""

    def whole(one: re.Match[str]) -> str:
        before = [found["name"] for found in _MENTION.finditer(text[: one.start()])]
        for name in (*reversed(before), *spoken_of):
            full = f"{one['word']} {name.split()[-1]}"
            if full in MENU:
                return f"{one['det']} {full}"
        return one[0]

    return re.sub(r"\b(?P<det>the|an?) (?P<word>\w+) one\b", whole, text)


def looks(text: str) -> list[str]:
    """Sizes and styles that are named."""
    return [one[0] for one in re.finditer(rf"(?<!not )(?<!too )\b{LOOK}\b", text)]


def number(text: str) -> int:
    """The first that is said; 0 = none. "The large one" has none."""
    for found in re.finditer(rf"\b{NUMBER}\b(?! ounce)", text):
        pointed = re.search(
            rf"(?:{LOOK}|the|that|this|other|first|second|last) $", text[: found.start()]
        )
        if found[0] != "one" or not pointed:
            return _number(found[0])
    return 0


def _number(word: str) -> int:
    tens, _, ones = word.partition(" ")
    if tens in TENS[2:]:
        return 10 * TENS.index(tens) + (NUMBERS.index(ones) if ones else 0)
    return _AMOUNTS.get(word) or (NUMBERS.index(word) if word in NUMBERS else 0)


def _thing(one: re.Match[str], behind: str) -> Thing:
    det = one["det"] or ""
    numbers = [_number(word) for word in re.findall(NUMBER, det)]
    name, before = _named(one, behind)
    if det.startswith("another"):
        numbers = []
    whose = re.match(r"(?:the|only|my|that|those|these|his|her|our|both|all)\b", det)
    milk = re.match(r" ?(?:\w+ )?milk\b", behind)  # "a latte oat milk"
    return Thing(
        name,
        before,
        count=numbers[0] if numbers else int(det in ("a", "an") or det.startswith("another")),
        counted=bool(numbers),
        extras=extras(f"with {behind}" if milk else behind),
        known=whose is not None or (" of " in det and not det.startswith("another")),
        more="more" in det or det.startswith("another"),
    )


def _named(one: re.Match[str], behind: str) -> tuple[str, str]:
    name = _SHORT.get(one["name"], one["name"])
    before = " ".join(f"{one['looks']}{one['kind'] or ''} {one['more']}".split())
    first, _, last = before.rpartition(" ")
    if f"{last} {name}" in MENU:  # "large iced" and "latte"
        name, before = f"{last} {name}", first
    after = re.match(
        rf" ?(?:on )?(?:an? )?((?:{LOOK}(?: ones?)? ?)+)", behind
    )  # "a bagel, toasted"
    if after and not re.match(
        r"(?!with\b|and\b|for\b|no\b|without\b|thanks\b|if\b|to\b)\w", behind[after.end() :]
    ):
        how = re.sub(r"\bones?\b", "", after[1])
        before = f"{how.strip()} {before}".strip()
    return name, before
