"""Orders changed and taken back."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from dataclasses import replace
from typing import Final

from conversation import Conversation
from domain import choose_branches
from order_add import size_of
from order_items import (
    Item,
    Verbatim,
    draw_drink,
    draw_extra,
    draw_snack,
    kind_of,
    plural,
    with_article,
)
from spoken_numbers import spoken_number
from till import order_now, say

_BUT: Final = (
    "[||||actually|no|sorry|wait|oh|no wait|hmm|um|uh|oh sorry|no hang on|hang on|ah|oh dear|well|"
    "back to my drink|okay back to my order|on second thought|on second thoughts|you know what|"
    "wait a second|i changed my mind|sorry [he|she] says|no sorry|thinking about it|one moment]"
)
_MAKE_IT: Final = (
    "[can you|could you|] [make|make] [it|that|mine] {a} [instead|please|then|]",
    "{a} [please|instead|will do|rather|is better|is enough|]",
    "i [meant|mean|said] {a}",
    "[smaller|bigger|less|more|another kind|differently] please {a}",
    "[i'd like|i'd rather have|give me|better] {a} [please|]",
    "[can i|could i|may i] have {a} instead",
    "change [it|that] to {a} [please|]",
    "{a}",
)
_STYLES: Final = (
    "iced", "decaf", "hot", "extra hot", "strong", "skinny", "toasted", "dark roast",
    "light roast", "medium roast", "half caf", "warm", "cold", "black", "weak", "well done",
)  # fmt: skip
_MANNER: Final = (
    "heated",
    "on the side",
    "cut in half",
    "with no ice",
    "no ice",
    "no foam",
)


def _with_extra(talk: Conversation, item: Item) -> tuple[str, str, Item]:
    rng, extra = talk.rng, draw_extra(talk.rng)
    others = tuple(e for e in item.extras if kind_of(e) != kind_of(extra))
    words = rng.choice(
        (
            "[and|can you add|add|could you add|put in|oh and|also|please add|put] {e} [please|to that|in it|]",
            "[with|and with|no with|actually with|and|maybe with|just|with just] {e} [please|instead|]",
            "[can i get|can i have|could i get|i'd like|could i have|is it possible to have|might there be|"
            "would there be|may i have|i'd take] {e} [in it|in that|with that|on top|there|in there|]",
            "[could you put|can you put|put|please put|you could put] {e} [in|in it|in that|on top|in there] [please|too|]",
            "{e} [please|]",
            "[could|can|may] [that|it|mine] be with {e} [please|instead|]",
            "{e}",
            "{e} [in it|in that|in there|in them|on it] [please|]",
            "{e} [if you have it|if you've got any|if there is any|if possible|if that's okay]",
        )
    ).replace("{e}", extra)  # fmt: skip
    return words, extra, replace(item, extras=(*others, extra))


def _changes(talk: Conversation) -> tuple[str, str, Item]:
    """A change of the last item: what the user says of it, the change itself, the item after it."""
    rng, item = talk.rng, talk.order[-1]
    pick = rng.random()
    if pick < 0.3:
        size = size_of(rng)
        words = f"[{with_article(size)}|{size}|{with_article(size)} one|{size}|the {size} one]"
        return rng.choice(_MAKE_IT).replace("{a}", words), size, replace(item, size=size)
    if pick < 0.42:
        count = rng.choice((1, 2, 2, 3, 3, 4, 5, 6))
        number = spoken_number(count)
        drink = item.drink if count == 1 else plural(item.drink)
        words = f"[{number}|{number}|just {number}|only {number}|{number} {drink}|{number} of [them|those]]"
        return rng.choice(_MAKE_IT).replace("{a}", words), number, replace(item, count=count)
    if pick < 0.52:
        style = rng.choice(_STYLES)
        if style not in item.drink:
            words = rng.choice(_MAKE_IT).replace("{a}", style)
            return words, style, replace(item, drink=f"{style} {item.drink}")
    if pick < 0.55:
        manner = rng.choice(_MANNER)
        words = f"[make it|could i have it|can i have that|i'd like it|] {manner} [please|]"
        return words, manner, replace(item, extras=(*item.extras, manner))
    if pick < 0.68:
        drink = rng.choice((draw_drink, draw_drink, draw_snack))(rng)
        words = rng.choice(_MAKE_IT[:6]).replace("{a}", f"[{with_article(drink)}|{drink}]")
        return words, drink, Item(drink, item.size, item.count, item.extras)
    return _with_extra(talk, item)


def change(talk: Conversation) -> None:
    """Somebody changes what was ordered last, or an item that they name."""
    known = [item for item in talk.order if not isinstance(item, Verbatim)]
    if known and talk.rng.random() < (0.45 if len(known) > 1 else 0.2):
        _change_named(talk, talk.rng.choice(known))
        return
    if not talk.order or isinstance(talk.order[-1], Verbatim):
        return
    words, to, item = _changes(talk)
    say(talk, f"{_BUT} {words}")
    order_now(talk, [*talk.order[:-1], item], "change_order", to=to)


def _change_named(talk: Conversation, item: Item) -> None:
    """``soy milk in the cortado``, ``swap the tea for a lemonade``."""
    rng, name = talk.rng, item.drink
    words = name.split()
    if len(words) > 1 and rng.random() < 0.4:
        name = words[-1]
    elif item.size and rng.random() < 0.1:
        name = f"{item.size} one"
    pick = rng.random()
    if pick < 0.25:
        to = size_of(rng)
        says = (
            f"[[make|can you make|could you make] the {name} [{with_article(to)}|{to}] [one|please|instead|then|]|"
            f"[back to|about|and] the {name} [make it|make that|can it be] [{with_article(to)}|{to}] [one|please|]]"
        )
        changed = replace(item, size=to)
    elif pick < 0.35:
        count = rng.randint(2, 6)
        to, many = spoken_number(count), plural(name)
        says = f"[make|] [{to} {many} instead|the {many} {to}|only {to} {many}|that {to} {many}] [please|]"
        changed, name = replace(item, count=count), (many if item.count > 1 else name)
    elif pick < 0.45:
        to = rng.choice(_STYLES)
        says = f"[make|i'd like|can i have|could i get] the {name} {to} [please|]"
        changed = replace(item, drink=f"{to} {item.drink}")
    elif pick < 0.7:
        to = rng.choice((draw_drink, draw_snack))(rng)
        says = (
            f"[[swap|switch|change|exchange] the {name} [for|to|against] [{with_article(to)}|{to}]|"
            f"[can i|could i] have [{with_article(to)}|{to}] instead of the {name}|"
            f"[{with_article(to)}|{to}] instead of the {name}|not the {name} [{with_article(to)}|{to}]] [please|]"
        )
        changed = Item(to, item.size, item.count, item.extras)
    else:
        to = draw_extra(rng)
        says = (
            f"[[put|add|could you put|can i have|can you put] {to} [in|to|with|on] the {name}|{to} in the "
            f"{name}|the {name} with {to}|{to} for the {name}|i'd like the {name} with {to}] [please|]"
        )
        changed = replace(item, extras=(*item.extras, to))
    say(talk, f"{_BUT} {says}")
    after = [changed if other is item else other for other in talk.order]
    order_now(talk, after, "change_order", item=name, to=to)


def remove(talk: Conversation) -> None:
    """Somebody takes an item back."""
    known = [item for item in talk.order if not isinstance(item, Verbatim)]
    if not known:
        return
    item = talk.rng.choice(known)
    name = plural(item.drink) if item.count > 1 else item.drink
    pick = talk.rng.random()
    if pick < 0.2:
        name = f"{item.size} {name}".strip()
    elif pick < 0.45:
        name = name.split()[-1]
    say(
        talk,
        f"[[|actually|no|sorry|please|can you|oh|never mind|you know what|could you|hmm|okay then] "
        f"[remove|cancel|forget|take off|drop|leave out|skip|delete|scratch|lose|take away|"
        f"strike|leave off|get rid of] the {name} [please|again|after all|for me|]|"
        f"i don't [want|need] the {name} [any more|after all|]|"
        f"[please|can you|could you|] take the {name} [off|out|off again|back|off the order|off my order]|"
        f"[actually|sorry|well|] no {name} [for me|] [after all|please|then|today]|without the {name} please|"
        f"[i won't have|i'll skip|i'll do without|we don't need] the {name} [after all|then|]]",
    )
    after = [other for other in talk.order if other is not item]
    order_now(talk, after, "remove_from_order", item=name)


def cancel(talk: Conversation) -> None:
    """Somebody takes the whole order back."""
    say(talk, "[please|actually|you know what|sorry|oh|no|okay|] [cancel [everything|my order|the order|"
              "it all|the whole order|all of it]|start over|forget [the whole order|all of it|everything|"
              "my order]|let's start again|scratch [everything|it all|the whole thing]|remove everything|"
              "drop the whole order|empty my [order|basket]|i don't want anything [any more|after all]|"
              "take it all off|begin again from scratch]")  # fmt: skip
    order_now(talk, [], "remove_from_order", item="everything")


def short_change(talk: Conversation) -> None:
    """One word or two, and nothing else: ``large``, ``dark roast``, ``splash of milk``."""
    if not talk.order or isinstance(talk.order[-1], Verbatim):
        return
    rng, item = talk.rng, talk.order[-1]
    pick = rng.random()
    if pick < 0.35:
        to = size_of(rng)
        item = replace(item, size=to)
    elif pick < 0.6:
        to = rng.choice(_STYLES)
        item = replace(item, drink=f"{to} {item.drink}")
    else:
        to = draw_extra(rng)
        item = replace(item, extras=(*item.extras, to))
    said = to.removeprefix("a ") if rng.random() < 0.4 else to
    say(talk, choose_branches(f"{said} [||please]", rng))
    order_now(talk, [*talk.order[:-1], item], "change_order", to=said)
