"""What can be ordered: items as they are said, drawn, changed and joined."""

# ruff: noqa: E501  lists of words are read across

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
    "a touch of, a pinch of, plenty of, a drop of, less, more, a hint of, not too much, loads of,"
    "heaps of, double, two pumps of, three pumps of, a good splash of, a squirt of, just a bit of"
)
_TOPPINGS: Final = phrases(
    "jam, butter, clotted cream, ketchup, mustard, mayonnaise, barbecue sauce, cream cheese, brown"
    " sauce, peanut butter, marmalade, hot sauce, pickles, custard, whipped cream, ice cream, cheese,"
    "honey, maple syrup, a slice of lemon, strawberry jam, salted butter, extra cheese, hummus"
)
#: What is drunk and eaten at other counters of the world.
_MORE_DRINKS: Final = phrases(
    "piccolo, magic, cortadito, cafe con leche, galao, einspanner, melange, marocchino, bicerin, freddo"
    " espresso, greek coffee, builder's tea, london fog, rooibos, oolong, sencha, hojicha, genmaicha, masala"
    " chai, karak, filter kaapi, kopi, lassi, mango lassi, horchata, yerba mate, hot toddy, bubble tea, pot of"
    " darjeeling, assam, lady grey, jasmine tea, chamomile tea, peppermint tea, lemon verbena, barley tea,"
    "beetroot latte, golden milk, espresso tonic, batch brew, aeropress, ristretto, quad espresso, undertow,"
    "half pint of shandy, elderflower presse, ginger shot, coconut water, iced matcha, orange squash, root beer float,"
    "fizzy water, flat lemonade, hot apple juice, mulled wine, malted milk, chocolate milk, tap water"
)
_MORE_SNACKS: Final = phrases(
    "lamington, anzac biscuit, flapjack, crumpet, teacake, eccles cake, tiffin, sausage roll, cornish pasty,"
    "bacon bap, egg roll, breakfast burrito, quesadilla, empanada, arepa, churro, samosa, vada pav, spinach"
    " pie, borek, simit, cannoli, madeleine, financier, macaron, pretzel, kolache, mochi, onigiri, rice cake,"
    "slice of lemon drizzle, slice of victoria sponge, piece of baklava, pain aux raisins, cheese scone, fruit"
    " scone, ham and cheese toastie, tuna melt, cheese toast, beans on toast, avocado toast, jacket potato,"
    "veg sandwich, paneer roll, banana split, rocky road, millionaire's shortbread, bread pudding, apple"
    " turnover, custard tart, treacle tart, plum cake, poppy seed cake, bowl of porridge, fruit pot, energy ball"
)
_DRINK_MANNERS: Final = phrases(
    "not too hot, extra dry, extra hot, no foam, extra foam, well stirred, in a tall glass, on ice,"
    "in a proper cup, not too sweet, not too strong, nice and strong, extra wet, half full, no ice,"
    "with the lid off, in my own cup, lukewarm, very hot, weak, in a paper cup, light on the ice"
)
_FOOD_MANNERS: Final = phrases(
    "toasted, warmed up, heated, cut in half, well done, not too brown, lightly toasted, on a plate,"
    "in a bag, no butter, without nuts, no onions, with the sauce on the side, cold, sliced"
)
_TELLING: Final = tuple(sorted(set(AMOUNTS) - {"no", "heavy", "light", "one", "much", "so much"}))


@dataclass(frozen=True)
class Item:
    """One line of an order, in the words in which the assistant repeats it."""

    drink: str
    size: str = ""
    count: int = 1
    extras: tuple[str, ...] = field(default=())
    manner: str = ""  # "not too hot"

    @property
    def core(self) -> str:
        """Without count and extras: ``large iced latte``."""
        return f"{self.size.removesuffix('s')} {self.drink}".strip()

    @property
    def said(self) -> str:
        """In full: ``two large iced lattes with oat milk and one sugar, not too hot``."""
        manner = f", {self.manner}" if self.manner else ""
        return f"{self.head}{' with ' if self.extras else ''}{joined(self.extras)}{manner}"

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
    vowel = words[:1].lower() in ("a", "e", "i", "o") or words.startswith("un")
    return f"{'an' if vowel else 'a'} {words}"


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
    if rng.random() < 0.05:
        return f"{thing} on {rng.choice(('the side', 'top'))}"
    if rng.random() < 0.45:
        return thing
    return f"{rng.choice(_FEW if rng.random() < 0.7 else _TELLING)} {thing}"


