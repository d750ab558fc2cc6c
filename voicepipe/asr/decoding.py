"""What is asked of an engine's decoder, and its answer: one stretch of audio, in full."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from voicepipe.asr.contract import Word
from voicepipe.audio.pcm import SAMPLE_RATE, Int16

UNSPACED = frozenset({"zh", "yue", "ja", "th", "lo", "my"})
"""Languages written without spaces between words; every character or so is a word then."""


CHANGED_PROBABILITY = 0.8
"""So likely must another language than the session's be before speech is decoded as it: an accent,
a name or a noisy line makes a detector doubt."""


@dataclass(frozen=True, slots=True, eq=False)
class DecodeRequest:
    """Decode `pcm` (int16 [n], 16 kHz) in a window of `window` samples (zeros fill it up)."""

    pcm: Int16
    window: int  # >= len(pcm)
    max_tokens: int
    language: str | None = None
    prompt: str | None = None
    timed: bool = False  # measure word times (costs a second pass); else they are estimated
    kept_language: str | None = None  # where none is given: the session's so far, unless another
    # one is heard for sure

    @property
    def batch_key(self) -> Hashable:
        """Requests with equal keys may share a batch: same window, same earlier text. Languages
        may differ, but not where times are measured: an alignment has one prompt."""
        return (self.window, self.prompt, self.timed and (self.language or self))

    @property
    def window_s(self) -> float:
        return self.window / SAMPLE_RATE


def heard_language(code: str, chance: float, kept: str | None) -> tuple[str, float]:
    """The language to decode in, and how sure it is, where `code` is the likeliest of what was
    heard and `kept` the session's so far."""
    if kept and code != kept and chance < CHANGED_PROBABILITY:
        return kept, 1 - chance
    return code, chance


@dataclass(frozen=True, slots=True)
class Decoded:
    """What was heard. Word times are seconds from the first sample of the request's audio."""

    words: tuple[Word, ...]
    tokens: int = 0  # tokens generated, without the end
    avg_logprob: float = 0.0  # mean over tokens, natural log
    no_speech_prob: float = 0.0
    language: str | None = None
    language_probability: float = 1.0  # 1 where it was given, not detected
    work_s: float = 0.0  # engine time; of a batch: of all of it
