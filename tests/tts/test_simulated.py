from __future__ import annotations

import asyncio

import numpy as np
import pytest

from tests.tts.speech import speak
from voicepipe.config import LatencySettings, SimulatedSettings
from voicepipe.runtime.errors import EngineError
from voicepipe.tts.contract import Voice
from voicepipe.tts.engines.simulated import SimulatedSynthesizer

TEXT = "Is there **anything** else that I can do for you today, sir?"


def simulated(mean_ms: float = 60) -> SimulatedSynthesizer:
    return SimulatedSynthesizer(SimulatedSettings(tts=LatencySettings(mean_ms=mean_ms)))


@pytest.mark.virtual_time
async def test_first_audio_after_the_delay_then_faster_than_real_time() -> None:
    engine, now = simulated(), asyncio.get_running_loop().time
    begun_s = now()
    stream = engine.stream(TEXT, Voice())
    first = await anext(stream)
    assert now() - begun_s == pytest.approx(0.06)
    assert first.pcm.size == 2400
    rest = [speech async for speech in stream]
    audio_s = (first.pcm.size + sum(s.pcm.size for s in rest)) / engine.sample_rate
    assert audio_s == pytest.approx((len(TEXT) - 4) / 15, abs=0.01)
    assert now() - begun_s < 0.06 + audio_s / 10


@pytest.mark.virtual_time
async def test_sound_and_words() -> None:
    spoken = await speak(simulated(), TEXT)
    assert 1000 < spoken.rms < 8000
    written = [TEXT[word.char : word.char + word.length] for word in spoken.words]
    assert written == TEXT.replace("*", "").split()
    jumps = np.abs(np.diff(spoken.pcm.astype(int)))
    assert jumps.max() < 6000  # chunks join without a click
    fast = await speak(simulated(), TEXT, speed=2.0)
    assert fast.seconds == pytest.approx(spoken.seconds / 2, abs=0.01)
    assert (await speak(simulated(), "🙂")).chunks == []


@pytest.mark.virtual_time
async def test_scripted_failures() -> None:
    engine = simulated()
    engine.script.extend(["fail", "fail_midway", "hang", "speak"])
    with pytest.raises(EngineError) as raised:
        await speak(engine, TEXT)
    assert raised.value.retryable
    with pytest.raises(EngineError) as raised:
        await speak(engine, TEXT)
    assert not raised.value.retryable
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(speak(engine, TEXT), 100)
    assert (await speak(engine, TEXT)).chunks
    assert engine.active == 0


@pytest.mark.virtual_time
async def test_closing_stops_it() -> None:
    engine = simulated()
    stream = engine.stream(TEXT, Voice())
    await anext(stream)
    assert engine.active == 1
    await stream.aclose()
    assert engine.active == 0
