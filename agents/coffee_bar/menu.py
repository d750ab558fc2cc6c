"""An order of a coffee bar: read from the words of a caller, changed, priced, and said again."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

MENU = {  # in cents
    "coffee": 250, "espresso": 220, "cappuccino": 330, "latte": 350, "macchiato": 320,
    "americano": 280, "mocha": 380, "flat white": 340, "cortado": 300, "cold brew": 390,
    "iced coffee": 340, "iced latte": 380, "iced tea": 280, "tea": 240, "green tea": 260,
    "mint tea": 260, "chai latte": 360, "chai": 330, "matcha latte": 400, "hot chocolate": 350,
    "lemonade": 300, "orange juice": 320, "water": 180, "croissant": 220, "muffin": 260,
    "blueberry muffin": 280, "bagel": 300, "scone": 240, "brownie": 260, "cookie": 180,
    "sandwich": 480,
}  # fmt: skip
NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen " \
    "fifteen sixteen seventeen eighteen nineteen".split()  # fmt: skip
TENS = "zero ten twenty thirty forty fifty sixty seventy eighty ninety".split()
SIZES = {
    "small": -40, "medium": 0, "regular": 0, "large": 60, "extra large": 100, "big": 60,
    "short": -40, "tall": 0, "grande": 60, "venti": 100, "single": 0, "double": 60,
}  # fmt: skip
STYLES = (
    "iced", "hot", "cold", "decaf", "skinny", "strong", "weak", "extra hot", "toasted", "black",
    "dark roast", "medium roast", "light roast",
)  # fmt: skip
FOOD = ("croissant", "muffin", "bagel", "scone", "brownie", "cookie", "sandwich")
_NAMES = "|".join(sorted(MENU, key=len, reverse=True))
_ITEM = re.compile(rf"^(?P<before>.*?)\b(?P<name>{_NAMES})(?:e?s)?\b(?P<after>.*)$")
_JOINT = re.compile(r",? and |, ")


@dataclass(frozen=True, slots=True)
class Item:
    """One line of an order: `two large iced lattes with oat milk`."""

    name: str
    before: str = ""  # size, temperature, roast: "large decaf"
    count: int = 1
    extras: tuple[str, ...] = field(default=())

    @property
    def words(self) -> str:
        """As it is said."""
        thing = f"{self.before} {self.name}".strip()
        if self.count > 1:
            ending = "es" if thing.endswith("ch") else "s"
            head = f"{number_words(self.count)} {thing}{ending}"
        else:
            head = f"{'an' if thing[0] in 'aeio' else 'a'} {thing}"
        return f"{head} with {joined(self.extras)}" if self.extras else head

    @property
    def cents(self) -> int:
        """What it costs."""
        size = next((SIZES[s] for s in sorted(SIZES, key=len, reverse=True) if s in self.before), 0)
        return self.count * (MENU[self.name] + size)


def joined(parts: tuple[str, ...] | list[str]) -> str:
    """`a, b and c`."""
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


def number_words(number: int) -> str:
    """0 to 99 in words."""
    if number < len(NUMBERS):
        return NUMBERS[number]
    return TENS[number // 10] + (f" {NUMBERS[number % 10]}" if number % 10 else "")


def price_words(cents: int) -> str:
    """`three euros fifty`."""
    euros, rest = divmod(cents, 100)
    return f"{number_words(min(euros, 99))} euro{'' if euros == 1 else 's'}" + (
        f" {number_words(rest)}" if rest else ""
    )


def read_items(words: str) -> list[Item]:
    """The items in `a large latte with oat milk and two sugars and a muffin`.

    What names nothing of the menu belongs to the item before it; `LookupError` where there is none.
    """
    items: list[Item] = []
    for part in _JOINT.split(" ".join(words.lower().split())):
        item = read_item(part)
        if item:
            items.append(item)
        elif items:
            items[-1] = with_extra(items[-1], part)
        else:
            raise LookupError(re.sub(r"^(an?|the|some|one) ", "", part))
    return items


def read_item(words: str) -> Item | None:
    """One item, or None: nothing of the menu is named before any `with`."""
    main, _, extra = words.partition(" with ")
    found = _ITEM.match(main)
    if not found or found["after"].strip():
        return None
    count, before = _counted(found["before"].strip())
    return Item(found["name"], before, count, (extra,) if extra else ())


def _counted(words: str) -> tuple[int, str]:
    first, _, rest = words.partition(" ")
    if first in NUMBERS[1:] and not rest.startswith("ounce"):
        return NUMBERS.index(first), rest
    return 1, rest if first in ("a", "an", "the", "some") else words


def with_extra(item: Item, extra: str) -> Item:
    """The item with something in it; less or more of the same thing replaces what was said."""
    extra = extra.removeprefix("with ").removeprefix("without ").strip()
    kind = extra.split()[-1].removesuffix("s")
    kept = tuple(e for e in item.extras if e.split()[-1].removesuffix("s") != kind)
    return replace(item, extras=(*kept, extra))


def changed(item: Item, to: str) -> Item:
    """The item after "make it ...": a size, a number, a drink, a style, or something in it."""
    to = re.sub(r"^(an?|the) ", "", " ".join(to.lower().split()))
    to = re.sub(r" ounces$", " ounce", to)
    if to in SIZES or to.endswith(" ounce"):
        return replace(item, before=f"{to} {_without_size(item.before)}".strip())
    if to in NUMBERS[1:]:
        return replace(item, count=NUMBERS.index(to))
    if to in STYLES:
        return replace(item, before=f"{item.before} {to}".strip())
    other = read_item(to)
    if other:
        return replace(other, before=other.before or item.before, count=item.count)
    return with_extra(item, to)


def _without_size(before: str) -> str:
    sizes = "|".join(sorted(SIZES, key=len, reverse=True))
    return re.sub(rf"^(?:{sizes}|\w+(?: \w+)? ounce)\b ?", "", before)


def find(items: list[Item], words: str) -> int:
    """Where the item is that words name; the last of them. `LookupError`: nowhere."""
    name = _ITEM.match(words.lower())
    told = set(words.lower().split()) - {"the", "a", "an", "one", "ones"}
    ways: tuple[Callable[[Item], bool], ...] = (
        lambda item: name is not None and item.name.endswith(name["name"]),
        lambda item: bool(told) and told <= set(item.words.split()),  # "the small one"
        lambda item: told <= {"coffee", "drink"} and not item.name.endswith(FOOD),
    )
    for way in ways:
        for index in range(len(items) - 1, -1, -1):
            if way(items[index]):
                return index
    raise LookupError(words)
