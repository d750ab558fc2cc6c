"""Two things done to an order in one breath: something off and something on, a change and an addition."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from dataclasses import dataclass, replace
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
from order_spoken import loose
from till import PAUSE, call_till, has_till, keep, say, say_order


@dataclass(frozen=True)
class Step:
    """One thing done: its words, the tool and its arguments, and the order after it."""

    words: str
    tool: str
    arguments: dict[str, str]
    after: list[Item]


_AND: Final = "[and|and|and then|then|and also|and please|, and|and instead|but]"
_BEFORE: Final = "[||||no matter please|okay|actually|right|no|can you|could you|please|you know what|sorry|hmm|fine then|no worries]"


def pair(talk: Conversation) -> None:
    """Something off and something on; a change and an addition; in either order."""
    rng = talk.rng
    known = [item for item in talk.order if not isinstance(item, Verbatim)]
    if not known:
        return
    item = rng.choice(known)
    pick = rng.random()
    if pick < 0.45:
        first = _off(talk, item, talk.order)
        second = _on(talk, first.after)
    elif pick < 0.6:
        first = _on(talk, talk.order)
        second = _off(talk, item, first.after)
    elif pick < 0.8:
        first = _changed(talk, item, talk.order)
        second = _on(talk, first.after)
    elif len(known) > 1:
        other = rng.choice([i for i in known if i is not item])
        first = rng.choice((_off, _changed))(talk, item, talk.order)
        second = _changed(talk, other, first.after)
    else:
        first = _on(talk, talk.order)
        second = _changed(talk, item, first.after)
    say(talk, f"{_BEFORE} {PAUSE} {first.words} {_AND} {second.words} [||please|thanks|instead]")
    for step in (first, second):
        if has_till(talk):
            call_till(talk, step.tool, step.after, **step.arguments)
        else:
            keep(talk, step.after)
    say_order(talk)


def _off(talk: Conversation, item: Item, order: list[Item]) -> Step:
    name = plural(item.drink) if item.count > 1 else item.drink
    if talk.rng.random() < 0.3:
        name = name.split()[-1]
    words = f"[take the {name} off [again|]|remove the {name}|drop the {name}|lose the {name}|leave out the {name}|scratch the {name}|cancel the {name}|take off the {name}|no {name}|forget the {name}]"
    after = [other for other in order if other is not item]
    return Step(words, "remove_from_order", {"item": name}, after)


def _on(talk: Conversation, order: list[Item]) -> Step:
    rng = talk.rng
    taken = {item.drink for item in order}
    drink = rng.choice((draw_drink, draw_snack))(rng)
    while drink in taken:
        drink = draw_drink(rng)
    new = Item(drink, extras=(draw_extra(rng),) if rng.random() < 0.2 else ())
    told = loose(rng, new)
    words = f"[add {told}|add {told}|put {told} on|give me {told}|i'll have {told}|put on {told}|get me {told}]"
    return Step(words, "add_to_order", {"items": told}, [*order, new])


def _changed(talk: Conversation, item: Item, order: list[Item]) -> Step:
    rng = talk.rng
    if rng.random() < 0.5:
        to = size_of(rng)
        new = replace(item, size=to)
        words = f"make the {item.drink} [{with_article(to)}|{to}]"
    else:
        to = draw_extra(rng)
        new = replace(item, extras=(*item.extras, to))
        words = f"[put {to} in the {item.drink}|make the {item.drink} with {to}|the {item.drink} with {to}]"
    after = [new if other is item else other for other in order]
    return Step(words, "change_order", {"item": item.drink, "to": to}, after)
