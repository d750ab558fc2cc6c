"""Ordering: one thing or several, more of it, put right while speaking."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from coffee_bar import ENDINGS, OPENINGS
from conversation import Conversation
from dialogue_values import draw_value
from domain import choose_branches
from order_items import (
    SIZES,
    Item,
    Verbatim,
    draw_drink,
    draw_items,
    draw_size,
    draw_snack,
    joined,
    plural,
    with_article,
)
from shapes import parse_shapes
from spoken_numbers import spoken_number
from till import has_till, order_now, order_words, price, say
from user_requests import Request, make_request

MENUS: Final[Mapping[str, tuple[str, str]]] = {
    "drink_open": ("We have coffee, tea, juice and water. What would you like?", "drink"),
    "pizza_open": (
        "We have margherita, mushroom and pepperoni. Which pizza would you like?",
        "pizza",
    ),
    "food_open": ("We have soup, salad, pasta and pizza. What would you like?", "food"),
}
_ORDER_ANSWERS: Final = {
    "drink": parse_shapes("+ a {drink}\n. {drink} please\n+ a {size} {drink}"),
    "food": parse_shapes("+ a {food}\n. the {food} please\n+ a {food} and a {drink}"),
    "pizza": parse_shapes(". {pizza} please\n+ a {pizza} pizza\n. a {size} {pizza} pizza"),
}
_ORDER_VERBS: Final = re.compile(
    r"^(?:bring me|order me|order|send|i'd like to order|we'd like to order|for me"
    r"|bring|make me|i'm (?:hungry|starving) can i get|can i get|just)\s+"
)
_COURTESY: Final = re.compile(r"^(?:and|yes|also|no|please)\s+|\s+(?:please|too|to take away)$")
#: Openings beside those that the recognizer knows.
_MORE_OPENINGS: Final = (
    "for me|for me just|then|then i'll take|then|let's try|let's have|let's go for|i'll go for|"
    "i'll go with|could you put me down for|put me down for|i fancy|i could do with|one order|"
    "would you have|is it possible to have|might i have|do me|can you do me|we need|we'll need|"
    "hi there|hey|good morning|hello|right|so|okay|well|oh well|hmm|um|uh|i guess|maybe|perhaps|"
    "i'd quite like|i suppose i'll have|can i try|i'd go for|i'd love to try|"
    "this is for my colleagues|we are three so|my friend wants|my wife would like|it's for two"
)
_TAILS: Final = (
    "||||||then|then please|when you have a minute|if that's okay|i think|"
    "cheers|ta|thanks a lot|thank you so much|would be great|would be lovely|that'd be great"
)
_MORE: Final = (
    "[and|and|also|yes|yes and|oh and|and also|yes please|add|can you add|plus|and then|then|"
    "but do add|throw in|could you throw in|i'd also like|i'll also have|we also need|let's add|"
    "another thing|one more thing|please add|also add|and while i'm at it|and could i have|"
    "and for my [son|friend|wife|mum]|then there's|and on top of that|and to eat]"
)


_STYLES_BEHIND: Final = (
    "dark roast", "light roast", "medium roast", "blonde roast", "decaf", "extra hot", "iced", "french roast",
)  # fmt: skip


def loose(rng: random.Random, item: Item) -> str:
    """An item as people say it: with its article or without, its extras joined this way or that."""
    head = item.head
    if item.count == 1 and rng.random() < 0.25:
        head = item.core if rng.random() < 0.6 else f"one {item.core}"
    if item.count == 1 and item.size and rng.random() < 0.08:
        head = f"{with_article(item.drink)} {item.size}"
    if item.count == 1 and rng.random() < 0.06:
        head = f"{rng.choice(('some', 'the', 'the', 'my usual', 'another'))} {item.core}"
    style = next((s for s in _STYLES_BEHIND if item.drink.startswith(f"{s} ")), "")
    if style and item.count == 1 and rng.random() < 0.25:
        plain = replace(item, drink=item.drink.removeprefix(f"{style} "))
        head = f"{with_article(plain.core)}{rng.choice((' ', ', '))}{style}"
    extras = " and ".join(item.extras)
    if extras.startswith("no "):
        return f"{head} {rng.choice(('with ', '', 'but '))}{extras}"
    return (
        f"{head}{rng.choice((' with ',) * 5 + (' and ', ' plus ', ' ')) if extras else ''}{extras}"
    )


def _add_words(rng: random.Random, items: list[Item]) -> str:
    """What the user says to order these."""
    pick = rng.random()
    opening = "" if pick < 0.25 else f"[{OPENINGS if pick < 0.6 else _MORE_OPENINGS}]"
    parts = [loose(rng, item) for item in items]
    if len(parts) == 1 and rng.random() < 0.12:
        return f"{opening} {_self_corrected(rng, items)}"
    if len(parts) == 1 and rng.random() < 0.04:
        parts = [
            f"[a thing|one of those|a|uh a] [what's it called|you know|er|how do you say] {parts[0]}"
        ]
    link = rng.choice((" and ", " and ", " and ", " and also ", " plus ", ", and "))
    words = link.join(parts) if len(parts) < 3 or rng.random() < 0.3 else _listed(rng, parts)
    return f"{opening} {words} [{ENDINGS if rng.random() < 0.6 else _TAILS}]"


def _listed(rng: random.Random, parts: list[str]) -> str:
    between = rng.choice((" ", " ", ", "))
    return f"{between.join(parts[:-1])} and {parts[-1]}"


_WAIT: Final = (
    "[no|no wait|sorry|no sorry|wait|wait no|er no|uh no|i mean|or rather|actually|hang on|"
    "no hang on|scratch that|hmm no|oh no|make that|sorry i mean|no actually|or no]"
)


def _self_corrected(rng: random.Random, items: list[Item]) -> str:
    """``a large latte no wait make it medium``: only the last word counts."""
    item = items[0]
    if item.size and rng.random() < 0.6:
        first = replace(item, size=rng.choice([s for s in SIZES if s != item.size]))
        return f"{loose(rng, first)} {_WAIT} [make it|a|rather|] {item.size} [one|please|]"
    if rng.random() < 0.4:
        count = rng.randint(2, 6)
        items[0] = replace(item, count=count, drink=item.drink.removesuffix("s"))
        return f"{loose(rng, item)} {_WAIT} [make it|make that|] {spoken_number(count)} [please|]"
    first = Item(rng.choice((draw_drink, draw_snack))(rng), item.size)
    return (
        f"{loose(rng, first)} {_WAIT} [make it|rather|i'd like|] {loose(rng, item)} [please|sorry|]"
    )


def add(talk: Conversation, *, more: bool = False) -> None:
    """Somebody orders something, or something more."""
    items = [i for i in draw_items(talk.rng) if all(i.drink != o.drink for o in talk.order)]
    if not items:
        return
    words = _add_words(talk.rng, items)
    if more and talk.rng.random() < 0.6:
        words = f"{_MORE} {words}"
        if talk.rng.random() < 0.7:
            words = words.replace(f"[{OPENINGS}] ", "").replace(f"[{_MORE_OPENINGS}] ", "")
    say(talk, words)
    added(talk, items)


def added(talk: Conversation, items: list[Item]) -> None:
    """The answer to an order of these."""
    words = joined([item.said for item in items])
    order_now(talk, [*talk.order, *items], "add_to_order", items=words)


def take_it(talk: Conversation, thing: str) -> None:
    """Somebody takes what was just spoken of (its price, that there is some), or leaves it."""
    rng = talk.rng
    if rng.random() < 0.25:
        say(
            talk,
            "[no|no thanks|no thank you|not now|maybe later|just asking|too much for me|oh that's "
            "expensive|that's too much|then no|no i'll leave it|i'll leave that|then i won't|"
            "hmm not today|okay maybe not|wow no thanks|i was just wondering|leave it then]",
        )
        talk.assistant("Okay. Anything else?")
        return
    count = rng.choice((1, 1, 1, 1, 2, 2, 3, 4))
    number = "[one|a|]" if count == 1 else spoken_number(count)
    one = "one" if count == 1 else spoken_number(count)
    name = thing if count == 1 else plural(thing)
    say(
        talk,
        f"[okay|yes|yes please|sure|good|great|right|alright|then|fine|hmm okay|in that case|] "
        f"[i'll take {one}|{one} please|i'll have {one} of [them|those]|{one} of [those|them] "
        f"[please|then|]|add {one}|give me {one}|let me have {one}|{one} then|{number} {name} "
        f"then|i'd like {one}|put {one} on my order|make it {one}|we'll take {one}]",
    )
    added(talk, [Item(thing, "", count)])


def with_a_question(talk: Conversation) -> None:
    """An order, and something else asked in the same breath."""
    items = draw_items(talk.rng)[:1]
    asked, told = talk.rng.choice(
        (
            ("[what time do you close|when do you close|until when are you open]", "We're open every day from eight in the morning to ten in the evening."),
            ("[what's the wifi password|is there wifi here|do you have wifi]", "The network is called Guest and the password is sunflower."),
            ("[how long will it take|will it take long]", "It should be ready in about five minutes."),
            ("[can i pay by card|do you take cards]", "Yes, you can pay by card, in cash or with your phone."),
            ("[where are the toilets|where is the bathroom]", "The toilets are next to the lift."),
        )
    )  # fmt: skip
    say(talk, f"[i'd like|can i have|i'll have|] {loose(talk.rng, items[0])} [please|] and {asked}")
    talk.order = [*talk.order, *items]
    if has_till(talk):
        total_now = {"order": order_words(talk), "total": price(talk.rng)}
        talk.call("add_to_order", {"items": items[0].said}, total_now)
    talk.assistant(f"Okay, {order_words(talk)}. {told} Anything else?")


def with_a_wish(talk: Conversation) -> None:
    """An order and a wish for the house in one sentence, in either order."""
    items = draw_items(talk.rng)[:1]
    light, genre = (draw_value(slot, talk.rng, False).say for slot in ("room", "genre"))
    wish, done = talk.rng.choice(
        (
            (f"turn [on|off|on] the light in the {light}", f"The {light} light is {{on}}."),
            (f"turn the {light} lights [on|off]", f"The {light} lights are {{on}}."),
            (f"play [some|] {genre}", f"Playing {genre}."),
            ("turn [up|down] the heating", "I've turned the heating {on}."),
            ("turn the heating [up|down|off]", "I've turned the heating {on}."),
        )
    )
    wish = choose_branches(wish, talk.rng)
    on = re.search(r"\b(on|off|up|down)\b", wish)
    done = done.replace("{on}", on.group(1) if on else "")
    thing = loose(talk.rng, items[0])
    if talk.rng.random() < 0.5:
        say(talk, f"[i'd like|can i have|i'll have|] {thing} and [please|also|] {wish}")
    else:
        say(
            talk,
            f"{wish} and [add {thing} to [the|my] order|add {thing}|[i'd like|get me|i'll have] {thing}]",
        )
    talk.order = [*talk.order, *items]
    if has_till(talk):
        total_now = {"order": order_words(talk), "total": price(talk.rng)}
        talk.call("add_to_order", {"items": items[0].said}, total_now)
    talk.assistant(f"Okay, {order_words(talk)}. {done} Anything else?")


def _request_words(req: Request) -> str:
    words = _ORDER_VERBS.sub("", req.say(req.flat))
    for _ in range(2):
        words = _COURTESY.sub("", words)
    return words


def order_turn(talk: Conversation, req: Request) -> None:
    """An order in one of the domain's wordings: it is repeated, and more may follow."""
    if req.intent in MENUS:
        if has_till(talk):
            menu(talk)
            return
        talk.assistant(MENUS[req.intent][0])
        req = make_request("order", talk.rng.choice(_ORDER_ANSWERS[MENUS[req.intent][1]]), talk.rng)
        talk.user(req.text)
    words = _request_words(req)
    article, _, thing = words.partition(" ")
    plain = article in ("a", "an") and thing in req.said().values()
    added(talk, [Item(thing) if plain else Verbatim(words)])


def menu(talk: Conversation) -> None:
    """The till's menu is told."""
    rng = talk.rng
    things = [
        rng.choice((draw_drink, draw_drink, draw_snack))(rng) for _ in range(rng.randint(3, 7))
    ]
    words = joined(list(dict.fromkeys(things)))
    talk.call("get_menu", {}, {"menu": words})
    talk.assistant(f"We have {words}. What would you like?")


def size_of(rng: random.Random) -> str:
    """A size as it is said: ``sixteen ounces``, ``large``."""
    size = draw_size(rng)
    return f"{size}s" if size.endswith("ounce") and rng.random() < 0.3 else size
