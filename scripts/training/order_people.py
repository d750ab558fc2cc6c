"""Orders for several people, of the same thing in two sizes, once more, in place of what there isn't."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from conversation import Conversation
from dialogue_values import draw_value
from open_words import open_word
from order_add import added, menu
from order_items import (
    SIZES,
    Item,
    Verbatim,
    draw_drink,
    draw_extra,
    draw_item,
    draw_snack,
    plural,
    with_article,
)
from order_spoken import loose
from shapes import Kind
from spoken_numbers import spoken_number
from till import has_till, order_now, say, shortage

_RELATIVE: Final = "[my|my|my|the] [missus|old man|better half|little one|girlfriend|boyfriend|partner|aunt|uncle|nan|son|daughter|wife|husband|friend|mum|dad|boss|kid|brother|sister|colleague|mother|guest]"


def for_people(talk: Conversation) -> None:
    """``a hot chocolate for me and a lemonade for my son``."""
    rng = talk.rng
    items = list({item.drink: item for item in (draw_item(rng), draw_item(rng))}.values())
    if len(items) < 2 or any(i.drink == o.drink for i in items for o in talk.order):
        return
    name = draw_value("name", rng, False).text
    whose = [
        f"[for me|for myself|for {_RELATIVE}]",
        f"[for {_RELATIVE}|for {name}|for her|for him]",
    ]
    if rng.random() < 0.3:
        whose.reverse()
    one, other = (loose(rng, item) for item in items)
    first, second = f"{one} {whose[0]}", f"{other} {whose[1]}"
    if rng.random() < 0.4:
        wants = "[wants|will have|would like|needs|is having|takes|fancies]"
        first = f"{_RELATIVE} {wants} {one}"
        second = f"[i want|i'll have|i'd like|for me|{name} {wants}|{_RELATIVE} {wants}] [|um|uh] {other}"
    say(
        talk,
        f"[|great|okay|now|so|i'd like|can i get|we'll have|hello] {first} [and|and|then|plus|and then] {second} [please|]",
    )
    added(talk, items, f"{one} and {other}")


def for_another(talk: Conversation) -> None:
    """``the boss wants a bagel too``."""
    rng, item = talk.rng, draw_item(talk.rng)
    if any(item.drink == other.drink for other in talk.order):
        return
    name, told = draw_value("name", rng, False).text, loose(rng, item)
    who = f"[{_RELATIVE}|{_RELATIVE}|{name}|the boss|the kids|she|he|himself|herself|your man|the wee one|my lot]"
    wants = f"{who} [wants|wants|will have|would like|needs|asks for|says|takes|is having|fancies|would love|wouldn't mind]"
    for_whom = f"for [{_RELATIVE}|{name}|him|her|the boss|the little one|them]"
    say(
        talk,
        f"[|||and|oh and|lovely|also|yes|then|grand and] [{wants} {told}|{wants} {told}|{for_whom} {told}|{told} {for_whom}] [too|as well|please|||]",
    )
    added(talk, [item], told)


def two_sizes(talk: Conversation) -> None:
    """The same drink small and large; then something about one of the two."""
    rng = talk.rng
    one, other = rng.sample(sorted({size for size in SIZES if " " not in size}), 2)
    drink = draw_drink(rng)
    if any(drink == item.drink for item in talk.order):
        return
    items = [Item(drink, one), Item(drink, other)]
    name = draw_value("name", rng, False).text
    say(
        talk,
        f"[now|i'd like|can i have|] [{with_article(one)} {drink}|{one} {drink}] [for me|] and [{with_article(other)}|{other}] [one|{drink}] [for {name}|for {_RELATIVE}|please|]",
    )
    added(talk, items)
    if talk.order[-2:] != items or rng.random() < 0.3:
        return
    named = rng.choice(items)
    extra = draw_extra(rng)
    say(
        talk,
        f"[|and|oh|actually] [{extra} [in|to|for] the {named.size} one|[put|add] {extra} [in|to] the {named.size} one|the {named.size} one with {extra}] [please|]",
    )
    changed = replace(named, extras=(extra,))
    after = [changed if item is named else item for item in talk.order]
    order_now(talk, after, "change_order", item=f"{named.size} one", to=extra)


def once_more(talk: Conversation) -> None:
    """One more of the last item."""
    item = talk.order[-1] if talk.order else None
    if item is None or isinstance(item, Verbatim):
        return
    say(
        talk,
        "[and|oh|] [another one|one more of those|another one of those|the same again|one more|same again|"
        f"one more of the same|another of those|one more of them|another {item.drink}|one more {item.drink}] [please|for {_RELATIVE}|]",
    )
    more = replace(item, count=item.count + 1)
    order_now(talk, [*talk.order[:-1], more], "add_to_order", items=replace(item, count=1).said)


def again_but(talk: Conversation) -> None:
    """The same again with something else about it: ``another one but with oat milk``."""
    rng = talk.rng
    item = talk.order[-1] if talk.order else None
    if item is None or isinstance(item, Verbatim):
        return
    plain = replace(item, count=1, extras=(), manner="")
    if rng.random() < 0.5:
        extra = draw_extra(rng)
        new, but = replace(plain, extras=(extra,)), f"[with|but with] {extra}"
    else:
        size = rng.choice(SIZES)
        new, but = replace(plain, size=size), f"[but {size}|but a {size} one|only {size}|in {size}]"
    say(
        talk,
        f"[and|oh|] [another one|one more|the same again|the same|same again|another {item.drink}|one more {item.drink}] [for {_RELATIVE}|||] {but} [please|]",
    )
    added(talk, [new], new.said)


def instead_of_none(talk: Conversation) -> None:
    """Something there isn't; then something else in its place, or nothing."""
    rng = talk.rng
    if not has_till(talk):
        return
    wanted, drink = draw_item(rng), rng.choice((draw_drink, draw_snack))(rng)
    if wanted.drink == drink or any(drink == item.drink for item in talk.order):
        return
    words = loose(rng, wanted)
    say(talk, f"[i'd like|can i get|could i have|give me|do me|and|] {words} [please|]")
    fault = shortage(talk, wanted.drink)
    talk.call("add_to_order", {"items": words}, {"error": fault})
    talk.assistant(f"I'm sorry, {fault}. Anything else?")
    if rng.random() < 0.2:
        say(
            talk,
            "[oh okay|pity|too bad|never mind|what a shame|no then|okay nothing then|that's a pity]",
        )
        talk.assistant("I'm sorry about that. Anything else?")
        return
    item = Item(drink, extras=(draw_extra(rng),) if rng.random() < 0.3 else ())
    article = rng.choice((with_article(drink), drink))
    tail = f" {rng.choice(('with ', '', 'and '))}{item.extras[0]}" if item.extras else ""
    say(
        talk,
        f"[[oh|okay|pity|too bad|hmm|never mind|fine|right|] [then|then|] {article}{tail} [then|instead|please|]|"
        f"{article} then{tail} [please|]|[i'll|i'd rather] have {article}{tail} [then|instead]|[what|how] about {article}{tail}|"
        f"[no worries|no bother|no problem|fair enough|ah well|no harm|okay] [just|make it|then|] {article}{tail} [then|please|]]",
    )
    added(talk, [item], f"{article}{tail}")


