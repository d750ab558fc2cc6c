"""What was said over the agent's voice: how many of the words are meant, and whose they are.

Asked again on every frame of an overlap, mostly with the same words: the last few are remembered.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from itertools import pairwise
from math import ceil

from voicepipe.languages.known import language_of
from voicepipe.languages.language import Language
from voicepipe.languages.script import (
    EDGES,
    MARKS_ABOVE,
    SOUTH_EAST,
    SOUTH_EAST_PER_WORD,
    UNIT,
    UNSPACED_LETTERS,
    WIDE_PER_WORD,
)

ECHO_SHARE = 0.8
"""Of the words, that must be the agent's own; a recognizer mishears some of an echo."""


def units(text: str, language: Language) -> tuple[str, ...]:
    """The words as the tables spell them; of a script without spaces its runs."""
    return _units(text, language.code)


@lru_cache(maxsize=64)
def _units(text: str, code: str) -> tuple[str, ...]:
    language = language_of(code)
    plain = language.plain(text)
    pieces = UNIT.findall(plain) if _has_runs(plain) else plain.split()
    return tuple(bare for piece in pieces if (bare := piece.strip(EDGES)))


@lru_cache(maxsize=64)
def meant(words: tuple[str, ...], backchannels: frozenset[str]) -> tuple[str, ...]:
    """Those of `units` that are not a listener's "go on"."""
    rest = []
    for word in words:
        if word in backchannels:
            continue
        bare = _without_backchannels(word, backchannels) if _has_runs(word) else word
        if bare:
            rest.append(bare)
    return tuple(rest)


def count(words: tuple[str, ...]) -> int:
    """How many words `units` are: a run of an unspaced script may be several."""
    return sum(_words_in(word) for word in words)


def says_stop(words: tuple[str, ...], language: Language) -> bool:
    """A word that stops anybody: it is meant, however short."""
    if any(_is_stop(word, language.stops) for word in words):
        return True
    pairs = pairwise(words)
    return any(f"{one} {two}" in language.stops for one, two in pairs)


def is_echo(words: tuple[str, ...], agent_text: str, language: Language) -> bool:
    """The microphone hears the loudspeaker: nearly all words are the agent's own, in order."""
    return _is_echo(words, agent_text, language.code)


@lru_cache(maxsize=64)
def _is_echo(words: tuple[str, ...], agent_text: str, code: str) -> bool:
    heard = _in_pairs(words)
    if len(heard) < 2:
        return False
    said = _in_pairs(_units(agent_text, code))
    known = set(said)
    position, found = 0, 0
    for word in heard:
        if word in known and word in said[position:]:
            position = said.index(word, position) + 1
            found += 1
    return found >= ECHO_SHARE * len(heard)


def _has_runs(text: str) -> bool:
    return not text.isascii() and UNSPACED_LETTERS.search(text) is not None


def _words_in(word: str) -> int:
    if word.isascii() or not UNSPACED_LETTERS.match(word):
        return 1
    letters = len(MARKS_ABOVE.sub("", word))
    return ceil(letters / (SOUTH_EAST_PER_WORD if SOUTH_EAST.match(word) else WIDE_PER_WORD))


def _without_backchannels(run: str, backchannels: Collection[str]) -> str:
    """Of "嗯嗯好的我要退票" "我要退票": what stands behind the first meant word is meant too."""
    while run:
        longest = max((len(one) for one in backchannels if run.startswith(one)), default=0)
        if not longest:
            break
        run = run[longest:]
    half_said = any(one.startswith(run) for one in backchannels)  # "いいで" of "いいですね"
    return "" if half_said else run


def _is_stop(word: str, stops: Collection[str]) -> bool:
    """In a run it may stand at the end: "你等一下"; one character alone must be all of it."""
    if word in stops:
        return True
    return _has_runs(word) and any(len(one) > 1 and word.endswith(one) for one in stops)


@lru_cache(maxsize=64)
def _in_pairs(words: tuple[str, ...]) -> tuple[str, ...]:
    """Runs as overlapping pairs of characters, since nobody knows where their words part."""
    pairs: list[str] = []
    for word in words:
        if len(word) < 2 or not _has_runs(word):
            pairs.append(word)
        else:
            pairs += [word[at : at + 2] for at in range(len(word) - 1)]
    return tuple(pairs)
