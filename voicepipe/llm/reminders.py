"""The facts of the instructions that a user's words are about, told once more right behind them.

A small model answers from what stands near: of a dozen facts at the head of the prompt it takes a
wrong one. So each user message gets the one or two sentences of the instructions that share most
with it: rare words count more than common ones, and a question after a price favours sentences
with an amount. What is added depends on the message and on those before it, so that a prompt begins
as the last one did, until the newest messages have all the room that there is. Pure; English.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, takewhile

from voicepipe.llm.contract import Message
from voicepipe.llm.prompt import SUMMARY_HEAD

MOST_READ = 20_000
"""Characters of the instructions; what comes behind them is not looked up."""

MOST_FACTS = 200
"""Sentences that are looked at, the first ones."""

FEWEST = 2
"""Sentences that tell facts: a single one is not told twice."""

MOST_WORDS = 45
"""In a reminder. A sentence of more is not told: most of it would be about something else."""

MOST_CHARS = 300
"""Likewise."""

ROOM = 1200
"""Characters of all reminders in a prompt, the newest first: small models hold little."""

NEWEST = 24
"""User messages that are reminded."""

_LEANS_ON = 500
"""Characters at the end of what was said before."""

_NEARLY = 0.5
"""A second sentence is told where it has so much of the first one's score."""

_EARLIER = 0.45
"""What the words count that were said before, which "and on saturdays?" leans on."""

_CUE = 0.7
"""What a sentence gains by being of the kind that is asked for."""

_MANNERS = re.compile(
    r"(?:you(?:'re)?|keep|be|answer|speak|never|always|do not|don't)\b", re.IGNORECASE
)
"""How sentences begin that tell the model who it is and how to talk: no facts."""

_SENTENCES = re.compile(
    r"\n\s*(?:[-*•]\s+)?"
    r"|(?<=[.!?])(?<!\b[ap]\.m\.)(?<!\b[DM]r\.)(?<!\bMrs\.)(?<!\bSt\.)(?<!\bNo\.)(?<!\bapprox\.)\s+"
)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d\d+")
_OPEN_QUESTION = re.compile(r"\b(?:what|which|whose|who|how|when|where)\b", re.IGNORECASE)
_ENDINGS = ("s", "ing", "ed", "er", "ly", "e")

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
_DAYS = (
    r"\b(?:mon|tue|wed|thu|fri|sat)(?:[a-z]*day)?s?\b|\bsundays?\b|\bsun\b(?! [a-z])"
    r"|\bweekend|\bdaily\b|\bevery day"
)


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
    """The prompt with the facts in brackets behind what the newest user messages say."""
    head = takewhile(lambda message: message.role == "system", messages)
    facts = _facts("\n".join(one.content.partition(SUMMARY_HEAD)[0] for one in head))
    if len(facts.sentences) < FEWEST:
        return tuple(messages)
    told, room = list(messages), ROOM
    for at, before in reversed(list(_asked(messages))[-NEWEST:]):
        if fact := facts.about(messages[at].content, before):
            room -= len(fact)
            if room < 0:
                break
            told[at] = replace(messages[at], content=f"{messages[at].content}\n({fact})")
    return tuple(told)


def _asked(messages: Sequence[Message]) -> Iterator[tuple[int, str]]:
    """Where the user speaks, and what that may lean on: what they said before, and what they were
    asked."""
    user = assistant = ""
    for at, message in enumerate(messages):
        if message.role == "user":
            yield at, f"{user} {_open_question(assistant)}"
            user = message.content[-_LEANS_ON:]
        elif message.role == "assistant":
            assistant = message.content[-_LEANS_ON:].rstrip()


def _open_question(said: str) -> str:
    """The last sentence, where it asks for more than a yes or no."""
    if not said.endswith("?"):
        return ""
    *_, last = _SENTENCES.split(said)
    return last if _OPEN_QUESTION.search(last) else ""


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a text: the rare ones without their endings, and which kinds of facts they ask
    for."""

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
        both = [self.sentences[at] for at in sorted((first, second))]
        if scores[second] < max(_CUE, _NEARLY * scores[first]) or _is_long(" ".join(both)):
            return self.sentences[first]
        return f"{both[0]}{' ' if both[0][-1] in '.!?' else '; '}{both[1]}"

    def _score(self, at: int, wanted: _Words, known: _Words | None = None) -> float:
        """How much of what is wanted a sentence has; of words those that are not `known`."""
        shared = self.words[at] & (wanted.rare - known.rare if known else wanted.rare)
        # fsum: the same in whichever order a process walks its sets
        return math.fsum(self.weights[word] for word in shared) + _CUE * len(
            self.kinds[at] & wanted.kinds
        )


@lru_cache(maxsize=16)
def _facts(instructions: str) -> _Facts:
    pieces = _SENTENCES.split(instructions[:MOST_READ])
    if len(instructions) > MOST_READ:
        pieces.pop()  # it is cut off
    sentences = tuple(filter(_is_fact, (piece.strip(" -*•\t") for piece in pieces)))[:MOST_FACTS]
    words = tuple(_words(sentence).rare for sentence in sentences)
    kinds = tuple(
        frozenset(n for n, (_, told) in enumerate(_KINDS) if told.search(sentence.lower()))
        for sentence in sentences
    )
    count = Counter(word for some in words for word in some)
    weights = {word: math.log(1 + len(sentences) / times) for word, times in count.items()}
    return _Facts(sentences, words, kinds, weights)


def _is_fact(piece: str) -> bool:
    """No heading, no manners, nothing that is as long as a page."""
    heading = not piece or piece[0] == "#" or piece[-1] == ":"
    return not (heading or _MANNERS.match(piece) or _is_long(piece))


def _is_long(text: str) -> bool:
    return len(text) > MOST_CHARS or len(text.split()) > MOST_WORDS


def _words(text: str) -> _Words:
    every = _WORD.findall(text.lower().replace("’", "'"))
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
            word = word.removesuffix(ending)
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word
