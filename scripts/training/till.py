"""The counter of a coffee bar: what is said there, and the till's tools that keep the order."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from chatter import figures, with_chatter
from conversation import Conversation
from dialogue_values import capitalise
from domain import choose_branches
from order_items import Item, draw_drink, draw_extra, draw_snack, joined
from order_money import Money, draw_cents, draw_money
from order_wording import Wording, draw_wording
from shapes import Kind
from user_requests import misheard, typed

if TYPE_CHECKING:
    from order_hours import BarHours

TILL: Final = (
    "add_to_order",
    "change_order",
    "remove_from_order",
    "get_order",
    "get_price",
    "get_menu",
    "place_order",
)
_TROUBLES: Final = (
    *("the bar is closed",) * 3, "the kitchen is closed", "nothing is ordered yet", "the oven is broken",
    "that is not on the order", "an order has at most twenty items", "the coffee machine is broken",
    "only two are left", "that can't be changed any more", "the milk is finished",
)  # fmt: skip
#: Why, or to whom: what people add without wanting anything more.
_ASIDES: Final = (
    "[i'm starving|it's for my [wife|husband|son|boss|friend]|i need it today|my usual|it's early|"
    "my bus leaves soon|"
    "that's too [much|expensive|sweet]|it's cold outside|i'm on a diet|"
    "we're in a hurry|that would be lovely|if you have it|if there is any|"
    "if you've got any|if that's possible|if it's no trouble|it's a long day]"
)


#: What people put between two things that they say, where it is written down.
PAUSE: Final = "[|||||,|.|.]"


#: What would take back a yes that it is said with.
_COMPLAINT: Final = re.compile(r"too (?:much|expensive|sweet|pricey|strong)|bit steep|that's dear")


def say(talk: Conversation, text: str, kind: Kind = Kind.PLAIN, *, glad: bool = False) -> None:
    """The user says it: spoken, typed (sometimes with figures) or misheard.

    Who is ``glad`` complains of nothing beside it.
    """
    rng, text = talk.rng, choose_branches(text, talk.rng)
    text = re.sub(r"\s+([.,])", r"\1", text).lstrip(".,").strip().removesuffix(",")
    bare = text
    if rng.random() < 0.05:
        text = f"{text} {choose_branches(_ASIDES, rng)}"
    elif rng.random() < 0.1:
        text = with_chatter(text, rng)
    if glad and _COMPLAINT.search(text):
        text = bare
    if rng.random() < 0.3:
        if rng.random() < 0.5:
            text = figures(text)
            text = text.replace(" ounce", rng.choice((" ounce", " oz")))
        text = typed(text, kind, rng)
        text = re.sub(r"(?<=[.] )[a-z]", lambda match: match.group(0).upper(), text)
        talk.user(text.replace(".", "!") if rng.random() < 0.06 else text)
    else:
        talk.user(misheard(text, rng))


class Tab(list[Item]):
    """What is ordered, and how the till of this conversation words orders and prices."""

    def __init__(self, items: Iterable[Item], money: Money, wording: Wording) -> None:
        super().__init__(items)
        self.money = money
        self.wording = wording
        self.hours: BarHours | None = None  # as the prompt tells them


def tab(talk: Conversation) -> Tab:
    """The order of the conversation with its till; drawn when first asked for."""
    if not isinstance(talk.order, Tab):
        talk.order = Tab(talk.order, draw_money(talk.rng), draw_wording(talk.rng))
    return talk.order


def keep(talk: Conversation, items: Iterable[Item]) -> None:
    """These are ordered now."""
    tab(talk)[:] = list(items)


def price(talk: Conversation) -> str:
    """What one thing costs: ``three pounds ninety``."""
    rng, money = talk.rng, tab(talk).money
    if rng.random() < 0.03:
        return rng.choice(("nothing", "free", f"zero {money.many}"))
    whole = rng.choice(
        (0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 6, 6, 7, 8, 9, rng.randint(1, 25))
    )
    return money.words(draw_cents(rng, whole) or 100)


def sum_of(talk: Conversation) -> str:
    """What the order costs."""
    rng, money = talk.rng, tab(talk).money
    count = sum(item.count for item in talk.order)
    if not count:
        return rng.choice(("nothing", f"zero {money.many}", money.words(0)))
    return money.words(draw_cents(rng, rng.randint(max(1, count), 6 * count)))


def order_words(talk: Conversation) -> str:
    """All that is ordered, in words: the till's, where there is one."""
    if has_till(talk):
        return tab(talk).wording.text(talk.order)
    return joined([item.said for item in talk.order])


