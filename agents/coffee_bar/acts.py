"""What a caller says at the bar, as acts on an order.

"a large latte with oat milk and two sugars, no sorry, make that a mocha, and how much is it" adds a
drink with something in it, puts another in its place, and asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from agreeing import HOLDS, PLACES, whole
from asking import DONE, question
from changing import NOT_A, POINTS, less, more
from menu import joined
from order import new
from part import Act, Part
from saying import pieces, plain
from things import IN_IT, LOOK, NUMBER, Thing, extras, looks, mentions, things, whole_names


def parts(said: str, spoken_of: Sequence[str] = ()) -> Iterator[Part]:
    """All that a caller says in one breath, in its order. What is no affair of an order is left
    out. `spoken_of`: what was named just before, of which "the mint one" may be one."""
    text = whole_names(plain(said), spoken_of)
    if (said_all := whole(text)) is not None:
        yield said_all
        return
    named: list[Thing] = []
    for at, piece in enumerate(pieces(text)):
        if at and _TOO.fullmatch(piece.rest):  # "make it three, he wants one as well"
            continue
        for part in _read(piece.text if _without(piece.text) else piece.rest):
            new = part.act is Act.ADD and part.thing is not None and not part.thing.more
            those = named and part.act is Act.HAVE and part.what in _THOSE
            of = replace(named[-1], known=False) if those else part.thing
            rights = piece.rights and (new or part.act is Act.CHANGE)
            yield replace(part, thing=of, instead=part.instead or rights)
        named = things(piece.text) or named


_TOO: Final = re.compile(r"(?:he|she|they)(?:'d like|'ll have| wants?| needs?| would like) one")
_THOSE: Final = ("those", "them", "that", "one", "these")

_ALL: Final = re.compile(
    r"\b(?:everything|all of it|it all|the (?:whole )?(?:order|lot|thing)|my order|whole thing)\b"
)
_ANEW: Final = re.compile(
    r"\bstart (?:over|again|afresh)\b|\bclear (?:it|the order|everything|that)\b"
    r"|\b(?:scratch|scrap|forget|cancel|drop) (?:all (?:of )?(?:that|it)|it all|everything"
    r"|the lot)\b"
)
_OFF: Final = re.compile(
    r"\b(?:take|leave|knock)\b.*\b(?:off|out|away)\b|\b(?:remove|cancel|forget|drop|scrap|delete"
    r"|get rid of|lose|skip|ditch|hold the|won't have|scratch the|nix"
    r"|(?:don't|doesn't|didn't|do not|does not) (?:want|need|bother|order)"
    r"|don't think (?:i|we|he|she) (?:want|need))\b"
    rf"|\b{NUMBER} (?:\w+ ){{1,3}}(?:less|fewer)$"
)
_NO_SUCH: Final = re.compile(
    rf"^(?:(?:and|actually|oh|wait|sorry|okay|so|well|right"
    rf"|yeah) )*no (?:more )?(?:the )?(?!an? |another |{NUMBER} |sorry\b|make\b"
    r"|wait\b|actually\b|i\b|that\b|it\b|she\b|he\b)"
    r"(?!.* (?:should|was|is|wants?|needs?|to be)\b)\w"
)


def _without(text: str) -> bool:
    """Whether it is a "no foam" or "no muffin"."""
    if not _NO_SUCH.match(text):
        return False
    named = mentions(text)
    near = named and re.search(rf"\bno (?:more )?(?:the )?(?:\w+ )?{named[0]['name']}", text)
    return bool(IN_IT.search(text) or near)


#: Questions about what is ordered, of which the till knows nothing.
_UNANSWERED: Final = re.compile(
    r"(?!is all$|is everything$)(?:and )?(?:did|should|does|is|are|was|were)\b"
)
#: "I had a coffee this morning", "a latte or a mocha".
_NO_WISH: Final = re.compile(
    r"\b(?:had an?|hate|love your|(?:don't|can't) (?:like|stand|take)|never (?:had|drink|eat"
    r"|touch|liked|heard)"
    r"|sick of|smell|waiting|where(?:'s| is)|i've seen|how do you|or an?"
    r"|(?:is|are|was|were|look|looks) (?:\w+ )?(?:great|good|nice|lovely|delicious|amazing"
    r"|gorgeous))\b"
)


#: "Not decaf", "the one with soya shouldn't be extra hot".
_NOT_SO: Final = re.compile(
    rf"\b(?:not|(?:shouldn't|should not|needn't|mustn't) be) (?P<look>{LOOK})\b"
)

_PLAIN: Final = re.compile(r"\b(?:without anything|with nothing|nothing (?:in|on) it)\b")
_OR: Final = re.compile(r"\bor (?:an?|some)\b")


def _read(text: str) -> Iterator[Part]:
    named = things(text)
    if _PLAIN.search(text) and not named:
        yield Part(Act.REMOVE, what="anything")
    elif asked := question(text, named):
        yield asked
        if asked.act is Act.PRICE:
            yield from (Part(Act.PRICE, thing) for thing in named[1:])
    elif len(named) == 2 and _OR.search(text) and not _OFF.search(text):
        yield Part(Act.WHICH, what=joined([new(thing).words for thing in named], "or"))
    elif _UNANSWERED.match(text) or _NO_WISH.search(text):
        return
    elif _ANEW.search(text) or (_OFF.search(text) and _ALL.search(text)):
        if not re.search(r"\b(?:except|apart from)\b", text):
            yield Part(Act.CLEAR)
            yield from (Part(Act.ADD, thing) for thing in named if not thing.known)
    elif (
        (no := _NOT_SO.search(text))
        and not looks(text[: no.start()])
        and all(one.known for one in named)
    ):
        pointed = POINTS.search(text)
        yield Part(Act.REMOVE, what=no["look"], which=pointed[0] if pointed else "")
    elif _OFF.search(text) or (_without(text) and not (NOT_A.match(text) and len(named) > 1)):
        yield from less(text, named)
    elif DONE.search(text) and all(one.known for one in named) and not extras(text):
        yield Part(Act.DONE)
    elif PLACES.search(text) and not named and not HOLDS.search(text):
        yield Part(Act.PLACE)
    else:
        yield from more(text, named)