def draw_topping(rng: random.Random) -> str:
    """What comes with something to eat: ``heaps of barbecue sauce``, ``no butter``."""
    thing = rng.choice(_TOPPINGS) if rng.random() < 0.85 else f"{open_word(rng)} sauce"
    if thing.startswith("a ") or rng.random() < 0.6:
        return thing
    return f"{rng.choice((*_FEW[:8], 'no', 'heaps of', 'double'))} {thing}"


def draw_size(rng: random.Random) -> str:
    """``large``, ``twelve ounce``."""
    return f"{rng.choice(OUNCES)} ounce" if rng.random() < 0.15 else rng.choice(SIZES)


def draw_drink(rng: random.Random) -> str:
    """A drink, now and then with its roast, shots or temperature; or one of the desk's menu."""
    if rng.random() < 0.3:
        return open_drink(rng)
    if rng.random() < 0.16:
        return rng.choice(_MORE_DRINKS)
    if rng.random() < 0.04:
        return rng.choice(("dark roast", "light roast", "medium roast", "house blend", "decaf"))
    drink = rng.choice(DRINKS) if rng.random() < 0.75 else draw_value("drink", rng, False).say
    style = rng.choice(_STYLES) if rng.random() < 0.25 else ""
    return drink if not style or style.split()[-1] in drink else f"{style} {drink}"


def draw_snack(rng: random.Random) -> str:
    """Something to eat."""
    if rng.random() < 0.36:
        return open_snack(rng)
    if rng.random() < 0.3:
        return rng.choice(_MORE_SNACKS)
    return rng.choice(SNACKS) if rng.random() < 0.7 else draw_value("food", rng, False).say


def draw_manner(rng: random.Random, *, food: bool) -> str:
    """``not too hot``, ``toasted``."""
    return rng.choice(_FOOD_MANNERS if food else _DRINK_MANNERS)


def size_of(rng: random.Random) -> str:
    """A size as it is said: ``sixteen ounces``, ``large``."""
    size = draw_size(rng)
    return f"{size}s" if size.endswith("ounce") and rng.random() < 0.3 else size


def draw_item(rng: random.Random) -> Item:
    """One thing somebody orders."""
    if rng.random() < 0.22:
        manner = draw_manner(rng, food=True) if rng.random() < 0.1 else ""
        toppings = (draw_topping(rng),) if rng.random() < 0.2 else ()
        item = Item(draw_snack(rng), extras=toppings, manner=manner)
    else:
        size = draw_size(rng) if rng.random() < 0.55 else ""
        count = rng.choice((0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3))
        extras = tuple({kind_of(e): e for e in (draw_extra(rng) for _ in range(count))}.values())
        manner = draw_manner(rng, food=False) if rng.random() < 0.08 else ""
        item = Item(draw_drink(rng), size, 1, extras, manner)
    if item.drink in _UNCOUNTED or item.drink.endswith("s") or rng.random() < 0.82:
        return item
    return replace(item, count=rng.choice((2, 2, 2, 3, 3, 4, 5, 6)))


def draw_items(rng: random.Random) -> list[Item]:
    """What one sentence orders: one thing, or two, or three."""
    items: list[Item] = []
    for _ in range(rng.choice((1, 1, 1, 1, 2, 2, 3, 4))):
        item = draw_item(rng)
        if all(item.drink != other.drink for other in items):
            items.append(item)
    return items


def is_food(name: str) -> bool:
    """Whether a thing is eaten, as far as its last word tells."""
    return name.rsplit(maxsplit=1)[-1].removesuffix("s") in _EATEN


_EATEN: Final = frozenset(
    word.split()[-1] for word in (*SNACKS, *_MORE_SNACKS, "tart", "pie", "bun", "cake", "bar", "toastie", "roll", "wrap", "soup", "salad")
)  # fmt: skip


def kind_of(extra: str) -> str:
    """What an extra is of: ``two sugars -> sugar``, ``a bit of oat milk -> milk``."""
    last = extra.rsplit(maxsplit=1)[-1].removesuffix("s")
    return "shot" if "shot" in extra else last
