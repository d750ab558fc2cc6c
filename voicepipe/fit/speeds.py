"""How fast a machine runs each model. Pure; `measure.py` fills it, `table.py` has a reference."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log2

from voicepipe.runtime.cores import share

WORDS = 7
"""Of the question that decodes are measured with."""


@dataclass(frozen=True, slots=True)
class AsrSpeed:
    """`decode_ms`: of a question of `WORDS`, alone on the machine, with `threads`; `word_ms`: what
    each word takes of it.
    """

    model: str
    decode_ms: float
    threads: int
    word_ms: float = 0.0

    def ms_of(self, words: int) -> float:
        """Of an utterance, or the part of it that was said so far."""
        return self.decode_ms + (words - WORDS) * self.word_ms

    def sped_up(self, times: float) -> AsrSpeed:
        """On a machine that computes so much faster."""
        return replace(self, decode_ms=self.decode_ms / times, word_ms=self.word_ms / times)


@dataclass(frozen=True, slots=True)
class LlmSpeed:
    """Alone on the machine, with `threads`: a prompt's token, a token of the answer, the same token
    with four answers in the batch, and what each request costs besides.
    """

    model: str
    prefill_ms: float
    step_ms: float
    step_of_four_ms: float
    request_ms: float
    threads: int

    @property
    def company(self) -> float:
        """By how much a step grows with each further answer in the batch, as a share of it."""
        return max(0.0, (self.step_of_four_ms / self.step_ms - 1) / 3)

    def prompt_ms(self, new_tokens: float) -> float:
        """Alone: from the request to the first token."""
        return self.request_ms + new_tokens * self.prefill_ms


CHARS_PER_S = 15.0
"""As people speak, about."""


@dataclass(frozen=True, slots=True)
class TtsSpeed:
    """Alone: to the first sound of a clause, and to all of it, for each second of sound; how many
    characters the voice says in one.
    """

    model: str
    first_ms: float
    ms_per_s: float
    chars_per_s: float = CHARS_PER_S

    def seconds_of(self, text: str) -> float:
        """How long its sound is."""
        return len(text) / self.chars_per_s

    def ms_of(self, text: str) -> float:
        """To make all of it."""
        return self.seconds_of(text) * self.ms_per_s


@dataclass(frozen=True, slots=True)
class Speeds:
    """All that was measured; the models of each stage from the best to the smallest."""

    cores: int
    asr: tuple[AsrSpeed, ...]
    llm: tuple[LlmSpeed, ...]
    tts: TtsSpeed
    source: str = "measured"  # or how it was come by


@dataclass(frozen=True, slots=True)
class Setup:
    """One way to set a server up. `partial_ms`: new speech between two partial decodes."""

    asr: AsrSpeed
    llm: LlmSpeed
    partial_ms: int


COMPUTE_GAIN, MEMORY_GAIN = 0.85, 0.6
"""What a doubling of the cores brings of the double: for what computes, and for a token of the
answer, which waits for memory. Assumed, not measured."""


def on_more_cores(speeds: Speeds, cores: int) -> Speeds:
    """The same machine with another number of cores, by rule of thumb."""
    times, threads = cores / speeds.cores, share(cores)
    compute, memory = _gain(times, COMPUTE_GAIN), _gain(times, MEMORY_GAIN)
    return replace(
        speeds,
        cores=cores,
        asr=tuple(replace(one.sped_up(compute), threads=threads.asr) for one in speeds.asr),
        llm=tuple(
            replace(
                one,
                prefill_ms=one.prefill_ms / compute,
                request_ms=one.request_ms / compute,
                step_ms=one.step_ms / memory,
                step_of_four_ms=one.step_of_four_ms / memory,
                threads=threads.llm,
            )
            for one in speeds.llm
        ),
        source=f"{speeds.source}, by rule of thumb on {cores} cores",
    )


def _gain(times: float, part: float) -> float:
    """Speed-up on `times` the cores, of which each doubling brings this part of the double."""
    return float(times ** (1 + log2(part)))
