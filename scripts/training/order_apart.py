"""Things ordered in pieces: ``one tea please, strong, with two sugars``, ``a toastie as well, ham and cheese``.

The till is told all of it in the caller's words, without what was only put in between.
"""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from typing import Final

from coffee_bar import OPENINGS
from conversation import Conversation
from dialogue_values import draw_value
from domain import choose_branches
from open_words import open_word
from order_add import added
from order_items import (
    Item,
    draw_drink,
    draw_extra,
    draw_manner,
    draw_size,
    draw_snack,
    draw_topping,
    kind_of,
    plural,
    with_article,
)
from order_spoken import loose
from slots import phrases
from spoken_numbers import spoken_number
from till import say

FILLED: Final = phrases(
    "toastie, sandwich, panini, wrap, roll, baguette, bagel, bap, sub, quesadilla, omelette, jacket potato,"
    "pasty, toasted sandwich, ciabatta, focaccia, pizza slice, salad, burger, pie, quiche, pitta, crepe, pancake"
)
_FILLINGS: Final = phrases(
    "ham, cheese, tomato, tuna, sweetcorn, egg, cress, chicken, mayo, bacon, brie, hummus, falafel, pesto,"
    "mozzarella, onion, avocado, turkey, cranberry, beef, mustard, salmon, cream cheese, salami, pickle, feta,"
    "spinach, mushroom, lettuce, cucumber, prawn, sausage, peppers, olives, lemon, sugar, banana, chocolate"
)
_FLAVOURED: Final = phrases(
    "milkshake, smoothie, muffin, cheesecake, iced tea, juice, lemonade, ice cream, doughnut, scone, tea,"
    "latte, yoghurt, macaron, tart, herbal tea, slush, frappe, loaf, syrup latte, flapjack, cookie"
)
_FLAVOURS: Final = phrases(
    "strawberry, banana, blueberry, raspberry, vanilla, chocolate, lemon, ginger, peach, mango, passion fruit,"
    "apple, cinnamon, hazelnut, caramel, mint, cherry, coconut, orange, pear, pistachio, rhubarb, salted caramel"
)
_STYLES: Final = phrases(
    "strong, weak, black, white, iced, hot, extra hot, decaf, skinny, dark roast, light roast, medium roast,"
    "blonde roast, half caf, not too sweet, less sweet, double, plain, toasted, warm, cold, gluten free, well done"
)
#: Said in the middle of a thing, and no part of it.
_BETWEEN: Final = (
    "[please|please|please|for me|for me please|then|as well|too|also|thanks|if you can|if that's okay|for my [wife|husband|son|friend|mum|boss|mate]|for {n}|for {n} please|"
    "for [her|him|the little one|the boss|myself]|um|uh|love|mate|so|to take away|to go|today|this time|now|as well please|let me see|if you don't mind|and that one]"
)
_OPENED: Final = (
    "[||||||and|and|hello|hi|okay|yes|yeah|so|oh and|right|and also|um|plus|then] "
    "[|||i'd like|can i have|could i get|i'll have|i'll take|give me|add|get me|we'll have|i want|i need|do me|order me|my wife wants|for me|let me have|she'd like|he'll have|i kinda want|could you do me|might i have|i take|chuck in]"
)


def add_apart(talk: Conversation) -> None:
    """Something is ordered in pieces, alone or with something else."""
    rng = talk.rng
    item, said, told = in_pieces(rng)
    items = [item]
    if rng.random() < 0.25:
        other = Item(rng.choice((draw_drink, draw_snack))(rng))
        words, link = loose(rng, other), rng.choice((" and ", ", and ", " plus "))
        if rng.random() < 0.5:
            said, told, items = f"{words}{link}{said}", f"{words}{link}{told}", [other, item]
        else:
            said, told, items = f"{said}{link}{words}", f"{told}{link}{words}", [item, other]
        if item.drink == other.drink:
            return
    if any(new.drink == old.drink for new in items for old in talk.order):
        return
    opened = _OPENED if rng.random() < 0.7 else f"[{OPENINGS}]"
    say(talk, f"{opened} {said} [||||please|thanks|please|cheers|if possible]")
    added(talk, items, told)


