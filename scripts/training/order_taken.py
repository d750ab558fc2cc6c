"""What was just spoken of (its price, that there is some) is taken, left, or something else in its place."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from dataclasses import replace
from typing import Final

from conversation import Conversation
from order_add import added
from order_items import (
    Item,
    draw_drink,
    draw_extra,
    draw_manner,
    draw_snack,
    is_food,
    plural,
    with_article,
)
from order_spoken import loose
from spoken_numbers import spoken_number
from till import PAUSE, say


def take_it(talk: Conversation, thing: str) -> None:
    """Somebody takes what was just spoken of (its price, that there is some), or leaves it."""
    rng = talk.rng
    if rng.random() < 0.3:
        if rng.random() < 0.3:
            _rather(talk, thing)
            return
        last = _last(thing)
        if rng.random() < 0.35 and not any(last in item.drink for item in talk.order):
            say(talk, _left(thing))
            talk.assistant("Okay. Anything else?")
            return
        say(
            talk,
            "[no|no thanks|no thank you|not now|maybe later|just asking|too much for me|oh that's "
            "expensive|that's too much|then no|no i'll leave it|i'll leave that|then i won't|nah leave it|nah|"
            "hmm not today|okay maybe not|wow no thanks|i was just wondering|leave it then|forget it then|never mind then|"
            "not at that price|i'll pass|i'll give it a miss|bit dear for me|no i'm alright|another time]",
        )
        talk.assistant("Okay. Anything else?")
        return
    if rng.random() < 0.16 and " of " not in thing and " with " not in thing:
        _by_measure(talk, thing)
        return
    item, told = _taken(talk, thing)
    if any(item.drink == other.drink for other in talk.order):
        return
    if rng.random() < 0.2:
        other = Item(rng.choice((draw_drink, draw_snack))(rng))
        if other.drink != thing:
            words = loose(rng, other)
            say(talk, f"{_YES} {PAUSE} {_take(talk, item, thing)} and {words} [please|then|]")
            added(talk, [item, other], f"{told} and {words}")
            return
    say(
        talk,
        f"{_YES} {PAUSE} {_take(talk, item, thing)} [||||please|then|for {_WHOM}|for me|thanks|cheers]",
    )
    added(talk, [item], told)


#: Said of what something costs; it is not taken.
_NO: Final = (
    "[no|no thank you|no thanks|oh no|nah|nope|okay no|okay no thank you|mamma mia no|ouch no|wow no|goodness no|hmm no|ay no|uff no thank you|blimey no|ooh no|sorry no|no no|not for that price|"
    "[that's|that is] [too much|too dear|too costly|very expensive|a bit much|daylight robbery|a rip off|more than i thought]|too [rich|dear|expensive|steep|pricey] for me|that much|for that price no]"
)


def _last(thing: str) -> str:
    return thing.split(" with ", maxsplit=1)[0].rsplit(maxsplit=1)[-1]


def _left(thing: str) -> str:
    """It is not taken, and is named in saying so: nothing of it is on the order."""
    last = _last(thing)
    return (
        f"{_NO} {PAUSE} [no {last} for me|no {thing} then|no {last} [today|then|please|]|then no {last}|i [won't|will not|don't] [take|want|have] [it|that|the {last}|one] [then|]|"
        f"i'll [leave|skip|pass on] [it|that|the {last}] [then|today|]|without the {last} then|not the {last} then|forget the {last}|i can do without the {last}]"
    )


def _rather(talk: Conversation, thing: str) -> None:
    """``mamma mia no thank you but one glass of water please``."""
    rng = talk.rng
    other = Item(rng.choice((draw_drink, draw_snack))(rng), count=rng.choice((1, 1, 1, 2)))
    if other.drink.endswith("s") or any(other.drink == i.drink for i in (*talk.order, Item(thing))):
        return
    words = loose(rng, other)
    say(
        talk,
        f"{_NO} {PAUSE} [but|but|just|then|then just|i'd rather have|give me|only|better|i'll have|but i'd like|make it||] {words} [please|instead|then|for me||]",
    )
    added(talk, [other], words)


_WHOM: Final = (
    "[the missus|my mate|my wife|him|her|the wee one|my son|the office|my friend|himself]"
)
_YES: Final = (
    "[|||okay|yes|yes please|sure|good|great|right|alright|then|fine|hmm okay|in that case|go on then|yeah|"
    "yeah go on|lovely|grand|perfect|oh go on|fair enough|not bad|that's alright|good price|oh nice|brilliant|ok]"
)


def _by_measure(talk: Conversation, thing: str) -> None:
    """``good i take one piece of this``: what is meant was said last."""
    rng = talk.rng
    measures = ("piece", "slice", "portion", "plate", "box", "bag") if is_food(thing) else ("cup", "glass", "mug", "pot", "bottle", "jug")  # fmt: skip
    measure, count = rng.choice(measures), rng.choice((1, 1, 1, 2, 2, 3))
    item = Item(f"{measure} of {thing}", count=count)
    if any(thing in other.drink for other in talk.order):
        return
    number = spoken_number(count)
    amount = f"{number} {measure if count == 1 else plural(measure)}"
    if count == 1 and rng.random() < 0.5:
        amount = with_article(measure)
    say(
        talk,
        f"{_YES} {PAUSE} [i take|i'll take|i'll have|we'll take|give me|let me have|i'd like|then|i want|mm we'll have|add|can i have|put me down for|] {amount} [of this|of that|of it|of those|please|of this one|then|of it please|]",
    )
    added(talk, [item], f"{amount} of {thing}")


def _taken(talk: Conversation, thing: str) -> tuple[Item, str]:
    """What is taken of it, and how the till is told."""
    rng = talk.rng
    count = rng.choice((1, 1, 1, 1, 1, 2, 2, 3, 4))
    name, _, extra = thing.partition(" with ")
    item = Item(name, count=count, extras=(extra,) if extra else ())
    if not extra and rng.random() < 0.15:
        item = replace(item, extras=(draw_extra(rng),))
    elif rng.random() < 0.15:
        item = replace(item, manner=draw_manner(rng, food=is_food(name)))
    extras = f" with {item.extras[0]}" if item.extras else ""
    return item, f"{item.head}{extras}{f' {item.manner}' if item.manner else ''}"


def _take(talk: Conversation, item: Item, thing: str) -> str:
    """``gimme one of those toasted``."""
    one = "one" if item.count == 1 else spoken_number(item.count)
    number = "[one|a|the]" if item.count == 1 else one
    name = item.drink if item.count == 1 else plural(item.drink)
    measure, of, _ = name.partition(" of ")
    it = f"|{one} {measure} of it" if of else ""
    new = item.extras and item.extras[0] not in thing
    manner = f" with {item.extras[0]}" if new else f" {item.manner}" if item.manner else ""
    words = talk.rng.choice(
        (
            "[i'll take|i'll have|i'd like|we'll take|let me have|give me|gimme|get me|put me down for] {o}",
            "[add|chuck|stick|put|throw|pop|bung] {o} [on|in|on there|on my order|on for me|on the order]",
            "[add|make it|order|can i have|could i get|i need|i want|send me] {o}",
            "{o} [please|then|it is|for me|thanks]",
            "[i'll have|i'll take|give me|add|get me] {n}",
        )
    )
    few = (
        f"|{one} {measure if item.count == 1 else plural(measure)}|{one} {measure if item.count == 1 else plural(measure)}"
        if of
        else ""
    )
    several = f"[{one}|{one} of [those|them|these]|{one} of [those|them]{it}{few}]"
    words = words.replace("{o}", f"{several}{manner}")
    return words.replace("{n}", f"{number} {name}{manner}")
