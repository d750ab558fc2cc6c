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
            rf" (?:(?:on|at|for|the|a|this) )*{_DAY}s?\b",
            rf"\b{_DAY}(?:s|'s| is)? (?:i'm|i've|i work|i can't|i have|we're|we've|we have|she|he"
            rf"|they"
            r"|(?:is |are |isn't |not )?(?:no|any) good|is out|is the|'s the|is bad|won't|doesn't"
            r"|don't"
            r"|no use)\b",
            r"\b(?:i have|i've got|i've|we have|we've|there's) (?:\w+ ){1,3}(?:at|till|until)"
            rf" {NUMBER}\b",
            r"\b(?:works?|working|can't(?: do| make| manage| come)?|closed|shut|dentist|in town"
            r"|back(?: home)?(?: on)?|leaving|leave|fly|home on|until|till) (?:on )?(?:the )?"
            rf"{_DAY}s?\b",
            r"(?<!why )\bnot (?:on |at |for )?(?:the |a )?\w+(?= (?:but|it's|on|at|for|\w+day)\b)",
            rf"\bnot (?:at |for )?{NUMBER}\b",
            r"\bnot (?:on |at |for )?(?:the |a )?\S+$",
            r"\b(?:instead of|rather than) (?:the |a |at )?(?:(?:half|quarter)(?: past| to)? )?\w+",
        )
    )
)
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
    r"\b(?:how|cost|price|prices|charge|pay|open|close|closed|shut|park|parking|allowed|why|where"
    r"|what(?! about| if)|which|who|when|happens|need to|have to|should i|must i)\b"
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
    r"|correct|fine|it|go|on|ahead|do|book|good|so|then|thanks|thank|you|that|is|absolutely|course"
    r"|of"
    r"|me|us|in|them|for|the|well|one|works|suits|brilliant|cool|sound|dear|love|mate|now|down"
    r"|exactly|no|problem|just|let's) ?)+$"
)
SURE: Final = re.compile(
    r"\b(?:yes|yeah|yep|aye|go ahead|go on|book|correct|that's (?:right|it)|sure|do it|works"
    r"|exactly)\b"
)
GIVES_UP: Final = re.compile(
    r"\b(?:don't book (?:it|anything|me|that)|leave it (?:altogether|for now)|call it off"
    r"|forget (?:about )?(?:it|the whole)|scrap (?:it|that|the whole)|won't bother"
    r"|cancel (?:it|that|the|my|all))\b"
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
    r"\b(?:make|change|switch|swap|instead|actually|rather|go for|have|want|just|book|put|take|do"
    r"|need|like|then)\b"
)
MORE_OR_FEWER: Final = re.compile(
    r"\b(?:coming|come|joining|join|bringing|tag|along|people|us|friends?|brother|sister|wife"
    r"|husband"
    r"|kids?|mum|mom|dad|cousins?|mates?|can't make it|dropped out|pulled out|cancelled|boys|girls"
    r"|lads|altogether|more|fewer|less|extra)\b"
)
THERE_ARE: Final = re.compile(r"\b(?:there's|there are|we're|we are|party of|group of)\b")
FEWER: Final = re.compile(r"\b(?:just|only|leave)\b")
OF_A_CLOCK: Final = re.compile(
    r"\b(?:early|late|morning|evening|earlier|later|o'clock|time|start|half|quarter)\b"
)


def agrees(text: str) -> bool:
    """Whether it is a yes and nothing else."""
    return bool(SURE.search(text) and _AGREES.match(text))
