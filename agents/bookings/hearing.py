"""What a caller told of one need: a choice, a number, a day, a time, a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, NamedTuple

from house import Need
from words import (
    NUMBER,
    number,
    number_words,
    plain,
    read_day,
    read_digits,
    read_letters,
    read_time,
)

BETWEEN: Final = "|"
"""Stands where something was read before."""

_ARTICLES: Final = frozenset("a an the of with and or for in at one".split())
_ANSWERS: Final = frozenset("yes yeah yep please sure no nope without none".split())
#: What people say around a name or an address.
_AROUND: Final = frozenset(
    """um uh er erm hm mhm ah oh well so okay ok yes yeah yep no sorry please thanks thank you it's
    its it is that's that what's would be the name name's my i'm this here put me us down book on
    under for to in make mister with and surname first last full called spelled spelt i spell can
    have just hi hello could do does possible are which but then right good perfect lovely great
    actually wait sure of course write got very fair enough alright number number's phone telephone
    mobile by way""".split()
)
#: No name has one of these.
_NO_NAME: Final = frozenset(
    """a about after afternoon afraid again all also always an any anything are around as at away
    back be because been before best better big blocked book both bring broken but bye can
    can't cheaper come cost could couple day days did do does doing don't done down early
    either else evening every fine first fix for found free friend from get give go going
    good got had half happy has have he hear help her here him his home how i if in instead
    into is it job just keep kind last late later leave lesson let let's like little long
    look lot love lunch made make many maybe me mean meet might mine morning much must my
    near need never new next night no nobody not nothing now of off often old on one only
    open or other our out over own part people place possible pricey problem quite rather
    ready really round said same say school see send she short should small so some somebody
    someone something soon still sure take tell than that the their them then there these
    they thing things think this those thoughts time to today together tomorrow tonight too
    took tour under until up us use usual want was way we weather week well went were what
    when where which while who why will with without wish won't wonder work would yesterday
    yet you your""".split()
)
#: What follows a number that is a time: "at ten please", not "at 14 Weaver Street".
_NEXT: Final = re.compile(
    rf"$| \{BETWEEN}| (?:please|on|then|if|in|would|is|and|or|for|sharp|today|tomorrow|this|next"
    r"|okay|that's|name|under|my|put|there|there's|just|yes|yeah|um|uh"
    r"|that|instead|with|thanks|thank|works|suits|will|but|no|not|because|as|at|it|it's|i|we|the|so"
    r"|now|all|possible|good|fine|rather|sorry)\b"
)
_UNITS: Final = r"(?! (?:minutes?|hours?|days?|nights?|weeks?|months?|years?|euros?|pounds?)\b)"
_NONE: Final = re.compile(rf"'(?:d|s|ll|ve|re|t|m)\b|\b{NUMBER}\b")
#: "six on thursday", "thursday six".
_BESIDE_DAY: Final = re.compile(rf"(?:^|\s)({NUMBER}) \{BETWEEN}|\{BETWEEN} ({NUMBER})$")
_NAME: Final = (
    r"(?:my |the )?(?:first |last |full |sur)?name(?:'s| is| would be| will be)?"
    r"|under(?: the name(?: of)?)?|called|call me"
)
_ASKED: Final = r"it's|it is|this is|that's|i'm|i am|for"
_STOP: Final = re.compile(
    r" (?:the|my|our|and|on|at|for|it's|i(?:'\w+)?(?= \w\w)|we|we're|in|please|that's"
    r"|like|with|as)\b"
)
_GREETED: Final = r"(?:(?:hello|hi|hey|yes|good morning|good afternoon|good evening) )?"
_HERE: Final = rf"(?P<rest>{_GREETED}(?:[^\W\d_][\w'-]* ){{1,2}})(?:here|speaking)\b"
_GREETING: Final = rf"{_GREETED}(?:i'm|i am|this is) (?P<rest>(?:[^\W\d_][\w'-]*(?: |$)){{1,2}})"
_COUNTED: Final = (
    "for|party of|group of|we're|we are|we'd be|we'll be|there's|there are|there'll be|only|all"
    "|there will be|just(?: the)?|make it|make that|say|so"
)
_NO_COUNT: Final = (
    r"(?! (?:o'clock|minutes|hours|days|nights|weeks|thirty|fifteen|am|pm|past|to)\b)"
)
_PEOPLE: Final = r"|people|persons?|of us|of them|guests?|adults?|heads?|seats?|places?"
_TWO: Final = (
    r"(?:me|myself|my \w+|i) and (?:me|my \w+|a friend|\w+)"
    r"|the two of us|both of us|a couple|us two"
)
_ALONE: Final = r"just me|only me|by myself|on my own|just myself|alone|just the one|for one"
MOST_NAMES: Final = 4


@dataclass(frozen=True, slots=True)
class Hearing:
    """A need and how it is listened for."""

    need: Need
    asked: bool  # it was asked for just now
    alone: bool  # no other need counts anything
    today: date
    before: date | None  # the day that was told before


class Heard(NamedTuple):
    """A value, as it is said and what it is worth, and where it stood."""

    said: str
    value: Any
    begin: int
    end: int


def heard(hearing: Hearing, text: str) -> Heard | None:
    """What ``text`` (:func:`words.plain`) tells of it; None: nothing."""
    return _READERS[hearing.need.kind](hearing, text)


def _choice(hearing: Hearing, text: str) -> Heard | None:
    """The choice with most of its own words in the text."""
    best: tuple[int, int, int, str] | None = None
    for choice, meaning in hearing.need.one_of.items():
        own = _own_words(choice, hearing.need.one_of)
        phrases = {word for word in meaning if hearing.asked or word not in _ANSWERS}
        hits = [
            match
            for word in own | phrases
            for match in re.finditer(rf"\b{re.escape(word)}(?:s|es)?\b", text)
        ]
        if hits:
            weight = sum(1 + len(hit[0].split()) for hit in hits)
            last = max(hits, key=lambda hit: hit.end())
            score = weight, last.end(), last.start(), choice
            best = max(best, score) if best else score
    return best and Heard(best[3], best[3], best[2], best[1])


def _own_words(choice: str, choices: Mapping[str, Any]) -> set[str]:
    """The words that no other choice has; all together, where each of them has another."""
    others = {word for other in choices if other != choice for word in plain(other).split()}
    return (set(plain(choice).split()) - others - _ARTICLES) or {plain(choice)}


def _day(hearing: Hearing, text: str) -> Heard | None:
    found = read_day(text, hearing.today, hearing.before)
    return found and Heard(found[1].said, found[0], found[1].begin, found[1].end)


def _time(hearing: Hearing, text: str) -> Heard | None:
    found = read_time(text, bare=hearing.asked)
    loose = found and re.fullmatch(rf"(?:\w+ )?{NUMBER}", text[found.begin : found.end])
    if found and loose and not _NEXT.match(text, found.end):
        found = None
    if found is None and (beside := _BESIDE_DAY.search(text)):
        begin, end = beside.span(beside.lastindex or 0)
        found = read_time(f"at {text[begin:end]}")
        return found and Heard("", found.value, begin, end)
    return found and Heard("", found.value, found.begin, found.end)


def _count(hearing: Hearing, text: str) -> Heard | None:
    of = hearing.need.of
    nouns = "|".join(rf"{re.escape(word.removesuffix('s'))}(?:s|es)?" for word in of.split())
    nouns += _PEOPLE if of == "people" else ""
    patterns = [rf"(?P<n>{NUMBER})(?: (?!{NUMBER}\b)\w+)?? (?:{nouns})"]
    if hearing.asked or hearing.alone:
        patterns.append(rf"(?:{_COUNTED}) (?P<n>{NUMBER})\b{_NO_COUNT}{_UNITS}")
        patterns.append(rf"^(?P<n>{NUMBER}) for")
    single = "|".join(re.escape(word.removesuffix("s")) for word in of.split())
    if match := re.search(rf"\ban? (?:{single})\b", text):
        return Heard("one", 1, *match.span())
    nothing_else = len(_left(text)) == 1  # "three then please" puts a number right
    if hearing.asked or (hearing.alone and nothing_else):
        short = len(text.split()) < 4 and hearing.asked  # "if there is one", "the one on friday"
        patterns.append((rf"(?P<n>{NUMBER})" if short else rf"(?P<n>(?!one\b){NUMBER})") + _UNITS)
    for pattern in patterns:
        for match in reversed(list(re.finditer(rf"\b{pattern}\b", text))):
            value = number(match["n"])
            return Heard(number_words(value), value, *match.span())
    if of == "people":
        for pattern, value in ((_TWO, 2), (_ALONE, 1)):
            if found := re.search(rf"\b(?:{pattern})\b", text):
                return Heard(number_words(value), value, *found.span())
    return None


def _phone(hearing: Hearing, text: str) -> Heard | None:
    found = read_digits(text)
    return found and Heard(found[1].said, found[0], found[1].begin, found[1].end)


def _named(hearing: Hearing, text: str) -> Heard | None:
    """What is told as a name, or what is left where a name was asked for; spelled is spelled."""
    leads = [rf"\b(?:{_NAME}) (?P<rest>[^{BETWEEN}]+)", rf"^{_HERE}", rf"^{_GREETING}"]
    if hearing.asked:
        leads += [rf"\b(?:{_ASKED}) (?P<rest>[^{BETWEEN}]+)", "(?P<rest>.+)"]
    for lead in leads:
        if (match := re.search(lead, text)) and (name := _name_in(match["rest"])):
            begin = match.start("rest")
            return Heard(name[0], name[0], begin, begin + name[1])
    return None


def _name_in(text: str) -> tuple[str, int] | None:
    """The first name in it, and where it ends."""
    spelled = read_letters(text)
    told = text[: spelled[1].begin] if spelled else _STOP.split(_bare(text))[0]
    words = next(filter(_is_name, map(_left, re.split(rf"\{BETWEEN}|\band\b", told))), [])
    if words.count(words[0] if words else "") > 1:
        words.pop(0)  # "okafor, harry okafor"
    end = text.find(words[-1]) + len(words[-1]) if words else 0
    if spelled:
        if words and words[-1][0] == spelled[0][0]:
            words.pop()  # "barley b a r l e y"
        words.append(spelled[0])
        end = spelled[1].end
    return (" ".join(word.capitalize() for word in words), end) if words else None


def _is_name(words: list[str]) -> bool:
    told = " ".join(words)
    return (
        0 < len(words) <= MOST_NAMES and not _NO_NAME.intersection(words) and not _NONE.search(told)
    )


def _told(hearing: Hearing, text: str) -> Heard | None:
    """What is told of it by its own name, or what is left where it was asked for."""
    what = hearing.need.what
    named = "|".join(map(re.escape, {what, what.split()[-1]}))
    lead = re.search(rf"\b(?:the |my |our )?(?:{named})(?:'s| is|:)? (?P<rest>[^{BETWEEN}]+)", text)
    if lead is None and not hearing.asked:
        return None
    begin, rest = (lead.start("rest"), lead["rest"]) if lead else (0, text)
    words = " ".join(_left(rest))
    return Heard(words, words, begin, begin + len(rest)) if words else None


def _bare(text: str) -> str:
    """The text from its first word that may be meant."""
    while (first := text.partition(" "))[0] in _AROUND and first[2]:
        text = first[2]
    return text


def _left(text: str) -> list[str]:
    """The words without what people say around them."""
    words = text.replace(BETWEEN, " ").split()
    while words and words[0] in _AROUND:
        words.pop(0)
    while words and words[-1] in _AROUND:
        words.pop()
    return words


_READERS: Final[Mapping[str, Callable[[Hearing, str], Heard | None]]] = {
    "phone": _phone,
    "day": _day,
    "time": _time,
    "count": _count,
    "choice": _choice,
    "text": _told,
    "name": _named,
}
READ_IN: Final = tuple(_READERS)
"""The kinds, the surest first: what is read is taken out of the text."""
