"""The facts of the instructions that a user's words are about, told once more right behind them.

A small model answers from what stands near: of a dozen facts at the head of the prompt it takes a
wrong one. So each user message gets the one or two sentences of the instructions that share most
with it: rare words count more than common ones, and a question after a price favours sentences
with an amount. What is added depends on the messages before it alone, so that a prompt begins as
the last one did and an engine's prefix cache keeps matching. Pure; English.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from voicepipe.llm.contract import Message

MOST_READ = 20_000
"""Characters of the instructions; what comes behind them is not looked up."""

FEWEST = 2
"""Sentences that tell facts: a single one is not told twice."""

MOST_WORDS = 45
"""In a reminder; a longer sentence stands alone."""

_NEARLY = 0.5
"""A second sentence is told where it has so much of the first one's score."""

_EARLIER = 0.45
"""What the words count that were said before, which "and on saturdays?" leans on."""

_CUE = 0.7
"""What a sentence gains by being of the kind that is asked for."""

_MANNERS = re.compile(
    r"you(?:'re)?\b|keep|be\b|answer|speak|if you|never|always|do not", re.IGNORECASE
)
"""How sentences begin that tell the model who it is and how to talk: no facts."""

_SENTENCES = re.compile(r"\s*\n+\s*(?:[-*•]\s+)?|(?<=[.!?])\s+")
_OPEN_QUESTION = re.compile(r"\b(?:what|which|whose|who|how|when|where)\b.*\?$", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d\d+")
_ENDINGS = ("ing", "ed", "es", "er", "ly", "s")

_COMMON = frozenset(
    """a an the i you we he she it they me my your our us them this that these those is are was were
    be been am do does did can could will would shall should may might have has had of to in on at
    for with by from and or but if so as up out about there here not no yes any some what which who
    whose when where why how um uh er hello hi hey please thanks thank okay ok well just like want
    need get got let know tell say don't isn't i'm i'd i've it's that's what's how's you're we're
    one more much many then now too sorry yes yeah yep sure right fine great good lovely perfect
    correct cheers bye goodbye pardon oh ah""".split()
)

_DAY_NAMES = "monday tuesday wednesday thursday friday saturday sunday weekend".split()
_HOURS = "one two three four five six seven eight nine ten eleven twelve".split()
_DAYS = r"\b(?:mon|tue|wed|thu|fri|sat|sun)(?:[a-z]*day)?s?\b|\bweekend|\bdaily\b|\bevery day"


def _kind(asked: str, told: str, *phrases: str) -> tuple[frozenset[str], re.Pattern[str]]:
    """Words and pairs of words that ask for something, and what sentences that tell it have."""
    return frozenset((*asked.split(), *phrases)), re.compile(told)


_KINDS = (
    _kind(  # an amount
        "cost costs price prices charge charges pay paying fee fees free euro euros pound pounds"
        " expensive asking",
        r"[€$£]|\beuros?\b|\bpounds?\b|\bdollars?\b|\bfree\b|\bprices?\b|\bcosts?\b",
        "how much",
        "come to",
    ),
    _kind(  # a time or a day
        "when time open opens opening close closes closed closing until till hours today tomorrow"
        " o'clock noon day"
        f" {' '.join(_DAY_NAMES)} {'s '.join(_DAY_NAMES)}s",
        r"\d:\d\d|\bo'clock\b|\d ?[ap]m\b|\bopen|\bclosed\b|\bnoon\b|" + _DAYS,
        "how late",
        "half past",
        "quarter past",
        "quarter to",
        *(f"the {part}" for part in ("morning", "afternoon", "evening")),
        *(f"at {hour}" for hour in _HOURS),
    ),
    _kind(  # how long
        "wait take takes",
        r"\bminutes?\b|\bhours?\b|\bdays\b|\bweeks?\b|\bmonths?\b|\byears?\b",
        "how long",
    ),
    _kind(  # where
        "where address parking",
        r"\bnext to\b|\bbehind\b|\bfloor\b|\bstreet\b|\broad\b|\blane\b|\bopposite\b"
        r"|\bentrance\b|\bparking\b",
    ),
    _kind("phone number call ring", r"\d[\d ]{4,}|\bphone\b|\bcall\b"),
    _kind(  # how old
        "old age kid kids child children child's son daughter boy girl lad",
        r"\byears?\b|\bage\b|\bchild|\bkids?\b|\bunder\b",
    ),
    _kind(  # how many
        "people person persons guest guests seat seats",
        r"\bat most\b|\bup to\b|\bno more than\b|\bpeople\b|\bpersons?\b|\bguests?\b"
        r"|\bholds?\b",
        "how many",
        "of us",
    ),
    _kind(  # what to bring
        "bring wear own", r"\bbring\b|\bneed|\bwear\b|\bprovided\b|\bown\b|\bincluded\b"
    ),
)


def with_reminders(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The prompt with the facts in brackets behind what each user message says."""
    if not messages or messages[0].role != "system":
        return tuple(messages)
    facts = _facts(messages[0].content[:MOST_READ])
    if len(facts.sentences) < FEWEST:
        return tuple(messages)
    return tuple(
        _reminded(message, facts.about(message.content, _before(messages, at)))
        if message.role == "user"
        else message
        for at, message in enumerate(messages)
    )


def _reminded(message: Message, told: str) -> Message:
    return replace(message, content=f"{message.content}\n({told})") if told else message


def _before(messages: Sequence[Message], at: int) -> str:
    """What a message may lean on: what the user said before it, and what they were asked."""
    last = {message.role: message.content for message in messages[1:at]}
    *_, asked = _SENTENCES.split(last.get("assistant", "").rstrip())
    return f"{last.get('user', '')} {asked if _OPEN_QUESTION.search(asked) else ''}"


@dataclass(frozen=True, slots=True)
class _Words:
    """Of a text: without endings, those that are everywhere left out; and what they ask for."""

    rare: frozenset[str]
    kinds: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Facts:
    sentences: tuple[str, ...]
    words: tuple[frozenset[str], ...]  # of each
    kinds: tuple[frozenset[int], ...]  # that each tells
    weights: dict[str, float]  # of a word: the rarer, the more

    def about(self, said: str, before: str) -> str:
        asked, earlier = _words(said), _words(before)
        if not asked.rare and not asked.kinds:
            return ""  # a yes, a thank-you
        scores = [
            self._score(at, asked) + _EARLIER * self._score(at, earlier, asked)
            for at in range(len(self.sentences))
        ]
        first, second = sorted(range(len(scores)), key=lambda at: (-scores[at], at))[:2]
        if scores[first] < _CUE:
            return ""
        length = sum(len(self.sentences[at].split()) for at in (first, second))
        if scores[second] < max(_CUE, _NEARLY * scores[first]) or length > MOST_WORDS:
            return self.sentences[first]
        one, other = (self.sentences[at] for at in sorted((first, second)))
        return f"{one}{' ' if one[-1] in '.!?' else '; '}{other}"

    def _score(self, at: int, wanted: _Words, known: _Words | None = None) -> float:
        """How much of what is wanted a sentence has; of words those that are not `known`."""
        shared = self.words[at] & (wanted.rare - known.rare if known else wanted.rare)
        # fsum: the same in whichever order a process walks its sets
        return math.fsum(self.weights[word] for word in shared) + _CUE * len(
            self.kinds[at] & wanted.kinds
        )


@lru_cache(maxsize=64)
def _facts(instructions: str) -> _Facts:
    pieces = map(str.strip, _SENTENCES.split(instructions))
    sentences = tuple(piece for piece in pieces if piece and not _MANNERS.match(piece))
    words = tuple(_words(sentence).rare for sentence in sentences)
    kinds = tuple(
        frozenset(n for n, (_, told) in enumerate(_KINDS) if told.search(sentence.lower()))
        for sentence in sentences
    )
    count = Counter(word for some in words for word in some)
    weights = {word: math.log(1 + len(sentences) / times) for word, times in count.items()}
    return _Facts(sentences, words, kinds, weights)


def _words(text: str) -> _Words:
    every = _WORD.findall(text.lower())
    asks = {*every, *map(" ".join, pairwise(every))}
    return _Words(
        frozenset(_stem(word) for word in every if word not in _COMMON),
        frozenset(n for n, (asked, _) in enumerate(_KINDS) if not asked.isdisjoint(asks)),
    )


def _stem(word: str) -> str:
    """Near enough for a comparison: "closes", "closed" and "closing" are one."""
    word = word.partition("'")[0]
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return word.rstrip("e") if len(word) > 3 else word
