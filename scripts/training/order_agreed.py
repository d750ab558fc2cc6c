"""Yes to an order that was told back, in the words of all sorts of callers.

Where the order has just been said, with a question behind it or without, whoever says yes, that it
is right, or that it may go off means the same: it is placed. Whoever only says that there is
nothing more ("that's all") is not meant here: to them it is read back first.
"""

# ruff: noqa: E501  lists of wordings are read across

from __future__ import annotations

import random
from typing import Final

_AYE: Final = (
    "[yes|yes|yes|yes|yeah|yeah|yep|yup|yh|ye|yea|yess|aye|yes yes|yeah yeah|ya|oh yes|mm yes|mm hm yes|uh yes|um yeah|er yes|"
    "finally yes|well yes|ah yes|oh yeah|yes indeed|indeed yes|absolutely|certainly|definitely|of course|for sure|sure yes|"
    "okay yes|ok yeah|right yes|right yeah|alright yes|great yes|perfect yes|lovely yes|good yes|fine yes|grand yeah|cool yeah|"
    "uh huh|yes please|yes of course|yes exactly|exactly|yes okay|yeah ok|yeah sure|yeah no that's right|si yes|yes it is]"
)
#: It is as it should be.
_RIGHT: Final = (
    "[that's right|thats right|that's right|that's correct|that is correct|that is right|it's correct|it is right|all correct|correct|"
    "[that is|that's|it's|is|this is|everything is|everything's|all is|all's|it all is|the order is|my order is|it is all|that's all] [right|correct|good|perfect|fine|great|exactly right|as it should be|okay|in order|as i want it|as i said|how i want it]|"
    "[that's|that is|this is] [the one|exactly it|perfect|spot on|just right|what i want|what i wanted|what we want|what i asked for|what i ordered|my order|our order|it exactly|how we like it]|"
    "[sounds|looks|seems] [right|good|perfect|great|lovely|correct|fine|about right] [to me|]|spot on|bang on|quite right|exactly right|just so|you got it|you've got it|you have it right|you got it all|"
    "[i'm|we're|i am|we are] happy with [that|it|this]|it is good|is perfect|is good so|all good|no mistakes|nothing wrong with that|that's grand|that's lovely|that's sound|couldn't be better]"
)
#: Off it goes.
_GO: Final = (
    "[go ahead|go ahead|go for it|go on|go on then|go on so|do it|do that|please do|let's do it|let's go|make it so|work away|fire away|fire ahead|crack on|off you go|away you go|be my guest|"
    "i confirm|i confirm it|confirm|confirmed|i confirm this|agreed|i agree|i approve|proceed|please proceed|kindly proceed|you may proceed|go ahead with [it|that|this|the order]|go with that|let's go with that|"
    "[please|just|you can|you may|kindly|now|so|then|go and|go ahead and|you could|could you|would you|can you please|i'd like you to|let's|] [place|send|submit|order|confirm|process|finalise|enter|take|push] [it|it|that|this|the order|my order|our order|all of that|everything|the lot|the whole thing] "
    "[now|then|please|through|off|straight away|to the bar|to the kitchen|for me|for us|as it is|like that|already|so|||||]|"
    "[just|please|you can|] [send|put|push|pass|run] [it|that|the order|my order|the lot] [through|in|on|over|off]|[just|please|you can|go and|] ring [it|that|me|us|the lot] [up|through]|"
    "i [would like|want|wish] to [order|place|confirm|send] [it|that|this|the order] [now|]|i'd like to [order|place|confirm] [it|that|this|the order] [now|]|[get|start] [it|that] [made|going]|get [it|that] [started|going|on the way]|start making it|ship it|"
    "tell them [to make it|to start]|let them make it|you can [go ahead|do it|place it|order it|send it|put it through|make it]|i'll [take|have] [it all|that|it like that]|we'll [take it|have that]|book it in|lock it in|put the order in|put it in|send it]"
)
#: What follows only where somebody asked whether to place it.
_LOOSE: Final = (
    "[yes|yes please|yeah|yep|yup|sure|correct|okay|ok|right|perfect|fine|great|lovely|please|please do|of course|exactly|all right|alright|sounds good|why not|by all means|sure thing|mm hm|uh huh|brilliant|"
    "that's it yes|yes that's it|yes that's all|yeah that's it|yes that's everything|yes that is all|yeah that's the lot|aye that's it|yes thank you|yes thanks|perfect thank you|no problem go ahead|you bet|bet|yessir|go on|fine by me|i guess so|i think so yes|i suppose so|good|if you would|that would be great|that'd be lovely|very good|wonderful]"
)
_BEFORE: Final = (
    "[|||||||||||||ok|okay|right|right so|great|lovely|perfect|grand|good|brilliant|fine|super|cool|alright|well|so|oh|um|uh|ah|mm|hmm|oh good|lol|haha|sweet|sorry|right then|wonderful|excellent|nice|thanks|thank you|"
    "sorry about that|found it|i'm back|okay i'm back|no more changes|let me see|no that's all|no changes|nothing else|no nothing else|that's everything|that's all then]"
)
_WHO: Final = "[||||||||||||||love|dear|my dear|mate|pal|sir|ma'am|madam|miss|boss|bro|bruv|man|my friend|my lovely|darling|hon|honey|sweetheart|buddy|chief|so it is|like|you know|my love|bud|lad|duck|hen|petal]"
_END: Final = "[||||||||please|please|thanks|thank you|cheers|ta|thank you very much|thanks so much|now|then|for me|if you would|if you don't mind|as quick as you can|and thank you|and be quick|we're hungry|i'm starving|i'm in a hurry|my bus is coming|so i can go]"


def agreement(rng: random.Random, *, asked: bool, far: bool = False) -> str:
    """How a caller agrees; ``asked``: to "Shall I place the order?"; ``far``: after something else."""
    pick = rng.random()
    if far:  # what is agreed to is said with it
        said = rng.choice((f"{_AYE} ~ {_GO}", f"{_RIGHT} ~ {_GO}", f"{_AYE} ~ {_RIGHT} ~ {_GO}"))
        before = "[|||okay|right|good|so|anyway|back to my order|about my order|the order then|now]"
        return f"{before} ~ {said} {_WHO} {_END}"
    if asked and pick < 0.3:
        return f"{_LOOSE} {_WHO} {_END}" if pick < 0.12 else _LOOSE
    said = rng.choice(
        (
            f"{_AYE} ~ {_WHO}",
            f"{_RIGHT} ~ {_WHO}",
            f"{_GO} ~ {_WHO}",
            f"{_AYE} {_WHO} ~ {_RIGHT}",
            f"{_AYE} {_WHO} ~ {_RIGHT}",
            f"{_AYE} {_WHO} ~ {_GO}",
            f"{_AYE} {_WHO} ~ {_GO}",
            f"{_AYE} ~ {_RIGHT} {_WHO} ~ {_GO}",
            f"{_AYE} ~ {_RIGHT} {_WHO} ~ {_GO}",
            f"{_RIGHT} ~ {_AYE} {_WHO} ~ {_GO}",
            f"{_RIGHT} {_WHO} ~ {_GO}",
            f"{_RIGHT} {_WHO} ~ {_AYE}",
            f"{_GO} ~ {_RIGHT}",
            f"{_AYE} [that's it|that's all|this is all|that's everything|that's the lot|it's all] {_WHO} ~ {_GO}",
        )
    )
    return f"{_BEFORE} ~ {said} ~ {_END}" if rng.random() < 0.5 else f"{said} {_END}"
