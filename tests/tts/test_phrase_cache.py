from __future__ import annotations

import numpy as np
import pytest

from tests.tts.speech import speak
from voicepipe.config import LatencySettings, SimulatedSettings
from voicepipe.runtime.errors import EngineError
from voicepipe.tts.contract import Speech, Voice
from voicepipe.tts.engines.simulated import SimulatedSynthesizer
from voicepipe.tts.phrase_cache import CachingSynthesizer, PhraseCache, PhraseKey


def caching(max_bytes: int = 10_000_000) -> tuple[CachingSynthesizer, SimulatedSynthesizer]:
    inner = SimulatedSynthesizer(SimulatedSettings(tts=LatencySettings(mean_ms=60)))
    return CachingSynthesizer(inner, PhraseCache(max_bytes)), inner


def speech(samples: int) -> tuple[Speech, ...]:
    return (Speech(np.zeros(samples, np.int16)),)


def key(text: str) -> PhraseKey:
    return PhraseKey("e", "v", 1.0, text)


@pytest.mark.virtual_time
async def test_the_second_time_no_engine_is_asked() -> None:
    engine, inner = caching()
    await engine.start()
    first = await speak(engine, "Hello there, how can I help?")
    inner.script.append("fail")
    again = await speak(engine, "Hello there, how can I help?")
    assert again.pcm.tobytes() == first.pcm.tobytes()
    assert again.words == first.words
    assert (engine.cache.hits, engine.cache.misses) == (1, 1)
    assert engine.sample_rate == inner.sample_rate
    assert engine.voices() == inner.voices()
    with pytest.raises(EngineError):  # another speed is another sound
        await speak(engine, "Hello there, how can I help?", speed=2.0)
    await engine.aclose()


@pytest.mark.virtual_time
async def test_only_what_came_to_its_end_is_kept() -> None:
    engine, inner = caching()
    stream = engine.stream("Hello there.", Voice())
    await anext(stream)
    await stream.aclose()
    assert inner.active == 0
    inner.script.append("fail_midway")
    with pytest.raises(EngineError):
        await speak(engine, "Hello there.")
    assert len(engine.cache) == 0
    await speak(engine, "Hello there.")
    assert len(engine.cache) == 1


def test_the_longest_unused_go_first() -> None:
    cache = PhraseCache(max_bytes=10_000)
    for text in "abcdefgh":
        cache.put(key(text), speech(450))
    assert cache.get(key("a")) is not None
    cache.put(key("i"), speech(450))
    assert cache.get(key("a")) is not None
    assert cache.get(key("b")) is None
    assert cache.bytes <= 10_000
    cache.put(key("a"), speech(100))
    assert cache.bytes == 7 * (900 + 256) + 200 + 256
    cache.put(key("long"), speech(5000))
    assert cache.get(key("long")) is None
    assert len(cache) == 8


@pytest.mark.virtual_time
async def test_a_clause_without_sound_is_not_kept() -> None:
    """It would count for nothing and never go, with its text: a page of code for each answer."""
    engine, _ = caching()
    for number in range(3):
        await speak(engine, f"```\nprint({number})\n```\n")
    assert len(engine.cache) == 0
