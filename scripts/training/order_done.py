"""An order is done: read back, agreed to and placed, with its number; thanks, and waiting."""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import re
from typing import Final

from chatter import with_chatter
from conversation import Conversation
from dialogue_values import capitalise
from domain import choose_branches
from open_words import with_open_words
from order_add import add, add_short
from order_agreed import agreement
from order_change import cancel, change, remove
from order_money import order_number
from order_named import change_named
from order_recall import recall, recall_and_total, total
from set_phrases import KIND, TAKE_TIME, WELCOME, WHAT_TO_CHANGE
from shapes import Kind
from till import PAUSE, has_till, keep, order_words, say, sum_of, tab

_NO_MORE: Final = (
    "[no [thanks|thank you|that's all|that's it|nothing else|that's everything|i'm done|that will "
    "be all|cheers|that's fine] [thanks|thank you|please|cheers|]|that's [all|it|everything|the lot|us done|"
    "me done|everything then|all then|it then|all for me] [thanks|thank you|for now|cheers|please|]|"
    "that was [all|it|everything]|[good|great|okay|right|brilliant|perfect|lovely|fine|alright] that's "
    "[all|it|everything|the lot] [then|thanks|thank you|]|we're [done|done ordering|all set|ready]|"
    "nothing else [thank you|thanks|]|no|no i'm good|that'll be all|i'm [done|finished|all set|ready]"
    "|that is all|okay that's it|that would be all|no that's all for me|nope|nope that's it|"
    "nope nothing else|i think that's [it|all|everything]|fair enough that's it|nothing more|no more|"
    "i don't need anything else|and that's it|that should be [it|all|everything]|"
    "just that|only that|just that please|no nothing]",
    f"{{b}} {PAUSE} {{c}} {{a}}",
    f"{{b}} {PAUSE} {{c}} {{a}}",
    f"{{b}} {PAUSE} {{c}}",
)  # fmt: skip
_BEFORE: Final = (
    "[||||nice|lovely|great|okay|alright|right|sorted|beauty|grand|good|perfect|super|cool|fine|brilliant|thank you|thanks|"
    "too much|bit dear|hmm|no|nah|nope|yeah|yes|well|and|so|sound|no worries|ok no worries|fair enough|ok|oh|"
    "no not today|that's great|sounds good|wonderful|now|ah|ah no|oh no|um|uh|um yeah]"
)
_CLOSING: Final = (
    "[that's [it|all|everything|the lot|me|us|me done|us done|all i need|all i want|all we need|my order|the order|me sorted|really everything|all of it|me finished|that|enough]|"
    "that is [it|all|everything|my order|all we want]|that [will|would|should] be [it|all|everything|the lot|enough]|that'll [be it|be all|be everything|do|do me|do us|do it]|that'd be it|"
    "i'm [done|finished|good|all set|sorted|through|happy with that|fine with that|done now|done ordering|finished ordering|all done|ready]|i am [done|finished|ready]|"
    "we're [done|good|sorted|finished|all set|happy|through|fine]|done|all done|done ordering|finished|finito|"
    "nothing [else|more|further] [for me|for us|today|now|needed|]|nothing else for me at the minute|no more for me|i don't [want|need] [anything else|any more|more]|"
    "that [makes up|finishes|is the end of] [my|the] order|that was [all|it|everything]|now it is complete|we have everything|i have all i need|"
    "i think [that's it|that's all|we're done|i'm done|that'll do]|"
    "let's [leave it there|leave it at that|call it that|stop there]|leave it at that|only that|just that|no that's fine|that's me for today|"
    "it's all|all good that's it|is all|that be all|end of order|order complete|close [it|the order|my order]]"
)
#: Off with it, where it was not read back yet; where it was, that is a yes.
_SEND: Final = (
    "[|||great|okay|alright|good|perfect|cool|thanks|no|and|so|sound|that's great|sounds good|now] ~ [[just|you can|please|go ahead and|so] [send|put] it [through|in|off|on through]|[just|please|you can|] [place|send] [it|the order|my order|that] [now|then|off|]|"
    "place [the|my] order|confirm [the|my] order|i'd like to place my order|i'm ready to order that|can i check out|[ring|total] [it|that] up|i'd like to [check out|order that|pay now]] [|||please|thanks|then|now]"
)
_AFTER: Final = (
    "[||||||thanks|thank you|ta|please|cheers|then|for now|for today|i think|i guess|so|from me|for me|from us|mate|love|only|"
    "thanks very much|thanks so very much|for the order|really|now|on my end|dear|my dear|darling|my friend|pal|to be honest]"
)
_NOT_PLACED: Final = (
    "the bar is closed", "the bar is full", "the printer is jammed", "the kitchen has closed", "nothing is ordered yet", "we have no cups left",
    "the machine is broken", "there is no one at the bar", "the bar takes no more orders today",
)  # fmt: skip
_NO: Final = (
    "[no|no wait|not yet|no thanks|no that's wrong|no not yet|don't [send|place] it [yet|]|"
    "[no|wait|hang on|hold on|no hang on|er no|oh no] [don't send it yet|not yet|that's not right|something's wrong|that's wrong|not quite|i want to change something|there's a mistake]|"
    "not just yet|not so fast|no there's something wrong|that isn't right|i need to change something|no it's not right]"
)
_HOLD: Final = (
    "[hold on|hang on|wait|moment|one moment|one sec|just a sec|just a second|bear with me|give me a [minute|second|sec|moment]|two ticks|a moment please|hold the line|one minute|"
    "hang about|can you wait|please wait|wait a second|just a moment|sorry one moment|excuse me a moment|oh hold on|uh wait|hang on a second]"
)
_WHY: Final = (
    "[||my phone's [going|going off|buzzing]|there's my phone|[the|my] [phone|doorbell|baby|dog|kettle|{o}] is [ringing|crying|barking|calling|going off|buzzing]|someone's at the door|i'll ask [her|him|my wife|my husband|them|the others]|"
    "i ask [him|them|my wife] [what to get|what they like]|let me ask [my wife|my friend|him|her|them|the kids]|i need to [find my glasses|check something|ask my boss|look at the menu|think|get my {o}]|"
    "i have to [take this call|ask my {o}|think|see what he wants]|my [wife|boss|kid|son|mum] is calling|i'm looking at the menu|let me [think|see|check|have a look]|"
    "i'm just parking|i dropped my {o}|my son is shouting|somebody is talking to me|i can't hear you|let me get my {o}|i'm still deciding|we're still choosing|they're still deciding]"
)
_THANKS: Final = (
    "[thank you|thanks|ta|cheers|cheers my dear|cheers mate|nice one|nice one mate|very kind|very kind of you|how kind|that's very kind|many thanks|thanks a lot|thanks so much|"
    "thanks so very much|thank you ever so much|thanks a million|thanks love|ta love|ta very much|much obliged|much appreciated|you're so patient thank you|thanks for your patience|"
    "[my wife|my mum|my daughter|my friend|the boss|he] says [many thanks|thanks|cheers|ta]|great service|great thank you|lovely thank you|brilliant cheers|perfect thanks|okay thank you|that's great thanks|"
    "thanks for [that|your help|everything|waiting]|thank you for [that|your help|everything|waiting]|you've been [great|lovely|very helpful|brilliant|very patient]|appreciate it|i appreciate it|that's kind|bless you|"
    "good man|good stuff|sweet thanks|awesome thank you|super thanks|grand thanks|grand so thanks|thank you my dear|thank you kindly|wonderful thank you]"
)
#: Praise without thanks is answered as everywhere else.
_PRAISE: Final = "[|||ah|oh|aw] [you're|you are] [very kind|a star|a gem|very good|very good to me|so patient|a legend|the best|so quick|a great help|great|lovely] [||||you are|you know|really|dear|mate|love]"
_NUMBER: Final = (
    "[||||sorry|and|wait|okay|so|oh|um|hmm|right] [what was [my|the|that] number [again|then|you said]|what's my number [again|]|what was [my|the] order number [again|]|which number [is it|am i|was it|do i have|did you say]|"
    "what number [am i|is my order|was it|was that|did you say|do i have|did you give me]|can you [repeat|say] [the|my|that] [order|] number [again|please|]|[the|my] number again [please|]|"
    "i missed the number|i didn't catch the number|the number was what|number again|what did you say the number was|do you still have my [order|] number|tell me the number [again|once more]|"
    "what do i [say|tell them] at the counter|which order number|order number please|remind me of [my|the] [order|] number|i forgot my number] [please|||||]"
)


