"""How a till words an order: other names, articles, commas and capitals than the caller's."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from dialogue_values import proper
from open_words import open_word
from order_items import Item, Verbatim, joined

_SIZES: Final = {"big": "large", "little": "small", "regular": "medium", "tall": "medium"}
_NAMES: Final = (
    ("piece of ", "slice of "),
    ("mug of ", "cup of "),
    ("decaf ", "decaffeinated "),
    ("donut", "doughnut"),
    ("veg ", "vegetable "),
    ("toastie", "toasted sandwich"),
    ("camomile", "chamomile"),
    ("filter coffee", "drip coffee"),
    ("earl grey", "Earl Grey"),
)
_SLICED: Final = ("cake", "bread", "pie", "tart", "loaf", "cheesecake")
_KINDS: Final = ("house", "fresh", "homemade", "classic", "organic", "butter", "warm")


@dataclass
class Wording:
    """One till's way of saying an order; what it called a thing once it calls it again."""

    rng: random.Random
    renames: float = 0.0  # the share of things with another name
    join: str = "and"
    without: bool = False  # "without sugar" for "no sugar"
    titles: bool = False  # "a large Flat White"
    bare: bool = False  # without articles
    figures: bool = False  # "2 lattes"
    names: dict[str, str] = field(default_factory=dict)

    def text(self, items: Sequence[Item]) -> str:
        """The whole order."""
        said = [self._item(item) for item in items]
        if self.join == "comma and" and len(said) > 1:
            return f"{', '.join(said[:-1])}, and {said[-1]}"
        if self.join in (", ", " and ", " plus ", "; "):
            return self.join.join(said)
        return joined(said)

    def _item(self, item: Item) -> str:
        if isinstance(item, Verbatim):
            return item.said
        extras = item.extras
        if self.without:
            nones = tuple(e for e in extras if e.startswith("no "))
            extras = tuple(e for e in extras if e not in nones)
            tail = "".join(f" without {e.removeprefix('no ')}" for e in nones)
        else:
            tail = ""
        size = _SIZES.get(item.size, item.size) if self.renames else item.size
        said = replace(item, drink=self._name(item.drink), size=size, extras=extras, manner="")
        head, rest = said.head, said.said.removeprefix(said.head)
        if self.bare and item.count == 1:
            head = said.core
        if self.figures and item.count > 1:
            head = f"{item.count} {head.split(' ', 1)[1]}"
        manner = f", {item.manner}" if item.manner else ""
        return f"{head}{rest}{tail}{manner}"

    def _name(self, drink: str) -> str:
        if drink not in self.names:
            self.names[drink] = self._renamed(drink) if self.rng.random() < self.renames else drink
        name = self.names[drink]
        return proper(name) if self.titles else name

    def _renamed(self, drink: str) -> str:
        for ours, theirs in _NAMES:
            if ours in drink:
                return drink.replace(ours, theirs)
        if drink.endswith(_SLICED) and " of " not in drink:
            return f"slice of {drink}"
        kind = self.rng.choice(_KINDS) if self.rng.random() < 0.5 else open_word(self.rng)
        return f"{kind} {drink}"


def draw_wording(rng: random.Random) -> Wording:
    """The wording of one till: every other one says what it was told, as ``agents/coffee_bar``."""
    if rng.random() < 0.45:
        return Wording(rng)
    return Wording(
        rng,
        renames=rng.choice((0.0, 0.2, 0.5)),
        join=rng.choice(("and", "and", "and", "comma and", "comma and", ", ", " and ", " plus ")),
        without=rng.random() < 0.4,
        titles=rng.random() < 0.12,
        bare=rng.random() < 0.1,
        figures=rng.random() < 0.1,
    )
