"""Questions at the counter: what was ordered, what it costs, what there is."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from coffee_bar import MILKS, SWEETENERS
from conversation import Conversation
from dialogue_values import capitalise, draw_value
from order_add import added, menu, take_it
from order_items import Item, draw_drink, draw_size, draw_snack, plural, with_article
from shapes import Kind
from till import has_till, order_words, price, say


def recall(talk: Conversation) -> None:
    """Somebody asks what they have ordered."""
    say(
        talk,
        "[|||so|and|sorry|okay|wait|hmm|um|right|remind me] [what did i [order|just order|get|ask for] "
        "[so far|again|]|what [have i|did we|have we] [ordered|order|got|asked for] [so far|now|there|on there|]|"
        "what's [in|on|] my order [so far|now|]|what was my order [again|exactly|]|my order was what|"
        "[can|could] you [repeat|read back|read me|tell me|go through|say] [my|the] order [again|please|]|"
        "what do i have [so far|now|]|what do we have so far|what have i got [so far|now|on there|there|]|"
        "read [my order|it|it all|that|everything] back [to me|please|to me please|]|"
        "which drinks did i order|what was it i asked for|what do you have [down|written down] for me|what's in there so far|what have you got [down for|for] me|and what did i [have|get|take]|is my order [right|complete]|run me through [it|my order]|what am i [having|getting]|what are we having|"
        "tell me [what i ordered|my order|what i've ordered]|repeat my order [please|]|"
        "what i've ordered [so far|]|what's in my [basket|cart|bag|order]|what was it i [ordered|asked for|wanted]|"
        "and [the|my] order what's in it|go over my order [again|once more]|what's on my [tab|list|order]|"
        "did you get [it all|my order|everything]|what did you [write down|note down|put down|get]|"
        "list my order|show me my order|is that everything i ordered|my order again please|"
        "the order so far please|say the [whole|] order [again|once more]]",
        Kind.QUESTION,
    )
    words = order_words(talk) or talk.placed
    if has_till(talk):
        talk.call("get_order", {}, {"order": words or "nothing", "total": price(talk.rng)})
    if words:
        talk.assistant(f"You have ordered {words}.")
    else:
        talk.assistant("You haven't ordered anything yet. What would you like?")


def total(talk: Conversation) -> None:
    """Somebody asks what it costs all together."""
    say(
        talk,
        "[|||so|and|okay|sorry|wow|right|great|hmm|good] [how much is [that|it|this|everything|it all|my order|"
        "all that|all of that|the lot|that now|it so far]|what does [that|it|all that|everything] cost|"
        "how much does [that|it|everything|my order] cost|what's the total|how much do i [owe you|have to "
        "pay|owe]|what do i owe you|how much is [that|it] [all together|in total|now|so far]|"
        "what's [that|it] come to|what does [that|it] come to|what will that be|what does it make|"
        "how much would that be|how much will [that|it] be|what's the price [of that|of it all|]|and the price|"
        "how expensive is that|what's the [damage|tab|sum|grand total|amount|bill so far|whole price]|what do you get [from me|for that|]|how much [money|cash] do you [need|want]|what have i [run up|spent] [so far|]|what's it [come to|all cost]|how much are we at|total|total please|the total please|tell me the total|the bill please|"
        "what's the [bill|sum|full price|price of my order]|what do i [pay|have to pay]|"
        "how much in [total|all]|what do we [owe|pay]|how much have i spent|how much money is that|"
        "how much for [everything|all that|it all|the lot]|what am i paying|price|price please|"
        "what's my total [now|so far|]|and what's that in all|how much so far]",
        Kind.QUESTION,
    )
    if has_till(talk):
        words, amount = order_words(talk) or talk.placed, price(talk.rng)
        talk.call("get_order", {}, {"order": words or "nothing", "total": amount})
        talk.assistant(f"That is {amount}." if words else "You haven't ordered anything yet.")
    elif not talk.order:
        talk.assistant("What would you like to know the price of?")
    elif len(talk.order) == 1 and talk.order[0].count == 1:
        talk.assistant(f"The {talk.order[0].drink} is three euros.")
    else:
        talk.assistant("I can't add that up here. They will tell you at the counter.")


_PRICE_WORDS: Final = (
    "[and|so|okay|hmm|um|oh|sorry|||||] [how much is [{a}|the {t}|your {t}]|what does {a} cost|"
    "how much does {a} cost|what's the price of {a}|how much are [your|the] {p}|how much for {a}|"
    "what would {a} [be|cost|cost me]|what do you [charge|ask|want|take] for {a}|how expensive is {a}|"
    "what's [{a}|the {t}] [these days|going for]|price of {a}|what are {p}|how much do you charge for {a}|"
    "what do {p} cost|how much would {a} be|what does {a} set me back|what are your {p} [|each]|tell me the "
    "price of {a}|is {a} expensive|how much money is {a}]"
)


def price_of(talk: Conversation) -> None:
    """Somebody asks what one thing costs; then perhaps what another does; and takes it or not."""
    rng = talk.rng
    thing = _thing(talk)
    words = _PRICE_WORDS.replace("{a}", with_article(thing)).replace("{t}", thing)
    say(talk, words.replace("{p}", plural(thing)), Kind.QUESTION)
    if not _priced(talk, thing):
        return
    if rng.random() < 0.3:
        thing = _thing(talk)
        say(
            talk,
            f"[and|and what about|what about|and how about|how about] [the {thing}|{with_article(thing)}|"
            f"{plural(thing)}]",
            Kind.QUESTION,
        )
        if not _priced(talk, thing):
            return
    if rng.random() < 0.5:
        take_it(talk, thing)


def _thing(talk: Conversation) -> str:
    rng = talk.rng
    item = draw_drink(rng) if rng.random() < 0.6 else draw_snack(rng)
    return f"{draw_size(rng)} {item}" if rng.random() < 0.2 else item


def _priced(talk: Conversation, thing: str) -> bool:
    """Whether the thing has a price, which is told."""
    amount = "three euros"
    if has_till(talk):
        if talk.rng.random() < 0.12:
            talk.call("get_price", {"item": thing}, {"error": f"there is no {thing}"})
            talk.assistant(f"I'm sorry, there is no {thing}.")
            return False
        amount = price(talk.rng)
        talk.call("get_price", {"item": thing}, {"item": thing, "price": amount})
    talk.assistant(capitalise(f"{with_article(thing)} is {amount}."))
    return True


_CHOICES: Final[Mapping[str, str]] = {
    "[[what|which] [kinds of|] milk do you have|what milks are there|which milk can i have|do you have "
    "[other|plant|different] milks]": "We have whole milk, skim milk, oat milk, soy milk and almond milk.",
    "[[what|which] sizes do you have|what sizes are there|which sizes can i get|what sizes do [they|the "
    "drinks|your lattes|the cups] come in|how big are your cups|what sizes come]": "We have small, medium and large.",
    "[[what|which] [sweeteners|sugars|syrups] do you have|which syrups are there|what can i sweeten it "
    "with]": "We have sugar, honey, stevia, vanilla and caramel syrup.",
    "[[what|which] roasts do you have|what roasts are there|which beans do you use|how dark is your coffee]": "We have light, medium and dark roast.",
    "[what [do you recommend|would you recommend|is good here|can you recommend|'s good today|'s your "
    "favourite]|surprise me|i don't know what to take|which one is best|any recommendations]": "I recommend the"
    " cappuccino. Would you like one?",
    "[[what|which] [pastries|cakes|snacks] do you have|what cakes are there|anything sweet to eat|what is "
    "there to eat]": "We have croissants, muffins, bagels and cookies.",
}


def choices(talk: Conversation) -> None:
    """Somebody asks what there is to choose from."""
    if has_till(talk) and talk.rng.random() < 0.6:
        say(
            talk,
            "[|||hi|good evening|so|hello|um|okay|sorry] [what's on the menu [today|tonight|]|what do you "
            "[have|sell|serve|offer] [here|]|can i [see|hear|have] the menu|what can i [get|have|drink] [here|]|"
            "what drinks do you have|what can i order [here|]|read me the menu|tell me the menu|"
            "what is there [to drink|here]|what's available|what [kind|sort|kinds|sorts] of [things|drinks|coffee|"
            "stuff] do you [have|sell|do|make]|the menu please|menu please|what have you got [to drink|today|]|"
            "which coffees do you make|do you have a menu|what are my options|what's there to choose from]",
            Kind.QUESTION,
        )
        menu(talk)
        return
    asked = talk.rng.choice(tuple(_CHOICES))
    say(talk, asked, Kind.QUESTION)
    talk.assistant(_CHOICES[asked])
    if "recommend" in asked and talk.rng.random() < 0.6:
        say(
            talk,
            "[yes|yes please|sure|okay|one please|i'll take one|sounds good|why not|go on then]",
        )
        added(talk, [Item("cappuccino")])


_INGREDIENTS: Final = tuple(
    thing for thing in (*MILKS, *SWEETENERS) if thing not in ("soy", "oat", "almond", "coconut")
)


def in_stock(talk: Conversation) -> None:
    """Somebody asks whether there is something."""
    if talk.rng.random() < 0.3:
        thing = talk.rng.choice(_INGREDIENTS)
        say(talk, f"[and|] [do you have|have you got|is there] [any|] {thing}", Kind.QUESTION)
        talk.assistant(f"Yes, we have {thing}.")
        return
    thing = talk.rng.choice((draw_drink, draw_snack))(talk.rng)
    say(
        talk,
        f"[and|] [do you have|have you got|is there|are there|do you [do|sell|make|serve]] [any|] {plural(thing)}",
        Kind.QUESTION,
    )
    talk.assistant(f"Yes, we have {plural(thing)}. Would you like one?")
    if talk.rng.random() < 0.7:
        if talk.rng.random() < 0.5:
            say(talk, "[yes|yes please|sure|okay|one please|yes one please|yeah|i'll take one|go on then|"
                      "please|why not|i would|oh yes]")  # fmt: skip
            added(talk, [Item(thing)])
        else:
            take_it(talk, thing)


def for_name(talk: Conversation) -> None:
    """Somebody says whose order it is."""
    name = draw_value("name", talk.rng, False)
    say(
        talk,
        f"[it's for|the order is for|put it under|under the name|for|the name is|it's under|the order's for|"
        f"write|put] {name.text} [on it|please|]",
    )
    talk.name = name.say
    talk.assistant(f"Okay, the order is for {name.say}. Anything else?")


def for_my_name(talk: Conversation) -> None:
    """The order is for a name that was told before, or is asked for."""
    say(
        talk,
        "[put it under my name|it's for me|the order is for me|under my name|on my name|use my name] [please|]",
    )
    if not talk.name:
        talk.assistant("What's your name?")
        name = draw_value("name", talk.rng, False)
        say(talk, f"[it's|my name is|] {name.text}")
        talk.name = name.say
    talk.assistant(f"Okay, the order is for {talk.name}. Anything else?")


def yes_more(talk: Conversation) -> None:
    """Yes, something else; it is to come."""
    if talk.awaits("Anything else"):
        say(
            talk,
            "[yes|yes please|yes actually|yeah|oh yes|yes one more thing|there is something else]",
        )
        talk.assistant("What else would you like?")


_QUESTIONS: Final[Mapping[str, str]] = {
    "[how long [will|does] it take|when will it be ready|how long do i have to wait|when can i pick"
    " it up|will it take long|how long will that be|is it quick|how soon can i have it|how long's the "
    "wait]": "It should be ready in about five minutes.",
    "[do you deliver|can you deliver it|can you bring it to my house|do you do delivery]": "I'm sorry, we don't deliver.",
    "[is it fresh|are they fresh|is it good|is it homemade|are your cakes fresh]": "Yes, everything is made fresh today.",
    "[to go|to go please|it's to go|that's to go|make it to go|i'll take it with me|takeaway please|to take "
    "away|all to take away|can i have it to go]": "Okay, to go. Anything else?",
    "[for here|for here please|it's for here|i'll have it here|to have here|eat in|we'll sit here]": "Okay, for here. Anything else?",
    "[is my order ready|is it ready|where is my coffee|is my coffee done]": "I can't see that from here. They will tell "
    "you at the counter.",
    "[can i pay [by|with] card|do you take [cards|credit cards]|can i pay [cash|in cash|with my "
    "phone]|card okay|how can i pay]": "Yes, you can pay by card, in cash or with your phone.",
    "[are you [still|] [serving|open]|are you still taking orders|is the bar [still|] open|can i still order]": "Yes, "
    "we're open. What can I get you?",
    "[can i sit outside|do you have seats outside|is there a free table|can we sit down here|do you have a "
    "table [outside|free]]": "Yes, there are tables inside and outside.",
    "[is that with [cow's|normal|whole] milk|what milk is in it|is there milk in it|is it dairy free]": "Yes, it comes "
    "with whole milk unless you say otherwise.",
    "[is there [sugar|caffeine|alcohol] in it|is it very sweet|does it have caffeine|is it strong]": "A little. "
    "I can make it decaf or without sugar.",
}


def question(talk: Conversation) -> None:
    """A question about the counter."""
    asked = talk.rng.choice(tuple(_QUESTIONS))
    say(talk, asked)
    talk.assistant(_QUESTIONS[asked])
