"""What a caller says at once, cut where one thing ends and the next begins.

"the haircut, no wait, the trim, friday at ten. and what does that cost" has four clauses, of which
the second puts the first right and the last asks. Where nobody writes commas, words that begin a
question or put something right stand for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from words import NUMBER, plain

_QUESTION: Final = (
    r"how (?:much|long|many|far|old|late|early|big|heavy|little|do|does|would|about parking)"
    r"|what(?:'s|s|'ll| (?!i\b|we\b|about\b|a\b|am\b)\w+)"
    r"|where(?:'s|s| is| are| do| does| can| should| abouts| exactly| would)|which"
    r"|when(?:'s| is| are| do| does| can| should| will| would)|who(?:'s| \w+)|why"
    r"|(?:is|are|was|were|does|did|can|could|will(?! do\b)|would|has|should|am) \w+"
    r"|(?:do(?! (?:it|that|this|the|my|all|a)\b)|have|must"
    r"|may) (?:you|ye|yous|you're|there|i|we|it|they|he|she|somebody|someone|anybody|anyone"
    r"|everybody|people|kids|children|dogs?|cats?|parking|the|that|this|my|your|our|any|all|a)"
    r"|isn't there|don't you|aren't you|any (?:idea|chance|parking)|anywhere"
    r"|anything (?:else )?(?:i|we)"
)
_BEGIN: Final = (
    r"(?:and|but|so|oh|also|then|um|uh|now|or|right|only|ah|well|sorry|ok|okay|just|actually)"
)
_RIGHTS: Final = (
    r"(?:no(?! (?:relation|bother|worries|worry|problem|rush|thanks|thank|need|idea|way|matter"
    r"|more|doubt))|nope|wait|hang on|hold on|sorry|actually|rather|i mean|scratch that|correction"
    r"|tell a lie|my mistake|let me see|hm)"
)
#: "You know what, make it ten" asks for nothing.
_KNOW_WHAT: Final = re.compile(
    r"\b(?:do )?you know what(?! (?:time|times|the|you|it|that|kind|day|days|size|they)\b)"
)
#: Where a clause ends.
_SIGN: Final = re.compile(r"[.!?;]+(?=\s|$)|,(?=\s|$)|\s-\s")
_HOUSE: Final = re.compile(
    rf"\b({NUMBER}), (?=[a-z']+ (?:road|street|lane|avenue|close|drive|terrace)\b)"
)
_MENDS: Final = (
    r"(?:or )?(?:no|oh) (?:wait|sorry|hang on|hold on|make (?:it|that)|tell a lie|actually)\b"
    r"|(?:um|uh|er|or) (?:well|no|yeah)\b"
)
#: And where one ends that has no sign behind it: a question begins, or something is put right.
_UNSIGNED: Final = re.compile(
    rf"(?<!what)(?<!when)(?<!where)(?<!how)\s(?=(?:{_BEGIN} )*"
    r"(?:how (?:much|long|many|far) \w+|what(?:'s|s| is| are| do| does| time| days| will)"
    r"|where(?:'s|s| is| are| do| does| can| should)|(?:is|are|will) there|is (?:it|that)"
    r"|do (?:you|i|we|they)|(?:can|could|should|will) (?:i|we|you|they)|does (?:it|that|he|she)"
    r"|are (?:you|dogs|kids)|have you|is parking|any (?:idea|chance))\b"
    rf"|{_MENDS}|(?:because|i mean|or rather|scratch that)\b"
    r"|(?:and )?sorry (?:it's|that's|make|i)\b"
    rf"|(?:he's|she's|they're) (?:an?|very|super|really|so) |and (?:i'm|it's|my|the) "
    rf"|no (?:{NUMBER}|it's|that's|not)\b)"
)
#: The same within a question, which goes on to its end otherwise.
_AND_ASKS: Final = re.compile(
    r"\s(?=(?:and|but|oh) (?:how (?:much|long|far)|what(?:'s| is| do| does)|where"
    r"|is (?:it|there|that)|are there|do (?:you|i|we)|can (?:i|we)|does (?:it|that))\b"
    rf"|{_MENDS}|aren't (?:you|ye)\b)"
)
_ASKS: Final = re.compile(
    rf"^(?:{_BEGIN} |by the way |tell me |(?:can|could) you tell me |do you know |i was wondering "
    rf"|i'm (?:just )?wondering "
    r"|i wonder |please |great |good |lovely |perfect |thanks |hi |hello |remind me "
    r"|before (?:that|i do|we do|i book) |hey |first |quick question |wait |brilliant |magic "
    r"|hang on |hold on |yeah |sweet |cool |haha |listen )*"
    rf"(?:{_QUESTION})\b"
)
_ASKS_INSIDE: Final = re.compile(
    r"\b(?:how (?:much|long|far)|(?:i|we) must (?:bring|pay|come|take|wear)"
    r"|what(?:'s|'ll| does| do| will| would) .{0,40}\b(?:cost|charge|price|run"
    r"|set me back|come to|damage)"
    r"|(?<!when i )(?:know|ask|asking|wondering|wondered|check)"
    r" (?:what|how|where|when|if|whether)|(?:is|are) there (?:a|any)"
    r"|but (?:is|are|do|does|can|would|will) (?:your|the|you|it|there)"
    r"|do you (?:take|do|have|sell|allow))\b"
)
_ANYTHING: Final = re.compile(rf"\b(?!{_BEGIN}\b)[\w']+")
#: "is that okay" at the end of what is told asks for nothing.
_TAG: Final = re.compile(
    r"^(?:and |if )*(?:(?:is|would|will|are|was|isn't|does|do) (?:that|it|this|you|i|they|he"
    r"|she)(?: (?:be|work|suit))?(?: (?:okay|ok|alright|all right|possible|fine|good|free"
    r"|available|any|good|to you|for you|it|not|at all|right|doable|a problem|too late"
    r"|too early))*|are you (?:right|now|really|sure)|how (?:long|many|much)|can (?:you|ye) (?:do"
    r"|manage|fit) (?:that|it|me in|us in)|you know(?: what)?|do you know what|you see"
    r"|what do you think|how do you say|what is it|hang on what is it|what am i (?:like|saying)"
    r"|are you there"
    r"|can you hear me|how are you(?: \w+)?|what's that(?: love| dear)?|you know yourself)$"
)
#: What puts right: at the beginning of a clause, perhaps with others before it.
_PUTS_RIGHT: Final = re.compile(
    rf"^(?:(?:oh|um|uh|er|well|ah|wait|but|so|yeah|god|sure) )*{_RIGHTS}\b(?: {_RIGHTS}\b)*"
)


class Clause(NamedTuple):
    """One thing that was said. `text` as :func:`words.plain` gives it."""

    text: str
    asks: bool
    rights: bool  # it puts right what was said before


def clauses(said: str) -> Iterator[Clause]:
    """In their order. A mark that puts right and stands alone ("no wait,") belongs to the next."""
    rights = False
    for written, ended in _pieces(said):
        text = plain(written)
        if not text:
            continue
        mark = _PUTS_RIGHT.match(text)
        rights = rights or mark is not None
        if mark and not text[mark.end() :].strip() and text != plain(said):
            continue
        asks = not _TAG.match(text) and bool(
            _ASKS.match(text)
            or _ASKS_INSIDE.search(text)
            or (ended == "?" and len(text.split()) > 2)
        )
        yield Clause(text, asks, rights)
        rights = False


def _pieces(said: str) -> Iterator[tuple[str, str]]:
    """The pieces, and the sign behind each."""
    text = re.sub(r"\b([ap])\.m\.?(?=\W|$)", r"\1m", said.lower().replace("’", "'"))
    text, begin = _HOUSE.sub(r"\1 ", _KNOW_WHAT.sub(" ", text)), 0
    for sign in _SIGN.finditer(text):
        yield from _parted(text[begin : sign.start()], sign[0].strip()[:1])
        begin = sign.end()
    yield from _parted(text[begin:], "")


def _parted(text: str, sign: str) -> Iterator[tuple[str, str]]:
    """One piece, or two: a question goes on to the end, or to the next."""
    text = text.strip()
    cuts = _AND_ASKS if _ASKS.match(text) else _UNSIGNED
    for cut in cuts.finditer(text):
        if _ANYTHING.search(text[: cut.start()]):
            yield text[: cut.start()], ""
            yield from _parted(text[cut.end() :], sign)
            return
    yield text, sign