def order_now_is(talk: Conversation) -> dict[str, Any]:
    """What the till answers to everything that it is told of an order."""
    rng = talk.rng
    words = order_words(talk) or rng.choice(("nothing", "nothing", "nothing", "empty", ""))
    result: dict[str, Any] = {"order": words, "total": sum_of(talk)}
    pick = rng.random()
    if pick < 0.06:
        return {"total": result["total"], "order": words}
    if pick < 0.1:
        return {"ok": True, **result}
    if pick < 0.13:
        return {**result, "items": len(talk.order)}
    return {"order": words} if pick < 0.15 else result


def has_till(talk: Conversation) -> bool:
    """Whether a till keeps the order."""
    return TILL[0] in talk.tools


def use_till(talk: Conversation, tool: str, after: Sequence[Item], **arguments: str) -> None:
    """Change the order by a tool, and say what the till says that it is now."""
    if talk.rng.random() < 0.05:
        fault, said = _fault(talk, tool)
        talk.call(tool, arguments, {"error": fault})
        talk.assistant(said)
        return
    if talk.rng.random() < 0.05:
        keep(talk, after)
        if talk.order:
            _said_otherwise(talk, order_words(talk))
            return
    call_till(talk, tool, after, **arguments)
    say_order(talk)


def call_till(talk: Conversation, tool: str, after: Sequence[Item], **arguments: str) -> None:
    """Change the order by a tool, and say nothing yet."""
    keep(talk, after)
    talk.call(tool, arguments, order_now_is(talk))


def say_order(talk: Conversation) -> None:
    """The whole order as it is now: what is said last is always all there is to remember."""
    words = order_words(talk)
    empty = "Okay, your order is empty now. What would you like?"
    if words and not has_till(talk) and talk.rng.random() < 0.12:
        _said_otherwise(talk, words)
        return
    talk.assistant(f"Okay, {words}. Anything else?" if words else empty)


def _said_otherwise(talk: Conversation, words: str) -> None:
    """What another assistant said in this place, to be understood and not to be imitated."""
    before = talk.rng.choice(
        ("", "", "", "all right, ", "sure, ", "noted: ", "so that's ", "got it, ")
    )
    after = talk.rng.choice(
        ("Anything else?", "Anything else?", "What else?", "Anything more?", "")
    )
    said = f"{capitalise(before + words)}. {after}".strip()
    talk.messages.append({"role": "assistant", "content": said, "learn": False})


def order_now(talk: Conversation, after: Sequence[Item], tool: str, **arguments: str) -> None:
    """The order becomes this, by the till where there is one."""
    if has_till(talk):
        use_till(talk, tool, after, **arguments)
        return
    keep(talk, after)
    say_order(talk)


def shortage(talk: Conversation, thing: str) -> str:
    """A till's words for what there isn't."""
    return talk.rng.choice(
        (
            f"there is no {thing}",
            f"there is no {thing}",
            f"no {thing} today",
            f"the {thing} is sold out",
            f"we are out of {thing}",
            f"there is no {thing} left",
            f"we don't have {thing}",
            f"we have no {thing}",
            f"we have no {thing} today",
            f"the {thing} is finished",
            f"{thing} is out",
            f"the {thing} is off today",
            f"{thing} is out of stock",
            f"the last {thing} is gone",
            f"{thing} is only served until eleven",
            f"{thing} is not on the menu",
        )
    )


def _fault(talk: Conversation, tool: str) -> tuple[str, str]:
    """What a tool says that failed, and what the caller is told of it."""
    rng = talk.rng
    if rng.random() < 0.7:
        thing = rng.choice((draw_drink, draw_snack, draw_extra))(rng).removeprefix("no ")
        thing = thing.removeprefix("a ").removeprefix("an ")
        fault = rng.choice(_TROUBLES) if rng.random() < 0.25 else shortage(talk, thing)
        return fault, f"I'm sorry, {fault}. Anything else?"
    wrong = ("could not be reached", "failed", "is not available at the moment")
    return f"{tool} {rng.choice(wrong)}", "I'm sorry, I can't take orders right now."
