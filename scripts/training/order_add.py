"""Ordering: one thing or several, more of it, put right while speaking."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Final

from coffee_bar import ENDINGS, OPENINGS
from conversation import Conversation
from dialogue_values import draw_value
from domain import choose_branches
from order_items import (
    Item,
    Verbatim,
    draw_drink,
    draw_items,
    draw_size,
    draw_snack,
    joined,
    plural,
)
from order_spoken import loose, spoken_order
from set_phrases import EVERY_DAY, WAYS_TO_PAY, WIFI
from shapes import parse_shapes
from till import call_till, has_till, keep, order_now, order_words, price, say, tab
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
    "hiya could i get|hello how are you i'd like|how are things can i have|hope you're well could i have|morning love can i have|"
    "gimme|lemme get|i'll grab|could i grab|kindly give me|i should like|any chance of|could you sort me out with|i could murder|hit me with|"
    "i'm after|i'm dying for|do us|would you do me|stick me down for|stick on|bung me|chuck me|i shall have|we shall have|may we get|could one have|"
    "i would like to have please|be so kind and give me|we'd love|go on|go on then|i'm in a rush just|quick one|let me think|right so|so like|"
    "this is for my colleagues|we are three so|my friend wants|my wife would like|it's for two"
)
_TAILS: Final = (
    "||||||then|then please|when you have a minute|if that's okay|i think|"
    "mate|love|my dear|if you don't mind|if you've got one|when you're ready|so i would|and make it snappy|cheers mate|thanks love|"
    "cheers|ta|thanks a lot|thanks so very much|would be great|would be lovely|that'd be great"
)
_MORE: Final = (
    "[and|and|also|yes|yes and|oh and|and also|yes please|add|can you add|plus|and then|then|"
    "but do add|throw in|could you throw in|i'd also like|i'll also have|we also need|let's add|"
    "another thing|one more thing|please add|also add|and while i'm at it|and could i have|"
    "and for my [son|friend|wife|mum]|then there's|and on top of that|and to eat]"
)


def _opened(rng: random.Random, words: str) -> str:
    """The words of an order with what people say before and behind them."""
    pick = rng.random()
    opening = "" if pick < 0.25 else f"[{OPENINGS if pick < 0.6 else _MORE_OPENINGS}]"
    return f"{opening} {words} [{ENDINGS if rng.random() < 0.6 else _TAILS}]"


def add(talk: Conversation, *, more: bool = False) -> None:
    """Somebody orders something, or something more."""
    rng = talk.rng
    items = _new(talk, draw_items(rng))
    if not items:
        return
    said, told = spoken_order(rng, items)
    if more and rng.random() < 0.7:
        ending = f"[{ENDINGS if rng.random() < 0.5 else _TAILS}]"
        say(
            talk,
            f"{_MORE} {said} {ending}" if rng.random() < 0.7 else f"{_MORE} {_opened(rng, said)}",
        )
    else:
        say(talk, _opened(rng, said))
    added(talk, items, told)


def _new(talk: Conversation, items: list[Item]) -> list[Item]:
    return [item for item in items if all(item.drink != other.drink for other in talk.order)]


def add_short(talk: Conversation) -> None:
    """``and two muffins``: no more than that, and the whole order is what it now is."""
    rng = talk.rng
    drink = rng.choice((draw_drink, draw_snack, draw_snack))(rng)
    count = 1 if drink.endswith("s") else rng.choice((1, 1, 1, 2, 2, 3, 4))
    item = Item(drink, draw_size(rng) if rng.random() < 0.15 else "", count)
    if not _new(talk, [item]):
        return
    words = loose(rng, item)
    say(
        talk,
        f"[and|and|and|and|plus|and also|oh and|also|and then|and maybe|and just|and one more thing|and for me|yes and|"
        f"then|add|and add|and put on|oh yes and|and uh|and um] {words} [||||||please|as well|too|then|thanks|on top of that]",
    )
    added(talk, [item], words)


def add_bare(talk: Conversation) -> None:
    """``ristretto``: the thing and no word more."""
    item = Item(talk.rng.choice((draw_drink, draw_drink, draw_snack))(talk.rng))
    # "decaf" alone changes what is there.
    if talk.order and item.drink.endswith(("roast", "decaf", "blend")):
        return
    if _new(talk, [item]):
        words = talk.rng.choice((item.drink, item.drink, item.said))
        say(talk, f"{words} [||please|thanks|um please]")
        added(talk, [item], words)


def added(talk: Conversation, items: list[Item], told: str = "") -> None:
    """The answer to an order of these; the till is told of them in the caller's words."""
    words = told or joined([item.said for item in items])
    order_now(talk, [*talk.order, *items], "add_to_order", items=words)


def with_a_question(talk: Conversation) -> None:
    """An order, and something else asked in the same breath."""
    items = draw_items(talk.rng)[:1]
    hours = tab(talk).hours
    if hours is None and re.search(
        "open|hours|clos", str(talk.messages[0]["content"]) if talk.messages else "", re.IGNORECASE
    ):
        return  # the prompt knows better
    asked, told = talk.rng.choice(
        (
            ("[what time do you close|when do you close|until when are you open|what time do y'all close|when are you open till]", hours.answer if hours else EVERY_DAY),
            ("[what's the wifi password|is there wifi here|do you have wifi]", WIFI),
            ("[how long will it take|will it take long]", "It should be ready in about five minutes."),
            ("[can i pay by card|do you take cards]", WAYS_TO_PAY),
            ("[where are the toilets|where is the bathroom]", "The toilets are next to the lift."),
        )
    )  # fmt: skip
    thing = loose(talk.rng, items[0])
    say(talk, f"[i'd like|can i have|i'll have|] {thing} [please|] and {asked}")
    _kept(talk, items, thing)
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
    _kept(talk, items, thing)
    talk.assistant(f"Okay, {order_words(talk)}. {done} Anything else?")


def _kept(talk: Conversation, items: list[Item], told: str) -> None:
    """Added to the order; nothing is said of it yet."""
    after = [*talk.order, *items]
    if has_till(talk):
        call_till(talk, "add_to_order", after, items=told)
    else:
        keep(talk, after)


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


def menu(talk: Conversation, among: str = "") -> list[str]:
    """The till's menu is told, ``among`` it this; all these things are on it."""
    rng = talk.rng
    drawn = [
        rng.choice((draw_drink, draw_drink, draw_snack))(rng) for _ in range(rng.randint(2, 7))
    ]
    if among:
        drawn.insert(rng.randint(0, len(drawn)), among)
    things = list(dict.fromkeys(drawn))
    on_it = [plural(t) if rng.random() < 0.15 and not t.endswith("s") else t for t in things]
    words = joined(on_it)
    if rng.random() < 0.1:
        things = things[:4]
        words = joined([f"{thing} {price(talk)}" for thing in things])
    elif rng.random() < 0.12:
        words = ", ".join(on_it)
    listed = rng.random() < 0.06
    talk.call("get_menu", {}, {"menu": on_it if listed else words})
    words = joined(on_it) if listed else words
    talk.assistant(f"We have {words}. What would you like?")
    return things
