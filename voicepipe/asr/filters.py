"""What keeps a recognizer from hearing words that were not said. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from voicepipe.asr.agreement import fold

Refusal = Literal["silence", "noise", "loop"]

MAX_LOOP_WORDS = 8
"""Longest phrase looked for; loops of Whisper are short."""


@dataclass(frozen=True, slots=True)
class FilterLimits:
    """When text is withheld. The defaults are those of stock Whisper checkpoints."""

    silence_dbfs: float = -60.0  # quieter 20 ms frames hold no speech; room tone is about -50
    no_speech: float = 0.6  # probability of the no-speech token that, together with ...
    log_prob: float = -1.0  # ... a mean token log probability below this, means noise
    either: bool = False  # one of the two is enough (thresholds tuned on the very model)

    @property
    def silence_energy(self) -> float:
        """`silence_dbfs` as a mean square, full scale = 1."""
        return float(10.0 ** (self.silence_dbfs / 10.0))


@dataclass(frozen=True, slots=True)
class Loop:
    """A phrase of `length` words said `times` times in a row from word `start` on."""

    start: int
    length: int
    times: int

    @property
    def words(self) -> int:
        return self.length * self.times


def token_cap(audio_s: float, tokens_per_s: float, most: int = 224) -> int:
    """Tokens a decode of `audio_s` may produce: enough for fast speech, too few for a long loop."""
    return max(1, min(most, 8 + math.ceil(audio_s * tokens_per_s)))


def is_noise(avg_logprob: float, no_speech_prob: float, limits: FilterLimits) -> bool:
    """The model doubts that there was speech (log probability: mean over tokens, natural log)."""
    doubts = (no_speech_prob > limits.no_speech, avg_logprob < limits.log_prob)
    return any(doubts) if limits.either else all(doubts)


def find_loop(words: Sequence[str]) -> Loop | None:
    """The first phrase that is repeated more often than people do: 8 times one word (a telephone
    number may hold seven equal digits), 4 times two words, 3 times a longer phrase."""
    normalize_text = [fold(word) for word in words]
    for start in range(len(normalize_text)):
        for length in range(1, MAX_LOOP_WORDS + 1):
            times = _repeats(normalize_text, start, length)
            if times >= _suspicious(length):
                return Loop(start, length, times)
    return None


def without_loops(words: Sequence[str]) -> tuple[list[int], bool]:
    """Indices of the words to keep: of every loop its first round. The flag says that most of the
    words belonged to loops, so that nothing said remains to be trusted."""
    kept: list[int] = []
    looped = 0
    offset = 0
    while (loop := find_loop(words[offset:])) is not None:
        kept += range(offset, offset + loop.start + loop.length)
        looped += loop.words
        offset += loop.start + loop.words
        while offset < len(words) and _goes_on(words, offset, loop.length):
            offset += 1  # a last round that the token cap cut short
    kept += range(offset, len(words))
    return kept, looped * 2 > len(words)


def _repeats(normalize_text: Sequence[str], start: int, length: int) -> int:
    phrase = normalize_text[start : start + length]
    times = 1
    while normalize_text[start + times * length : start + (times + 1) * length] == phrase:
        times += 1
    return times


def _suspicious(length: int) -> int:
    return {1: 8, 2: 4}.get(length, 3)


def _goes_on(words: Sequence[str], index: int, length: int) -> bool:
    return fold(words[index]) == fold(words[index - length])
