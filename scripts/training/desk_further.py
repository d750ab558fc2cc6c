"""What is asked on about prices just told: the other, two of them, both together, which is cheaper."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import functools
import random
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from desk_prices import Thing
from domain import choose_branches
from instructed_say import Asked
from sheet_values import Money
from spoken_numbers import spoken_number

_OTHER: Final = "[and {s}|and {s}|what about {s}|how about {s}|and for {s}|okay and {s}|and how much is {s}|then {s}|right and {s}|and what's {s}|{s} then|and if i want {s}]"
_COUNT: Final = "[and if i take {n} [of those|of them|]|and [for|] {n}|what about {n} [of them|of those|]|how much for {n} of those|and {n} of them|so {n} would be what|if i get {n}|{n} of those then|what would {n} be|and {n} together|what if i want {n}|how much would {n} come to|let's say {n} of them|make that {n} how much is it then]"
_BOTH: Final = "[and both together|both together then|both|the two together|how much is that together|so altogether|what's that in total|together that's how much|and the two of them|what do they cost together|if i take both|so how much for both|what does that come to|what do i pay for both|in total then|add them up for me|so both would be]"
_CHEAPER: Final = "[which is cheaper|[okay|ok|so|right] which is cheaper [of the two|]|which one is cheaper|which of the two is cheaper|what's the cheaper one|which of them costs less|and the cheaper one is|which one's the cheaper|so which is the cheapest|which would be cheaper for me]"
_DEARER: Final = "[which is more expensive|which one costs more|which of the two is dearer|what's the dearer one|which is the more expensive one]"
_AGAIN: Final = "[what did you say {s} was|sorry how much was {s}|how much was {s} again|{s} was how much again|and {s} was [what|how much] again|what was {s} again|remind me of the price of {s}]"


@functools.cache
def _numbers() -> Mapping[str, int]:
    return {spoken_number(number): number for number in range(1000)}


def money_of(thing: Thing) -> Money | None:
    """The price as an amount: ``four euros twenty -> 420``; none where it can't be added up."""
    found = re.fullmatch(r"(.+) (euro|pound|dollar)s?(?: (.+))?", thing.price)
    if not found or thing.unit or found[1] not in _numbers():
        return None
    rest = _numbers().get(found[3], -1) if found[3] else 0
    return Money(100 * _numbers()[found[1]] + rest, found[2]) if rest >= 0 else None


def together(amounts: Sequence[Money | None]) -> str | None:
    """``That is seven euros fifty together.``; none where the sum would be hard."""
    known = [amount for amount in amounts if amount]
    if len(known) < len(amounts) or len({amount.coin for amount in known}) != 1:
        return None
    total = Money(sum(amount.cents for amount in known), known[0].coin)
    if total.cents > 12000 or any(amount.cents % 50 for amount in known):
        return None
    return f"That is {total.said()} together."


def cheaper(one: Thing, two: Thing, dear: bool = False) -> str | None:
    """``A latte is cheaper, four euros.``"""
    first, second = money_of(one), money_of(two)
    if not first or not second or first.cents == second.cents or first.coin != second.coin:
        return None
    best = one if (first.cents < second.cents) is not dear else two
    head = best.answer().split(f" {best.price}")[0]
    return f"{head} {'more expensive' if dear else 'cheaper'}, {best.price}."


def named_thing(thing: Thing, rng: random.Random) -> str:
    """``a cut``, ``the cut``, ``cut``, another word for it."""
    if thing.nouns and rng.random() < 0.3:
        return choose_branches(f"[{thing.nouns}]", rng)
    bare = re.sub(r"^(an?|the) ", "", thing.said)
    return rng.choice((thing.said, thing.said, f"the {bare}", bare))


def price_further(
    thing: Thing, things: Sequence[Thing], before: Thing | None, rng: random.Random
) -> Asked | None:
    """What may be asked on when one price was told, or that of two."""
    draws: list[tuple[Asked, float]] = []
    others = [other for other in things if other not in (thing, before)]
    if others:
        other = rng.choice(others)
        text = _OTHER.replace("{s}", named_thing(other, rng))
        draws.append(
            (Asked(text, other.answer(), partial(price_further, other, things, thing, rng)), 5)
        )
    count = rng.randint(2, 4)
    total = together([money_of(thing)] * count)
    if total and thing.said.startswith("a"):
        draws.append((Asked(_COUNT.replace("{n}", spoken_number(count)), total), 2))
    if before:
        if total := together([money_of(thing), money_of(before)]):
            draws.append((Asked(_BOTH, total), 4))
        for text, dear in ((_CHEAPER, False), (_DEARER, True)):
            if answer := cheaper(thing, before, dear):
                draws.append((Asked(text, answer), 1 if dear else 3))
        draws.append(
            (
                Asked(
                    _AGAIN.replace("{s}", named_thing(before, rng)), f"I said: {before.answer()}"
                ),
                1,
            )
        )
    if not draws:
        return None
    return rng.choices([asked for asked, _ in draws], [weight for _, weight in draws])[0]
