"""What a caller says at the bar, as acts on an order.

"a large latte with oat milk and two sugars, no sorry, make that a mocha, and how much is it" adds a
drink with something in it, puts another in its place, and asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from agreeing import HOLDS, PLACES, whole
from asking import DONE, question
from changing import NOT_A, POINTS, less, more
from menu import joined
from order import new
from part import Act, Part
from saying import pieces, plain
from things import IN_IT, LOOK, NUMBER, WISH, Thing, extras, mentions, number, things, whole_names


def parts(said: str, spoken_of: Sequence[str] = ()) -> Iterator[Part]:
    """All that a caller says in one breath, in its order. What is no affair of an order is left
    out. `spoken_of`: what was named just before, of which "the mint one" may be one."""
    text = whole_names(plain(said), spoken_of)
    if (said_all := whole(text)) is not None:
        yield said_all
        return
    spoken, changed = None, False  # of what, without a wish; whether there was one
    for piece in pieces(text):
        found = list(_read(piece.text if _without(piece.text) else piece.rest))
        if _TOO.fullmatch(piece.rest):  # "make it three, he wants one as well"
            found = [] if changed else [Part(Act.AGAIN)]
        elif spoken and (one := _HAS_ONE.fullmatch(piece.rest)):
            # "the muffins look great, give me two"
            found = [Part(Act.ADD, replace(spoken, count=number(one["n"]) or 1))]
        for part in found:
            added = part.act is Act.ADD and part.thing is not None and not part.thing.more
            those = spoken and part.act is Act.HAVE and part.what in _THOSE
            rights = piece.rights and (added or part.act is Act.CHANGE)
            of = spoken if those else part.thing
            yield replace(part, thing=of, instead=part.instead or rights)
        changed = changed or any(part.act in (Act.ADD, Act.CHANGE) for part in found)
        named = [] if found else things(piece.text)
        spoken = replace(named[-1], known=False, count=0) if named else spoken


_TOO: Final = re.compile(r"(?:he|she|they)(?:'d like|'ll have| wants?| needs?| would like) one")
_HAS_ONE: Final = re.compile(
    rf"(?:(?:{WISH}) )+(?P<n>{NUMBER}|it|some)(?: of (?:them|those|these))?"
)
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
)
#: "One americano less".
_FEWER: Final = re.compile(rf"\b{NUMBER} (?:\w+ ){{1,3}}(?:less|fewer)$")
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
    return bool(IN_IT.search(text) or near or (named and NOT_A.match(text)))


#: Questions about what is ordered, of which the till knows nothing.
_UNANSWERED: Final = re.compile(
    r"(?!is all$|is everything$)(?:and )?(?:did|should|does|is|are|was|were)\b"
)
#: "I had a coffee this morning", "a latte or a mocha".
_NO_WISH: Final = re.compile(
    r"\b(?:had an?|hate|love your|(?:don't|can't) (?:like|stand|take)|never"
    r"|sick of|smell|waiting|where(?:'s| is)|i've seen|how do you|or an?)\b"
)
_PRAISE: Final = re.compile(
    rf"^(?!.*\b(?:{WISH})\b).*\b(?:is|are|was|were|look|looks) (?:\w+ )?"
    r"(?:great|good|nice|lovely|delicious|amazing|gorgeous)\b"
)


#: "Not decaf", "the one with soya shouldn't be extra hot".
_NOT_SO: Final = re.compile(
    rf"^(?:(?:and|but|no|so|actually) )*not (?P<look>{LOOK})(?: actually| the one)?$"
    rf"|\b(?:shouldn't|should not|needn't|mustn't) be (?P<other>{LOOK})$"
)
#: "One more croissant, but without anything".
_PLAIN: Final = re.compile(
    r"^(?:(?:but|and|with) )*(?:without anything|nothing|nothing (?:in|on) it)(?: (?:in|on) it)?$"
)
_OR: Final = re.compile(r"\bor (?:an?|some)\b")


def _taken_off(text: str, named: list[Thing]) -> Iterable[Part] | None:
    """None: it says nothing of the kind."""
    if (no := _NOT_SO.search(text)) and all(one.known for one in named):
        pointed = POINTS.search(text)
        what = no["look"] or no["other"]
        return [Part(Act.REMOVE, what=what, which=pointed[0] if pointed else "")]
    if named and _FEWER.search(text):
        return [Part(Act.REMOVE, named[0])]
    if _OFF.search(text) or (_without(text) and not (NOT_A.match(text) and len(named) > 1)):
        return less(text, named)
    return None


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
    elif _UNANSWERED.match(text) or _NO_WISH.search(text) or _PRAISE.match(text):
        return
    elif _ANEW.search(text) or (_OFF.search(text) and _ALL.search(text)):
        if not re.search(r"\b(?:except|apart from)\b", text):
            yield Part(Act.CLEAR)
            yield from (Part(Act.ADD, thing) for thing in named if not thing.known)
    elif (off := _taken_off(text, named)) is not None:
        yield from off
    elif DONE.search(text) and all(one.known for one in named) and not extras(text):
        yield Part(Act.DONE)
    elif PLACES.search(text) and not named and not HOLDS.search(text):
        yield Part(Act.PLACE)
    else:
        yield from more(text, named)
