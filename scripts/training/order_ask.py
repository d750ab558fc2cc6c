"""Questions at the counter: what there is, how things are done here."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from coffee_bar import MILKS, SWEETENERS
from conversation import Conversation
from domain import choose_branches
from open_words import open_word, with_open_words
from order_add import added, menu
from order_items import Item, draw_drink, draw_snack, plural
from order_spoken import loose
from order_taken import take_it
from set_phrases import REFUSED, ROASTS, WAYS_TO_PAY
from shapes import Kind
from till import has_till, say, tab

_CHOICES: Final[Mapping[str, str]] = {
    "[[what|which] [kinds of|] milk do you have|what milks are there|which milk can i have|do you have "
    "[other|plant|different] milks]": "We have whole milk, skim milk, oat milk, soy milk and almond milk.",
    "[[what|which] sizes do you have|what sizes are there|which sizes can i get|what sizes do [they|the "
    "drinks|your lattes|the cups] come in|how big are your cups|what sizes come]": "We have small, medium and large.",
    "[[what|which] [sweeteners|sugars|syrups] do you have|which syrups are there|what can i sweeten it "
    "with]": "We have sugar, honey, stevia, vanilla and caramel syrup.",
    "[[what|which] roasts do you have|what roasts are there|which beans do you use|how dark is your coffee]": ROASTS,
    "[what [do you recommend|would you recommend|is good here|can you recommend|'s good today|'s your "
    "favourite]|surprise me|i don't know what to take|which one is best|any recommendations]": "I recommend the"
    " cappuccino. Would you like one?",
}


_MENU: Final = (
    "[|||||no worries|typical alright|ah well|too bad|oh okay|good|and|pity|hi|good evening|so|hello|um|okay|sorry|right|hiya|alright mate|fine then|before i order|hmm|tell me|morning] "
    "[what's on [the|your] menu [today|tonight|now|]|what do you "
    "[have|sell|serve|offer|do] [here|then|today|]|can i [see|hear|have] the menu|what can i [get|have|drink|order] [here|]|"
    "[what|which] [drinks|cakes|teas|coffees|pastries|snacks|juices|cold drinks|hot drinks|sandwiches|things|sweets|sort of things|kinds of coffee|{w}] "
    "[do you have|have you got|are there|do you do|do you sell|do you make|are on] [today|here|then|]|"
    "read me the menu|tell me the menu|what is there [to drink|to eat|here|for lunch|]|what's available|"
    "what [kind|sort|kinds|sorts] of [things|drinks|coffee|stuff|food|cake|tea] do you [have|sell|do|make]|the menu please|menu please|"
    "what have you got [to drink|to eat|today|then|in|for me|for the kids|{f}|]|what else [have you got|do you have|is there]|"
    "do you have a menu|what are my options|what's there to choose from|what've you got [in|today|to eat|{f}]|what's going today|"
    "[have you got|do you have|do you do|is there] [anything|something] {f}|what can you [offer|do] me|what would there be [to drink|to eat|]|"
    "what's on the menu for [cakes|cake|drinks|{w}|food|lunch|kids|breakfast|sweets|something sweet|tea|coffee]|[what|which] [cakes|teas|drinks|{w}|pastries|things] [are|is there|you have|you've got|have ye] [on the menu|there|today|]|"
    "what all [{w}|cakes|sweet things|things|drinks|snacks|savoury things] [are there|do you have|have you got|you have] [on [the|your] menu|today|]|what [sort of|kind of|] [{w}|cakes|cake|drinks|food] [is|are] on the menu|is there [any|] [cake|cakes|{w}|food] on the menu|"
    "[any|what] [cakes|pastries|{w}|sandwiches] [on the menu|today|going|on]|what's on the menu [to eat|to drink|that's sweet|that's hot] [then|]|and the menu [please|for cakes|what's on it]|what [cakes|drinks|{w}] you have|"
    "list what you [have|sell]|what's good to eat|i don't know what there is|what do you have {f}|anything {f}]"
)
_FEATURES: Final = "[that's|which is|that is|] [warm|hot|cold|sweet|vegan|fresh|light|without caffeine|without milk|savoury|fizzy|salty|healthy|filling|{w}|gluten free]"


def choices(talk: Conversation) -> None:
    """Somebody asks what there is to choose from, and takes something of it perhaps."""
    rng = talk.rng
    if has_till(talk) and rng.random() < 0.75:
        asked = _MENU.replace("{f}", _FEATURES).replace("{w}", open_word(rng))
        say(talk, asked, Kind.QUESTION)
        things = menu(talk)
        if rng.random() < 0.6:
            _from_the_menu(talk, things)
        return
    if not has_till(talk) and rng.random() < 0.15:
        say(
            talk,
            "[[what|which] [pastries|cakes|snacks] do you have|what cakes are there|anything sweet to eat|what is there to eat]",
            Kind.QUESTION,
        )
        talk.assistant("We have croissants, muffins, bagels and cookies.")
        return
    asked = rng.choice(tuple(_CHOICES))
    say(talk, asked, Kind.QUESTION)
    talk.assistant(_CHOICES[asked])
    if "recommend" in asked and rng.random() < 0.6:
        say(
            talk,
            "[yes|yes please|sure|okay|one please|i'll take one|sounds good|why not|go on then]",
        )
        added(talk, [Item("cappuccino")])


def _from_the_menu(talk: Conversation, things: list[str]) -> None:
    rng = talk.rng
    taken = rng.sample(things, 2 if len(things) > 1 and rng.random() < 0.3 else 1)
    items = [
        Item(thing, count=1 if thing.endswith("s") else rng.choice((1, 1, 1, 2, 3)))
        for thing in taken
        if all(thing != item.drink for item in talk.order)
    ]
    if not items:
        return
    told = " and ".join(loose(rng, item) for item in items)
    say(
        talk,
        f"[|||okay|right|oh|hmm|go on|good|lovely|nice|then|ooh|well] [|||i'll have|i'd like|give me|go on|let me have|we'll take|put me down for|then] {told} [||||then|please|then please|thanks|sounds good]",
    )
    added(talk, items, told)


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
        f"[|||and|hi|sorry|by the way|uh] [do you have|have you got|is there|are there|do you [do|sell|make|serve]|you don't have|any chance of] [any|some|||] {plural(thing)} [left|today|here|at all|||||]",
        Kind.QUESTION,
    )
    if has_till(talk):  # what there is, only the till knows
        things = menu(talk, thing if talk.rng.random() < 0.7 else "")
        if talk.rng.random() < 0.6:
            _from_the_menu(talk, [thing] if thing in things else things)
        return
    talk.assistant(f"Yes, we have {plural(thing)}. Would you like one?")
    if talk.rng.random() < 0.7:
        if talk.rng.random() < 0.5:
            say(
                talk,
                "[yes|yes please|sure|okay|one please|yes one please|yeah|i'll take one|go on then|"
                "please|why not|i would|oh yes]",
            )
            added(talk, [Item(thing)])
        else:
            take_it(talk, thing)


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
    "phone]|card okay|how can i pay]": WAYS_TO_PAY,
    "[are you [still|] [serving|open]|are you still taking orders|is the bar [still|] open|can i still order]": "Yes, "
    "we're open. What can I get you?",
    "[|hi|hello|hey|right|okay|so|um] [i'd like to order [something|please|some drinks|]|i want to order [something|]|can i [place an order|order something|order please]|"
    "we'd like to order [now|please|]|we're ready to order|i'm ready to order|may i order|could you take my order|take my order please|can you take an order|i'd like to place an order|[big|long|huge|large] order coming [so get your pen out|are you ready|listen|]|i've got a [big|long] [order|list]|get your pen out|are you ready for [a big one|my order]|got a pen|it's a big order|there's a lot of us so listen|ready for my order|i want to place a big order|listen i've got a list|i'm here for the whole office|i'm ordering for [six|the office|my team|all of us]|ordering for the lads|ready when you are]": "Of course. "
    "What would you like?",
    "[|and|sorry|uh|by the way] [how many calories [are in|has] [that|it|a latte|a {o} muffin]|what's the difference between [a latte and a flat white|them|a {o} and a {o}]|where [do your beans|does your coffee] come from|"
    "what's in [a|the] {o} [latte|cake|tea|muffin]|is [the|a] {o} [cake|muffin|soup|roll] [gluten free|vegan|halal|kosher|nut free]|do you have a loyalty card|can i use my [loyalty card|points|voucher]|"
    "can i get a [receipt|refund|discount]|can you split the bill|who made this|what music is this|how strong is your {o}|do you roast your own {o}|are you hiring]": REFUSED,
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
    if tab(talk).hours and "still|] open" in asked:
        return  # the prompt tells that, and not what time it is
    words = choose_branches(asked, talk.rng)
    words = with_open_words(words, talk.rng)
    say(talk, words)
    talk.assistant(_QUESTIONS[asked])
