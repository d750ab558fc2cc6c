"""What one thing costs; and that it is taken then, or not."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from typing import Final

from conversation import Conversation
from dialogue_values import capitalise, draw_value
from order_items import (
    Verbatim,
    draw_drink,
    draw_extra,
    draw_items,
    draw_size,
    draw_snack,
    plural,
    with_article,
)
from order_spoken import spoken_order
from order_taken import take_it
from shapes import Kind
from till import call_till, has_till, order_now, order_words, price, say, shortage

_BEFORE: Final = (
    "[|||||and|so|okay|hmm|um|oh|sorry|right then|one question|by the way|just wondering|fine and|"
    "tell me|could you tell me|i wonder|do you know|uh|oh and|thanks and|lovely and|before i decide|wait]"
)
_WORDS: Final = (
    "how much is [{a}|the {t}|your {t}|that {t}|one {t}]", "what does {a} cost", "how much does {a} cost",
    "what's the price of {a}", "how much are [your|the|those] {p}", "how much for {a}",
    "what would {a} [be|cost|cost me]", "what do you [charge|ask|want|take] for {a}", "how expensive is {a}",
    "what's [{a}|the {t}] [these days|going for|cost|at|worth|then]", "price of {a}", "what are {p}",
    "what do {p} cost", "how much would {a} [be|set me back]", "[what does|what'll|what will|what would] {a} set me back",
    "what are your {p} [|each|a piece]", "tell me the price of {a}", "is {a} expensive", "how much money is {a}",
    "what's the rate for [{a}|one {t}]", "what is the [rate|price|cost|damage] [of|for] [{a}|one {t}|the {t}]",
    "what are you [charging|asking|selling] for {a}", "how much do you [charge|want|ask] for [{a}|one {t}]",
    "[{a}|one {t}|the {t}] is how much", "[{a}|the {t}] how much", "{t} price", "price for {a}", "do me a price for {a}",
    "is there [a|any] {t} and [what does it cost|how much is it|how much]", "do you [have|do|sell] {p} and how much are they",
    "have you got {a} and what's it cost", "if i [had|took|added] {a} what would that be", "how many [euros|pounds|dollars] is {a}",
    "what'd {a} be", "can i ask what {a} costs", "what {a} costs", "how much you want for {a}", "what's {a} cost [here|]",
    "how much is [{a}|the {t}] [on its own|by itself|to go|in here|at yours]",
)  # fmt: skip
_AND_THIS: Final = (
    "[|||ooh that's dear|that's a lot|oh okay|right|hmm|i see|bit steep|not bad|cheap enough|pricey|oh dear] [||,|.] "
    "[and|and|and|what about|and what about|and how about|how about|same for|and for|and what's|and how much is] "
    "[the {t}|{a}|{p}|the {t} then|one {t}]"
)


def price_of(talk: Conversation) -> None:
    """Somebody asks what one thing costs; then perhaps what another does; and takes it or not."""
    rng, thing = talk.rng, _thing(talk)
    said = f"{_BEFORE} {rng.choice(_WORDS)}"
    if " with " not in thing and rng.random() < 0.06:
        said = f"{_BEFORE} how much is the {rng.choice(('big', 'small', 'other'))} [one|size] of it [i mean|that is|so] {{a}}"
    while True:
        say(talk, _filled(said, thing), Kind.QUESTION)
        if not _priced(talk, thing):
            return
        if rng.random() > 0.3:
            break
        thing, said = _thing(talk), _AND_THIS
    if rng.random() < 0.6:
        take_it(talk, thing)


def price_of_ordered(talk: Conversation) -> None:
    """What something costs that is on the order; too much, it may be."""
    rng = talk.rng
    known = [i for i in talk.order if not isinstance(i, Verbatim) and not i.extras]
    if not known or not has_till(talk):
        return
    item = rng.choice(known)
    say(
        talk,
        _filled(
            f"{_BEFORE} [how much is that {{t}} [on its own|alone|by the way|]|what does the {{t}} cost me|what was the {{t}}]",
            item.core,
        ),
        Kind.QUESTION,
    )
    if not _priced(talk, item.core) or rng.random() < 0.4:
        return
    say(
        talk,
        "[wow no|ouch|no|oh no|too much|that's steep|goodness|hmm no|ooh no|no way|for that|oh|bit dear] "
        "[take [that|it] off [again|please|]|lose it|leave it out|remove it|then without it|i won't have it|drop it then|forget it|scrap that one]",
    )
    order_now(talk, [o for o in talk.order if o is not item], "remove_from_order", item=item.drink)


def with_a_price(talk: Conversation) -> None:
    """An order, and what something else costs, in one breath."""
    rng = talk.rng
    items = [i for i in draw_items(rng)[:2] if all(i.drink != o.drink for o in talk.order)]
    if not items or not has_till(talk):
        return
    said, told = spoken_order(rng, items)
    thing = _thing(talk)
    asked = _filled(rng.choice(_WORDS), thing)
    opening = "[i'd like|can i get|i'll have|could i have|um so like|give me|add|get me||and|and|also|plus|yes and|then]"
    if rng.random() < 0.4:  # ``and an apple juice for poppy``
        name = draw_value("name", rng, False).text
        said = (
            f"{said} [for {name}|for my [wife|son|daughter|friend|mum]|for her|for him|as well|too]"
        )
    link = rng.choice((" and ", ", and also ", " and also ", " oh and ", ", and ", " and tell me ", ". ", ". And ", " then ", ", "))  # fmt: skip
    if rng.random() < 0.8:
        say(talk, f"{opening} {said} [please|]{link}{asked}")
        call_till(talk, "add_to_order", [*talk.order, *items], items=told)
        costs = _cost(talk, thing)
    else:
        say(talk, f"{asked}{link}{opening} {said} [please|]")
        costs = _cost(talk, thing)
        call_till(talk, "add_to_order", [*talk.order, *items], items=told)
    talk.assistant(f"Okay, {order_words(talk)}. {costs} Anything else?")


def _filled(words: str, thing: str) -> str:
    head, mid, rest = thing.partition(" with ")
    many = f"{plural(head)}{mid}{rest}"
    return words.replace("{a}", with_article(thing)).replace("{t}", thing).replace("{p}", many)


def _thing(talk: Conversation) -> str:
    rng = talk.rng
    if rng.random() > 0.6:
        return draw_snack(rng)
    drink = draw_drink(rng)
    if rng.random() < 0.3:
        drink = f"{draw_size(rng)} {drink}"
    if rng.random() < 0.2:
        extra = draw_extra(rng)
        return drink if extra.startswith("no ") else f"{drink} with {extra}"
    return drink


def _priced(talk: Conversation, thing: str) -> bool:
    """Whether the thing has a price, which is told in the till's words."""
    rng = talk.rng
    if not has_till(talk):
        talk.assistant(capitalise(f"{with_article(thing)} is three euros."))
        return True
    if rng.random() < 0.08:
        fault = shortage(talk, thing)
        talk.call("get_price", {"item": thing}, {"error": fault})
        talk.assistant(f"I'm sorry, {fault}.")
        return False
    talk.assistant(_cost(talk, thing))
    return True


def _cost(talk: Conversation, thing: str) -> str:
    """The till is asked for a price, and this is said of it."""
    rng = talk.rng
    amount, pick = price(talk), rng.random()
    name = with_article(thing)
    result = {"item": thing, "price": amount}
    if 0.5 < pick < 0.75:
        result = {"item": name, "price": amount}
    elif 0.75 < pick < 0.83:
        result = {"price": amount}
    elif pick > 0.95:
        result = {"price": amount, "item": thing}
    elif pick > 0.83:
        measure = rng.choice(("slice of", "cup of", "portion of", "small", "fresh", "homemade"))
        name = with_article(thing if " of " in thing else f"{measure} {thing}")
        result = {"item": name, "price": amount}
    talk.call("get_price", {"item": thing}, result)
    return capitalise(f"{name} is {amount}.")
