"""Whom the first of two recognizers understands, it hears to the end; whom it does not, it is not
asked about any more. The built-in model, on the voices that it knows and on the same, so slow that
they are deep voices that it does not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np

from tests.human_speech import needs_people, recordings
from tests.virtual_time import LoopClock
from voicepipe.asr.contract import AsrOptions
from voicepipe.asr.engines.faster_whisper import FasterWhisperRecognizer
from voicepipe.asr.engines.simulated import SimulatedRecognizer
from voicepipe.asr.paired import PairedRecognizer
from voicepipe.audio import files
from voicepipe.audio.pcm import SAMPLE_RATE, Int16
from voicepipe.audio.resample import resample
from voicepipe.config import LatencySettings, SimulatedSettings
from voicepipe.config.loading import load_settings
from voicepipe.runtime.clock import MonotonicClock

ROOT = Path(__file__).parents[2]
QUESTIONS = ROOT / "tests" / "data" / "questions"
STEP = SAMPLE_RATE * 24 // 100  # as often as partials are due


async def share(pair: PairedRecognizer, whisper: FasterWhisperRecognizer, pcm: Int16) -> float:
    """Of the times that a partial was due, how often the first one has decoded."""
    before = whisper.stats.decodes
    utterance = pair.open(AsrOptions())

    async def read() -> None:
        async for _ in utterance.hypotheses():
            pass

    reader = asyncio.create_task(read())
    for start in range(0, len(pcm), STEP):
        utterance.feed(pcm[start : start + STEP])
        await asyncio.sleep(0)
        while whisper.stats.running or whisper.stats.queued:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.002)  # the reader has it
    await utterance.final()
    utterance.cancel()
    await reader
    return (whisper.stats.decodes - before) * STEP / len(pcm)


@asynccontextmanager
async def paired() -> AsyncIterator[tuple[PairedRecognizer, FasterWhisperRecognizer]]:
    """The built-in model, with one beside it that costs nothing."""
    settings = load_settings("builtin", environ={}).asr
    model = ROOT / "models" / "builtin" / "asr"
    whisper = FasterWhisperRecognizer(settings, model, MonotonicClock())
    at_once = SimulatedSettings(asr=LatencySettings(mean_ms=0))
    other = SimulatedRecognizer(at_once, ("second",), LoopClock())
    assert settings.second is not None
    limits = settings.second
    pair = PairedRecognizer(whisper, other, sure=limits.sure, sure_word=limits.sure_word)
    await pair.start()
    try:
        yield pair, whisper
    finally:
        await pair.aclose()


async def test_who_is_understood_is_heard_to_the_end() -> None:
    entries = [json.loads(line) for line in (QUESTIONS / "manifest.jsonl").read_text().splitlines()]
    sounds = [files.read(QUESTIONS / entry["file"], SAMPLE_RATE) for entry in entries]
    async with paired() as (pair, whisper):
        as_spoken = [await share(pair, whisper, pcm) for pcm in sounds]
        understood = pair.decisions["first"]
        slow = [await share(pair, whisper, resample(pcm, 16_000, 26_000)) for pcm in sounds]

    assert understood == len(sounds) - 1  # of one it is not sure enough, as it always was
    assert pair.decisions["second"] == 1 + len(sounds)
    assert min(as_spoken) > 0.7, as_spoken
    assert min(slow) < 0.5, slow


async def test_who_was_understood_is_heard_after_a_pause_too() -> None:
    """Half a word behind a pause is refused, and the confidence of all sinks for a moment."""
    one, other = ("cancel_all_the_timers.flac", "how_are_you_today.flac")
    pause = np.zeros(SAMPLE_RATE * 6 // 10, np.int16)
    sounds = [files.read(QUESTIONS / name, SAMPLE_RATE) for name in (one, other)]
    async with paired() as (pair, whisper):
        heard = await share(pair, whisper, np.concatenate([sounds[0], pause, sounds[1]]))

    assert heard > 0.7
    assert pair.decisions == {"first": 1}


@needs_people()
async def test_people_are_heard_by_the_second_one_alone() -> None:
    said = recordings("librispeech", 10)
    async with paired() as (pair, whisper):
        heard = [await share(pair, whisper, one.pcm) for one in said]

    assert pair.decisions["second"] == len(said)
    assert sum(one < 0.7 for one in heard) >= 4, heard
