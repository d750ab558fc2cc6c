"""Orders changed and taken back."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from dataclasses import replace
from typing import Final

from conversation import Conversation
from domain import choose_branches
from open_words import open_word
from order_items import (
    Item,
    Verbatim,
    draw_drink,
    draw_extra,
    draw_manner,
    draw_snack,
    is_food,
    kind_of,
    plural,
    size_of,
    with_article,
)
from order_named import BUT, STYLES, change_named
from spoken_numbers import spoken_number
from till import PAUSE, order_now, say

_MAKE_IT: Final = (
    "[can you|could you|] [make|make] [it|that|mine] {a} [instead|please|then|]",
    "{a} [please|instead|will do|rather|is better|is enough|]",
    "i [meant|mean|said] {a}",
    "[smaller|bigger|less|more|another kind|differently] please {a}",
    "[i'd like|i'd rather have|give me|better] {a} [please|]",
    "[can i|could i|may i] have {a} instead",
    "change [it|that] to {a} [please|]",
    "{a}",
    "[make|can we make|could you make|let's make|better make|just make|and make] [it|that|mine|this one] {a} [instead|please|after all|now|would you|]",
    "[you know what|on reflection|ugh okay|sorry|no hang on|naw|nah|then|fine then|ooh|maybe] [make it|make that|make mine|go for|better|rather] {a} [please|]",
    "[it|that|mine] should be {a} [please|]",
    "[i'll|we'll] [go for|go with|take|have] {a} instead",
    "[no|] i said {a}",
    "turn [it|that] into {a}",
    "[make|have|do|take] it in [the size of|size|] {a} [please|]",
    "[you know|actually|no|hmm] [make|let's make|better make] [it|that] {a} [actually|after all|rather|instead]",
)
#: Another thing in its place: nothing that could as well be one thing more.
_ANOTHER: Final = (
    "[can you|could you|can we|just|] [make|make|change] [it|that|mine] [to|] {a} [instead|please|then|]", "{a} instead [please|then|]",
    "i [meant|mean] {a}", "[i'd rather have|better|i'd prefer|i'd sooner have] {a} [please|then|]", "[can i|could i|may i] have {a} instead [please|]",
    "[swap|switch|change] [it|that] [for|to|with] {a} [please|then|]", "[it|that|mine] should be {a} [please|]", "make that {a} [please|then|]",
    "[i'll|we'll] [go for|go with|take|have] {a} instead", "replace [it|that] with {a}", "[not that|not that one] {a} [please|]", "turn that into {a}",
)  # fmt: skip
_NOT_THIS: Final = (
    "[sorry|no|oh|actually|] [she|he|my wife|my friend|my son] [says|said] not {i} [she|he] wants {a}",
    "[sorry|no|oh|] not {i} {a} [please|]", "not {l} {a} [please|i meant|]", "[she|he] [wants|wanted|meant|would rather have] {a} instead",
    "[no|sorry] [she|he] [changed her mind|changed his mind|doesn't like {l}] [make it|] {a}", "i said {a} not {i}", "i meant {a} not {l}",
)  # fmt: skip
_OTHERS: Final = (
    "milk",
    "coconut",
    "sugar",
    "soy",
    "vanilla",
    "cream",
    "dairy",
    "nuts",
    "honey",
    "caramel",
)
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
            "[and|] [make it|make that|make mine|do it|have it] with {e} [please|instead|then|]",
            "[use|make it with|take|go for] {e} [instead|rather|please]",
            "[then|maybe|better|no] [use|put in|give me|make it] {e} [then|please|instead]",
            "i [can't have|don't like|shouldn't have|am allergic to] {o} [so|] [make it|use|take] {e} [please|]",
            "[no {o} after all|not {o}|no {o}|i said no {o}] [use|make it|rather|but|] {e} [please|]",
            "might i have {e} with [that|it]",
            "[put|stick|chuck|throw|pop|pour|bung|add|squeeze|pump|stir|get] {e} [in|into|in|on] [it|it|that|this|there|mine|them] [too|as well|also|for me|please|would you|while you're at it||]",
            "[and|oh and|also|yes and|um and] [put|stick|chuck|throw|pop|add] {e} [in|on] [it|that|there] [too|as well||]",
            "[it|that|mine] [needs|wants|should have|gets|could do with] {e} [too|as well|please||]",
            "i [need|want|take|drink|like] it with {e} [please|too|]",
            "{e} [in it|in that|in there|in this one] [too|as well|also]",
        )
    ).replace("{e}", extra)  # fmt: skip
    words = words.replace("{o}", rng.choice(_OTHERS))
    return words, extra, replace(item, extras=(*others, extra))


_MILK_WORDS: Final = (
    "[then|and|so|okay|oh|] [make it|make that|make mine] {e} [please|then|instead|]", "{e} [then|please|instead|]", "with {e} [please|instead|]", "[can you|could you] make [it|that] {e} [please|]",
    "[i'll have it|i want it|can i have it] with {e}", "{e} [if you have it|if you've got it|if that's okay]", "{e} milk [please|]", "[better|rather|no] {e} [please|]", "i said {e}", "use {e} [please|]",
)  # fmt: skip


def _milk(talk: Conversation, item: Item) -> tuple[str, str, Item]:
    """``make it oat``."""
    rng = talk.rng
    milks = (
        "oat",
        "soy",
        "almond",
        "coconut",
        "oat",
        "soy",
        "skinny",
        "rice",
        "whole",
        open_word(rng),
    )
    milk = rng.choice(milks)
    others = tuple(e for e in item.extras if kind_of(e) != "milk")
    words = rng.choice(_MILK_WORDS)
    to = f"{milk} milk" if " milk" in words else milk
    return words.replace("{e}", milk), to, replace(item, extras=(f"{milk} milk", *others))


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
        words = f"[{number}|{number}|just {number}|only {number}|{number} of [them|those]]"
        return rng.choice(_MAKE_IT).replace("{a}", words), number, replace(item, count=count)
    if pick < 0.52:
        style = rng.choice(STYLES)
        if style not in item.drink:
            words = rng.choice(_MAKE_IT).replace("{a}", style)
            return words, style, replace(item, drink=f"{style} {item.drink}")
    if pick < 0.56:
        manner = (
            rng.choice(_MANNER)
            if rng.random() < 0.5
            else draw_manner(rng, food=is_food(item.drink))
        )
        words = f"[make it|could i have it|can i have that|i'd like it|] {manner} [please|]"
        return words, manner, replace(item, manner=manner)
    if pick < 0.68:
        drink = rng.choice((draw_drink, draw_drink, draw_snack))(rng)
        shapes = (*_ANOTHER, *_NOT_THIS)
        words = rng.choice(shapes).replace("{a}", f"[{with_article(drink)}|{drink}]")
        words = words.replace("{i}", item.drink).replace("{l}", item.drink.split()[0])
        return words, drink, Item(drink, item.size, item.count, item.extras)
    if pick < 0.76:
        return _milk(talk, item)
    return _with_extra(talk, item)


def change(talk: Conversation) -> None:
    """Somebody changes what was ordered last, or an item that they name."""
    known = [item for item in talk.order if not isinstance(item, Verbatim)]
    if known and talk.rng.random() < (0.5 if len(known) > 1 else 0.3):
        change_named(talk)
        return
    if not talk.order or isinstance(talk.order[-1], Verbatim):
        return
    words, to, item = _changes(talk)
    say(talk, f"{BUT} {PAUSE} {words}")
    order_now(talk, [*talk.order[:-1], item], "change_order", to=to)


def remove_last(talk: Conversation) -> None:
    """``take that off again``: the till is told what it was."""
    item = talk.order[-1] if talk.order else None
    if item is None or isinstance(item, Verbatim):
        return
    say(
        talk,
        f"{_OFF_BEFORE} {PAUSE} [take [that|that one|it|the last one|the last thing] [off|off again|out|back]|remove [that|that one|the last one|the last thing|it] [again|please|]|"
        "[scratch|cancel|forget|drop|lose|undo|skip] [that|that one|the last one|that last one|the last bit|the last item]|i don't want [that|that one|the last one] [any more|after all]|"
        "not that one [after all|]|[that one|the last one] can go [again|]|leave that one [out|off]]",
    )
    name = plural(item.drink) if item.count > 1 else item.drink
    order_now(talk, talk.order[:-1], "remove_from_order", item=name)


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
    if item.count > 1 and talk.rng.random() < 0.3:
        _one_of_them(talk, item)
        return
    say(
        talk,
        f"{_OFF_BEFORE} {PAUSE} "
        f"[[remove|cancel|forget|take off|drop|leave out|skip|delete|scratch|lose|take away|bin|ditch|scrap|axe|"
        f"strike|leave off|get rid of] the {name} [please|again|after all|for me|then|would you|]|"
        f"i don't [want|need] the {name} [any more|after all]|i'd like to [drop|remove|cancel|lose|take off] the {name}|"
        f"[please|can you|could you|would you|i'd like to|] take the {name} [off|out|off again|back|off the order|off my order|away]|"
        f"no {name} [for me|] [after all|please|then|today]|without the {name} please|[he|she|my son] doesn't want the {name} [any more|after all]|"
        f"[forget|drop|never mind] the {name} i'm [on a diet|full|not that hungry|allergic|broke]|not the {name} [after all|then]|"
        f"[i won't have|i'll skip|i'll do without|we don't need|we can do without|i've gone off] the {name} [after all|then|]]",
    )
    after = [other for other in talk.order if other is not item]
    order_now(talk, after, "remove_from_order", item=name)


_OFF_BEFORE: Final = (
    "[||||actually|no|sorry|please|can you|oh|never mind|you know what|could you|hmm|okay then|bit steep|too pricey|wow no|right|"
    "well|uh|and|okay|hang on|my wife says|i changed my mind|on second thoughts]"
)


def _one_of_them(talk: Conversation, item: Item) -> None:
    """``remove one of the teas``."""
    many = plural(item.drink if talk.rng.random() < 0.5 else item.drink.split()[-1])
    say(
        talk,
        f"{_OFF_BEFORE} {PAUSE} [remove|cancel|take off|drop|leave out|lose|take away|scratch] one of the {many} [please|again|]",
    )
    less = replace(item, count=item.count - 1)
    after = [less if other is item else other for other in talk.order]
    order_now(talk, after, "remove_from_order", item=f"one of the {many}")


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
        to = rng.choice(STYLES)
        item = replace(item, drink=f"{to} {item.drink}")
    else:
        to = draw_extra(rng)
        item = replace(item, extras=(*item.extras, to))
    said = to.removeprefix("a ") if rng.random() < 0.4 else to
    say(talk, choose_branches(f"{said} [||please]", rng))
    order_now(talk, [*talk.order[:-1], item], "change_order", to=said)
