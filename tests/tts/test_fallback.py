from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest

from tests.tts.speech import speak
from tests.virtual_time import LoopClock
from voicepipe.audio.pcm import Int16
from voicepipe.config import LatencySettings, SimulatedSettings
from voicepipe.resilience.breaker import Breaker, BreakerOptions
from voicepipe.runtime.errors import EngineError, RequestRefused
from voicepipe.tts.contract import Speech, Voice
from voicepipe.tts.engines.simulated import SimulatedSynthesizer
from voicepipe.tts.fallback import FallbackSynthesizer
from voicepipe.tts.phrase_cache import CachingSynthesizer, PhraseCache

pytestmark = pytest.mark.virtual_time
CLAUSE = "Hello there, how can I help you today?"


class Deep(SimulatedSynthesizer):
    """At another rate, with one long tone instead of the buzz."""

    sample_rate = 16_000

    def voices(self) -> tuple[str, ...]:
        return ("deep",)

    def _audio(self, begin: int, end: int) -> Int16:
        tone = 8000 * np.sin(2 * np.pi * 300 * np.arange(begin, end) / self.sample_rate)
        samples: Int16 = tone.astype(np.int16)
        return samples


def engine(
    first_ms: float = 60, *outcomes: str, after_ms: float = 400
) -> tuple[FallbackSynthesizer, SimulatedSynthesizer, Deep]:
    delay = SimulatedSettings(tts=LatencySettings(mean_ms=first_ms))
    primary = SimulatedSynthesizer(delay, outcomes)  # type: ignore[arg-type]
    second = Deep(SimulatedSettings(tts=LatencySettings(mean_ms=50)))
    clock = LoopClock()
    breaker = Breaker(BreakerOptions(min_calls=3, calls=6, open_s=10), clock)
    return FallbackSynthesizer(primary, second, breaker, after_ms, clock), primary, second


async def routes(synthesizer: FallbackSynthesizer) -> list[str]:
    return [
        speech.route["tts"]
        async for speech in synthesizer.stream(CLAUSE, Voice())
        if "tts" in speech.route
    ]


async def test_a_primary_in_time_is_heard_and_its_first_chunk_says_so() -> None:
    synthesizer, _, second = engine()
    await synthesizer.start()
    assert await routes(synthesizer) == ["primary"]
    assert second.active == 0
    assert synthesizer.sample_rate == 24_000
    await synthesizer.aclose()


async def test_late_audio_comes_from_the_fallback_at_the_primarys_rate() -> None:
    synthesizer, primary, second = engine(5000)
    clock = LoopClock()
    began = clock.now()
    first = await anext(stream := synthesizer.stream(CLAUSE, Voice("simulated")))
    assert clock.now() - began == pytest.approx(0.45, abs=0.001)
    assert first.planned_s == pytest.approx(0.45)
    assert first.route == {"tts": "fallback_late"}
    await asyncio.sleep(0.001)
    assert primary.active == 0
    await stream.aclose()
    assert second.active == 0
    spoken = await speak(synthesizer, CLAUSE)
    assert spoken.seconds == pytest.approx(len(CLAUSE) / 15, abs=0.002)
    spectrum = np.abs(np.fft.rfft(spoken.pcm.astype(np.float64)))
    assert spectrum.argmax() / spoken.seconds == pytest.approx(300, abs=1)  # the pitch is right
    assert len(spoken.words) == 8
    assert spoken.pcm[: 24 * 2].any()  # the resampler's delay is taken off


async def test_failures_before_the_first_sound_are_covered_later_ones_are_not() -> None:
    synthesizer, _, _ = engine(60, "fail", "fail_midway")
    assert await routes(synthesizer) == ["fallback_error"]
    with pytest.raises(EngineError):
        await routes(synthesizer)


async def test_an_open_breaker_leaves_the_primary_alone_until_its_probe() -> None:
    synthesizer, primary, _ = engine(60, "fail", "fail", "fail")
    for _ in range(3):
        await routes(synthesizer)
    assert synthesizer.breaker.state.value == "open"
    assert await routes(synthesizer) == ["fallback_open"]
    assert not primary.script
    await asyncio.sleep(10)
    assert await routes(synthesizer) == ["primary"]
    assert synthesizer.breaker.state.value == "closed"


async def test_what_is_no_engines_error_opens_the_breaker_too() -> None:
    synthesizer, primary, _ = engine()
    with patch.object(primary, "_speak", side_effect=RuntimeError("CUDA error")):
        for _ in range(3):
            assert await routes(synthesizer) == ["fallback_error"]
    assert synthesizer.breaker.state.value == "open"


async def test_what_one_caller_asks_in_vain_is_no_failure_of_the_engine() -> None:
    synthesizer, primary, _ = engine()
    with patch.object(primary, "stream", side_effect=RequestRefused("no such voice", stage="tts")):
        for _ in range(6):
            assert await routes(synthesizer) == ["fallback_error"]
    assert await routes(synthesizer) == ["primary"]  # of all others


async def test_nothing_to_say_is_no_failure() -> None:
    synthesizer, _, _ = engine()
    assert [s async for s in synthesizer.stream(" ... ", Voice())] == []
    assert synthesizer.breaker.counts.failures == 0


async def test_a_phrase_cache_keeps_no_stand_ins_voice_and_marks_its_hits() -> None:
    synthesizer, _, _ = engine(60, "fail", "speak")
    cached = CachingSynthesizer(synthesizer, PhraseCache(10_000_000))
    seen = []
    for _ in range(3):
        chunks = [speech async for speech in cached.stream(CLAUSE, Voice())]
        seen.append(dict(chunks[0].route))
    assert seen == [{"tts": "fallback_error"}, {"tts": "primary"}, {"tts_cache": "hit"}]
    assert len(cached.cache) == 1


async def test_a_phrase_cache_keeps_no_voice_that_stood_in_behind_the_primary() -> None:
    """Another voice may speak while the one that is wanted is loading."""
    synthesizer, primary, _ = engine()
    whole = primary.stream

    async def stands_in(clause: str, voice: Voice) -> AsyncIterator[Speech]:
        route = {"tts": "no voice anna"}
        async for speech in whole(clause, voice):
            yield replace(speech, route=route)
            route = {}

    cached = CachingSynthesizer(synthesizer, PhraseCache(10_000_000))
    with patch.object(primary, "stream", stands_in):
        await speak(cached, CLAUSE)
    assert len(cached.cache) == 0
    assert synthesizer.decisions["primary"] == 1
    await speak(cached, CLAUSE)
    assert len(cached.cache) == 1
