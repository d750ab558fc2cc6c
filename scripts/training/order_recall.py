"""What was ordered and what it costs all together: asked for in the middle of it, or of one thing in it."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

from typing import Final

from conversation import Conversation
from dialogue_values import draw_value
from order_items import Verbatim, draw_drink, draw_size, plural
from shapes import Kind
from till import PAUSE, has_till, order_now_is, order_words, say, sum_of

_FIRST: Final = (
    "[||||so|and|sorry|okay|wait|hmm|um|right|remind me|okay i'm back|where did we get to|this is annoying|never mind|"
    "oh by the way|my friend is here now|hang on|just checking|before i go on|good|please|i lost track|let me think|now|"
    "before you send it|while you're at it|one second|i forgot|hey]"
)
_RECALL: Final = (
    "[what did i [order|just order|get|ask for] "
    "[so far|again|]|what [have i|did we|have we] [ordered|order|got|asked for] [so far|now|there|on there|until now|]|what've i [got|ordered] [up to now|there|]|"
    "what's [in|on|] my order [so far|now|at the moment|]|what was my order [again|exactly|]|my order was what|"
    "[can|could] you [repeat|read back|read me|tell me|go through|say] [my|the] order [again|please|]|"
    "what do i have [so far|now|]|what do we have so far|what have i got [so far|now|on there|there|]|"
    "read [my order|it|it all|that|everything] [back|out] [to me|please|to me please|]|"
    "which drinks did i order|what was it i asked for|what do you have [down|written down] for me|what's in there so far|what have you got [down for|for] me|and what did i [have|get|take]|is my order [right|complete]|run me through [it|my order]|what am i [having|getting]|what are we having|"
    "tell me [what i ordered|my order|what i've ordered]|repeat my order [please|]|what exactly [did i order|is in my order|have you got]|"
    "what i've ordered [so far|]|what's in my [basket|cart|bag|order]|what was it i [ordered|asked for|wanted]|"
    "and [the|my] order what's in it|go over my order [again|once more]|what's on my [tab|list|order]|what's that i have ordered now|"
    "did you get [it all|my order|everything]|what did you [write down|note down|put down|get]|can you look at the order|"
    "list my order|show me my order|is that everything i ordered|my order again please|say it all back [to me|]|"
    "the order so far please|say the [whole|] order [again|once more]|what's the order [again|now|]|how does my order look|"
    "where are we with [the|my] order|what's my order looking like|what all [did|have] [i|we] [order|ordered|got]|just repeat what i said|"
    "[please|can you|could you|] tell [me|us] [please|] [my|the] [order|whole order|full order|final order] [one more time|once more|again|once|back|now|please]|[what's|what is] the [final|whole|full|complete|entire] order [then|now|please|]|"
    "[so|] [final|whole|full] order please [tell me|]|what [am i|are we] left with [now|]|what's [left|still] on [it|my order] [now|]|what did [i|we] end up [ordering|with|getting|taking]|[go|let's go|get|can we go] back to [my|the] order what [was|is] it|"
    "[please|kindly|] repeat [my|the] order [once|one time|once more|one more time|to me|]|tell [me|us] [all what|everything that|all that|what all] [i|we] [ordered|have|have taken|said]|[my|the] order what is it [again|now|]|what is my [total|complete] order|"
    "[now|] say my order [again|once more|to me|]|what do you have me down for|what have you written for [me|us]|let me hear [my order|it] [again|once more|]|which things [did i order|have i ordered|are on it]|how does it stand now|what is on my [bill|ticket|slip] [now|]]"
)
#: Questions about one thing of it; the whole order answers them all.
_DETAIL: Final = (
    "[what|which] [milk|sugar|size|syrup|coffee|drink|cake|tea|roast] did i [say|want|ask for|pick|choose|order|take]",
    "what size [did i settle on|is mine|is it now|was that|did i say|do i have]", "how many [was that|is that|are there|did i order|did i say] [now|]",
    "which [size|milk] [is it|was it] [now|]", "did i say {d} or {e}", "did i [order|ask for|say] [a|the] {d}", "is there [a|any] {d} in [my order|there]",
    "what did {n} [have|get|want|order]", "what did i [order|get] for {n}", "what was {n} having", "have you got the {d}", "did you get the {d}",
    "is it {s} or {z}", "was that {s} or {z}", "how many {p} [did i order|was that|have i got|are there]", "what's in [mine|it|that] [now|]", "what's {n} having",
    "what was the [first|last|second] thing i ordered", "is the {d} still on there", "what did i have with the {d}", "did i say [sugar|milk|no sugar|no milk]",
    "is that with [milk|sugar|oat milk|cream]", "what do i get to [drink|eat]", "what am i [drinking|eating]", "is [the|my] {d} on [the order|it|there]",
)  # fmt: skip
_TOTAL: Final = (
    "[how much is [that|it|this|everything|it all|my order|"
    "all that|all of that|the lot|that now|it so far]|what does [that|it|all that|everything] cost|"
    "how much does [that|it|everything|my order] cost|what's the total|how much do i [owe you|have to "
    "pay|owe]|what do i owe you|how much is [that|it] [all together|in total|now|so far]|"
    "what's [that|it] come to|what does [that|it|it all] come to [so far|]|what will that be|what does it make|"
    "how much would that be|how much will [that|it] be|what's the price [of that|of it all|]|and the price|"
    "how expensive is that|what's the [damage|tab|sum|grand total|amount|bill so far|whole price]|what do you get [from me|for that|]|how much [money|cash] do you [need|want]|what have i [run up|spent] [so far|]|what's it [come to|all cost]|how much are we at|total|total please|the total please|tell me the total|the bill please|"
    "what's the [bill|sum|full price|price of my order]|what do i [pay|have to pay]|how much does it all come to|what's that [now|then|altogether]|"
    "how much in [total|all]|what do we [owe|pay]|how much have i spent|how much money is that|what does the whole lot come to|"
    "how much for [everything|all that|it all|the lot]|what am i paying|price|price please|what'll that be [altogether|]|"
    "what's my total [now|so far|]|and what's that in all|[tell me|what was|give me] the total [again|once more|now|please|]|how much does [it all|all that|all of it|everything] run me|how much [altogether|all together|all in all|together]|what [must|shall|should] [i|we] pay [together|in all|now|for everything|]|"
    "what [have i|do i have] to pay [you|in total|]|how much do [i|we] need to pay|how much [i|we] have to pay|what's it all [adding up to|coming to|costing]|what's my bill [now|]|how much money [it is|is it] [all|together|]|how much is due|what's the final [price|amount|bill]|what do i give you for that|how much so far|what's that set me back|how much are you charging me]"
)


def recall(talk: Conversation, *, pending: bool = False) -> None:
    """Somebody asks what they have ordered, or about a part of it."""
    words = _RECALL if not talk.order or talk.rng.random() < 0.7 else _detail(talk)
    say(talk, f"{_FIRST} {PAUSE} {words}", Kind.QUESTION)
    _told(talk, f"You have ordered {_read(talk)}.", pending)


def recall_and_total(talk: Conversation, *, pending: bool = False) -> None:
    """What was ordered, and what it costs, in one breath."""
    if not has_till(talk):
        recall(talk)
        return
    rng = talk.rng
    parts = [_RECALL, _TOTAL]
    if rng.random() < 0.4:
        parts.reverse()
    link = rng.choice((" and ", ", and ", ", ", " and also "))
    say(
        talk,
        rng.choice(
            (
                f"{_FIRST} {link.join(parts)}",
                f"{_FIRST} [the order|my order so far] [please|] [what's in there|what does it have] and what [would it be|does it come to|do i pay]",
            )
        ),
        Kind.QUESTION,
    )
    words = order_words(talk) or talk.placed
    amount = sum_of(talk)
    talk.call("get_order", {}, {"order": words or "nothing", "total": amount})
    _told(talk, f"You have ordered {words}. That is {amount}." if words else "", pending)


def total(talk: Conversation, *, pending: bool = False) -> None:
    """Somebody asks what it costs all together."""
    say(talk, f"{_FIRST} [|||wow|great] {PAUSE} {_TOTAL}", Kind.QUESTION)
    if has_till(talk):
        words, amount = order_words(talk) or talk.placed, sum_of(talk)
        talk.call("get_order", {}, {"order": words or "nothing", "total": amount})
        again = " Shall I place the order?" if pending else ""
        talk.assistant(
            f"That is {amount}.{again}" if words else "You haven't ordered anything yet."
        )
    elif not talk.order:
        talk.assistant("What would you like to know the price of?")
    elif len(talk.order) == 1 and talk.order[0].count == 1:
        talk.assistant(f"The {talk.order[0].drink} is three euros.")
    else:
        talk.assistant("I can't add that up here. They will tell you at the counter.")


def _read(talk: Conversation) -> str:
    """The order: the till's, or as it was said last."""
    words = order_words(talk) or talk.placed
    if has_till(talk):
        result = order_now_is(talk) | {"order": words or "nothing"}
        talk.call("get_order", {}, result)
    return words


def _told(talk: Conversation, words: str, pending: bool) -> None:
    if not (order_words(talk) or talk.placed):
        talk.assistant("You haven't ordered anything yet. What would you like?")
        return
    ask = "place the order" if has_till(talk) else "send it on its way"
    talk.assistant(f"{words} Shall I {ask}?" if pending else words)


def _detail(talk: Conversation) -> str:
    rng = talk.rng
    drinks = [item.drink for item in talk.order if not isinstance(item, Verbatim)] or [
        draw_drink(rng)
    ]
    drink = rng.choice(drinks)
    name = draw_value("name", rng, False).text
    values = {
        "{d}": drink if rng.random() < 0.6 else drink.split()[-1],
        "{e}": draw_drink(rng),
        "{p}": plural(drink),
        "{s}": draw_size(rng),
        "{z}": draw_size(rng),
        "{n}": rng.choice((name, "my wife", "my daughter", "my son", "she", "he", "my friend")),
    }
    words = rng.choice(_DETAIL)
    for key, value in values.items():
        words = words.replace(key, value)
    return words.replace("for she", "for her").replace("for he ", "for him ")
