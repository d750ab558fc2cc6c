"""Orders of food and drink."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from conversation import Conversation
from shapes import parse_shapes
from user_requests import Request, make_request

_ORDER_VERBS: Final = re.compile(
    r"^(?:bring me|order me|order|send|i'd like to order|we'd like to order|for me"
    r"|bring|make me|i'm (?:hungry|starving) can i get|can i get|just)\s+"
)
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
_MORE_ORDER: Final = parse_shapes("""
    . and a {drink} [please|]
    . [yes|] a {drink} [please|too|]
    . also a {food}
    . and a {food} please
    . yes {count} {drink}s
    . i'd also like a {food}
""")
_NO_MORE: Final = parse_shapes("""
    . no [thanks|thank you|that's all|that's it|nothing else|]
    . that's all [thanks|thank you|]
    . that's it [thanks|]
    . nothing else [thank you|]
    . no that's everything
""")


def _order_words(req: Request) -> str:
    words = _ORDER_VERBS.sub("", req.say(req.flat))
    words = re.sub(r"^(and|yes|also|i'd also like|no|please)\s+", "", words)
    words = re.sub(r"^(and|yes|also)\s+", "", words)
    return re.sub(r"\s+(please|too)$", "", words)


def order_turn(talk: Conversation, req: Request) -> None:
    """Take an order: repeat it, ask for more, close."""
    if req.intent in MENUS:
        menu, kind = MENUS[req.intent]
        talk.assistant(menu)
        req = make_request("order", talk.rng.choice(_ORDER_ANSWERS[kind]), talk.rng)
        talk.user(req.text)
    talk.assistant(f"Okay, {_order_words(req)}. Anything else?")
    while talk.rng.random() < 0.6:
        if talk.rng.random() < 0.6:
            talk.user(make_request("", talk.rng.choice(_NO_MORE), talk.rng).text)
            talk.assistant("Thank you. Your order is on its way.")
            return
        more = make_request("order", talk.rng.choice(_MORE_ORDER), talk.rng)
        talk.user(more.text)
        talk.assistant(f"Okay, {_order_words(more)}. Anything else?")
