"""What to run once before the first caller comes. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from voicepipe.config import VllmSettings

DECODE_TOKENS = 24
"""Enough for a drafter to guess, be right and be wrong."""

LARGEST_BATCH = 8
"""Prompts at once; larger batches run the same kernels."""

_SMALLEST_PROMPT = 16


@dataclass(frozen=True, slots=True)
class WarmUpRun:
    """One generation whose text nobody reads."""

    ids: list[int]
    max_tokens: int
    temperature: float = 0.0
    seed: int | None = None


def warm_up_prompts(settings: VllmSettings, vocab_size: int) -> Iterator[list[WarmUpRun]]:
    """Batches to be run one after the other.

    Prompts of each size that takes a kernel of its own (powers of two up to one step's tokens, and
    one that takes several steps); answers greedy, sampled and seeded, over text that repeats
    itself, so that a drafter finds something; several at once.
    """
    room = settings.max_model_len - DECODE_TOKENS
    for size in _sizes(min(settings.max_num_batched_tokens + _SMALLEST_PROMPT, room)):
        yield [WarmUpRun(_ids(size, vocab_size, size), max_tokens=1)]
    text = _repeating(min(64, room), vocab_size)
    for temperature, seed in ((0.0, None), (0.7, None), (0.7, 1)):
        yield [WarmUpRun(text, DECODE_TOKENS, temperature, seed)]
    batch = min(LARGEST_BATCH, settings.max_num_seqs)
    yield [WarmUpRun([*text, n % vocab_size], DECODE_TOKENS) for n in range(batch)]


def _sizes(largest: int) -> Iterator[int]:
    size = _SMALLEST_PROMPT
    while size < largest:
        yield size
        size *= 2
    yield max(largest, 1)


def _ids(count: int, vocab_size: int, start: int) -> list[int]:
    """Different for each start, so that no prompt finds another in the prefix cache."""
    return [(start * 31 + n * 7) % vocab_size for n in range(count)]


def _repeating(count: int, vocab_size: int) -> list[int]:
    return [n % 8 % vocab_size for n in range(count)]
