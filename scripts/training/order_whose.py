"""Changes as families speak of them: ``make his coffee twelve ounces``, for a reason; two at once; ``cheese and tomato``."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from conversation import Conversation
from dialogue_values import draw_value
from domain import choose_branches
from open_words import open_word
from order_apart import FILLED, in_pieces
from order_items import (
    Item,
    Verbatim,
    draw_drink,
    draw_extra,
    draw_snack,
    kind_of,
    plural,
    size_of,
    with_article,
)
from order_named import BUT, STYLES
from spoken_numbers import spoken_number
from till import PAUSE, order_now, say

_RELATION: Final = (
    "[wife|husband|son|daughter|mum|dad|friend|boss|sister|brother|mate|colleague|nan|girlfriend]"
)
_OWNER: Final = f"[my|my|my|his|his|her|her|their|our|that|your|{{n}}'s|my {_RELATION}'s|the [kid's|boss's|little one's|missus's]]"
#: Why, before the change itself: their words are no part of it.
_REASON: Final = (
    f"[||||[he|she|my {_RELATION}|{{n}}] [says|said|wants it|thinks] [bigger|smaller|that's too much|that's too little|another size|different|not like that|no|it's too sweet|it's too strong]|"
    "[[he|she] [can't have|doesn't like|shouldn't have|is allergic to|hates|can't stand]|[i|we] [can't have|don't like|shouldn't have|hate|can't stand]] [nuts|milk|dairy|sugar|gluten|cream|coffee|meat|cheese|{o}|caffeine|chocolate|wheat]|"
    "i'm [veggie|vegan|on a diet|off sugar|cutting down|not that hungry|starving|thirsty|driving|lactose intolerant] [this week|today|now|]|"
    "[that's|it's|it was] too [much|small|big|sweet|strong|hot|little|expensive]|my [doctor|dentist|trainer|{o}] [will scold me|won't allow it|said less sugar|would kill me]|"
    "[he|she] [changed his mind|changed her mind|wants more|wants less|isn't sure now|is fussy]|i [said|told you] it wrong|my mistake|we're sharing|it's a long drive|i didn't sleep]"
)
_SIZED: Final = (
    "[make|can you make|could you make|can we make|please make|have] {w} [{at}|{t}] [one|please|instead|then|]", "{w} [should be|is to be|must be|has to be|goes] [{at}|{t}]",
    "make {w} in [the size of|size|] {t} [please|]", "[can|could] {w} be [{at}|{t}] [please|instead|]", "[change|switch|bump|upgrade|turn] {w} [to|into|up to] {t}",
    "i want {w} in {t}", "[i'd like|can i have|could i get] {w} [as|in] {t}", "{w} {t} [please|then|instead]", "[he|she] wants {w} {t}", "take {t} for {w}",
)  # fmt: skip
_WITH: Final = (
    "[put|add|pop|stick|chuck|throw|pour|could you put|can you put|would you put|can i have|please put] {t} [in|in|into|on|to|with] {w} [too|as well|also|please|would you||]",
    "[make|have|do|can i get|could i get] {w} with {t} [please|instead|too|]", "{w} with {t} [please|]", "[and|] {t} [in|for|on|with] {w} [please|too|]", "{w} [needs|gets|should have|wants] {t}",
    "on {w} [please|] {t}", "give {w} {t}",
)  # fmt: skip
_SWAPPED: Final = (
    "[change|swap|switch|exchange] {w} [to|for|into|in|with] {t} [please|instead|then|]", "make {w} {t} [instead|please|]", "{t} instead of {w} [please|]", "replace {w} [by|with] {t}",
    "[can|could] {w} be {t} [instead|]", "instead of {w} {t}", "turn {w} into {t}", "not {w} {t} [please|]",
)  # fmt: skip


def change_whose(talk: Conversation) -> None:
    """``he says bigger make his coffee twelve ounces``."""
    rng = talk.rng
    known = [item for item in talk.order if not isinstance(item, Verbatim)]
    if not known:
        return
    item = rng.choice(known)
    name = item.drink
    if " of " not in name and rng.random() < 0.5:
        name = name.split()[-1]
    shapes: Sequence[str]
    pick = rng.random()
    if pick < 0.35:
        to = size_of(rng)
        shapes, after = _SIZED, replace(item, size=to.removesuffix("s"))
    elif pick < 0.5:
        to = rng.choice(STYLES)
        shapes, after = _SIZED, replace(item, drink=f"{to} {item.drink}")
    elif pick < 0.75:
        to = draw_extra(rng)
        shapes, after = _WITH, replace(item, extras=(*item.extras, to))
    else:
        count = rng.choice((1, 1, 1, 2, 3, 4))
        new = Item(rng.choice((draw_drink, draw_snack))(rng))
        if new.drink.endswith("s"):
            count = 1
        after = replace(new, count=count, extras=(draw_extra(rng),) if rng.random() < 0.2 else ())
        to = after.said
        shapes = _SWAPPED
    owner = _named(talk, _OWNER) if rng.random() < 0.8 else "the"
    words = rng.choice(shapes).replace("{w}", f"{owner} {name}").replace("{t}", to)
    _say(talk, words.replace("{at}", with_article(to)))
    _changed(talk, item, after, item=name, to=to)


def change_twice(talk: Conversation) -> None:
    """Two things about one item at once: ``make it less sweet please, with soy milk``."""
    rng = talk.rng
    known = [item for item in talk.order if not isinstance(item, Verbatim)]
    if not known:
        return
    last = talk.order[-1]
    item = last if last in known and rng.random() < 0.65 else rng.choice(known)
    extra, other, size = draw_extra(rng), draw_extra(rng), size_of(rng)
    style = rng.choice(
        (*STYLES, "less sweet", "not so hot", "extra strong", "stronger", "less milky")
    )
    pick = rng.random()
    if pick < 0.35:
        parts, new = (style, f"with {extra}"), replace(item, drink=f"{style} {item.drink}")
        new = replace(new, extras=(*item.extras, extra))
    elif pick < 0.6:
        parts = (size, f"with {extra}")
        new = replace(item, size=size.removesuffix("s"), extras=(*item.extras, extra))
    elif pick < 0.75:
        parts = (size, style)
        new = replace(item, size=size.removesuffix("s"), drink=f"{style} {item.drink}")
    else:
        if kind_of(extra) == kind_of(other):
            return
        parts, new = (f"with {extra}", other), replace(item, extras=(*item.extras, extra, other))
    link = rng.choice((" ", ", ", " and ", " and "))
    to = link.join(parts)
    between = rng.choice(
        (" please", " please", " then", " for me", " if you can", " um", " this time")
    )
    said = parts[0] + (between if rng.random() < 0.35 else "") + link + parts[1]
    name = item.drink.split()[-1] if rng.random() < 0.5 and " of " not in item.drink else item.drink
    named = item is not last or rng.random() < 0.3
    it = f"[the|the|{_named(talk, _OWNER)}] {name}" if named else "[it|it|that|mine]"
    shapes = ("[make|can you make|could you make|have|do|please make] {w} {t}", "{w} should be {t}", "[can|could] {w} be {t}", "i'd like {w} {t}", "i want {w} {t}", "{w} {t} instead")  # fmt: skip
    _say(talk, rng.choice(shapes).replace("{w}", it).replace("{t}", said))
    _changed(talk, item, new, **({"item": name} if named else {}), to=to.removeprefix("with "))


def other_filling(talk: Conversation) -> None:
    """``make the toastie cheese and tomato``: something with a filling, then another one."""
    rng = talk.rng
    item, said, told = in_pieces(rng, filled=True)
    if any(item.drink == other.drink for other in talk.order):
        return
    name = next(thing for thing in FILLED if item.drink.endswith(f" {thing}"))
    say(talk, f"[can i have|i'd like|and|i'll have|] {said} [please|]")
    order_now(talk, [*talk.order, item], "add_to_order", items=told)
    if item not in talk.order:  # the till would not
        return
    fillings = ("cheese", "tomato", "egg", "tuna", "onion", "chicken", "hummus", "pesto", "mushroom", "banana", "lemon", "cherry", open_word(rng), open_word(rng))  # fmt: skip
    one, other = rng.sample(fillings, 2)
    to = rng.choice((f"{one} and {other}", f"{one} and {other}", one, f"{one} {other}"))
    size = f"{item.size} " if item.size else ""
    new = Item(f"{to} {size}{name}", "", item.count, item.extras, item.manner)
    called = plural(name) if item.count > 1 else name
    say_words = f"[make|can you make|could you make|have|do|change] [the|the|my|his|her] {called} {to} [please|instead|then|]"
    _say(talk, f"[{say_words}|the {called} with {to} [please|instead]|{to} [in|for|on] the {called} [please|instead|]]")  # fmt: skip
    _changed(talk, item, new, item=called, to=to)


def recount(talk: Conversation) -> None:
    """``make the teas two, not three``; ``two of the bagels, sorry``."""
    rng = talk.rng
    known = [i for i in talk.order if not isinstance(i, Verbatim) and not i.drink.endswith("s")]
    if not known:
        return
    item = rng.choice(known)
    count = rng.choice([n for n in (2, 2, 3, 4, 5, 6) if n != item.count])
    to, was = spoken_number(count), spoken_number(item.count)
    name = plural(item.drink.split()[-1] if rng.random() < 0.4 and " of " not in item.drink else item.drink)  # fmt: skip
    _say(
        talk,
        f"[make the {name} {to} [not {was}|instead of {was}|, not {was}|]|the {name} [should be|are] {to} [not {was}|]|change the {name} to {to}|{to} {name} [not {was}|instead of {was}]|it's {to} {name} [not {was}|sorry|]|make [it|that] {to} {name} [not {was}|please|]|change the {name} make it {to} {name}]",
    )
    _changed(talk, item, replace(item, count=count), item=name, to=to)


def _named(talk: Conversation, words: str) -> str:
    """With a name in it and a word of any kind."""
    words = choose_branches(words, talk.rng)
    words = words.replace("{n}", draw_value("name", talk.rng, False).text)
    return words.replace("{o}", open_word(talk.rng))


def _say(talk: Conversation, words: str) -> None:
    rng: random.Random = talk.rng
    reason = _named(talk, _REASON) if rng.random() < 0.5 else ""
    if rng.random() < 0.15:
        say(talk, f"{BUT} {words}{rng.choice((' ', ', '))}{reason}")
    else:
        say(talk, f"{BUT} {reason} {PAUSE if reason else ''} {words}")


def _changed(talk: Conversation, old: Item, new: Item, /, **arguments: str) -> None:
    order = [new if other is old else other for other in talk.order]
    order_now(talk, order, "change_order", **arguments)
