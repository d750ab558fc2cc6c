"""The simulated recognizer, in virtual time."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from tests.virtual_time import LoopClock
from voicepipe.asr.contract import AsrOptions, Recognizer
from voicepipe.asr.engines.simulated import WORD_S, SimulatedRecognizer
from voicepipe.audio.pcm import SAMPLE_RATE, silence
from voicepipe.config import LatencySettings, SimulatedSettings
from voicepipe.runtime.errors import EngineError

SETTINGS = SimulatedSettings(asr=LatencySettings(mean_ms=100), transcript="what time is it")


@pytest.mark.virtual_time
async def test_final_takes_the_delay_and_a_known_one_does_not() -> None:
    recognizer: Recognizer = SimulatedRecognizer(SETTINGS, clock=LoopClock())
    await recognizer.start()
    utterance = recognizer.open(AsrOptions())
    utterance.feed(silence(2000))
    began = LoopClock().now()
    transcript = await utterance.final()
    assert LoopClock().now() - began == pytest.approx(0.1)
    assert (transcript.text, transcript.audio_s) == ("what time is it", 2.0)
    assert transcript.work_s == pytest.approx(0.1)
    assert [word.end_s for word in transcript.words] == [0.5, 1.0, 1.5, 2.0]
    assert await utterance.final() is transcript
    utterance.feed(silence(20))
    assert (await utterance.final()).audio_s == 2.02
    assert LoopClock().now() - began == pytest.approx(0.2)
    await recognizer.aclose()


@pytest.mark.virtual_time
async def test_scripts_are_handed_out_in_order_and_again() -> None:
    async def heard(recognizer: SimulatedRecognizer) -> str:
        utterance = recognizer.open(AsrOptions())
        utterance.feed(silence(100))
        return (await utterance.final()).text

    listed = SimulatedRecognizer(SETTINGS, ["one", "two"])
    assert [await heard(listed) for _ in range(3)] == ["one", "two", "one"]
    counted = SimulatedRecognizer(SETTINGS, lambda number: f"number {number}")
    assert [await heard(counted) for _ in range(2)] == ["number 0", "number 1"]
    with pytest.raises(ValueError, match="at least one text"):
        SimulatedRecognizer(SETTINGS, [])


@pytest.mark.virtual_time
async def test_words_are_revealed_at_the_pace_of_speech() -> None:
    recognizer = SimulatedRecognizer(SETTINGS)
    utterance = recognizer.open(AsrOptions())
    seen = []

    async def read() -> None:
        async for hypothesis in utterance.hypotheses():
            seen.append((round(hypothesis.audio_s, 2), hypothesis.stable, hypothesis.tentative))

    reader = asyncio.create_task(read())
    for _ in range(100):
        utterance.feed(silence(20))
        await asyncio.sleep(0.02)
    utterance.cancel()
    await reader
    assert [time for time, _, _ in seen] == pytest.approx(
        [WORD_S * n for n in (1, 2, 3, 4)], abs=0.021
    )
    assert seen[0][1:] == ("", "what")
    assert seen[-1][1:] == ("what time is", "it")


@pytest.mark.virtual_time
async def test_nothing_said_is_silence_and_no_partials_are_sent_unasked() -> None:
    recognizer = SimulatedRecognizer(SETTINGS)
    utterance = recognizer.open(AsrOptions(partials=False))
    assert (await utterance.final()).refused == "silence"
    utterance.feed(np.zeros(SAMPLE_RATE * 5, dtype=np.int16))
    utterance.cancel()
    assert [hypothesis async for hypothesis in utterance.hypotheses()] == []
    assert recognizer.finals == 0


@pytest.mark.virtual_time
async def test_cancel_wakes_the_final() -> None:
    recognizer = SimulatedRecognizer(SETTINGS)
    utterance = recognizer.open(AsrOptions())
    utterance.feed(silence(100))
    final = asyncio.create_task(utterance.final())
    await asyncio.sleep(0.05)
    began = LoopClock().now()
    await recognizer.aclose()
    with pytest.raises(EngineError, match="cancelled"):
        await final
    assert LoopClock().now() == began


@pytest.mark.virtual_time
async def test_the_seed_decides_the_delays() -> None:
    async def works(seed: int) -> list[float]:
        shape = LatencySettings(mean_ms=100, sd_ms=40, kind="lognormal")
        recognizer = SimulatedRecognizer(SimulatedSettings(seed=seed, asr=shape))
        found = []
        for _ in range(5):
            utterance = recognizer.open(AsrOptions())
            utterance.feed(silence(100))
            found.append((await utterance.final()).work_s)
        return found

    assert await works(1) == await works(1)
    assert await works(1) != await works(2)
