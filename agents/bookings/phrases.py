"""What people say around what they tell: agreeing, giving up, ruling out, putting right."""

from __future__ import annotations

import re
from typing import Final

from words import DAYS, NUMBER

_DAY: Final = rf"(?:{'|'.join(DAYS)})"

#: What is told only to be ruled out: "not wednesday", "any day but friday", "instead of ten".
RULED_OUT: Final = re.compile(
    "|".join(
        (
            r"(?<!why )\b(?:not|bar|except|apart from|other than|but)"
            rf" (?:(?:on|at|for|the|a|this) )*{_DAY}s?\b(?! then)",
            rf"\b(?:is|are|am|be|\w+'[sm]|\w+'re) (?:away|off|busy|out)(?: on)? {_DAY}s?\b",
            r"\b(?:i have|i've got|i've|we have|we've|there's) (?:\w+ ){1,3}(?:at|till|until)"
            rf" {NUMBER}\b",
            r"\b(?:works?|working|can't(?: do| make| manage| come)?|closed|shut|dentist|in town"
            r"|back(?: home)?(?: on)?|leaving|leave|fly|home on|until|till) (?:on )?(?:the )?"
            rf"{_DAY}s?\b",
            r"(?<!why )\bnot (?:on |at |for )?(?:the |a )?\w+(?= (?:but|it's|on|at|for|\w+day)\b)",
            rf"\bnot (?:at |for )?{NUMBER}\b",
            r"\bnot (?:on |at |for )?(?:the |a )?\S+$",
            r"\b(?:not|without) (?:a|the|any) [\w ]{1,20}$",
            r"\b(?:instead of|rather than) (?:the |a |at )?(?:(?:half|quarter)(?: past| to)? )?\w+",
        )
    )
)
#: And what is, unless it is all that is told: "sunday's no good", "saturday i'm away".
NO_GOOD: Final = re.compile(
    rf"\b{_DAY}(?:s|'s| is)? (?:(?:i'm|we're) (?:away|busy|working|out|off|at|in|up|on)|i've"
    r"|i work|i can't|i have|we've|we have|she|he|they|(?:is |are )?no good|(?:isn't|not) any good"
    r"|is out|is the|'s the|is bad|won't|doesn't|don't|no use)\b"
)
ANY_DAY: Final = re.compile(rf"\b{_DAY}s?\b")
INSTEAD: Final = re.compile(r"\b(?:not|instead of|rather than) (?:at |for |the )*([\w ]+)")
#: How old somebody is: no number of theirs, unless it was asked for.
AGED: Final = re.compile(
    r"\b(?:he's|she's|i'm|aged|turning|turns|over|under) (?:only |about |just |nearly |all )*"
    rf"{NUMBER}\b(?! o'clock)"
)
#: "On wednesdays", in what is told, is a habit.
HABIT: Final = re.compile(rf"\b{_DAY}s\b")
#: "Ten is a bit early": what comes next is of the same need.
TIGHT: Final = re.compile(
    rf"\b((?:half |quarter )?(?:past |to )?{NUMBER})(?:'s| is| was)? (?:a bit|too|a little"
    rf"|a squeeze"
    r"|rather(?! than)|very|no good|pushing|tight)\b"
)

#: A question that is no wish, whatever stands in it.
ONLY_ASKS: Final = re.compile(
    r"\b(?:how (?!about)|cost|price|prices|charge|pay|open|close|closed|shut|park|parking|allowed"
    r"|happens|need to|have to|should i|must i)\b|^(?:(?:and|but|so|oh|um|well|sorry|ok|okay|right"
    r"|now|then) )*(?:why|where|which|who|when|what(?! about| if))\b"
)
WISH: Final = re.compile(r"\b(?:what|how) about\b|\bany chance\b|\bis it possible\b")
#: "Do you do sofas" asks what there is.
WARES: Final = re.compile(
    r"\bdo (?:you|ye|yous|they)(?: \w+)? (?:do|buy|sell|fix|touch|mend|make|rent|hire|offer|cut"
    r"|take)\b"
)
#: A question about what was said just before: "she has a tablet, can somebody do that".
LEANS: Final = re.compile(r"\b(?:that|it|them|this)(?: at all| though| for me| too)?$")
MAYBE: Final = re.compile(
    r"^(?:and )?(?:is|are|would|will) (?:that|it|this|they|there)(?: be)? \w+$"
)