#: The question of another assistant.
_ASK: Final = "[Shall I place the order?|Is that right?|Is that correct?|Shall I send it?|Can I place it?|Shall I go ahead?|Does that sound right?|Have I got that right?|Do you confirm?|Shall I put it through?|Everything correct?]"


def finish(talk: Conversation) -> None:
    """Somebody has ordered all: it is read back, and nothing is sent before they say yes."""
    rng = talk.rng
    _close(talk)
    if not talk.order:
        talk.assistant("Okay.")
        return
    while True:
        _read_back(talk)
        pick = rng.random()
        if pick < 0.68:
            break
        if pick < 0.75:
            say(talk, _NO)
            talk.assistant(WHAT_TO_CHANGE)
            if rng.random() < 0.3:
                rng.choice((recall, recall_and_total))(talk, pending=True)
                break
            if rng.random() < 0.3:
                return
        elif pick < 0.8:
            rng.choice((total, recall, recall_and_total))(talk, pending=True)
            break
        elif pick < 0.815 and talk.aside:
            talk.aside(talk)
            _confirmed(talk, far=True)
            return
        elif pick < 0.845:
            hold(talk)
        _something_after_all(talk)
        if not talk.order or rng.random() < 0.2:
            return
        _close(talk)
    _confirmed(talk)


def _something_after_all(talk: Conversation) -> None:
    """It is changed once more, after it was read back."""
    turns = (
        change,
        change,
        change_named,
        change_named,
        remove,
        add_short,
        add_short,
        _more,
        cancel,
    )
    talk.rng.choice(turns)(talk)


