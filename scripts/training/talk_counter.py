"""What was ordered or what it costs, told to another assistant: asked for again, and for several people."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from functools import partial
from typing import Final

from conversation import Conversation
from dialogue_values import capitalise
from open_words import open_drink, open_snack, open_word
from order_items import joined, with_article
from shapes import Kind
from spoken_numbers import spoken_number
from talk_names import BEFORE, Asker
from talk_numbers import plainly, told_before
from till import has_till

_SIZE: Final = ("", "", "", "small ", "large ", "medium ", "hot ", "iced ")
_WITH: Final = ("", "", "", "", "with lots of honey", "with oat milk", "with two sugars", "without sugar", "with lemon", "with butter", "with extra foam")  # fmt: skip
_ELSE: Final = ("Anything else?", "What else?", "Would you like anything else?", "Is that all?")


def _item(rng: random.Random) -> str:
    thing = rng.choice((open_drink, open_snack))(rng)
    extra = rng.choice(_WITH)
    return with_article(f"{rng.choice(_SIZE)}{thing}") + (f" {extra}" if extra else "")


def tell_order(talk: Conversation) -> list[Asker]:
    """Two or three things one after another, taken by another assistant; then: what did I order?"""
    rng = talk.rng
    if has_till(talk) or talk.order or talk.placed:
        return []
    items = list(dict.fromkeys(_item(rng) for _ in range(rng.choice((2, 2, 3)))))
    for index, item in enumerate(items):
        opening = "[and|oh and|also|and then|plus|and i'd like|can i also have|]" if index else "[|i'd like|can i get|could i have|i'll have|give me|hello]"  # fmt: skip
        plainly(talk, f"{opening} {item} [|please|please|thanks]")
        told = item if rng.random() < 0.6 or not index else f"and {item}"
        told_before(talk, f"{capitalise(rng.choice((told, 'okay, ' + item, joined(items[: index + 1]))))}. {rng.choice(_ELSE)}")  # fmt: skip
    if len(items) > 1 and rng.random() < 0.45:
        items = _changed(talk, items)
    return [partial(_ask_order, talk, items)]


def _changed(talk: Conversation, items: list[str]) -> list[str]:
    """One of them isn't wanted after all, or something else instead of it."""
    rng = talk.rng
    gone = rng.choice(items)
    bare = gone.split(" ", 1)[1].split(" with ")[0] if gone.startswith(("a ", "an ")) else gone
    no = "[|actually|no|sorry|oh|wait|hmm] ~"
    if rng.random() < 0.6:
        plainly(
            talk,
            f"{no} [leave the {bare}|leave out the {bare}|no {bare} after all|not the {bare}|take the {bare} off [again|]|without the {bare}|drop the {bare}|forget the {bare}|cancel the {bare}|i don't want the {bare} any more]",
        )
        told_before(
            talk,
            rng.choice(
                (
                    f"Okay, no {bare} then.",
                    f"No {bare}, all right.",
                    "Okay.",
                    "Sure, I've taken that off.",
                    f"Okay, without the {bare}.",
                )
            ),
        )
        return [item for item in items if item != gone]
    other = _item(rng)
    plainly(
        talk,
        f"{no} [{other} instead of the {bare}|make the {bare} {other}|not the {bare} {other}|i'd rather have {other} than the {bare}|change the {bare} to {other}|swap the {bare} for {other}]",
    )
    told_before(
        talk,
        rng.choice(
            (
                f"Okay, {other} instead.",
                f"{capitalise(other)} then.",
                "Okay, changed.",
                f"Sure, {other} it is.",
            )
        ),
    )
    return [other if item == gone else item for item in items]


def _ask_order(talk: Conversation, items: list[str]) -> None:
    if talk.order or talk.placed:
        return  # something was ordered for good since
    plainly(
        talk,
        f"{BEFORE} [remind me what did i order|remind me what i ordered|what did i order|what have i ordered [so far|]|what was my order|what was it i ordered|what have you got down|what am i having|what did i ask for|read me my order|my order what was it|what's my order [so far|]|tell me what i've got so far|can you repeat my order|"
        "where were we what did i order|go through my order|what did we order|say my order again|what have i got so far] [||again|please]",
        Kind.QUESTION,
    )
    talk.assistant(f"You have ordered {joined(items)}.")


def tell_price(talk: Conversation) -> list[Asker]:
    """A price for one, told by another assistant: for two it is twice as much."""
    rng, each = talk.rng, talk.rng.randint(2, 15)
    thing = rng.choice(("guided tour", "day ticket", "ticket", "boat trip", "lesson", "bike", "audio guide", "swim", "tasting", "breakfast", open_word(rng), f"{open_word(rng)} tour"))  # fmt: skip
    coin = rng.choice(("euros", "euros", "pounds", "dollars"))
    price = f"{spoken_number(each)} {coin}"
    a_thing = "breakfast" if thing == "breakfast" else with_article(thing)
    plainly(talk, f"[how much is {a_thing}|what does {a_thing} cost|what's {a_thing}|how much do you charge for {a_thing}|and how much is {a_thing}]", Kind.QUESTION)  # fmt: skip
    told_before(talk, capitalise(rng.choice((f"{a_thing} is {price} per person.", f"{a_thing} is {price}.", f"it's {price} each.", f"that's {price} a head.", f"{a_thing} costs {price} for each person."))))  # fmt: skip
    return [partial(_ask_for, talk, each, coin) for _ in range(rng.choice((1, 1, 2)))]


def _ask_for(talk: Conversation, each: int, coin: str) -> None:
    count = talk.rng.choice((2, 2, 2, 2, 3, 3, 4, 5))
    n = spoken_number(count)
    pair = "|for my wife and me how much|what do my husband and i pay|for me and my friend how much|for both of us how much is that|what do we two pay" if count == 2 else ""  # fmt: skip
    plainly(
        talk,
        f"{BEFORE} [for {n} of us [that would be|how much would that be|what would it be]|so for {n} of us that would be how much|how much for {n} [people|of us|]|what do {n} [people|of us|] pay|what's that for {n} [of us|people|]|and for {n}|so what's it for {n} [people|altogether|]|how much is it for {n} [of us|people]|there are {n} of us how much is that|we're {n} what do we pay|{n} of us how much{pair}]",
        Kind.QUESTION,
    )
    talk.assistant(f"That is {spoken_number(each * count)} {coin} together.")
