"""Runs each model for a few seconds, alone, the way a turn runs it. The least of several times is
kept: what else the machine does can only make it slower.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from voicepipe.asr.contract import AsrOptions
from voicepipe.audio import files
from voicepipe.config import Settings
from voicepipe.fit.speeds import WORDS, AsrSpeed, LlmSpeed, TtsSpeed
from voicepipe.llm.contract import ChatRequest, Finish, Message, TextDelta
from voicepipe.llm.engines.llama_cpp import LlamaCppModel
from voicepipe.runtime import cores
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.server.engine_factory import create_recognizer, create_synthesizer
from voicepipe.server.web import web_dir
from voicepipe.tts.contract import Voice

TRIES = 4
QUESTION = "turn_on_the_lights_in_the_kitchen.flac"  # of the page's: `WORDS` in two seconds
FIRST_WORDS = 2
LONG_WORDS, SHORT_WORDS = 120, 20  # of prompts of which nothing is in the cache
NEXT_QUESTION = "and what about tomorrow"  # all of its history is
ANSWER_TOKENS = 24
CLAUSE = "I can help you with that."
SENTENCE = "The shop at the corner is open from nine in the morning until half past six today."

Told = Callable[[str], None]


async def measure_asr(settings: Settings, name: str, place: Path, told: Told) -> AsrSpeed:
    """Finals of a question and of its first words. It is real speech: each word takes its time, and
    noise makes many.
    """
    told(f"recognizer {name}")
    threads = cores.share(cores.available()).asr
    asr = settings.asr.model_copy(update={"model": str(place), "threads": threads})
    recognizer = create_recognizer(settings.model_copy(update={"asr": asr}), MonotonicClock())
    speech = files.read(web_dir() / "questions" / QUESTION)
    await recognizer.start()
    try:

        async def decode(samples: int) -> None:
            utterance = recognizer.open(AsrOptions(partials=False))
            utterance.feed(speech[:samples])
            await utterance.final()
            utterance.cancel()

        whole_ms = await _least_ms(lambda: decode(len(speech)))
        part_ms = await _least_ms(lambda: decode(round(len(speech) * FIRST_WORDS / WORDS)))
        word_ms = max(0.0, (whole_ms - part_ms) / (WORDS - FIRST_WORDS))
        return AsrSpeed(name, whole_ms, threads, word_ms)
    finally:
        await recognizer.aclose()


async def measure_llm(settings: Settings, name: str, place: Path, told: Told) -> LlmSpeed:
    """Prompts of which nothing is in the cache, the next question of each of these conversations,
    their answers, and four answers at once.
    """
    told(f"language model {name}")
    own = settings.llm.llama_cpp.model_copy(update={"slots": 4, "nice": 0})
    timeouts = {"first_token_timeout_ms": 60_000, "total_timeout_ms": 120_000}
    model = LlamaCppModel(settings.llm.model_copy(update={"llama_cpp": own, **timeouts}), place)
    model.ignore_eos = True
    await model.start()
    try:
        talks = [await _converse(model, number) for number in range(TRIES)]
        four = await asyncio.gather(
            *(timed_answer(model, opening(90 + n, SHORT_WORDS)) for n in range(4))
        )
    finally:
        await model.aclose()
    return llm_speed(name, talks, four)


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
        seconds = min(sounds)
        return TtsSpeed(name, first_ms, all_ms / seconds, len(SENTENCE) / seconds)
    finally:
        await synthesizer.aclose()


@dataclass(slots=True)
class Answered:
    """One answer, timed in ms."""

    first_ms: float = 0.0
    step_ms: float = 0.0
    new_tokens: int = 0
    text: str = ""


def llm_speed(
    name: str, talks: Sequence[tuple[Answered, Answered]], four: Sequence[Answered]
) -> LlmSpeed:
    """From conversations of a question and the next one, and from four answers at once. One answer
    alone is never slower than four at once: where it was, the machine was busy then.
    """
    first, next_ = (min(asked, key=lambda one: one.first_ms) for asked in zip(*talks, strict=True))
    more_tokens = first.new_tokens - next_.new_tokens
    prefill_ms = max(0.01, (first.first_ms - next_.first_ms) / more_tokens)
    step_of_four_ms = max(one.step_ms for one in four)
    return LlmSpeed(
        model=name,
        prefill_ms=prefill_ms,
        step_ms=min(step_of_four_ms, *(one.step_ms for talk in talks for one in talk)),
        step_of_four_ms=step_of_four_ms,
        request_ms=max(0.0, next_.first_ms - next_.new_tokens * prefill_ms),
        threads=cores.share(cores.available()).llm,
    )


def opening(number: int, words: int) -> tuple[Message, ...]:
    """A prompt that no slot has seen: it differs from its first word on."""
    begins = f"{number} people asked. "
    text = begins + "tell me a joke and then another " * (words // 7)
    return (Message("user", text),)


async def _converse(model: LlamaCppModel, number: int) -> tuple[Answered, Answered]:
    """A long question, of which nothing is known, and a short one after its answer."""
    messages = opening(number, LONG_WORDS)
    first = await timed_answer(model, messages)
    next_ = (Message("assistant", first.text), Message("user", NEXT_QUESTION))
    return first, await timed_answer(model, (*messages, *next_))


async def timed_answer(model: LlamaCppModel, messages: tuple[Message, ...]) -> Answered:
    """To a prompt, of `ANSWER_TOKENS`."""
    asked = Answered()
    async for delta in model.stream(ChatRequest(messages, max_tokens=ANSWER_TOKENS)):
        if isinstance(delta, Finish):
            assert delta.times is not None
            asked.first_ms = delta.times.first_ms
            asked.step_ms = delta.times.step_p50_ms or 0.0
            asked.new_tokens = delta.usage.prompt_tokens - delta.usage.cached_tokens
        else:
            assert isinstance(delta, TextDelta)
            asked.text += delta.text
    return asked


async def _least_ms(work: Callable[[], Awaitable[None]]) -> float:
    times = []
    for _ in range(TRIES):
        began = time.perf_counter()
        await work()
        times.append((time.perf_counter() - began) * 1000)
    return min(times)
