"""What can be ordered: items as they are said, drawn, changed and joined."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from coffee_bar import AMOUNTS, DRINKS, MILKS, OUNCES, SHOTS, SNACKS, SWEETENERS
from dialogue_values import draw_value
from open_words import open_drink, open_snack, open_word
from slots import phrases
from spoken_numbers import spoken_number

SIZES: Final = phrases(
    "small, medium, large, small, medium, large, extra large, tall, grande, venti, short, regular,"
    "big, little, double, single"
)
_STYLES: Final = phrases(
    "iced, hot, decaf, dark roast, light roast, medium roast, skinny, extra hot, blonde roast, half"
    " caf, double shot, single shot, triple shot, strong, french roast, house blend, cold, warm"
)
_UNCOUNTED: Final = frozenset({"biscotti", "toast", "black", "doppio", "cafe au lait"})
_MILKS: Final = tuple(sorted(set(MILKS) - {"soy", "oat", "almond", "coconut", "creamer"}))
_SWEET: Final = tuple(sorted(set(SWEETENERS) - {"sugars", "flavor", "light"}))
_FEW: Final = phrases(
    "a bit of, a little, a little bit of, lots of, a lot of, some, extra, a splash of, a dash of,"
    "a touch of, a pinch of, plenty of, a drop of, less, more, a hint of, not too much, loads of"
)
_TELLING: Final = tuple(sorted(set(AMOUNTS) - {"no", "heavy", "light", "one", "much", "so much"}))


@dataclass(frozen=True)
class Item:
    """One line of an order, in the words in which the assistant repeats it."""

    drink: str
    size: str = ""
    count: int = 1
    extras: tuple[str, ...] = field(default=())

    @property
    def core(self) -> str:
        """Without count and extras: ``large iced latte``."""
        return f"{self.size} {self.drink}".strip()

    @property
    def said(self) -> str:
        """In full: ``two large iced lattes with oat milk and one sugar``."""
        return f"{self.head}{' with ' if self.extras else ''}{joined(self.extras)}"

    @property
    def head(self) -> str:
        """Without the extras: ``two large iced lattes``."""
        if self.count > 1:
            return f"{spoken_number(self.count)} {plural(self.core)}"
        return with_article(self.core)


class Verbatim(Item):
    """An order in the caller's own words, repeated as it is."""

    @property
    def said(self) -> str:
        """As it was said."""
        return self.drink


def with_article(words: str) -> str:
    """``iced tea -> an iced tea``."""
    return f"{'an' if words[0] in 'aeio' or words.startswith('un') else 'a'} {words}"


def joined(parts: Sequence[str]) -> str:
    """``a, b and c``."""
    return " and ".join((", ".join(parts[:-1]), parts[-1])) if len(parts) > 1 else "".join(parts)


def plural(words: str) -> str:
    """``slice of cake -> slices of cake``, ``sandwich -> sandwiches``."""
    head, of, rest = words.partition(" of ")
    ending = "es" if head.endswith(("ch", "sh", "s", "x")) else "s"
    return f"{head}{ending}{of}{rest}"


def draw_extra(rng: random.Random) -> str:
    """``oat milk``, ``two sugars``, ``a bit of cream``, ``no sugar``, ``an extra shot``."""
    pick = rng.random()
    if pick < 0.2:
        return f"{spoken_number(rng.randint(2, 6))} sugars" if rng.random() < 0.7 else "one sugar"
    if pick < 0.32:
        return rng.choice(SHOTS)
    thing = rng.choice(_MILKS if pick < 0.7 else _SWEET)
    if rng.random() < 0.12:
        thing = (
            f"{open_word(rng)} {rng.choice(('syrup', 'milk', 'sauce', 'cream', 'powder', 'sugar'))}"
        )
    if pick > 0.93 or 0.66 < pick < 0.7:
        return f"no {thing}"
    if rng.random() < 0.45:
        return thing
    return f"{rng.choice(_FEW if rng.random() < 0.7 else _TELLING)} {thing}"


def draw_size(rng: random.Random) -> str:
    """``large``, ``twelve ounce``."""
    return f"{rng.choice(OUNCES)} ounce" if rng.random() < 0.15 else rng.choice(SIZES)


def draw_drink(rng: random.Random) -> str:
    """A drink, now and then with its roast, shots or temperature; or one of the desk's menu."""
    if rng.random() < 0.3:
        return open_drink(rng)
    if rng.random() < 0.04:
        return rng.choice(("dark roast", "light roast", "medium roast", "house blend", "decaf"))
    drink = rng.choice(DRINKS) if rng.random() < 0.75 else draw_value("drink", rng, False).say
    style = rng.choice(_STYLES) if rng.random() < 0.25 else ""
    return drink if not style or style.split()[-1] in drink else f"{style} {drink}"


def draw_snack(rng: random.Random) -> str:
    """Something to eat."""
    if rng.random() < 0.4:
        return open_snack(rng)
    return rng.choice(SNACKS) if rng.random() < 0.7 else draw_value("food", rng, False).say


def draw_item(rng: random.Random) -> Item:
    """One thing somebody orders."""
    if rng.random() < 0.22:
        item = Item(draw_snack(rng))
    else:
        size = draw_size(rng) if rng.random() < 0.55 else ""
        count = rng.choice((0, 0, 0, 0, 0, 1, 1, 1, 2))
        extras = tuple(dict.fromkeys(draw_extra(rng) for _ in range(count)))
        item = Item(draw_drink(rng), size, 1, extras)
    if item.drink in _UNCOUNTED or item.drink.endswith("s") or rng.random() < 0.82:
        return item
    return replace(item, count=rng.choice((2, 2, 2, 3, 3, 4, 5, 6)))


def draw_items(rng: random.Random) -> list[Item]:
    """What one sentence orders: one thing, or two, or three."""
    items: list[Item] = []
    for _ in range(rng.choice((1, 1, 1, 1, 2, 2, 3))):
        item = draw_item(rng)
        if all(item.drink != other.drink for other in items):
            items.append(item)
    return items


def kind_of(extra: str) -> str:
    """What an extra is of: ``two sugars -> sugar``, ``a bit of oat milk -> milk``."""
    last = extra.rsplit(maxsplit=1)[-1].removesuffix("s")
    return "shot" if "shot" in extra else last