def just_the_other(talk: Conversation) -> None:
    """Two things, of which there is only one; or a drink without the milk that it was to have."""
    rng = talk.rng
    if not has_till(talk):
        return
    if rng.random() < 0.4:
        _another_milk(talk)
        return
    items = list({item.drink: item for item in (draw_item(rng), draw_item(rng))}.values())
    if len(items) < 2 or any(i.drink == o.drink for i in items for o in talk.order):
        return
    one, other = (loose(rng, item) for item in items)
    say(
        talk,
        f"[i'd like|can i get|hi|could i have|] {one} [thanks mate|please|] and {other} [please|if you've got one|if you have any|]",
    )
    fault = shortage(talk, items[1].drink)
    talk.call("add_to_order", {"items": f"{one} and {other}"}, {"error": fault})
    talk.assistant(f"I'm sorry, {fault}. Anything else?")
    short = rng.choice((one, f"the {items[0].drink}"))
    say(
        talk,
        f"[no worries|okay|oh well|pity|alright|fine|right|too bad|no problem|] [just|only|then just|i'll just have|just give me] {short} [then|please|]",
    )
    added(talk, items[:1], one if short == one else f"the {items[0].drink}")


def _another_milk(talk: Conversation) -> None:
    rng, drink = talk.rng, draw_drink(talk.rng)
    milk, other = rng.sample(
        (
            "oat",
            "soy",
            "almond",
            "coconut",
            "rice",
            "hazelnut",
            "goat",
            "whole",
            "skimmed",
            open_word(rng),
        ),
        2,
    )
    if any(drink == item.drink for item in talk.order):
        return
    words = rng.choice((f"{with_article(milk)} {drink}", f"{with_article(drink)} with {milk} milk"))
    say(talk, f"[hi|can i get|could i get|i'd like|] {words} [please|]")
    fault = shortage(talk, f"{milk} milk")
    talk.call("add_to_order", {"items": words}, {"error": fault})
    talk.assistant(f"I'm sorry, {fault}. Anything else?")
    say(
        talk,
        f"[oh|oh no|okay|pity|right|hmm|no worries|] [{other} then|{other} milk then|make it {other}|with {other} then|{other} is fine|then {other}] [please|]",
    )
    told = f"{with_article(drink)} with {other} milk"
    added(talk, [Item(drink, extras=(f"{other} milk",))], told)


