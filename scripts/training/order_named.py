"""An item of an order is changed that the caller names: its size, its number, what is in it, what it is."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from conversation import Conversation
from order_items import (
    Item,
    Verbatim,
    draw_drink,
    draw_extra,
    draw_snack,
    plural,
    size_of,
    with_article,
)
from spoken_numbers import spoken_number
from till import PAUSE, order_now, say

BUT: Final = (
    "[||||actually|no|sorry|wait|oh|no wait|hmm|um|uh|oh sorry|no hang on|hang on|ah|oh dear|well|"
    "back to my drink|okay back to my order|on second thought|on second thoughts|you know what|"
    "wait a second|i changed my mind|sorry [he|she] says|no sorry|thinking about it|one moment|"
    "yes but|okay but|good but|almost but|not so fast|no no|ah no|naw wait|well actually|ugh|oh and]"
)
STYLES: Final = (
    "iced", "decaf", "hot", "extra hot", "strong", "skinny", "toasted", "dark roast",
    "light roast", "medium roast", "half caf", "double", "triple", "single", "caffeine free", "vegan", "warm", "cold", "black", "weak", "well done",
)  # fmt: skip


def change_named(talk: Conversation) -> None:
    """``soy milk in the cortado``, ``swap the tea for a lemonade``."""
    rng = talk.rng
    known = [item for item in talk.order if not isinstance(item, Verbatim)]
    if not known:
        return
    item = rng.choice(known)
    says, name, to, changed = _named(rng, item)
    behind = ""
    if rng.random() < 0.06:
        says = says.replace(f"the {name}", "it", 1)
        behind = f"[, the {name} i mean|the {name} that is|the {name}]"
    say(talk, f"{BUT} {PAUSE} {says} {behind}")
    after = [changed if other is item else other for other in talk.order]
    order_now(talk, after, "change_order", item=name, to=to)


def change_all_or_one(talk: Conversation) -> None:
    """``make both of them large``, ``one of the cappuccinos with cinnamon``."""
    rng = talk.rng
    many = [i for i in talk.order if i.count > 1 and not isinstance(i, Verbatim)]
    if not many:
        return
    item = rng.choice(many)
    name = plural(item.drink if rng.random() < 0.6 else item.drink.rsplit(maxsplit=1)[-1])
    if rng.random() < 0.5:
        to = draw_extra(rng)
        changed = replace(item, count=1, extras=(*item.extras, to))
        whole = replace(item, extras=(*item.extras, to))
        shapes = [
            "{w} with {t}",
            "[put|add] {t} [in|to|on] {w}",
            "[make|can i have|i'd like] {w} with {t}",
            "{t} in {w}",
        ]
    else:
        to = size_of(rng) if rng.random() < 0.5 else rng.choice(STYLES)
        large = to.removesuffix("s").endswith("ounce") or to not in STYLES
        new = replace(item, size=to) if large else replace(item, drink=f"{to} {item.drink}")
        changed, whole = replace(new, count=1), new
        shapes = [
            "[make|can you make|could you make|have] {w} {t}",
            "{w} [should be|as|in] {t}",
            "{w} {t}",
            "i want {w} {t}",
        ]
    one = rng.random() < 0.5
    every = (
        rng.choice(("both", "all", "all of")) if item.count == 2 else rng.choice(("all", "all of"))
    )
    which = f"one of the {name}" if one else f"{every} the {name}"
    words = rng.choice(shapes).replace("{w}", which).replace("{t}", to)
    say(talk, f"{BUT} {PAUSE} {words} [please|||]")
    parts = [replace(item, count=item.count - 1), changed] if one else [whole]
    at = next(index for index, other in enumerate(talk.order) if other is item)
    after = [*talk.order[:at], *parts, *talk.order[at + 1 :]]
    order_now(talk, after, "change_order", item=which, to=to)


def _named(rng: random.Random, item: Item) -> tuple[str, str, str, Item]:
    """What is said, what the item is called in it, what it becomes, and the item after it."""
    name, words = item.drink, item.drink.split()
    if len(words) > 1 and " of " not in name and rng.random() < 0.4:
        name = words[-1]
    elif item.size and rng.random() < 0.1:
        name = f"{item.size} one"
    many = plural(name)
    shapes: Sequence[str]
    pick = rng.random()
    if pick < 0.22:
        to = size_of(rng)
        shapes, changed = _SIZED, replace(item, size=to)
    elif pick < 0.36:
        count = rng.choice([n for n in (1, 2, 2, 3, 4, 5, 6) if n != item.count])
        to, changed = spoken_number(count), replace(item, count=count)
        shapes = _COUNTED if count > 1 else _SINGLE
        said = rng.choice(shapes).replace("{t}", to).replace("{c}", spoken_number(item.count))
        called = many if "{m}" in said else name
        return said.replace("{m}", many).replace("{n}", name), called, to, changed
    elif pick < 0.48:
        to = rng.choice(STYLES)
        shapes, changed = _STYLED, replace(item, drink=f"{to} {item.drink}")
    elif pick < 0.74:
        new = Item(rng.choice((draw_drink, draw_snack))(rng))
        if rng.random() < 0.3:
            new = replace(new, size=size_of(rng).replace("ounces", "ounce"))
        if rng.random() < 0.3:
            new = replace(new, extras=(draw_extra(rng),))
        if rng.random() < 0.25 and not new.drink.endswith("s"):  # "swap the tea for three buns"
            changed = replace(new, count=rng.choice((2, 2, 3, 4)))
            to = changed.said
        else:
            changed = replace(new, count=item.count)
            to = new.said if rng.random() < 0.5 else new.said.split(" ", 1)[1]
        shapes = _SWAPPED
    elif item.extras and pick < 0.84:
        gone = item.extras[0].split()[-1] if " of " in item.extras[0] else item.extras[0]
        gone = gone.removeprefix("no ")
        to = rng.choice((f"no {gone}", f"without {gone}"))
        shapes = _WITHOUT
        changed = replace(item, extras=(*item.extras[1:], f"no {gone}"))
    else:
        to = draw_extra(rng)
        shapes, changed = _WITH, replace(item, extras=(*item.extras, to))
    kind = item.count > 1 and name == item.drink and rng.random() < 0.5
    called = many if kind else name
    said = rng.choice(shapes).replace("{n}", called).replace("{t}", to)
    return said.replace("{at}", with_article(to)), called, to, changed


_SIZED: Final = (
    "[[make|can you make|could you make|can we make|have] the {n} [{at}|{t}] [one|please|instead|then|after all|]|[back to|about|and] the {n} [make it|make that|can it be] [{at}|{t}] [one|please|]]",
    "the {n} should be [{at}|{t}] [one|please|]", "[i want|i'd like|can i have|could i get] the {n} [in|as] {t} [please|]", "make the {n} {t} [for me|please|]",
    "[she|he|my daughter|my wife] wants [{at}|{t}] [now|after all|] the {n} [i mean|]", "{t} for the {n} [please|]", "change the {n} to {t}",
    "[upgrade|bump up|switch|turn] the {n} to {t} [please|]", "the {n} {t} [please|]", "[could|can] the {n} be {t} [please|]", "please do one thing make the {n} {t}",
)  # fmt: skip
_COUNTED: Final = (
    "[make|] [{t} {m} instead|the {m} {t}|only {t} {m}|that {t} {m}] [please|]", "make it {t} {m} [rather than {c}|instead of {c}|not {c}|please|]",
    "[better|i meant|i want|we need] {t} {m} [not {c}|instead of {c}|please|]", "change the {m} to {t}", "[there should be|it's|that's] {t} {m} [sorry|]",
    "hold on it's {t} {m}", "{t} {m} not {c}", "[can|could] [i|we] make that {t} {m}", "make {t} of the {m}",
)  # fmt: skip
_SINGLE: Final = (
    "[make|] the {m} just {t}", "only {t} {n} [please|]", "just {t} {n} [after all|please|is enough|]", "[one is enough|that's too many|too many] make the {m} {t}",
    "{t} {n} [is enough|will do|is plenty] [really|]", "change the {m} to {t}", "make it {t} {n} [not {c}|instead of {c}|]", "[no|] only {t} {n} please change the {m} to {t}",
)  # fmt: skip
_STYLED: Final = (
    "[make|i'd like|can i have|could i get|have] the {n} {t} [please|instead|]", "the {n} should be {t}", "[can|could] the {n} be {t} [please|]",
    "[i want|she wants|he wants] the {n} {t}", "the {n} {t} [please|if possible|]", "make sure the {n} is {t}", "turn the {n} into {t}", "is it possible to have the {n} {t}",
)  # fmt: skip
_SWAPPED: Final = (
    "[[swap|switch|change|exchange|trade] the {n} [for|to|against|with|into] {t}|[can i|could i|may i] have {t} instead of the {n}|{t} instead of the {n}|not the {n} {t}] [please|then|]",
    "[would you|could you|can you|please|let's|i'd like to] [swap|switch|change|swap out|exchange] [the|my|that] {n} [for|to|with] {t} [please|then|instead|]",
    "make the {n} {t} [please|instead|]", "instead of the {n} [give me|i'll have|i'd like|can i have] {t}", "replace the {n} [with|by] {t}", "[i'd rather have|i prefer|give me] {t} than the {n}",
    "the {n} should be {t}", "turn the {n} into {t}", "could the {n} be {t} [instead|]", "[and|but] {t} in place of the {n}", "swap the {n} for {t} [then|would you|]", "change the {n} to {t}",
)  # fmt: skip
_WITHOUT: Final = (
    "make the {n} {t} [please|]", "the {n} {t} [please|after all|]", "[can i have|i'd like|could i get|have] the {n} {t} [please|]", "[ah no|] [he|she] doesn't want that make the {n} {t}",
    "{t} in the {n} [please|]", "{t} on the {n}", "the {n} should be {t}", "could the {n} be {t}",
)  # fmt: skip
_WITH: Final = (
    "[[put|add|could you put|can i have|can you put] {t} [in|to|with|on] the {n}|{t} in the {n}|the {n} with {t}|{t} for the {n}|i'd like the {n} with {t}] [please|too|]",
    "[make|do|have] the {n} with {t} [please|instead|]", "[can|could|may] the {n} [be|come] with {t} [please|]", "make the {n} {t}", "[would you|could you] give the {n} {t}",
    "the {n} needs {t}", "the {n} should [have|be with|get] {t}", "i want {t} [in|on|with] the {n}", "for the {n} {t} [please|]", "and {t} [in|with|for] the {n}",
)  # fmt: skip
