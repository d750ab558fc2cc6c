"""Orders of food and drink, taken in the conversation or kept by a till's tools.

What an order holds is known here exactly; every answer is worded from it. With the tools of
``agents/coffee_bar`` the till knows it as well, and the assistant says what the till answers.
"""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from conversation import Conversation
from order_add import add, with_a_question, with_a_wish
from order_ask import (
    choices,
    for_my_name,
    for_name,
    in_stock,
    price_of,
    question,
    recall,
    total,
    yes_more,
)
from order_change import cancel, change, remove, short_change
from order_people import (
    fewer,
    for_another,
    for_people,
    instead_of_none,
    once_more,
    something_nice,
    two_sizes,
)
from several_turns import several_at_bar
from spoken_numbers import spoken_number
from till import has_till, order_words, price, say

_NO_MORE: Final = (
    "[no [thanks|thank you|that's all|that's it|nothing else|that's everything|i'm done|that will "
    "be all|cheers|that's fine] [thanks|thank you|please|cheers|]|that's [all|it|everything|the lot|us done|"
    "me done|everything then|all then|it then|all for me] [thanks|thank you|for now|cheers|please|]|"
    "that was [all|it|everything]|[good|great|okay|right|brilliant|perfect|lovely|fine|alright] that's "
    "[all|it|everything|the lot] [then|thanks|thank you|]|we're [done|done ordering|all set|ready]|"
    "nothing else [thank you|thanks|]|no|no i'm good|that'll be all|i'm [done|finished|all set|ready]|place [the|my] order"
    "|that is all|confirm [the|my] order|okay that's it|that would be all|no that's all for me|nope|nope that's it|"
    "nope nothing else|i think that's [it|all|everything]|fair enough that's it|nothing more|no more|"
    "i don't need anything else|and that's it|that should be [it|all|everything]|i'd like to place my order|"
    "i'm ready to order that|can i check out|[ok|okay|alright|great|no worries|ok no worries|perfect|lovely|fine|and] [that's|that will be|that is|that'll be] [all|it|everything|the lot|us|me done|all i need|all we need|all we want] [then|thanks|for today|]|just that|only that|just that please|no nothing]"
)
_YES: Final = (
    "[yes|yes please|yes that's right|yeah|sure|correct|okay|go ahead|please do|that's right|"
    "yes go ahead|yep|of course|right|exactly|yes that's correct|perfect|do it|sounds good|yes thanks|"
    "yes thank you|yes place it|yes place the order|correct place it|yes do|yeah go on|go for it|"
    "yes go for it|place it|please place it|mm yes|mm hm|mm hm yes|uh huh|yup|absolutely|definitely|"
    "yes do it|yeah do it|all good|that's perfect|looks good|yes send it|send it|please|yes of course|"
    "yes all correct|that's correct|fine|yes that's fine|great yes|okay yes|all right|alright|yes exactly|"
    "sure thing|why not|by all means|you got it|that's it yes|yes yes|yeah do it|yes please place it|go on|okay do it|let's do it|yes let's|yes [send|order|confirm|put] it [through|please|] ] [thanks|||]"
)
_NO: Final = (
    "[no|no wait|not yet|no thanks|wait|hold on|no that's wrong|no not yet|hang on|one moment]"
)


def finish(talk: Conversation) -> None:
    """Somebody has ordered all: it is read back, and nothing is sent before they say yes."""
    say(talk, _NO_MORE)
    if not talk.order:
        talk.assistant("Okay.")
        return
    words = order_words(talk)
    if has_till(talk):
        amount = price(talk.rng)
        talk.call("get_order", {}, {"order": words, "total": amount})
        talk.assistant(f"That is {words}, {amount} in all. Shall I place the order?")
    else:
        talk.assistant(f"That is {words}. Shall I send it on its way?")
    pick = talk.rng.random()
    if pick < 0.8:
        _confirmed(talk)
    elif pick < 0.86:
        say(talk, _NO)
        talk.assistant("Okay. What would you like to change?")
    else:
        talk.rng.choice((change, change, remove, total, recall))(talk)


def _confirmed(talk: Conversation) -> None:
    say(talk, _YES)
    if has_till(talk):
        number = spoken_number(talk.rng.randint(1, 99))
        talk.call("place_order", {}, {"number": number})
        talk.assistant(f"Thank you. Your order number is {number}.")
    else:
        talk.assistant("Thank you. Your order is on its way.")
    talk.placed, talk.order = order_words(talk), []


_FOLLOWING: Final[tuple[tuple[Callable[[Conversation], None], int], ...]] = (
    (lambda talk: add(talk, more=True), 26),
    (change, 34),
    (short_change, 7),
    (remove, 13),
    (recall, 16),
    (total, 13),
    (price_of, 9),
    (choices, 4),
    (in_stock, 4),
    (for_name, 4),
    (cancel, 4),
    (once_more, 5),
    (for_people, 5),
    (for_another, 3),
    (two_sizes, 4),
    (instead_of_none, 4),
    (fewer, 7),
    (something_nice, 2),
    (several_at_bar, 9),
    (for_my_name, 2),
    (with_a_wish, 3),
    (with_a_question, 3),
    (question, 6),
    (yes_more, 2),
    (finish, 22),
)


#: Nobody orders five things one by one: long orders are changed, asked about and placed.
_SHORT: Final = tuple(
    (turn, weight)
    for turn, weight in _FOLLOWING
    if turn in (change, remove, recall, total, cancel, question, finish, price_of, fewer)
)


def follow_order(talk: Conversation) -> None:
    """One more turn about an order that has begun."""
    turns, weights = zip(*(_SHORT if len(talk.order) > 3 else _FOLLOWING), strict=True)
    talk.rng.choices(turns, weights)[0](talk)


_OPENING: Final = (
    *(add,) * 8, for_people, for_people, two_sizes, for_another, several_at_bar, several_at_bar, instead_of_none,
    something_nice, choices, price_of, price_of, in_stock, recall, total, question, question,
)  # fmt: skip


def bar_turn(talk: Conversation) -> None:
    """A turn at the counter of a coffee bar, with nothing ordered yet or with something."""
    if talk.order:
        follow_order(talk)
    else:
        talk.rng.choice(_OPENING)(talk)
