"""The facts of a house: which of its sentences a question is about.

Rare words count more than common ones, and endings do not count. A question for a price, a length
or a place favours sentences that tell one, and the words that the house's file says ask for a fact
(`about`) are surest. What no sentence has enough of is not known.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from words import DAYS, NUMBER, plain

_ENOUGH: Final = 0.8
_OF_A_KIND: Final = 0.7
_NAMED: Final = 1.0
_LEANING: Final = 0.25  # a word of the booking, to one of the question
_STRANGE: Final = 0.5
_IDLE: Final = re.compile(r"\b(?:these days|by the way|the now|at all|in all)\b")
_TIMES: Final = re.compile(rf"\b(?:{'|'.join(DAYS)}|{NUMBER}|half|quarter|past)\b", re.IGNORECASE)
#: Words that mean the same everywhere.
_SAME: Final = {
    "jab": "vaccination", "shot": "vaccination", "vaccinat": "vaccination", "loo": "toilet",
    "bathroom": "toilet", "kid": "child", "children": "child", "elevator": "lift", "pub": "bar",
}  # fmt: skip
_LEANS: Final = re.compile(r"\b(?:that|it|this|those|them|one)\b")
_ENDINGS: Final = ("s", "ing", "ed", "er", "ly", "e")
_COMMON: Final = frozenset(
    """
    a an the i you we he she it they me my your our us them this that these those is are was
    were be been am do does did can could will would shall should may might have has had of to
    in on at for with by from and or but if so as up out about there here not no yes any some
    what which who whose when where why how um uh er hello hi hey please thanks thank okay ok
    well just like want need get got let know tell say don't isn't i'm i'd i've it's that's
    what's how's you're we're one more much many then now too sorry yeah right fine great good
    lovely oh ah come take going gonna set back run damage these those today ye yous guys
    usually roughly around total altogether each per time thing things money loads way again
    only actually honestly though exactly normally lot lots anything everything something
    someone anyone does did being really bit kind sort also already still ever before after
    first last wondering ask asking question quick
    """.split()
)
#: What asks for something, and what sentences that tell it have.
_KINDS: Final = (
    (
        r"\b(costs?|prices?|charges?|charging|pay|fees?|free|expensive|how much|come to|money|dear"
        r"|pricey|cheap|cheaper|set me back|run me|run per|rates?|damage|dearer)\b",
        r"\b(euros?|pounds?|dollars?|francs|crowns|free|costs?|price)\b",
    ),
    (r"\b(how long|takes?|lasts?)\b", r"\b(minutes?|hours?|days|weeks?)\b"),
    (
        r"\b(where|address|find you|get to you)\b",
        r"\b(street|road|lane|next to|behind|opposite|floor|square)\b",
    ),
    (r"\b(old|age|kids?|child|children|son|daughter)\b", r"\b(years?|age|child|children)\b"),
    (r"\b(bring|wear)\b", r"\b(bring|wear|need|provided)\b"),
)


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence, what it has, and what asks for it."""

    say: str
    words: frozenset[str]
    kinds: frozenset[int]
    asks: tuple[str, ...]


def read_facts(facts: Sequence[Mapping[str, str]]) -> tuple[Fact, ...]:
    """Of the house's file: tables of `say` and, if the sentence does not say it all, `about`."""
    found: list[Fact] = []
    for one in facts:
        say, about = one["say"], one.get("about", "")
        told, asks = plain(say), tuple(filter(None, map(plain, about.split(","))))
        kinds = frozenset(at for at, (_, tells) in enumerate(_KINDS) if re.search(tells, told))
        found.append(Fact(say, _rare(f"{told} {' '.join(asks)}"), kinds, asks))
    return tuple(found)


def fact_about(facts: Sequence[Fact], asked: str, booking: str = "") -> str | None:
    """The sentence that a question is about. ``booking``: in words, what "how much is that" leans
    on."""
    count = Counter(word for fact in facts for word in fact.words)
    asked = _IDLE.sub(" ", asked)
    words = _rare(asked)
    leaning = _rare(_TIMES.sub(" ", booking)) - words
    kinds = {at for at, (asks, _) in enumerate(_KINDS) if re.search(asks, asked)}

    def weight(shared: frozenset[str]) -> float:
        return sum(math.log(1 + len(facts) / count[word]) for word in shared)

    known = frozenset(count)
    leans = _LEANS.search(asked) is not None
    strange = 0 if leans else len(words - known - _OF_KINDS)  # what no sentence speaks of
    enough = _ENOUGH if words - _OF_KINDS and not (leans and kinds) else _OF_A_KIND
    best, most = None, 0.0
    for fact in facts:
        named = any(re.search(rf"\b{re.escape(ask)}\b", asked) for ask in fact.asks)
        score = _NAMED * named + weight(words & fact.words)
        if not score and words - _OF_KINDS and not (leans and kinds):
            continue  # it asks for something that this one does not tell
        score += _OF_A_KIND * (len(kinds & fact.kinds) or -bool(kinds))
        if score > 0 and (leans or not words & known):
            score += _LEANING * weight(leaning & fact.words)
        score -= _STRANGE * min(strange, 3)
        if score > most:
            best, most = fact.say, score
    return best if most >= enough else None


def _stems_of_kinds() -> frozenset[str]:
    words = {word for asks, _ in _KINDS for word in re.findall(r"[a-z']+", asks)}
    return frozenset(map(stem, words))


def _rare(text: str) -> frozenset[str]:
    words = re.findall(r"[a-z']+|\d\d+", text)
    stems = (stem(word) for word in words if word not in _COMMON)
    return frozenset(_SAME.get(word, word) for word in stems)


def stem(word: str) -> str:
    """``trimming``, ``trims`` and ``trim`` are one."""
    word = word.removesuffix("'s")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) > 2:
            word = word.removesuffix(ending)
            if len(word) > 3 and word[-1] == word[-2] and ending in ("ing", "ed", "er"):
                word = word[:-1]
    return word


_OF_KINDS: Final = _stems_of_kinds()
"""A question of nothing else is about what is booked."""
