"""A yes, a no, the end: where a caller says nothing else."""

from __future__ import annotations

import re
from typing import Final

from asking import DONE
from part import Act, Part
from saying import plain
from things import IN_IT, things

_YES: Final = re.compile(
    r"^(?:(?:can (?:place|send|confirm) (?:it|that|the order)|put (?:it|that|the order) through"
    r"|send (?:it|that|the order)|yes|yeah|yep|yup|aye|sure|ok|okay|go|ahead|on|for|it|that's"
    r"|that|is|right|correct"
    r"|it's|sounds?|perfect|lovely|great|grand|brilliant|fine|good|spot|all|do|thanks|thank|you"
    r"|indeed|cheers|ta|absolutely|definitely|exactly|place|order|confirm|the|works|looks|of|course|deal"
    r"|now|cool|everything|one|so|very|much|uh|huh|mhm|that'd|that would|be|alright|excellent"
    r"|certainly"
    r"|certainly|wonderful|let's|here|bye|goodbye)\b[ ,.!]*)+$"
)
_SURE: Final = re.compile(
    r"\b(?:yes|yeah|yep|yup|aye|sure|go ahead|go on|go for it|correct|right|perfect|lovely|great"
    r"|grand|brilliant|fine|good|sound|spot on|absolutely|definitely|exactly|of course|ok|okay"
    r"|do it|let's do|mhm|works|cool|deal|alright|excellent|certainly|wonderful|uh huh)\b"
    r"|^do$"
)
PLACES: Final = re.compile(
    r"\b(?:place|confirm|submit|send)\b.*\b(?:it|order|that)\b|\bput (?:it|the order) through\b"
)
_NO: Final = re.compile(
    r"^(?:hm+ |no |nope |nah |not |yet |quite |it's |that's |right |wrong )*"
    r"(?:no|nope|nah|not yet|wrong|not right|no way|(?:absolutely|definitely|of course) not"
    r"|don't|cancel)$"
)
_NO_THAT_IS_RIGHT: Final = re.compile(
    r"^(?:no|nope) (?:that's|it's|that is) (?:right|good|perfect|fine|correct|great|lovely)$"
)
_IS_IT: Final = re.compile(r"\bis (?:it|that|this)\b")
#: What keeps an order from being placed.
HOLDS: Final = re.compile(
    r"n't\b|\b(?:not|no|wait|hold on|hang on|before|when|if|later|yet|back|me|person)\b"
)


def whole(text: str) -> Part | None:
    """The act, where a text is one of these and nothing else."""
    if things(text) or IN_IT.search(text) or re.match(r"(?:how|what|which|do|is|are)\b.", text):
        return None
    if _NO.match(text):
        return Part(Act.NO)
    if _YES.match(text) and PLACES.search(text):
        return Part(Act.PLACE)
    if is_done(text):
        return Part(Act.DONE)
    if _IS_IT.search(text):
        return None
    agrees = _YES.match(text) and _SURE.search(text) and not text.endswith("that one")
    return Part(Act.YES) if agrees or _NO_THAT_IS_RIGHT.match(text) else None


def places(said: str, act: Act) -> bool:
    """Whether all that a caller says is a yes to what was read back, where it holds such an act."""
    text = plain(said)
    if act is Act.DONE:
        return is_done(text) and not text.startswith("no")
    return act is Act.YES or (act is Act.PLACE and not HOLDS.search(text))


def says_to_place(said: str) -> bool:
    """Whether it is "yes, place it", and nothing else."""
    text = plain(said)
    return bool(_YES.match(text) and PLACES.search(text))


def is_done(text: str) -> bool:
    """Whether it says that this is all, and at most yes or thanks besides."""
    rest, count = DONE.subn(" ", text)
    rest = re.sub(r"^(?:no|nope|nah)\b", "", " ".join(rest.split())).strip()
    return count > 0 and (not rest or _YES.match(rest) is not None)
