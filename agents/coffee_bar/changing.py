"""What is to become of an order by a part of what a caller says: less of it, more, or another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Final

from asking import NOBODY
from part import Act, Part
from saying import TOLD_AGAIN
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
)

# -- less -----------------------------------------------------------------------------------------

_OF_ONE: Final = r"(?!(?:out|of|in|on|off|from|with)\b)\w+"
_THE_ONE: Final = re.compile(rf"\bthe (?:{_OF_ONE} ){{1,3}}one\b")
_IN_THE: Final = re.compile(r"\b(?:from|off|in|on|of) the\b|\bno\b")
#: What is pointed at.
POINTS: Final = re.compile(
    r"\b(?:it|that|this|them all|them both|them|both(?: of (?:them|those))?|those"
    r"|all of (?:them|those)"
    r"|the rest(?: of (?:them|those))?|the other (?:two|three|four)\b|the (?:other|second|first"
    r"|last)(?: one)?"
    r"|the one with (?:the )?\w+(?: (?:milk|syrup))?"
    rf"|{NUMBER} of (?:them|those|these|that|the (?:\w+ ){{1,2}}ones)"
    rf"|(?:the|my|that) (?:{_OF_ONE} ){{0,3}}ones?)\b"
)


#: "No extra shot in the almond one".
_IN_ONE: Final = re.compile(
    r"\b(?:in|on|from|off|with|out of) (?P<which>(?:the|my|that) (?:\w+ ){1,3}ones?)\b"
)


def less(text: str, named: list[Thing]) -> Iterator[Part]:
    which = POINTS.search(text)
    if (within := _IN_ONE.search(text)) and (out := _all_in(text[: within.start()])):
        yield from (Part(Act.REMOVE, what=one, which=within["which"]) for one in out)
    elif which and " one with " in which[0]:
        yield Part(Act.REMOVE, which=which[0])
    elif one := _THE_ONE.search(text):
        yield Part(Act.REMOVE, which=one[0])
    elif named and not (_IN_THE.search(text) and extras(_unnamed(text))):
        other = named[-1:] if len(named) > 1 and "instead" in text.split() else []
        for thing in named[: len(named) - len(other)]:
            yield Part(Act.REMOVE, thing)
        yield from (Part(Act.ADD, thing) for thing in other)
    elif IN_IT.search(text):
        of, pointed = named[0] if named else None, which[0] if which else ""
        yield from (Part(Act.REMOVE, of, one, pointed) for one in _all_in(text))
    elif which:
        yield Part(Act.REMOVE, which=which[0])
    elif wanted := re.search(r"\b(?:the|that|my|a) ([\w ]+?)(?: off| out|$)", text):
        yield Part(Act.UNKNOWN, what=wanted[1])


def _all_in(text: str) -> list[str]:
    """`oat milk` and `sugar` of "the oat milk and the sugar"."""
    found = (" ".join(IN_IT.findall(one)) for one in re.split(r"\b(?:and|or|no)\b|,", text))
    return [one for one in found if one]


def _unnamed(text: str) -> str:
    for one in reversed(mentions(text)):
        text = f"{text[: one.start()]} {text[one.end() :]}"
    return text


# -- more, or otherwise ---------------------------------------------------------------------------


def more(text: str, named: list[Thing]) -> list[Part]:
    """By the first of these that makes something of it; each reads all of it, or nothing."""
    for reading in (_again, _another, _of_some, _to_known, _of_those, _to_pointed, _new, _how):
        if found := reading(text, named):
            return found
    return []


NOT_A: Final = re.compile(r"^(?:no )?not (?:an? |the )?")
_INSTEAD_OF: Final = re.compile(r"\b(?:instead of|rather than)\b")
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
_SAME: Final = re.compile(
    r"\bsame again\b|^same\b"
    r"|\bthe same\b(?! (?:size|price|time|story|thing|way|day|kind|question|as (?:always|usual)))"
)


def _again(text: str, named: list[Thing]) -> list[Part]:
    """Once more: "another one", "the same and a cookie"."""
    if _ANOTHER.fullmatch(text):
        return [Part(Act.AGAIN)]
    if how := _ANOTHER_SO.fullmatch(text):
        return [Part(Act.AGAIN), Part(Act.CHANGE, what=how["how"] or how["look"])]
    if _SAME.search(text):
        of = re.search(r"\b(?:both(?= (?:things|of))|all(?= of)|everything)\b", text)
        if named and all(one.known for one in named):
            return [Part(Act.AGAIN, which=one[0].strip()) for one in mentions(text)]
        return [Part(Act.AGAIN, which=of[0] if of else ""), *(Part(Act.ADD, one) for one in named)]
    return []


def _another(text: str, named: list[Thing]) -> list[Part]:
    """Something else: "not the muffin, the scone", "a lemonade instead of the juice"."""
    if len(named) > 1 and (NOT_A.match(text) or _INSTEAD_OF.search(text)):
        old, new = (0, 1) if NOT_A.match(text) else (1, 0)
        which = mentions(text)[old][0]
        return [Part(Act.CHANGE, replace(named[new], known=False), which=which)]
    count = re.search(rf"\bmake (?:it|that) (?P<n>{NUMBER}) of (?:those|them|the) ", text)
    if count and named:
        return [Part(Act.CHANGE, what=count["n"], which=f"the {named[0].name}")]
    return []


_OF_EACH: Final = re.compile(
    rf"(?:(?:{WISH}|make (?:it|that)|and|so|yes|okay) )*(?P<more>another )?(?P<n>{NUMBER})"
    r" of (?:each|everything)"
)


def _of_some(text: str, named: list[Thing]) -> list[Part]:
    """So many: "six of them", "two with milk"."""
    several = re.fullmatch(
        rf"(?:[\w']+ ){{0,4}}?(?P<n>{NUMBER}) of (?:those|them|these|that)", text
    )
    if several and not extras(text):
        return [Part(Act.CHANGE, what=several["n"])]
    if each := _OF_EACH.fullmatch(text):
        if each["more"]:
            return [Part(Act.AGAIN, which="all")]
        return [Part(Act.CHANGE, what=each["n"], which="all")] if each["n"] != "one" else []
    some = re.match(
        rf"(?P<n>{NUMBER})(?: of (?:those|them))? (?=with\b|has\b|wants\b|needs\b|takes\b"
        rf"|in\b|{LOOK}\b)",
        text,
    )
    begins = mentions(text)[0].start() if named else len(text)
    how = text[some.end() : begins] if some else ""
    if some and (extras(how) or looks(how)):
        rest = (Part(Act.ADD, thing) for thing in named)
        return [Part(Act.CHANGE, what=how, which=f"{some['n']} of them"), *rest]
    return []


_SO_BE: Final = re.compile(
    r"(?P<has> with [\w ]+?) (?:should|can|could|must|needs? to) be (?:an? )?(?P<how>.+)"
)
_ONLY: Final = re.compile(rf"\bonly {NUMBER} (?:\w+ )?$")


def _to_known(text: str, named: list[Thing]) -> list[Part]:
    """What is ordered, otherwise: "make the latte a mocha", "the flat white with oat milk"."""
    spans = mentions(text)
    if text.startswith(f"{TOLD_AGAIN}the "):
        return []
    if not named or not named[0].known or _ONLY.search(text[: spans[0].start("name")]):
        return []
    wish = bool(re.match(rf"(?:\w+ ){{0,3}}(?:{WISH})\b", text)) and not _REMAKES.search(text)
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
        how, which = f"{before} , {text[span.end() : end]}", span[0].strip()
        if so := _SO_BE.match(text[span.end() : end]):  # "the coffees with milk should be large"
            how, which = so["how"], f"{which}{so['has']}"
        found.append(_otherwise(how, which, other, wish=wish))
    return found


_NOT: Final = re.compile(
    r"\b(?:not|instead of|rather than) (?:the |any )?(?P<off>\w+(?: \w+){0,2})$"
)


def _otherwise(
    how: str, which: str = "", thing: Thing | None = None, *, wish: bool = False
) -> Part:
    """A change; "oat milk, not soya" takes the soya out."""
    off = _NOT.search(how)
    out = off["off"] if off and IN_IT.search(off["off"]) else ""
    if not out and (less := re.match(rf"only {NUMBER} (?:\w+ )??(?P<off>{IN_IT.pattern})", how)):
        out, off = less["off"], None
    return Part(
        Act.CHANGE, thing, how[: off.start()] if off and out else how, which, off=out, wish=wish
    )


def _of_those(text: str, named: list[Thing]) -> list[Part]:
    """Some of what was spoken of, and more: "one of those with oat milk and a tea"."""
    which = POINTS.search(text)
    if not which or not named or which.start() >= mentions(text)[0].start():
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
    which = POINTS.search(text)
    if not which or (named and not _REMAKES.search(text)):
        return []
    before, after = text[: which.start()], text[which.end() :]
    if not _MAKES.search(f"{before} {after}"):
        how = f"{before} {after}"
        told = not named and (" one with " in which[0] or looks(how) or extras(how))
        return [_otherwise(how, which[0])] if told else []
    how = after if named else f"{before} {after}"
    if not _tells(how):
        how = before
    if not named and not _tells(how):
        return []
    thing = named[0] if named else None
    rest = [Part(Act.ADD, one, instead=True) for one in named[1:]]
    return [_otherwise(how, which[0], thing), *rest]


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
    all_told = "all" if text.startswith(TOLD_AGAIN) else ""
    for at, thing in enumerate(named):
        again = any(one.name == thing.name and one.count for one in named[at + 1 :])
        if at not in put_right and (thing.count or not again):  # "juice, yeah, an orange juice"
            instead = "instead" in text.split()
            found.append(Part(Act.ADD, thing, which=all_told, instead=instead))
    if one := re.match(rf"an? (?P<look>(?:{LOOK} )+)one\b", text):  # a cold brew, "a large one"
        found.insert(0, Part(Act.CHANGE, what=one["look"]))
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
    rf"(?:^|\b(?:{WISH}|and|have|get) )(?:an?|some|{NUMBER}) "
    r"(?P<what>[a-z]+(?: (?!for\b)[a-z]+){0,2})(?: for(?: \w+){1,2})?$"
)


#: May stand around a look that a thing is to have.
_AROUND: Final = (
    rf"{WISH}|it|a|an|one|ones|make|with|be|so|and|yeah|yes|ok|okay|in|of|the|them|those|that|will"
    rf"|want|wanted|not|thanks|she|he|says|hers|his|mine|if|you|would|to|{NUMBER}"
)


def _how(text: str, named: list[Thing]) -> list[Part]:
    """The newest, otherwise: "with oat milk", "large", "three". And what is not on the menu."""
    about = re.sub(rf"\b(?:{LOOK}|{_AROUND})\b", " ", text).split()
    if one := re.match(rf"(?:and )?(?:an?|the) (?P<look>(?:{LOOK} )+)one\b", text):
        return [Part(Act.CHANGE, what=one["look"])]
    if extras(text) or (looks(text) and len(about) < 2):
        return [_otherwise(text)]
    end = r"(?: (?:of (?:those|them|these|that)|ones?))?"
    if number(text) and re.fullmatch(rf"(?:[\w']+ ){{0,3}}{NUMBER}{end}", text):
        return [Part(Act.CHANGE, what=text)]
    wanted = _WANTED.search(text)
    if wanted and not re.search(rf"\b{NOBODY}\b", wanted["what"]):
        return [Part(Act.UNKNOWN, what=wanted["what"])]
    return []