_AGREES: Final = re.compile(
    r"^(?:(?:yes|yeah|yep|aye|ok|okay|sure|perfect|lovely|great|grand|please|that's|all|right"
    r"|correct|fine|it|go|on|ahead|do|book|good|so|then|thanks|thank|you|that|absolutely|course|of"
    r"|me|us|in|them|for|the|well|one|works|suits|brilliant|cool|sound|dear|love|mate|now|down"
    r"|exactly|just|let's|no problem|no bother|no worries) ?)+$"
)
_SURE: Final = re.compile(
    r"\b(?:yes|yeah|yep|aye|go ahead|go on|book|correct|that's (?:right|it)|sure|do it|works"
    r"|exactly)\b"
)
YES: Final = re.compile(r"\b(?:yes|yeah|yep|aye|go ahead|go on|book it|do it)\b")
#: A no, or not yet.
_DENIES: Final = re.compile(
    r"\b(?:no(?! (?:problem|bother|worries|rush|that's|go ahead|book|thanks that's all))|nope"
    r"|not(?! (?:bad|a problem|to worry|at all))|don't|doesn't|isn't|won't|wrong|(?<!no )problem"
    r"|wait|hang on|hold on|later|back to you|call you back|ring you back|think about it)\b"
)
_GIVES_UP: Final = re.compile(
    r"\b(?:don't book (?:it|anything|me|that)(?! (?:yet|for))|leave it (?:altogether|for now)"
    r"|call it off|(?:scrap|forget(?: about)?) (?:it|that|the whole)(?: (?:thing|lot))?(?=$"
    r"| (?:then|please|so|for now|altogether|will|thanks|would|i'll|we'll))|won't bother"
    r"|cancel(?: (?:it|that|this|them|everything|all of it|the (?:whole|booking|appointment|lot"
    r"|thing|visit|table)|my (?:booking|appointment|visit|table)))?(?=$| (?:please|then|so|now"
    r"|will|would|for me|on us|altogether|thing|lot|sorry|i|we|thanks|if you|ah|and|on|for|at"
    r"|completely|today|tomorrow))|cancel (?:it|the lot|everything))\b"
)
_GIVES_NOT_UP: Final = re.compile(
    r"\b(?:don't|not|won't|might|may|had|if|never|didn't|shouldn't|when|before|do i|can i"
    r"|what)\b.{0,24}\b(?:cancel|scrap|forget|call it off)"
)
ASKS_TO_CANCEL: Final = re.compile(
    r"\b(?:can|could|do|may|should) (?:i|we)\b.*\bcancel|\bcancel.*\b(?:before|until|charge|pay"
    r"|refund|fee)\b|\b(?:how|what|when|if)\b.*\bcancel"
)
#: What is booked changes only where that is meant: "see you tomorrow" moves nothing.
CHANGES_BOOKED: Final = re.compile(
    r"\b(?:make (?:it|that)|changed?|move|switch|swap|shift|instead|rather|actually|let's|better"
    r"|put|can (?:we|i|you|it|they)|could (?:we|i|you|it|they)|add|prefer|earlier|later|possible"
    r"|sorry|wait|wrong|mistake|coming|can't|cannot|same time|same day|forgot|give|say|not|no"
    rf"|(?:do|so|then) (?:{NUMBER}|(?:on )?{_DAY}))\b"
)
MAKES: Final = re.compile(
    r"\b(?:make (?:it|that)|instead|move it|change it to|switch|swap|put (?:it|us|me|down))\b"
)

#: "It's for my mum": her name comes next.
FOR_WHOM: Final = re.compile(r"\b(?:for|it's) (?:my|our|her|his) \w+(?: \w+)?$")
#: A number alone, and what may stand around it.
ALONE: Final = re.compile(
    r"^(?:(?:let's|it's|that's|we're|there's|i'll|we'll|can you|could you|could we|can we|um|uh|oh"
    r"|so|but|just|then|go|on|actually|maybe|better) )*(?:(?:make|say|call|do|have|put|be) )?"
    rf"(?:it |that )?{NUMBER}(?: (?:then|please|instead|rather|though|so|now|altogether))*$"
)
CHANGES: Final = re.compile(
    r"\b(?:make|change|switch|swap|move|shift|instead|actually|rather|go for|have|want|just|book"
    r"|put|take|do|need|like|then|better|could|can|would|let's|say|suits?|sorry|keep|leave|give)\b"
)
MORE_OR_FEWER: Final = re.compile(
    r"\b(?:coming|come|joining|join|bringing|tag|along|people|us|friends?|brother|sister|wife"
    r"|husband|kids?|mum|mom|dad|cousins?|mates?|can't make it|dropped out|pulled out|cancelled"
    r"|boys|girls|lads|altogether|more|fewer|less|extra)\b"
)
#: What somebody else is or does.
REMARK: Final = re.compile(
    r"\b(?:he|she|they|lad|wife|husband|mum|mom|boss|who|his|her|their|is|was|are|were)\b"
)
THERE_ARE: Final = re.compile(r"\b(?:there's|there are|we're|we are|party of|group of)\b")
THAT_ONE: Final = re.compile(r"\b(?:that one|that's the one|that'll do)\b")
FEWER: Final = re.compile(r"\b(?:just|only|leave)\b")
OF_A_CLOCK: Final = re.compile(
    r"\b(?:early|late|morning|evening|earlier|later|o'clock|time|start|half|quarter)\b"
)


def agrees(text: str) -> bool:
    """Whether it is a yes and nothing else."""
    return bool(_SURE.search(text) and _AGREES.match(text))


def denies(text: str) -> bool:
    """Whether there is a no in it."""
    return bool(_DENIES.search(text))


def gives_up(text: str) -> bool:
    """Whether the booking is given up, and not asked or told about that."""
    return bool(_GIVES_UP.search(text) and not _GIVES_NOT_UP.search(text))