def fewer(talk: Conversation) -> None:
    """Another count of the last thing, said with its measure: ``two slices``, ``make that one pump``."""
    rng = talk.rng
    if not talk.order or isinstance(talk.order[-1], Verbatim):
        return
    item = talk.order[-1]
    number = rng.choice((1, 1, 2, 2, 3, 4))
    pump = next(
        (e for e in item.extras if re.match(r"\w+ (pump|spoon|packet|cube|shot|teaspoon)s? of", e)),
        None,
    )
    if pump:
        measure, of, what = pump.split(" ", 1)[1].partition(" of ")
        words = f"{spoken_number(number)} {measure.removesuffix('s')}{'' if number == 1 else 's'}"
        extras = tuple(words + of + what if e == pump else e for e in item.extras)
        after = replace(item, extras=extras)
    else:
        noun, of, what = item.drink.partition(" of ")
        if not of:
            noun = item.drink.split()[-1]
        if item.count == number:
            number += 1
        words = f"{spoken_number(number)} {noun if number == 1 else plural(noun)}"
        after = replace(item, count=number)
    say(
        talk,
        f"[|||no|oh|actually|hmm|sorry|oh dear|no wait|just|okay but|can we|could you|one is too much|that's too many|that's a lot|okay yeah no {open_word(rng)} but] [make it {words}|make that {words}|{words} [will do|is enough|instead|please|]|{words}|i meant {words}|only {words}|just {words}]",
    )
    order_now(talk, [*talk.order[:-1], after], "change_order", to=words)


def something_nice(talk: Conversation) -> None:
    """A wish for something of a kind: the menu is told, or the cappuccino is recommended."""
    rng = talk.rng
    say(
        talk,
        "[|i'd like|give me|i want|can i get|do you have|i need|i fancy] something [hot|cold|sweet|warm|strong|nice|fresh|fruity|light|special|"
        "hot and sweet|not too sweet|to wake me up|to warm me up|warm and milky|without caffeine|refreshing] [please|to drink|]",
        Kind.PLAIN,
    )
    if has_till(talk):
        menu(talk)
        return
    talk.assistant("I recommend the cappuccino. Would you like one?")
    if rng.random() < 0.6:
        if rng.random() < 0.6:
            say(
                talk,
                "[yes|yes please|sure|okay|one please|i'll take one|sounds good|why not|go on then]",
            )
            added(talk, [Item("cappuccino")])
        else:
            say(talk, "[no|no thanks|hmm no|rather not|not today|no thank you]")
            talk.assistant("Okay. Anything else?")
