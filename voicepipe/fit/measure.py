"""Runs each model for a few seconds, alone, the way a turn runs it. The least of several times is
kept: what else the machine does can only make it slower.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path

import numpy as np

from voicepipe.asr.contract import AsrOptions
from voicepipe.config import Settings
from voicepipe.fit.speeds import AsrSpeed, LlmSpeed, TtsSpeed
from voicepipe.llm.contract import ChatRequest, Finish, Message, TextDelta
from voicepipe.llm.engines.llama_cpp import LlamaCppModel
from voicepipe.runtime import cores
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.server.engine_factory import create_recognizer, create_synthesizer
from voicepipe.tts.contract import Voice

TRIES = 4
SPEECH_S = 3.0  # of the utterance that is decoded
RATE = 16_000
LONG_WORDS, SHORT_WORDS = 120, 20  # of prompts whose times are compared
ANSWER_TOKENS = 24
CLAUSE = "I can help you with that."
SENTENCE = "The shop at the corner is open from nine in the morning until half past six today."

Told = Callable[[str], None]


async def measure_asr(settings: Settings, name: str, place: Path, told: Told) -> AsrSpeed:
    """A final of a short utterance. It is made of noise like a voice: what a decode takes depends
    on its window, and little on its words.
    """
    told(f"recognizer {name}")
    threads = cores.share(cores.available()).asr
    asr = settings.asr.model_copy(update={"model": str(place), "threads": threads})
    recognizer = create_recognizer(settings.model_copy(update={"asr": asr}), MonotonicClock())
    await recognizer.start()
    try:

        async def decode() -> None:
            utterance = recognizer.open(AsrOptions(partials=False))
            utterance.feed(_murmur(SPEECH_S))
            await utterance.final()
            utterance.cancel()

        return AsrSpeed(name, await _least_ms(decode), threads)
    finally:
        await recognizer.aclose()


async def measure_llm(settings: Settings, name: str, place: Path, told: Told) -> LlmSpeed:
    """Prompts of two lengths, of which nothing is in the cache, an answer, four answers at once."""
    told(f"language model {name}")
    own = settings.llm.llama_cpp.model_copy(update={"slots": 4, "nice": 0})
    timeouts = {"first_token_timeout_ms": 60_000, "total_timeout_ms": 120_000}
    model = LlamaCppModel(settings.llm.model_copy(update={"llama_cpp": own, **timeouts}), place)
    model.ignore_eos = True
    await model.start()
    try:
        short = [await _ask(model, SHORT_WORDS, number) for number in range(TRIES)]
        long = [await _ask(model, LONG_WORDS, number) for number in range(TRIES)]
        four = await asyncio.gather(*(_ask(model, SHORT_WORDS, 90 + n) for n in range(4)))
    finally:
        await model.aclose()
    quick, slow = (min(one.first_ms for one in asked) for asked in (short, long))
    few, many = short[0].prompt_tokens, long[0].prompt_tokens
    prefill_ms = max(0.01, (slow - quick) / (many - few))
    return LlmSpeed(
        model=name,
        prefill_ms=prefill_ms,
        step_ms=min(one.step_ms for one in (*short, *long)),
        step_of_four_ms=max(one.step_ms for one in four),
        request_ms=max(0.0, quick - few * prefill_ms),
        threads=cores.share(cores.available()).llm,
    )


async def measure_tts(settings: Settings, name: str, place: Path, told: Told) -> TtsSpeed:
    """A first clause, and a sentence."""
    told(f"voice {name}")
    tts = settings.tts.model_copy(update={"model": str(place), "cache_mb": 0.0})
    synthesizer = create_synthesizer(settings.model_copy(update={"tts": tts}), MonotonicClock())
    await synthesizer.start()
    sounds: list[float] = []
    try:

        async def begin() -> None:
            async with aclosing(synthesizer.stream(CLAUSE, Voice())) as speech:  # type: ignore[type-var]
                await anext(speech)

        async def speak() -> None:
            chunks = [one.pcm.size async for one in synthesizer.stream(SENTENCE, Voice())]
            sounds.append(sum(chunks) / synthesizer.sample_rate)

        first_ms, all_ms = await _least_ms(begin), await _least_ms(speak)
        return TtsSpeed(name, first_ms, all_ms / min(sounds))
    finally:
        await synthesizer.aclose()


class _Asked:
    """One answer, timed."""

    first_ms = step_ms = 0.0
    prompt_tokens = 0


async def _ask(model: LlamaCppModel, words: int, number: int) -> _Asked:
    """A prompt that no slot has seen: it differs from its first word on."""
    begins = f"{number} {words} people asked. "
    text = begins + "tell me a joke and then another " * (words // 7)
    request = ChatRequest((Message("user", text),), max_tokens=ANSWER_TOKENS)
    asked = _Asked()
    async for delta in model.stream(request):
        if isinstance(delta, Finish):
            assert delta.times is not None
            asked.first_ms = delta.times.first_ms
            asked.step_ms = delta.times.step_p50_ms or 0.0
            asked.prompt_tokens = delta.usage.prompt_tokens - delta.usage.cached_tokens
        else:
            assert isinstance(delta, TextDelta)
    return asked


async def _least_ms(work: Callable[[], Awaitable[None]]) -> float:
    times = []
    for _ in range(TRIES):
        began = time.perf_counter()
        await work()
        times.append((time.perf_counter() - began) * 1000)
    return min(times)


def _murmur(seconds: float) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    """Noise whose level rises and falls as syllables do; int16, 16 kHz."""
    count = int(seconds * RATE)
    noise = np.random.default_rng(1).standard_normal(count)
    syllables = 0.5 + 0.5 * np.sin(2 * np.pi * 4 * np.arange(count) / RATE)
    return (noise * syllables * 2000).astype(np.int16)
