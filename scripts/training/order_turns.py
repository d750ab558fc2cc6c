"""Orders of food and drink, taken in the conversation or kept by a till's tools.

What an order holds is known here exactly; every answer is worded from it. With the tools of
``agents/coffee_bar`` the till knows it as well, and the assistant says what the till answers.
"""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from coffee_bar import ENDINGS, MILKS, OPENINGS, SWEETENERS
from conversation import Conversation
from dialogue_values import capitalise, draw_value
from domain import choose_branches
from order_items import (
    Item,
    Verbatim,
    draw_drink,
    draw_extra,
    draw_items,
    draw_size,
    draw_snack,
    joined,
    kind_of,
    plural,
    with_article,
)
from shapes import Kind, parse_shapes
from spoken_numbers import UNITS, spoken_number
from user_requests import Request, make_request, misheard, typed

TILL: Final = (
    "add_to_order",
    "change_order",
    "remove_from_order",
    "get_order",
    "get_price",
    "get_menu",
    "place_order",
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
_ORDER_VERBS: Final = re.compile(
    r"^(?:bring me|order me|order|send|i'd like to order|we'd like to order|for me"
    r"|bring|make me|i'm (?:hungry|starving) can i get|can i get|just)\s+"
)
_COURTESY: Final = re.compile(r"^(?:and|yes|also|no|please)\s+|\s+(?:please|too|to take away)$")
_HALVES: Final = ("", "", " fifty", " twenty", " eighty", " forty")


def say(talk: Conversation, text: str, kind: Kind = Kind.PLAIN) -> None:
    """The user says it: spoken, typed (sometimes with figures) or misheard."""
    rng, text = talk.rng, choose_branches(text, talk.rng)
    if rng.random() < 0.3:
        if rng.random() < 0.5:
            text = re.sub(r"\b(" + "|".join(UNITS[2:13]) + r")\b(?! percent)", _figure, text)
        talk.user(typed(text, kind, rng))
    else:
        talk.user(misheard(text, rng))


def _figure(match: re.Match[str]) -> str:
    return str(UNITS.index(match.group(1)))


def _price(rng: random.Random) -> str:
    return f"{spoken_number(rng.randint(2, 19))} euros{rng.choice(_HALVES)}"


def order_words(talk: Conversation) -> str:
    """All that is ordered, in words."""
    return joined([item.said for item in talk.order])


def _till(talk: Conversation, tool: str, after: list[Item], **arguments: str) -> None:
    """Change the order by a tool, and say what the till says that it is now."""
    if talk.rng.random() < 0.07:
        fault, said = _fault(talk, tool)
        talk.call(tool, arguments, {"error": fault})
        talk.assistant(said)
        return
    talk.order = after
    words = order_words(talk)
    talk.call(tool, arguments, {"order": words or "nothing", "total": _price(talk.rng)})
    _say_order(talk)


def _say_order(talk: Conversation) -> None:
    """The whole order as it is now: what is said last is always all there is to remember."""
    words = order_words(talk)
    talk.assistant(f"Okay, {words}. Anything else?" if words else "Okay. What would you like?")


def _fault(talk: Conversation, tool: str) -> tuple[str, str]:
    """What a tool says that failed, and what the caller is told of it."""
    rng = talk.rng
    if rng.random() < 0.6:
        thing = rng.choice((draw_drink, draw_snack, draw_extra))(rng)
        fault = rng.choice((f"there is no {thing}", f"there is no {thing}", "the bar is closed"))
        return fault, f"I'm sorry, {fault}. Anything else?"
    wrong = ("could not be reached", "failed", "is not available at the moment")
    return f"{tool} {rng.choice(wrong)}", "I'm sorry, I can't take orders right now."


def has_till(talk: Conversation) -> bool:
    """Whether a till keeps the order."""
    return TILL[0] in talk.tools


def _add_words(rng: random.Random, items: list[Item]) -> str:
    """What the user says to order these."""
    opening = "" if rng.random() < 0.25 else f"[{OPENINGS}]"
    parts = [_loose(rng, item) for item in items]
    link = rng.choice((" and ", " and ", " and ", " and also ", " plus ", ", and "))
    return f"{opening} {link.join(parts)} [{ENDINGS}]"


def _loose(rng: random.Random, item: Item) -> str:
    """An item as people say it: with its article or without, its extras joined this way or that."""
    head = item.head
    if item.count == 1 and rng.random() < 0.25:
        head = item.core if rng.random() < 0.6 else f"one {item.core}"
    if item.count == 1 and item.size and rng.random() < 0.08:
        head = f"{with_article(item.drink)} {item.size}"
    extras = " and ".join(item.extras)
    if extras.startswith("no "):
        return f"{head} {rng.choice(('with ', '', 'but '))}{extras}"
    return f"{head}{rng.choice((' with ',) * 5 + (' and ', ' plus ')) if extras else ''}{extras}"


def add(talk: Conversation, *, more: bool = False) -> None:
    """Somebody orders something, or something more."""
    items = [i for i in draw_items(talk.rng) if all(i.drink != o.drink for o in talk.order)]
    if not items:
        return
    words = _add_words(talk.rng, items)
    if more and talk.rng.random() < 0.6:
        words = f"[and|and|also|yes|yes and|oh and|and also|yes please|add|can you add] {words}"
        words = words if talk.rng.random() < 0.4 else words.replace(f"[{OPENINGS}] ", "")
    say(talk, words)
    added(talk, items)


def added(talk: Conversation, items: list[Item]) -> None:
    """The answer to an order of these."""
    after = [*talk.order, *items]
    words = joined([item.said for item in items])
    if has_till(talk):
        _till(talk, "add_to_order", after, items=words)
    else:
        talk.order = after
        _say_order(talk)


_MAKE_IT: Final = (
    "[actually|no|sorry|wait|oh|no wait|hmm|um|] [can you|could you|] make [it|that] {a}"
    " [instead|please|]",
    "[actually|no|wait|sorry] {a} [please|instead|]",
    "[sorry|no|] i [meant|mean] {a}",
    "[i changed my mind|on second thought] [make it|i'd like|] {a} [please|]",
    "[can i|could i|may i] have {a} instead",
    "change [it|that] to {a} [please|]",
)


def _changes(talk: Conversation) -> tuple[str, str, Item]:
    """A change of the last item: what the user says of it, the change itself, the item after it."""
    rng, item = talk.rng, talk.order[-1]
    pick = rng.random()
    if pick < 0.4:
        size = draw_size(rng)
        words = f"[{with_article(size)}|{size}|{with_article(size)} one|{size}]"
        return rng.choice(_MAKE_IT).replace("{a}", words), size, replace(item, size=size)
    if pick < 0.5:
        count = rng.randint(2, 6)
        number = spoken_number(count)
        return (
            f"[actually|no|sorry|] make [it|that] {number} [please|]",
            number,
            replace(item, count=count),
        )
    if pick < 0.54:
        style = rng.choice(("iced", "decaf", "hot", "extra hot", "strong", "skinny"))
        if style not in item.drink.split():
            words = "[actually|no|can i get it|can you make it|make it|could i have it] " + style
            return words, style, replace(item, drink=f"{style} {item.drink}")
    if pick < 0.66:
        drink = draw_drink(rng)
        words = rng.choice(_MAKE_IT).replace("{a}", f"[{with_article(drink)}|{drink}]")
        return words, drink, Item(drink, item.size, item.count, item.extras)
    extra = draw_extra(rng)
    others = tuple(e for e in item.extras if kind_of(e) != kind_of(extra))
    words = rng.choice(
        (
            f"[and|can you add|add|could you add|put in|oh and|also|please add] {extra} [please|to that|]",
            f"[with|and with|no with|actually with|and] {extra} [please|instead|]",
            f"[can i get|can i have|could i get|i'd like] {extra} [in it|in that|with that|]",
            f"{extra} [please|]",
        )
    )
    return words, extra, replace(item, extras=(*others, extra))


def change(talk: Conversation) -> None:
    """Somebody changes what was ordered last, or an item that they name."""
    known = [item for item in talk.order if not isinstance(item, Verbatim)]
    if len(known) > 1 and talk.rng.random() < 0.35:
        _change_named(talk, talk.rng.choice(known))
        return
    if not talk.order or isinstance(talk.order[-1], Verbatim):
        return
    words, to, item = _changes(talk)
    say(talk, words)
    after = [*talk.order[:-1], item]
    if has_till(talk):
        _till(talk, "change_order", after, to=to)
    else:
        talk.order = after
        _say_order(talk)


def _change_named(talk: Conversation, item: Item) -> None:
    size = draw_size(talk.rng)
    say(
        talk,
        f"[actually|no|sorry|can you|please|] make the {item.drink} [{with_article(size)}|{size}] "
        "[please|instead|]",
    )
    changed = replace(item, size=size)
    after = [changed if other is item else other for other in talk.order]
    if has_till(talk):
        _till(talk, "change_order", after, item=item.drink, to=size)
    else:
        talk.order = after
        _say_order(talk)


def remove(talk: Conversation) -> None:
    """Somebody takes an item back."""
    known = [item for item in talk.order if not isinstance(item, Verbatim)]
    if not known:
        return
    item = talk.rng.choice(known)
    name = plural(item.drink) if item.count > 1 else item.drink
    if talk.rng.random() < 0.3:
        name = f"{item.size} {name}".strip()
    say(
        talk,
        f"[[actually|no|sorry|please|can you|oh|] [remove|cancel|forget|take off|drop|leave out|"
        f"skip|delete] the {name} [please|]|i don't [want|need] the {name} [any more|after all|]|"
        f"[actually|sorry] no {name} [after all|please]|without the {name} please]",
    )
    after = [other for other in talk.order if other is not item]
    if has_till(talk):
        _till(talk, "remove_from_order", after, item=name)
        return
    talk.order = after
    _say_order(talk)


def recall(talk: Conversation) -> None:
    """Somebody asks what they have ordered."""
    say(
        talk,
        "[so|and|sorry|okay|wait|] [what did i [order|just order|get] [so far|again|]|"
        "what [have i|did we] [ordered|order] [so far|]|what's [in|] my order [so far|]|"
        "can you [repeat|read back|read me|tell me] my order [please|]|what do i have [so far|]|"
        "read my order back [to me|please|]|what was my order [again|]|which drinks did i order|"
        "tell me [what i ordered|my order]|repeat my order [please|]]",
        Kind.QUESTION,
    )
    _recalled(talk)


def _recalled(talk: Conversation) -> None:
    words = order_words(talk) or talk.placed
    if has_till(talk):
        talk.call("get_order", {}, {"order": words or "nothing", "total": _price(talk.rng)})
    if words:
        talk.assistant(f"You have ordered {words}.")
    else:
        talk.assistant("You haven't ordered anything yet. What would you like?")


def total(talk: Conversation) -> None:
    """Somebody asks what it costs all together."""
    say(
        talk,
        "[so|and|okay|sorry|] [how much is [that|it|this|everything|it all|my order]|"
        "what does [that|it] cost|"
        "how much does [that|it|everything] cost|what's the total|how much do i [owe you|have to "
        "pay]|what do i owe you|how much is [that|it] all together|what's [that|it] come to|"
        "how much would that be|how much will [that|it] be|what's the price|and the price|"
        "how expensive is that]",
        Kind.QUESTION,
    )
    if has_till(talk):
        words, price = order_words(talk) or talk.placed, _price(talk.rng)
        talk.call("get_order", {}, {"order": words or "nothing", "total": price})
        talk.assistant(f"That is {price}." if words else "You haven't ordered anything yet.")
    elif not talk.order:
        talk.assistant("What would you like to know the price of?")
    elif len(talk.order) == 1 and talk.order[0].count == 1:
        talk.assistant(f"The {talk.order[0].drink} is three euros.")
    else:
        talk.assistant("I can't add that up here. They will tell you at the counter.")


def price_of(talk: Conversation) -> None:
    """Somebody asks what one thing costs."""
    item = draw_drink(talk.rng) if talk.rng.random() < 0.7 else draw_snack(talk.rng)
    thing = f"{draw_size(talk.rng)} {item}" if talk.rng.random() < 0.3 else item
    say(
        talk,
        f"[and|] [how much is [{with_article(thing)}|the {thing}]|"
        f"what does {with_article(thing)} cost|"
        f"how much does {with_article(thing)} cost|what's the price of {with_article(thing)}|"
        f"how much are [your|the] {plural(thing)}|how much for {with_article(thing)}]",
        Kind.QUESTION,
    )
    price = "three euros"
    if has_till(talk):
        if talk.rng.random() < 0.12:
            talk.call("get_price", {"item": thing}, {"error": f"there is no {thing}"})
            talk.assistant(f"I'm sorry, there is no {thing}.")
            return
        price = _price(talk.rng)
        talk.call("get_price", {"item": thing}, {"item": thing, "price": price})
    talk.assistant(capitalise(f"{with_article(thing)} is {price}."))


_CHOICES: Final[Mapping[str, str]] = {
    "[what|which] [kinds of|] milk do you have": "We have whole milk, skim milk, oat milk, soy milk"
    " and almond milk.",
    "[what|which] sizes do you have": "We have small, medium and large.",
    "[what|which] [sweeteners|sugars|syrups] do you have": "We have sugar, honey, stevia, vanilla"
    " and caramel syrup.",
    "[what|which] roasts do you have": "We have light, medium and dark roast.",
    "[what [do you recommend|would you recommend|is good here|can you recommend]|surprise me|i don't know what to take]": "I recommend the"
    " cappuccino. Would you like one?",
    "[what|which] [pastries|cakes|snacks] do you have": "We have croissants, muffins, bagels and"
    " cookies.",
}


def choices(talk: Conversation) -> None:
    """Somebody asks what there is to choose from."""
    if has_till(talk) and talk.rng.random() < 0.6:
        say(
            talk,
            "[what's on the menu|what do you have|can i see the menu|what can i get|what drinks do "
            "you have|what can i order|read me the menu|tell me the menu|what is there to drink]",
            Kind.QUESTION,
        )
        _menu(talk)
        return
    asked = talk.rng.choice(tuple(_CHOICES))
    say(talk, asked, Kind.QUESTION)
    talk.assistant(_CHOICES[asked])
    if "recommend" in asked and talk.rng.random() < 0.6:
        say(talk, "[yes|yes please|sure|okay|one please|i'll take one|sounds good]")
        added(talk, [Item("cappuccino")])


def _menu(talk: Conversation) -> None:
    menu = joined([draw_drink(talk.rng) for _ in range(talk.rng.randint(3, 6))])
    talk.call("get_menu", {}, {"menu": menu})
    talk.assistant(f"We have {menu}. What would you like?")


_INGREDIENTS: Final = tuple(
    thing for thing in (*MILKS, *SWEETENERS) if thing not in ("soy", "oat", "almond", "coconut")
)


def in_stock(talk: Conversation) -> None:
    """Somebody asks whether there is something."""
    if talk.rng.random() < 0.4:
        thing = talk.rng.choice(_INGREDIENTS)
        say(talk, f"[and|] [do you have|have you got|is there] [any|] {thing}", Kind.QUESTION)
        talk.assistant(f"Yes, we have {thing}.")
        return
    thing = talk.rng.choice((draw_drink, draw_snack))(talk.rng)
    say(talk, f"[and|] [do you have|have you got|is there] [any|] {plural(thing)}", Kind.QUESTION)
    talk.assistant(f"Yes, we have {plural(thing)}. Would you like one?")
    pick = talk.rng.random()
    if pick < 0.4:
        say(talk, "[yes|yes please|sure|okay|one please|yes one please|yeah|i'll take one]")
        added(talk, [Item(thing)])
    elif pick < 0.6:
        say(talk, "[no|no thanks|no thank you|not now|maybe later|just asking]")
        talk.assistant("Okay. Anything else?")


def for_name(talk: Conversation) -> None:
    """Somebody says whose order it is."""
    name = draw_value("name", talk.rng, False)
    say(talk, f"[it's for|the order is for|put it under|under the name|for] {name.text} [please|]")
    talk.name = name.say
    talk.assistant(f"Okay, the order is for {name.say}. Anything else?")


def for_my_name(talk: Conversation) -> None:
    """The order is for a name that was told before, or is asked for."""
    say(
        talk,
        "[put it under my name|it's for me|the order is for me|under my name|on my name] [please|]",
    )
    if not talk.name:
        talk.assistant("What's your name?")
        name = draw_value("name", talk.rng, False)
        say(talk, f"[it's|my name is|] {name.text}")
        talk.name = name.say
    talk.assistant(f"Okay, the order is for {talk.name}. Anything else?")


def another(talk: Conversation) -> None:
    """One more of the last item."""
    item = talk.order[-1] if talk.order else None
    if item is None or isinstance(item, Verbatim) or has_till(talk):
        return
    say(talk, "[and|] [another one|one more of those|another one of those|the same again|one more] "
              "[please|]")  # fmt: skip
    item = replace(item, count=item.count + 1)
    talk.order = [*talk.order[:-1], item]
    _say_order(talk)


def yes_more(talk: Conversation) -> None:
    """Yes, something else; it is to come."""
    if talk.awaits("Anything else"):
        say(talk, "[yes|yes please|yes actually|yeah|oh yes|yes one more thing]")
        talk.assistant("What else would you like?")


_QUESTIONS: Final[Mapping[str, str]] = {
    "[how long [will|does] it take|when will it be ready|how long do i have to wait|when can i pick"
    " it up|will it take long]": "It should be ready in about five minutes.",
    "[do you deliver|can you deliver it|can you bring it to my house]": "I'm sorry, we don't deliver.",
    "[is it fresh|are they fresh|is it good]": "Yes, everything is made fresh today.",
    "[to go|to go please|it's to go|that's to go|make it to go|i'll take it with me]": "Okay, to go. "
    "Anything else?",
    "[for here|for here please|it's for here|i'll have it here]": "Okay, for here. Anything else?",
    "[is my order ready|is it ready|where is my coffee]": "I can't see that from here. They will tell "
    "you at the counter.",
    "[can i pay [by|with] card|do you take [cards|credit cards]|can i pay [cash|in cash|with my "
    "phone]]": "Yes, you can pay by card, in cash or with your phone.",
}


def question(talk: Conversation) -> None:
    """A question about the counter."""
    asked = talk.rng.choice(tuple(_QUESTIONS))
    say(talk, asked)
    talk.assistant(_QUESTIONS[asked])


def with_a_wish(talk: Conversation) -> None:
    """An order and a wish for the house in one sentence."""
    items = draw_items(talk.rng)[:1]
    light, genre = (draw_value(slot, talk.rng, False).say for slot in ("room", "genre"))
    wish, done = talk.rng.choice(
        (
            (f"turn [on|off|on] the light in the {light}", f"The {light} light is {{on}}."),
            (f"play [some|] {genre}", f"Playing {genre}."),
            ("turn [up|down] the heating", "I've turned the heating {on}."),
        )
    )
    wish = choose_branches(wish, talk.rng)
    on = re.search(r"\b(on|off|up|down)\b", wish)
    done = done.replace("{on}", on.group(1) if on else "")
    say(talk, f"[i'd like|can i have|i'll have|] {_loose(talk.rng, items[0])} and [please|] {wish}")
    talk.order = [*talk.order, *items]
    if has_till(talk):
        total_now = {"order": order_words(talk), "total": _price(talk.rng)}
        talk.call("add_to_order", {"items": items[0].said}, total_now)
    talk.assistant(f"Okay, {order_words(talk)}. {done} Anything else?")


def cancel(talk: Conversation) -> None:
    """Somebody takes the whole order back."""
    say(talk, "[please|actually|] [cancel [everything|my order|the order|it all|the whole order]|"
              "start over|forget the whole order|let's start again|scratch everything]")  # fmt: skip
    if has_till(talk):
        _till(talk, "remove_from_order", [], item="everything")
    else:
        talk.order = []
        talk.assistant("Okay, your order is cancelled. What would you like?")


_NO_MORE: Final = (
    "[no [thanks|thank you|that's all|that's it|nothing else|that's everything|i'm done|that will "
    "be all] [thanks|thank you|please|]|that's [all|it|everything] [thanks|thank you|for now|]|"
    "nothing else [thank you|thanks|]|no|no i'm good|that'll be all|i'm done|place [the|my] order"
    "|that is all|confirm [the|my] order|okay that's it|that would be all|no that's all for me]"
)
_YES: Final = (
    "[yes|yes please|yes that's right|yeah|sure|correct|okay|go ahead|please do|that's right|"
    "yes go ahead|yep|of course|right|exactly|yes that's correct|perfect|do it|sounds good] [thanks|]"
)
_NO: Final = "[no|no wait|not yet|no thanks|wait|hold on|no that's wrong|no not yet]"


def finish(talk: Conversation) -> None:
    """Somebody has ordered all: it is read back, and nothing is sent before they say yes."""
    say(talk, _NO_MORE)
    if not talk.order:
        talk.assistant("Okay.")
        return
    words = order_words(talk)
    if has_till(talk):
        price = _price(talk.rng)
        talk.call("get_order", {}, {"order": words, "total": price})
        talk.assistant(f"That is {words}, {price} in all. Shall I place the order?")
    else:
        talk.assistant(f"That is {words}. Shall I send it on its way?")
    pick = talk.rng.random()
    if pick < 0.76:
        _confirmed(talk)
    elif pick < 0.84:
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
    (lambda talk: add(talk, more=True), 24),
    (change, 34),
    (remove, 11),
    (recall, 16),
    (total, 11),
    (price_of, 5),
    (choices, 5),
    (in_stock, 4),
    (for_name, 4),
    (cancel, 3),
    (another, 3),
    (for_my_name, 3),
    (with_a_wish, 4),
    (question, 6),
    (yes_more, 2),
    (finish, 17),
)


