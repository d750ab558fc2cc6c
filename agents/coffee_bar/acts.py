"""What a caller says at the bar, as acts on an order.

"a large latte with oat milk and two sugars, no sorry, make that a mocha, and how much is it" adds a
drink with something in it, puts another in its place, and asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from asking import DONE, NOBODY, question
from menu import joined
from order import new
from part import Act, Part
from saying import pieces, plain
from things import (
    IN_IT,
    LOOK,
    NUMBER,
    WISH,
    Thing,
    extras,
    looks,
    mentions,
    number,
    things,
    whole_names,
)


def parts(said: str, spoken_of: Sequence[str] = ()) -> Iterator[Part]:
    """All that a caller says in one breath, in its order. What is no affair of an order is left
    out. `spoken_of`: what was named just before, of which "the mint one" may be one."""
    text = whole_names(plain(said), spoken_of)
    whole = _whole(text)
    if whole is not None:
        yield whole
        return
    for piece in pieces(text):
        for part in _read(piece.text if _without(piece.text) else piece.rest):
            new = part.act is Act.ADD and part.thing is not None and not part.thing.more
            yield replace(part, instead=part.instead or (piece.rights and new))


# -- a yes, a no, the end: all that is said -------------------------------------------------------

_YES: Final = re.compile(
    r"^(?:(?:can (?:place|send|confirm) (?:it|that|the order)|put (?:it|that|the order) through"
    r"|send (?:it|that|the order)|yes|yeah|yep|yup|aye|sure|ok|okay|go|ahead|on|for|it|that's"
    r"|that|is|right|correct"
    r"|it's|sounds?|perfect|lovely|great|grand|brilliant|fine|good|spot|all|do|thanks|thank|you"
    r"|cheers|ta|absolutely|definitely|exactly|place|order|confirm|the|works|looks|of|course|deal"
    r"|now|cool|everything|one|so|very|much|uh|huh|mhm|that'd|be|alright|excellent|certainly"
    r"|wonderful|let's|here|bye|goodbye)\b[ ,.!]*)+$"
)
_SURE: Final = re.compile(
    r"\b(?:yes|yeah|yep|yup|aye|sure|go ahead|go on|go for it|correct|right|perfect|lovely|great"
    r"|grand|brilliant|fine|good|sound|spot on|absolutely|definitely|exactly|of course|ok|okay"
    r"|do it|let's do|mhm|works|cool|deal|alright|excellent|certainly|wonderful|uh huh)\b|^do$"
)
_PLACES: Final = re.compile(
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
_HOLDS: Final = re.compile(
    r"n't\b|\b(?:not|no|wait|hold on|hang on|before|when|if|later|yet|back|me|person)\b"
)


def _whole(text: str) -> Part | None:
    if things(text) or IN_IT.search(text) or re.match(r"(?:how|what|which|do|is|are)\b.", text):
        return None
    if _NO.match(text):
        return Part(Act.NO)
    each = re.search(rf"(?<!another )\b(?P<n>{NUMBER}) of (?:each|everything)$", text)
    if each and each["n"] != "one" and not _OFF.search(text):
        return Part(Act.CHANGE, what=each["n"], which="all")
    if _YES.match(text) and _PLACES.search(text):
        return Part(Act.PLACE)
    if is_done(text):
        return Part(Act.DONE)
    if _IS_IT.search(text):
        return None
    agrees = (_YES.match(text) and _SURE.search(text)) or _NO_THAT_IS_RIGHT.match(text)
    return Part(Act.YES) if agrees else None


def places(said: str, act: Act) -> bool:
    """Whether all that a caller says is a yes to what was read back, where it holds such an act."""
    text = plain(said)
    if act is Act.DONE:
        return is_done(text) and not text.startswith("no")
    return act is Act.YES or (act is Act.PLACE and not _HOLDS.search(text))


def says_to_place(said: str) -> bool:
    """Whether it is "yes, place it", and nothing else."""
    text = plain(said)
    return bool(_YES.match(text) and _PLACES.search(text))


def is_done(text: str) -> bool:
    """Whether it says that this is all, and at most yes or thanks besides."""
    rest, count = DONE.subn(" ", text)
    rest = re.sub(r"^(?:no|nope|nah)\b", "", " ".join(rest.split())).strip()
    return count > 0 and (not rest or _YES.match(rest) is not None)


# -- piece by piece -------------------------------------------------------------------------------

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
_NO_SUCH: Final = re.compile(
    rf"^(?:(?:and|actually|oh|wait|sorry) )*no (?:more )?(?:the )?(?!an? |{NUMBER} |sorry\b|make\b"
    r"|wait\b|actually\b|i\b|that\b|it\b|she\b|he\b)\w"
)
_NOT_A: Final = re.compile(r"^(?:no )?not (?:an? |the )?")
_INSTEAD_OF: Final = re.compile(r"\b(?:instead of|rather than)\b")


def _without(text: str) -> bool:
    """Whether it is a "no foam" or "no muffin"."""
    return bool(_NO_SUCH.match(text) and (IN_IT.search(text) or mentions(text)))


#: Questions about what is ordered, of which the till knows nothing.
_UNANSWERED: Final = re.compile(
    r"(?!is all$|is everything$)(?:and )?(?:did|should|does|is|are|was|were)\b"
)
#: "I had a coffee this morning", "a latte or a mocha".
_NO_WISH: Final = re.compile(
    r"\b(?:had an?|hate|love your|don't like|never|sick of|smell|waiting|where(?:'s| is)|i've seen"
    r"|how do you|or an?)\b"
)


_OR: Final = re.compile(r"\bor (?:an?|some)\b")


def _read(text: str) -> Iterator[Part]:
    named = things(text)
    if asked := question(text, named):
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
    elif _OFF.search(text) or (_without(text) and not (_NOT_A.match(text) and len(named) > 1)):
        yield from _less(text, named)
    elif DONE.search(text) and all(one.known for one in named) and not extras(text):
        yield Part(Act.DONE)
    elif _PLACES.search(text) and not named and not _HOLDS.search(text):
        yield Part(Act.PLACE)
    else:
        for reading in (_again, _another, _of_some, _to_known, _of_those, _to_pointed, _new, _how):
            if found := reading(text, named):
                yield from found
                return


# -- less -----------------------------------------------------------------------------------------

_THE_ONE: Final = re.compile(r"\bthe (?:\w+ ){1,3}one\b")
_IN_THE: Final = re.compile(r"\b(?:from|off|in|on|of) the\b|\bno\b")
#: What is pointed at.
_POINTS: Final = re.compile(
    r"\b(?:it|that|this|them all|them both|them|both(?: of (?:them|those))?|those"
    r"|all of (?:them|those)"
    r"|the (?:other|second|first|last)(?: one)?"
    r"|the one with (?:the )?\w+(?: (?:milk|syrup))?"
    rf"|{NUMBER} of (?:them|those|these|the \w+ ones)|(?:the|my|that) (?:\w+ ){{0,3}}one)\b"
)


def _less(text: str, named: list[Thing]) -> Iterator[Part]:
    which = _POINTS.search(text)
    if which and " one with " in which[0]:
        yield Part(Act.REMOVE, which=which[0])
    elif one := _THE_ONE.search(text):
        yield Part(Act.REMOVE, which=one[0])
    elif named and not (_IN_THE.search(text) and extras(_unnamed(text))):
        for thing in named:
            yield Part(Act.REMOVE, thing)
    elif IN_IT.search(text):
        what, of = " ".join(IN_IT.findall(text)), named[0] if named else None
        yield Part(Act.REMOVE, of, what, which[0] if which else "")
    elif which:
        yield Part(Act.REMOVE, which=which[0])
    elif wanted := re.search(r"\b(?:the|that|my|a) ([\w ]+?)(?: off| out|$)", text):
        yield Part(Act.UNKNOWN, what=wanted[1])


def _unnamed(text: str) -> str:
    for one in reversed(mentions(text)):
        text = f"{text[: one.start()]} {text[one.end() :]}"
    return text


# -- more, or otherwise: each of these reads all of a piece, or nothing ----------------------------

_MAKES: Final = re.compile(
    r"\b(?:make|change|switch|swap|turn|can|could|have|be|as|to be|put|add|in|on|get|instead|for)\b"
)
_REMAKES: Final = re.compile(r"\b(?:make|change|switch|swap|turn|instead|be|as)\b")
_ANOTHER: Final = re.compile(
    r"(?:and |\w+ )?(?:another|one more)(?: one| of (?:them|those|these))?"
)
_ANOTHER_SO: Final = re.compile(
    rf"(?:and |plus )?(?:another|one more)(?: one)? (?P<how>(?:with|in) .+|{LOOK})"
    rf"|(?:and|plus) an? (?P<look>(?:{LOOK} )+)one"
)
_SAME: Final = re.compile(r"\bsame again\b|^same\b|\bthe same\b(?! (?:size|price|time))")


def _again(text: str, named: list[Thing]) -> list[Part]:
    """Once more: "another one", "the same and a cookie"."""
    if _ANOTHER.fullmatch(text):
        return [Part(Act.AGAIN)]
    if how := _ANOTHER_SO.fullmatch(text):
        return [Part(Act.AGAIN), Part(Act.CHANGE, what=how["how"] or how["look"])]
    if _SAME.search(text):
        of = re.search(r"\b(?:both(?= (?:things|of))|all(?= of)|everything)\b", text)
        return [Part(Act.AGAIN, which=of[0] if of else ""), *(Part(Act.ADD, one) for one in named)]
    return []


def _another(text: str, named: list[Thing]) -> list[Part]:
    """Something else: "not the muffin, the scone", "a lemonade instead of the juice"."""
    if len(named) > 1 and (_NOT_A.match(text) or _INSTEAD_OF.search(text)):
        old, new = (0, 1) if _NOT_A.match(text) else (1, 0)
        which = mentions(text)[old][0]
        return [Part(Act.CHANGE, replace(named[new], known=False), which=which)]
    count = re.search(rf"\bmake (?:it|that) (?P<n>{NUMBER}) of (?:those|them|the) ", text)
    if count and named:
        return [Part(Act.CHANGE, what=count["n"], which=f"the {named[0].name}")]
    return []


def _of_some(text: str, named: list[Thing]) -> list[Part]:
    """So many: "six of them", "two with milk"."""
    several = re.fullmatch(
        rf"(?:[\w']+ ){{0,4}}?(?P<n>{NUMBER}) of (?:those|them|these|that)", text
    )
    if several and not extras(text):
        return [Part(Act.CHANGE, what=several["n"])]
    some = re.match(rf"(?P<n>{NUMBER})(?: of (?:those|them))? (?=with\b|has\b|in\b|{LOOK}\b)", text)
    begins = mentions(text)[0].start() if named else len(text)
    how = text[some.end() : begins] if some else ""
    if some and (extras(how) or looks(how)):
        more = (Part(Act.ADD, thing) for thing in named)
        return [Part(Act.CHANGE, what=how, which=f"{some['n']} of them"), *more]
    return []


def _to_known(text: str, named: list[Thing]) -> list[Part]:
    """What is ordered, otherwise: "make the latte a mocha", "the flat white with oat milk"."""
    if not named or not named[0].known or re.search(rf"\bonly {NUMBER}", text):
        return []
    spans = mentions(text)
    says_how = named[0].extras or looks(text[spans[0].end() :])
    if len(named) == 1 and not _MAKES.search(text) and not says_how:
        return []
    found = []
    for at, (span, thing) in enumerate(zip(spans, named, strict=True)):
        if not thing.known and at:
            continue
        following = named[at + 1] if at + 1 < len(named) else None
        end = spans[at + 1].start() if following and following.known else len(text)
        other = following if following and not following.known else None
        before = text[: span.start()] if at == 0 else ""
        found.append(Part(Act.CHANGE, other, f"{before} {text[span.end() : end]}", span[0].strip()))
    return found


def _of_those(text: str, named: list[Thing]) -> list[Part]:
    """Some of what was spoken of, and more: "one of those with oat milk and a tea"."""
    which = _POINTS.search(text)
    if not which or not named:
        return []
    rest = [Part(Act.ADD, thing) for thing in named]
    own = text[which.end() : mentions(text)[0].start()]
    if not which.start() and (extras(own) or looks(own)):
        return [Part(Act.CHANGE, what=own, which=which[0]), *rest]
    begins = len(text[: which.start()].split()) < 3
    if number(which[0]) and begins and not _REMAKES.search(text):
        return [Part(Act.CHANGE, what=which[0]), *rest]
    return []


def _to_pointed(text: str, named: list[Thing]) -> list[Part]:
    """What is pointed at, otherwise: "make it large", "oat milk in one of them"."""
    which = _POINTS.search(text)
    if not which or (named and not _REMAKES.search(text)):
        return []
    before, after = text[: which.start()], text[which.end() :]
    if not _MAKES.search(f"{before} {after}"):
        how = f"{before} {after}"
        told = not named and (" one with " in which[0] or looks(how) or extras(how))
        return [Part(Act.CHANGE, what=how, which=which[0])] if told else []
    how = after if named else f"{before} {after}"
    if not _tells(how):
        how = before
    if not named and not _tells(how):
        return []
    thing = named[0] if named else None
    rest = [Part(Act.ADD, one, instead=True) for one in named[1:]]
    return [Part(Act.CHANGE, thing, how, which[0]), *rest]


def _tells(text: str) -> bool:
    return bool(looks(text) or extras(text) or number(text))


_UNKNOWN: Final = re.compile(
    rf"(?:^|\b\w+ )(?:an?|{NUMBER}) (?P<what>(?!{NOBODY}\b)[a-z]+(?: (?!{NOBODY}\b)[a-z]+)?)"
    r"(?=$| and\b| thanks\b| cheers\b| ta\b| for\b| if\b)"
)


def _new(text: str, named: list[Thing]) -> list[Part]:
    """More: "a latte and a bacon roll", of what is not on the menu, too."""
    if not named:
        return []
    spans = mentions(text)
    put_right = {
        at
        for at, two in enumerate(pairwise(zip(spans, named, strict=True)))
        if _is_put_right(text, two[0][1], two[1][1], two[0][0].end(), two[1][0].start())
    }
    found = []
    for at, thing in enumerate(named):
        again = any(one.name == thing.name and one.count for one in named[at + 1 :])
        if at not in put_right and (thing.count or not again):  # "juice, yeah, an orange juice"
            found.append(Part(Act.ADD, thing, instead="instead" in text.split()))
    if one := re.search(rf"\band an? (?P<look>(?:{LOOK} )+)one\b", text):
        found += [Part(Act.AGAIN), Part(Act.CHANGE, what=one["look"])]
    for one in _UNKNOWN.finditer(text):
        bare = re.sub(rf"\b{LOOK}\b", "", one["what"]).strip()
        if bare and not (IN_IT.search(bare) or things(one[0])):
            found.append(Part(Act.UNKNOWN, what=one["what"]))
    return found


def _is_put_right(text: str, first: Thing, second: Thing, end: int, begin: int) -> bool:
    """Whether one is said again, nearer: "a tea, just a green tea"."""
    between = text[end:begin]
    if second == first:
        return bool(re.search(r"\b(?:yeah|yes|okay|ok)\b", between))
    kind = second.name.endswith(f" {first.name}")
    if kind and " and " not in text:
        return True
    alike = kind or second.name == first.name
    return alike and second.before != first.before and " and " not in between


_WANTED: Final = re.compile(
    rf"(?:^|\b(?:{WISH}|and|have|get) )(?:an?|some|{NUMBER}) (?P<what>[a-z]+(?: [a-z]+){{0,2}})$"
)


#: May stand around a look that a thing is to have.
_AROUND: Final = (
    rf"{WISH}|it|a|an|one|ones|make|with|be|so|and|yeah|yes|ok|okay|in|of|the|them|those|that|will"
    rf"|want|wanted|not|thanks|she|he|says|hers|his|mine|if|you|would|to|{NUMBER}"
)


def _how(text: str, named: list[Thing]) -> list[Part]:
    """The newest, otherwise: "with oat milk", "large", "three". And what is not on the menu."""
    about = re.sub(rf"\b(?:{LOOK}|{_AROUND})\b", " ", text).split()
    if extras(text) or (looks(text) and len(about) < 2):
        return [Part(Act.CHANGE, what=text)]
    end = r"(?: (?:of (?:those|them|these|that)|ones?))?"
    if number(text) and re.fullmatch(rf"(?:[\w']+ ){{0,3}}{NUMBER}{end}", text):
        return [Part(Act.CHANGE, what=text)]
    wanted = _WANTED.search(text)
    if wanted and not re.search(rf"\b{NOBODY}\b", wanted["what"]):
        return [Part(Act.UNKNOWN, what=wanted["what"])]
    return []
