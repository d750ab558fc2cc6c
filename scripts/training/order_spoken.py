"""Orders as people speak them: extras in any sequence, put right while speaking, one with this and one with that."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from dataclasses import replace
from typing import Final

from order_items import SIZES, Item, draw_drink, draw_extra, draw_snack, joined, with_article
from spoken_numbers import spoken_number

_FILLERS: Final = ("um", "uh", "er", "like", "uhm", "let's see", "erm", "so like", "you know")
_STYLES_BEHIND: Final = (
    "dark roast", "light roast", "medium roast", "blonde roast", "decaf", "extra hot", "iced", "french roast",
)  # fmt: skip


def loose(rng: random.Random, item: Item) -> str:
    """An item as people say it: with its article or without, its extras joined this way or that."""
    head = item.head
    if item.count == 1 and rng.random() < 0.28:
        head = item.core if rng.random() < 0.6 else f"one {item.core}"
    if item.count == 1 and item.size and rng.random() < 0.12:
        size = item.size + ("s" if item.size.endswith("ounce") and rng.random() < 0.5 else "")
        head = f"{with_article(item.drink)}{rng.choice((' ', ', '))}{size}"
    if item.count == 1 and rng.random() < 0.05:
        head = f"{rng.choice(('some', 'the', 'another', 'a nice', 'a wee', 'just a'))} {item.core}"
    style = next((s for s in _STYLES_BEHIND if item.drink.startswith(f"{s} ")), "")
    if style and item.count == 1 and rng.random() < 0.3:
        plain = replace(item, drink=item.drink.removeprefix(f"{style} "))
        head = f"{with_article(plain.core)}{rng.choice((' ', ', '))}{style}"
    manner = f"{rng.choice((' ', ' ', ', ', ' and '))}{item.manner}" if item.manner else ""
    return f"{head}{_extras(rng, item)}{manner}"


def _extras(rng: random.Random, item: Item) -> str:
    """``with oat milk and no sugar``, ``three shots lots of foam``."""
    extras = list(item.extras)
    if not extras:
        return ""
    if rng.random() < 0.2:  # one after the other, as they come to mind
        between = rng.choice((" ", ", ", " with "))
        return between + between.join(extras)
    if extras[0].startswith("no "):
        nothing = extras[0].removeprefix("no ")
        first = rng.choice(
            (f"with no {nothing}", f"no {nothing}", f"but no {nothing}", f"without {nothing}")
        )
        return f" {' and '.join((first, *extras[1:]))}"
    link = rng.choice((" with ",) * 6 + (" and ", " plus ", " "))
    return link + (" and ".join(extras) if rng.random() < 0.7 else joined(extras))


def spoken_order(rng: random.Random, items: list[Item]) -> tuple[str, str]:
    """What the user says to order these, and all of it as the till is told it: without the hums."""
    if len(items) == 1 and rng.random() < 0.22:
        return _one_in_a_special_way(rng, items)
    parts = [loose(rng, item) for item in items]
    link = rng.choice((" and ", " and ", " and ", " and also ", " plus ", ", and "))
    words = link.join(parts) if len(parts) < 3 or rng.random() < 0.3 else _listed(rng, parts)
    said = words
    if rng.random() < 0.15:
        part = rng.choice(parts)
        said = words.replace(part, f"{rng.choice(_FILLERS)} {part}", 1)
    return said, words.replace(" and also ", " and ")


def _one_in_a_special_way(rng: random.Random, items: list[Item]) -> tuple[str, str]:
    item, pick = items[0], rng.random()
    if pick < 0.5:
        return _self_corrected(rng, items)
    if pick < 0.6:
        words = loose(rng, item)
        return (
            f"[a thing|one of those|a|uh a] [what's it called|you know|er|how do you say] {words}",
            words,
        )
    if pick < 0.75 and item.count == 1:
        two = replace(item, count=2, extras=(), manner="")
        if item.extras and rng.random() < 0.5:
            items[:] = [replace(two, count=1, extras=item.extras[:1]), replace(two, count=1)]
            last = f"with {item.extras[0]} on one of them"
            return f"{item.core} twice [please|] {last}", f"{item.core} twice {last}"
        items[0] = two
        return f"{item.core} twice", f"{item.core} twice"
    if pick < 0.81 and item.count > 1:
        words = f"{item.core}, {spoken_number(item.count)} of them"
        items[0] = replace(item, extras=(), manner="")
        return words, words
    if pick < 0.86 and item.drink.count(" ") == 1 and " of " not in item.drink:
        kind, thing = item.drink.split()
        items[0] = Item(item.drink)
        return f"one {thing} [also|], the {kind} one", f"one {thing}, the {kind} one"
    if pick < 0.94:
        return _one_with_one_with(rng, items)
    if not item.size:
        return loose(rng, item), loose(rng, item)
    plain = replace(item, size="")
    words = f"{loose(rng, plain)}, {with_article(item.size)} one"
    return words, words


def _one_with_one_with(rng: random.Random, items: list[Item]) -> tuple[str, str]:
    """``two flat whites one with oat milk and one with honey``."""
    item, one, other = items[0], draw_extra(rng), draw_extra(rng)
    two = replace(item, count=2, extras=(), manner="")
    first, second = replace(two, count=1, extras=(one,)), replace(two, count=1, extras=(other,))
    if rng.random() < 0.35:
        many = replace(two, count=rng.randint(2, 5))
        items[:] = [replace(many, count=many.count - 1), first]
        words = f"{many.head}{rng.choice((', ', ' '))}one of them with {one}"
    else:
        items[:] = [first, second]
        words = f"{two.head}{rng.choice((', ', ' '))}one with {one}{rng.choice((' and', ''))} one with {other}"
    return words, words


def _listed(rng: random.Random, parts: list[str]) -> str:
    between = rng.choice((" ", " ", ", "))
    return f"{between.join(parts[:-1])} and {parts[-1]}"


_WAIT: Final = (
    "[no|no wait|sorry|no sorry|wait|wait no|er no|uh no|i mean|or rather|actually|hang on|"
    "no hang on|scratch that|hmm no|oh no|make that|sorry i mean|no actually|or no|no make it]"
)


def _self_corrected(rng: random.Random, items: list[Item]) -> tuple[str, str]:
    """``a large latte no wait make it medium``: only the last word counts."""
    item = items[0]
    if item.size and rng.random() < 0.3:
        wrong = rng.choice([s for s in SIZES if s != item.size])
        words = loose(rng, replace(item, count=1))
        items[0] = replace(item, count=1)
        return f"a {wrong} {_WAIT} {words}", words
    if item.size and rng.random() < 0.5:
        first = replace(item, size=rng.choice([s for s in SIZES if s != item.size]))
        return (
            f"{loose(rng, first)} {_WAIT} [make it|a|rather|] {item.size} [one|please|]",
            item.said,
        )
    if item.size and item.count == 1 and rng.random() < 0.5:
        tail = _extras(rng, item)
        whom = "[for my mate|for her|for him|for the wife|]"
        return f"a {item.size} one {whom} {item.drink} i mean{tail}", f"a {item.core}{tail}"
    if rng.random() < 0.3:
        count = rng.randint(2, 6)
        items[0] = item = replace(item, count=count, drink=item.drink.removesuffix("s"))
        before = replace(item, count=1 if count > 2 else 3)
        return (
            f"{loose(rng, before)} {_WAIT} [make it|make that|] {spoken_number(count)} [please|]",
            item.said,
        )
    first, words = Item(rng.choice((draw_drink, draw_snack))(rng), item.size), loose(rng, item)
    return f"{loose(rng, first)} {_WAIT} [make it|rather|i'd like|] {words} [please|sorry|]", words