def in_pieces(rng: random.Random, *, filled: bool = False) -> tuple[Item, str, str]:
    """A thing, as it is said in pieces and as the till is told it; ``filled``: with something in it."""
    pick = 0.0 if filled else rng.random()
    count = rng.choice((1, 1, 1, 1, 1, 2, 2, 3))
    pieces: list[tuple[str, str]] = []  # its kind, and its words
    size = style = manner = ""
    extras: tuple[str, ...] = ()
    if pick < 0.3:
        thing, kind = _of_a_kind(rng, filled=filled)
        pieces.append(("kind", kind))
        whole = f"{kind} {thing}"
        if rng.random() < 0.4:
            extras = (draw_topping(rng),)
    elif pick < 0.5:
        thing = whole = draw_snack(rng)
        extras = (draw_topping(rng),) if rng.random() < 0.7 else ()
        if rng.random() < 0.6 or not extras:
            manner = draw_manner(rng, food=True)
    else:
        thing = whole = draw_drink(rng)
        size, style, extras = _of_a_drink(rng, thing)
    head = thing
    for name, words in (("style", style), ("size", size)):
        if words and rng.random() < 0.5:
            head = f"{words} {head}"
        elif words:
            pieces.append((name, words))
    if manner:
        pieces.append(("manner", manner))
    rng.shuffle(pieces)
    if thing.endswith("s"):
        count = 1
    item = Item(
        f"{style} {whole}".strip(), size.removesuffix("s") if count > 1 else size, count, extras, manner
    )  # fmt: skip
    first = _counted(rng, head, count)
    rest = "".join(_joint(rng) + _piece(rng, *piece, count) for piece in pieces)
    rest += _extras(rng, list(extras))
    if pieces and extras and rng.random() < 0.12:  # what is in it comes before how it is
        rest = f"{_extras(rng, list(extras))}{''.join(_joint(rng) + _piece(rng, *p, count) for p in pieces)}"
    between = ""
    if rng.random() < 0.6:
        name = draw_value("name", rng, False).text
        between = f" {choose_branches(_BETWEEN, rng).replace('{n}', name)}"
    said = f"{first}{between}{rest}"
    return item, said, f"{first}{rest}".replace(".", ",")


def _of_a_drink(rng: random.Random, drink: str) -> tuple[str, str, tuple[str, ...]]:
    """Its size, how it is made and what is in it; one of them at least."""
    size = draw_size(rng) if rng.random() < 0.6 else ""
    style = rng.choice(_STYLES) if rng.random() < 0.5 else ""
    if style and style.split()[-1] in drink:
        style = ""
    drawn = [draw_extra(rng) for _ in range(rng.choice((0, 1, 1, 2, 2, 3)))]
    extras = tuple({kind_of(extra): extra for extra in drawn}.values())
    if not (size or style or extras):
        extras = (draw_extra(rng),)
    return size, style, extras


def _of_a_kind(rng: random.Random, *, filled: bool) -> tuple[str, str]:
    """``toastie`` and ``ham and cheese``; ``smoothie`` and ``mango``."""
    if filled or rng.random() < 0.55:
        one, other = rng.sample(_FILLINGS, 2)
        if rng.random() < 0.15:
            other = open_word(rng)
        return rng.choice(FILLED), one if rng.random() < 0.3 else f"{one} and {other}"
    one, other = rng.sample(_FLAVOURS, 2)
    if rng.random() < 0.2:
        one = open_word(rng)
    return rng.choice(_FLAVOURED), one if rng.random() < 0.7 else f"{one} and {other}"


def _counted(rng: random.Random, head: str, count: int) -> str:
    if count > 1:
        return f"{spoken_number(count)} {plural(head)}"
    return rng.choice((with_article(head), with_article(head), f"one {head}", head))


def _joint(rng: random.Random) -> str:
    return rng.choice((" ", " ", ", ", ", ", ". "))


def _piece(rng: random.Random, kind: str, words: str, count: int) -> str:
    if kind == "size" and count > 1:
        return words
    if kind == "size":
        return rng.choice((words, words, f"{with_article(words)} one", f"in {words}"))
    if kind == "kind":
        one = f"the {words} one{'s' if count > 1 else ''}"
        return rng.choice((words, words, words, f"with {words}", one))
    return words


def _extras(rng: random.Random, extras: list[str]) -> str:
    """``, with three sugars``, `` lots of foam. no sugar``."""
    if not extras:
        return ""
    if rng.random() < 0.5:
        first = rng.choice((" with ", " with ", ", with ", ", with ", ". with "))
        link = rng.choice((" and ", " and ", ", ", " and with "))
        return first + link.join(extras)
    joint = rng.choice((" ", ", ", ", ", ". "))
    return joint + joint.replace(". ", ", ").join(extras)
