"""Orders of food and drink, taken in the conversation or kept by a till's tools.

What an order holds is known here exactly; every answer is worded from it. With the tools of
``agents/coffee_bar`` the till knows it as well, and the assistant says what the till answers.
"""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from conversation import Conversation
from order_add import add, add_bare, add_short, with_a_question, with_a_wish
from order_apart import add_apart
from order_ask import choices, in_stock, question, yes_more
from order_change import cancel, change, remove, remove_last, short_change
from order_done import ask_number, finish, hold, thanked, told_and_placed
from order_named import change_all_or_one, change_named
from order_names import ask_whose, for_my_name, for_name, named_order
from order_pairs import pair
from order_people import (
    again_but,
    fewer,
    for_another,
    for_people,
    instead_of_none,
    just_the_other,
    once_more,
    something_nice,
    two_sizes,
)
from order_price import price_of, price_of_ordered, with_a_price
from order_recall import recall, recall_and_total, total
from order_whose import change_twice, change_whose, other_filling, recount
from several_turns import several_at_bar

_FOLLOWING: Final[tuple[tuple[Callable[[Conversation], None], int], ...]] = (
    (lambda talk: add(talk, more=True), 24),
    (add_short, 34),
    (add_bare, 4),
    (add_apart, 26),
    (change_whose, 22),
    (change_twice, 9),
    (other_filling, 4),
    (recount, 6),
    (change, 46),
    (change_named, 36),
    (short_change, 9),
    (remove, 34),
    (pair, 14),
    (recall, 18),
    (recall_and_total, 5),
    (total, 12),
    (price_of, 16),
    (price_of_ordered, 7),
    (with_a_price, 11),
    (choices, 5),
    (in_stock, 3),
    (for_name, 11),
    (named_order, 5),
    (ask_whose, 6),
    (cancel, 4),
    (once_more, 5),
    (again_but, 4),
    (remove_last, 6),
    (change_all_or_one, 8),
    (for_people, 5),
    (for_another, 6),
    (two_sizes, 4),
    (instead_of_none, 3),
    (just_the_other, 3),
    (fewer, 9),
    (something_nice, 2),
    (several_at_bar, 10),
    (for_my_name, 2),
    (with_a_wish, 3),
    (with_a_question, 3),
    (question, 5),
    (yes_more, 2),
    (thanked, 4),
    (hold, 5),
    (finish, 42),
    (told_and_placed, 46),
)


#: Nobody orders five things one by one: long orders are changed, asked about and placed.
_SHORT: Final = tuple(
    (turn, weight)
    for turn, weight in _FOLLOWING
    if turn in (
        add_short, change, change_named, change_whose, recount, remove, pair, recall, recall_and_total, total, cancel, question,
        finish, told_and_placed, price_of, price_of_ordered, fewer, thanked, hold,
    )
)  # fmt: skip


def follow_order(talk: Conversation) -> None:
    """One more turn about an order that has begun."""
    turns, weights = zip(*(_SHORT if len(talk.order) > 3 else _FOLLOWING), strict=True)
    talk.rng.choices(turns, weights)[0](talk)


_OPENING: Final[tuple[Callable[[Conversation], None], ...]] = (
    *(add,) * 8, *(add_apart,) * 5, add_bare, other_filling, for_people, for_people, two_sizes, for_another, several_at_bar, several_at_bar, instead_of_none,
    just_the_other, named_order, something_nice, choices, choices, price_of, price_of, with_a_price, with_a_price, in_stock, recall, total,
    question, question,
)  # fmt: skip
_AFTERWARDS: Final[tuple[Callable[[Conversation], None], ...]] = (
    ask_number,
    ask_number,
    thanked,
    ask_whose,
    recall,
    add,
)


def bar_turn(talk: Conversation) -> None:
    """A turn at the counter of a coffee bar, with nothing ordered yet or with something."""
    if talk.order:
        follow_order(talk)
    elif talk.placed and talk.rng.random() < 0.6:
        talk.rng.choice(_AFTERWARDS)(talk)
    else:
        talk.rng.choice(_OPENING)(talk)
