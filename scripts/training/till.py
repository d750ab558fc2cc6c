"""The counter of a coffee bar: what is said there, and the till's tools that keep the order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from chatter import figures, with_chatter
from conversation import Conversation
from domain import choose_branches
from order_items import Item, draw_drink, draw_extra, draw_snack, joined
from shapes import Kind
from spoken_numbers import spoken_number
from user_requests import misheard, typed

TILL: Final = (
    "add_to_order",
    "change_order",
    "remove_from_order",
    "get_order",
    "get_price",
    "get_menu",
    "place_order",
)
_HALVES: Final = ("", "", " fifty", " twenty", " eighty", " forty", " ninety five", " ten")
#: Why, or to whom: what people add without wanting anything more.
_ASIDES: Final = (
    "[i'm starving|it's for my [wife|husband|son|boss|friend]|i need it today|my usual|it's early|"
    "my bus leaves soon|"
    "that's too [much|expensive|sweet]|it's cold outside|i'm on a diet|"
    "we're in a hurry|that would be lovely|if you have it|if there is any|"
    "if you've got any|if that's possible|if it's no trouble|it's a long day]"
)


def say(talk: Conversation, text: str, kind: Kind = Kind.PLAIN) -> None:
    """The user says it: spoken, typed (sometimes with figures) or misheard."""
    rng, text = talk.rng, choose_branches(text, talk.rng)
    if rng.random() < 0.05:
        text = f"{text} {choose_branches(_ASIDES, rng)}"
    elif rng.random() < 0.1:
        text = with_chatter(text, rng)
    if rng.random() < 0.3:
        if rng.random() < 0.5:
            text = figures(text)
            text = text.replace(" ounce", rng.choice((" ounce", " oz")))
        text = typed(text, kind, rng)
        talk.user(text.replace(".", "!") if rng.random() < 0.06 else text)
    else:
        talk.user(misheard(text, rng))


def price(rng: random.Random) -> str:
    """``four euros fifty``."""
    euros = rng.randint(1, 19) if rng.random() < 0.7 else rng.randint(20, 60)
    return f"{spoken_number(euros)} euro{'' if euros == 1 else 's'}{rng.choice(_HALVES)}"


def order_words(talk: Conversation) -> str:
    """All that is ordered, in words."""
    return joined([item.said for item in talk.order])


def has_till(talk: Conversation) -> bool:
    """Whether a till keeps the order."""
    return TILL[0] in talk.tools


def use_till(talk: Conversation, tool: str, after: Sequence[Item], **arguments: str) -> None:
    """Change the order by a tool, and say what the till says that it is now."""
    if talk.rng.random() < 0.06:
        fault, said = _fault(talk, tool)
        talk.call(tool, arguments, {"error": fault})
        talk.assistant(said)
        return
    talk.order = list(after)
    words = order_words(talk)
    talk.call(tool, arguments, {"order": words or "nothing", "total": price(talk.rng)})
    say_order(talk)


def say_order(talk: Conversation) -> None:
    """The whole order as it is now: what is said last is always all there is to remember."""
    words = order_words(talk)
    empty = "Okay, your order is empty now. What would you like?"
    talk.assistant(f"Okay, {words}. Anything else?" if words else empty)


def order_now(talk: Conversation, after: Sequence[Item], tool: str, **arguments: str) -> None:
    """The order becomes this, by the till where there is one."""
    if has_till(talk):
        use_till(talk, tool, after, **arguments)
        return
    talk.order = list(after)
    say_order(talk)


def _fault(talk: Conversation, tool: str) -> tuple[str, str]:
    """What a tool says that failed, and what the caller is told of it."""
    rng = talk.rng
    if rng.random() < 0.7:
        thing = rng.choice((draw_drink, draw_snack, draw_extra))(rng).removeprefix("no ")
        fault = rng.choice(
            (
                f"there is no {thing}",
                f"there is no {thing}",
                "the bar is closed",
                f"no {thing} today",
            )
        )
        return fault, f"I'm sorry, {fault}. Anything else?"
    wrong = ("could not be reached", "failed", "is not available at the moment")
    return f"{tool} {rng.choice(wrong)}", "I'm sorry, I can't take orders right now."
