"""What there is at a coffee bar, what it costs, and how it is said."""

from __future__ import annotations

import re
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
MILKS = ("whole milk", "skimmed milk", "oat milk", "soy milk", "almond milk", "coconut milk")
SYRUPS = ("vanilla", "caramel", "hazelnut syrup")
FOOD = ("croissant", "muffin", "bagel", "scone", "brownie", "cookie", "sandwich")


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


def joined(parts: tuple[str, ...] | list[str], by: str = "and") -> str:
    """`a, b and c`."""
    return f" {by} ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


def number_words(number: int) -> str:
    """From 0 on, in words."""
    if number < len(NUMBERS):
        return NUMBERS[number]
    if number >= 100:
        rest = f" and {number_words(number % 100)}" if number % 100 else ""
        return f"{number_words(number // 100)} hundred{rest}"
    return TENS[number // 10] + (f" {NUMBERS[number % 10]}" if number % 10 else "")


def price_words(cents: int) -> str:
    """`three euros fifty`."""
    euros, rest = divmod(cents, 100)
    return f"{number_words(euros)} euro{'' if euros == 1 else 's'}" + (
        f" {number_words(rest)}" if rest else ""
    )


def with_extra(item: Item, extra: str) -> Item:
    """The item with something in it; less or more of the same thing replaces what was said."""
    extra = extra.removeprefix("with ").removeprefix("without ").strip()
    if extra.startswith("no "):
        gone = set(extra.split()[1:])
        kept = tuple(e for e in item.extras if not gone <= {*e.split(), *e.rstrip("s").split()})
        return replace(item, extras=kept if kept != item.extras else (*kept, extra))
    kind = extra.split()[-1].removesuffix("s")
    kept = tuple(e for e in item.extras if e.split()[-1].removesuffix("s") != kind)
    return replace(item, extras=(*kept, extra))


def looking(item: Item, look: str) -> Item:
    """The item in another size, or with a style more."""
    look = re.sub(r" ounces$", " ounce", look)
    if look in SIZES or look.endswith(" ounce"):
        return replace(item, before=f"{look} {_without_size(item.before)}".strip())
    return replace(item, before=f"{item.before} {look}".strip())


def _without_size(before: str) -> str:
    sizes = "|".join(sorted(SIZES, key=len, reverse=True))
    return re.sub(rf"^(?:{sizes}|\w+(?: \w+)? ounce)\b ?", "", before)