def _more(talk: Conversation) -> None:
    add(talk, more=True)


def _close(talk: Conversation) -> None:
    rng = talk.rng
    if rng.random() < 0.1 and not _just_told(talk):
        say(talk, _SEND.replace("~", PAUSE))
        return
    words = rng.choice(_NO_MORE)
    for key, value in (("{b}", _BEFORE), ("{c}", _CLOSING), ("{a}", _AFTER)):
        words = words.replace(key, value)
    drawn = choose_branches(words, rng)
    while _just_told(talk) and _CONTENT.search(drawn):
        drawn = choose_branches(words, rng)
    say(talk, drawn)


#: What would be a yes to an order that was just told, and not only an end of it.
_CONTENT: Final = re.compile(r"happy|order|fine|all good|through|ready|off\b|up\b")


def _just_told(talk: Conversation) -> bool:
    """Whether the last thing said was what the order is, or what it costs."""
    said = talk.last_answer() or ""
    return said.startswith(("You have ordered", "That is ", "That's "))


def told_and_placed(talk: Conversation) -> None:
    """The order or its sum is asked for, and what is told is agreed to: it is placed."""
    rng = talk.rng
    rng.choice((recall, recall, recall, recall_and_total, total))(talk)
    if not talk.order:
        return
    pick = rng.random()
    if pick < 0.14:  # no more is wanted: that is no yes yet
        _close(talk)
        _read_back(talk)
        _confirmed(talk)
    elif pick < 0.22 and talk.aside:
        talk.aside(talk)
        _confirmed(talk, asked=False, far=True)
    elif has_till(talk) or _just_told(talk):
        _confirmed(talk, asked=False)


def _read_back(talk: Conversation) -> None:
    words = order_words(talk)
    if not has_till(talk):
        talk.assistant(f"That is {words}. Shall I send it on its way?")
        return
    amount = sum_of(talk)
    if talk.rng.random() < 0.12:  # as another assistant said it
        before = talk.rng.choice(
            ("", "", "So ", "That's ", "You have ", "All right: ", "So that's ", "Your order: ")
        )
        said = f"{before}{words if before else capitalise(words)}{talk.rng.choice((', ', ' for '))}{amount}."
        content = f"{said} {choose_branches(_ASK, talk.rng)}"
        talk.messages.append({"role": "assistant", "content": content, "learn": False})
        return
    result = {"order": words, "total": amount}
    talk.call(
        "get_order", {}, result if talk.rng.random() < 0.93 else {"total": amount, "order": words}
    )
    talk.assistant(f"That is {words}, {amount} in all. Shall I place the order?")


def _confirmed(talk: Conversation, *, asked: bool = True, far: bool = False) -> None:
    rng = talk.rng
    words = agreement(rng, asked=asked, far=far)
    while "~" in words:  # each pause is one of its own
        words = words.replace("~", rng.choice((PAUSE, "", ",")), 1)
    say(talk, words, glad=True)
    ordered = order_words(talk)
    if has_till(talk) and rng.random() < 0.04:
        fault = rng.choice(_NOT_PLACED)
        talk.call("place_order", {}, {"error": fault})
        talk.assistant(f"I'm sorry, {fault}.")
        return
    if has_till(talk):
        number = order_number(rng, tab(talk).money.hyphens)
        talk.call("place_order", {}, {"number": number})
        talk.assistant(f"Thank you. Your order number is {number}.")
        talk.numbers["order number"] = str(number)
    else:
        talk.assistant("Thank you. Your order is on its way.")
    talk.placed = ordered
    keep(talk, [])
    if rng.random() < 0.4:
        thanked(talk)
    if rng.random() < 0.25:
        ask_number(talk)


def thanked(talk: Conversation) -> None:
    """Thanks and excuses want nothing but a kind word."""
    praised = talk.rng.random() < 0.15
    say(talk, _PRAISE if praised else _THANKS)
    talk.assistant(KIND if praised else WELCOME)


def ask_number(talk: Conversation) -> None:
    """The number of the order is asked for again."""
    number = talk.numbers.get("order number")
    if number:
        # Whoever told their telephone number as well says which one they mean.
        words = choose_branches(_NUMBER, talk.rng)
        while "number" in talk.numbers and "order" not in words:
            words = choose_branches(_NUMBER, talk.rng)
        say(talk, words, Kind.QUESTION)
        talk.assistant(f"Your order number is {number}.")


def hold(talk: Conversation, *, why: bool = False) -> None:
    """Somebody is busy for a moment; ``why``: and says what with."""
    rng = talk.rng
    reason = choose_branches(_WHY, rng)
    while why and not reason:
        reason = choose_branches(_WHY, rng)
    words = choose_branches(
        f"{_HOLD} {PAUSE} {reason}" if rng.random() < 0.9 else f"{reason} {PAUSE} {_HOLD}", rng
    )
    words = with_open_words(words, rng)
    say(talk, with_chatter(words, rng) if rng.random() < 0.1 else words)
    talk.assistant(TAKE_TIME)