def follow_order(talk: Conversation) -> None:
    """One more turn about an order that has begun."""
    turns, weights = zip(*_FOLLOWING, strict=True)
    talk.rng.choices(turns, weights)[0](talk)


def bar_turn(talk: Conversation) -> None:
    """A turn at the counter of a coffee bar, with nothing ordered yet or with something."""
    if talk.order:
        follow_order(talk)
    else:
        opening = (add, add, add, add, add, choices, price_of, in_stock, recall, total)
        talk.rng.choice(opening)(talk)


def _request_words(req: Request) -> str:
    words = _ORDER_VERBS.sub("", req.say(req.flat))
    for _ in range(2):
        words = _COURTESY.sub("", words)
    return words


def order_turn(talk: Conversation, req: Request) -> None:
    """An order in one of the domain's wordings: it is repeated, and more may follow."""
    if req.intent in MENUS:
        if has_till(talk):
            _menu(talk)
            return
        talk.assistant(MENUS[req.intent][0])
        req = make_request("order", talk.rng.choice(_ORDER_ANSWERS[MENUS[req.intent][1]]), talk.rng)
        talk.user(req.text)
    words = _request_words(req)
    article, _, thing = words.partition(" ")
    plain = article in ("a", "an") and thing in req.said().values()
    added(talk, [Item(thing) if plain else Verbatim(words)])
