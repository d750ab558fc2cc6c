"""Whether a caller agrees, refuses or gives up: judged clause by clause, so that "who will do it"
and "yes, if my wife agrees" book nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from clauses import Clause
from phrases import MAKES, VALUE, talks

_YES: Final = (
    r"yes|yeah|yep|yup|ya|aye|you betcha|go ahead|go for it|go on(?! (?:to|a|the|with)\b)"
    r"|(?:book|do) it|work away|mm hmm|i'll take it"
)
_YES_IN: Final = re.compile(rf"\b(?:{_YES})\b")
#: What is a yes where nothing else is said.
_SURE: Final = re.compile(
    rf"\b(?:{_YES}|(?<!be )book|confirm|correct|that's (?:right|it|us|me|all)|sure|works|exactly"
    r"|absolutely|definitely|certainly|of course|that'll do|sounds (?:good|great|fine)|lock it in"
    r"|(?:that's|it's|it is|that is) (?:all )?(?:fine|correct|right)|fine by me|suits me|do that"
    r"|happy with (?:that|it)|put (?:me|us) down|that's everything)\b"
)
#: And what is one right after the question.
_APPROVES: Final = re.compile(
    r"\b(?:lovely|perfect|great|grand|ok|okay|fine|brilliant|cool|sound|good|please|magic"
    r"|alright)\b"
)
#: What may stand around it.
_AROUND: Final = re.compile(
    r"\b(?:yes|yeah|yep|yup|ya|aye|ok|okay|sure|perfect|lovely|great|grand|please|that's|all|right"
    r"|correct|fine|it|it's|go|on|ahead|do|book|good|so|then|thanks|thank|you|that|absolutely"
    r"|definitely|certainly|course|of|me|us|in|them|for|the|well|one|works?|suits|brilliant|cool"
    r"|sounds?|dear|love|mate|pal|man|lover|my|no(?= that's)|now|down|exactly|just|let's|lock|away"
    r"|put|nice|grand|job|magic|alright|spot|can|ye|have|is|i'm|i'll|take|happy|with|by|to|oh|ah"
    r"|och|um|mm|hmm|betcha|no problem|no bother|no worries|never mind|that'll|be|has to|done|very"
    r"|much|not bad|confirm|everything|thing|looks)\b"
)
#: What makes a yes less than one.
_HEDGES: Final = re.compile(
    r"\b(?:if|unless|only|let me|let's see|maybe|perhaps|but|although|though|question|think"
    r"|thinking"
    r"|check|ask|first|not|until|till|after|as well|too|instead|except|cheaper|online|earlier|later"
    r"|and (?:an?|also|add|one|two|for)|what|how|when)\b"
)
_DENIES: Final = re.compile(
    r"\b(?:no(?! (?:problem|bother|worries|rush|that's|go ahead|book|thanks that's all))|nope"
    r"|not(?! (?:bad|a problem|to worry|at all))|don't|doesn't|isn't|won't|wrong|(?<!no )problem"
    r"|wait|hang on|hold on|later|before (?:i|we) (?:say|do|book|agree|decide)|in a minute"
    r"|back to you|call you back|ring you back|think about it)\b"
)
#: A no to what was read back, and nothing else.
_NO: Final = re.compile(
    r"^(?:(?:oh|um|well|ah|sorry|actually|no|nope|nah|not|yet|that's|it's|is|quite|right|thanks"
    r"|thank you|please|don't|wrong|so|still|really|sure|i'm|dear|love) ?)+$"
)
_UNWANTED: Final = re.compile(
    r"\b(?:(?:don't|do not) want (?:it|that|to book)|changed my mind|no longer (?:need|want)"
    r"|(?:don't|do not) need it)\b"
)
_GIVES_UP: Final = re.compile(
    r"\b(?:don't book(?: (?:it|anything|me|that)(?! (?:yet|for))|$)|don't bother with it"
    r"|call it off"
    r"|won't bother|(?:scrap|forget(?: about)?|drop) the (?:whole|booking|lot)"
    r"|cancel(?: (?:it|that|this|them|everything|all of it|the (?:whole|booking|appointment|lot"
    r"|thing|visit|table)|my (?:booking|appointment|visit|table)))?(?=$| (?:please|then|so|now"
    r"|will|would|for me|on us|altogether|thing|lot|sorry|i|we|thanks|if you|ah|and|on|for|at"
    r"|completely|today|tomorrow))|cancel (?:it|the lot|everything))\b"
)
#: "Leave it" is less: what is booked stays.
_LEAVES: Final = re.compile(
    r"\b(?:leave it(?: then| so)?(?= (?:altogether|for now|sorry|thanks|love|pal|mate|pet|hen|duck"
    r"|dear|man)|$)|(?:scrap|forget(?: about)?) (?:it|that)(?=$| (?:then|please|so|for now"
    r"|altogether|will|thanks|would|i'll|we'll|sorry|pal|love|mate|pet)))\b"
)
_GIVES_NOT_UP: Final = re.compile(
    r"\b(?:don't|not|won't|might|may|had|if|never|didn't|shouldn't|when|before|do i|can i|was"
    r"|what)\b.{0,24}\b(?:cancel|scrap|forget|call it off|leave it)"
)
_ASKED_TO_CANCEL: Final = re.compile(
    r"\b(?:can|could|would|will) (?:you|ye|we) (?:just )?(?:please )?cancel (?:it|that|this|the"
    r"|my|everything)"
)


def agrees(heard: Sequence[Clause], just_asked: bool) -> bool:
    """Whether all of it is a yes. ``just_asked``: praise is one, too."""
    if not heard or any(one.asks and not _SURE.search(one.text) for one in heard):
        return False
    said = " ".join(one.text for one in heard)
    sure = _SURE.search(said) or (just_asked and _APPROVES.search(said))
    asks = any(one.asks for one in heard)
    return bool(sure) and not asks and not denies(said) and not _AROUND.sub("", said).strip()


def says_yes(heard: Sequence[Clause]) -> bool:
    """Whether one clause is a yes without an if, and no other takes it back."""
    said = " ".join(one.text for one in heard)
    if denies(said) or re.search(rf"\b(?:{_YES})\b.* but ", said):
        return False
    return any(not one.asks and _plain_yes(one.text) for one in heard)


def _plain_yes(text: str) -> bool:
    yes = _YES_IN.search(text)
    return bool(yes and not _HEDGES.search(text[yes.end() :]))


def has_yes(heard: Sequence[Clause]) -> bool:
    """Whether there is a yes in what is told, whatever else."""
    return any(not one.asks and _YES_IN.search(one.text) for one in heard)


def denies(text: str) -> bool:
    """Whether there is a no in it, or a not yet."""
    return bool(_DENIES.search(text))


def refuses(heard: Sequence[Clause]) -> bool:
    """Whether it is a no to what was read back, and nothing else."""
    told = [one.text for one in heard if not talks(one.text, one.asks) or denies(one.text)]
    return bool(told) and all(denies(one) and _NO.match(one) for one in told)


def gives_up(heard: Sequence[Clause], booked: bool) -> bool:
    """Whether the booking is given up, and nothing put in its place. ``booked``: it takes more than
    "leave it" then."""
    for at, one in enumerate(heard):
        if not _gives_up(one, booked):
            continue
        rest = " ".join(clause.text for clause in heard[at:])
        return not MAKES.search(rest) and not VALUE.search(_GIVES_UP.sub("", rest))
    return False


def _gives_up(clause: Clause, booked: bool) -> bool:
    text = clause.text
    if clause.asks:
        return bool(_ASKED_TO_CANCEL.search(text))
    if _UNWANTED.search(text):
        return True
    up = _GIVES_UP.search(text) or (not booked and _LEAVES.search(text))
    return bool(up and not _GIVES_NOT_UP.search(text))
