"""Utterances on a toy engine, in virtual time: order of work, partials, finals, cancelling."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise

import numpy as np
import pytest

from tests.asr.toy_speech import WORD_SAMPLES, ToyEngine, decode, say
from tests.virtual_time import LoopClock
from voicepipe.asr.contract import AsrOptions, Hypothesis
from voicepipe.asr.decoding import Decoded, DecodeRequest
from voicepipe.asr.scheduler import DecodeScheduler
from voicepipe.asr.utterance import StreamingUtterance, StreamSettings
from voicepipe.asr.windows import WindowLimits
from voicepipe.audio.pcm import FRAME_SAMPLES, SAMPLE_RATE, Int16
from voicepipe.runtime.errors import EngineError

SETTINGS = StreamSettings(WindowLimits(min_s=1.0, max_s=4.0, margin_s=0.5), max_utterance_s=30)


class House:
    """An engine with its queue, and utterances on it."""

    def __init__(self, engine: ToyEngine, scheduler: DecodeScheduler[DecodeRequest, Decoded]):
        self.engine = engine
        self.scheduler = scheduler

    def open(
        self, options: AsrOptions | None = None, settings: StreamSettings = SETTINGS
    ) -> StreamingUtterance:
        return StreamingUtterance(options or AsrOptions(), settings, self.scheduler)


@asynccontextmanager
async def house(engine: ToyEngine | None = None) -> AsyncIterator[House]:
    engine = engine or ToyEngine()
    scheduler = DecodeScheduler(engine, LoopClock())
    yield House(engine, scheduler)
    await scheduler.aclose()


async def speak(utterance: StreamingUtterance, pcm: Int16) -> None:
    """Feed in real time, frame by frame."""
    for start in range(0, len(pcm), FRAME_SAMPLES):
        utterance.feed(pcm[start : start + FRAME_SAMPLES])
        await asyncio.sleep(0.02)


async def read_all(utterance: StreamingUtterance) -> list[Hypothesis]:
    return [hypothesis async for hypothesis in utterance.hypotheses()]


@pytest.mark.virtual_time
async def test_partials_grow_and_the_final_is_exact() -> None:
    async with house() as h:
        utterance = h.open()
        reader = asyncio.create_task(read_all(utterance))
        await speak(utterance, say(range(9)))
        transcript = await utterance.final()
        utterance.cancel()
        hypotheses = await reader
    said = " ".join(f"w{n}" for n in range(9))
    assert transcript.text == said
    assert transcript.confidence == pytest.approx(np.exp(-0.1))
    assert (transcript.language, transcript.refused) == ("en", None)
    assert transcript.audio_s == pytest.approx(len(say(range(9))) / SAMPLE_RATE)
    assert len(hypotheses) > 10
    for before, after in pairwise(hypotheses):
        assert after.stable.startswith(before.stable)
        assert after.audio_s >= before.audio_s
    assert said.startswith(hypotheses[-1].stable)
    assert hypotheses[-1].text == said


@pytest.mark.virtual_time
async def test_at_once_and_frame_by_frame_give_the_same_words() -> None:
    pcm = say(range(20))
    async with house() as h:
        bit_by_bit, at_once = h.open(), h.open()
        await speak(bit_by_bit, pcm)
        at_once.feed(pcm)
        first, second = await bit_by_bit.final(), await at_once.final()
        assert first.words == second.words
        assert len(first.words) == 20
        bit_by_bit.cancel()
        at_once.cancel()


@pytest.mark.virtual_time
async def test_a_known_final_costs_nothing() -> None:
    async with house() as h:
        utterance = h.open(AsrOptions(partials=False))
        utterance.feed(say([1, 2]))
        transcript = await utterance.final()
        assert (transcript.queue_s, transcript.work_s) == (0.0, 0.03)
        before = LoopClock().now()
        assert await utterance.final() is transcript
        utterance.feed(np.zeros(4800, dtype=np.int16))
        later = await utterance.final()
        assert (later.text, later.work_s) == (transcript.text, 0.0)
        assert later.audio_s == pytest.approx(transcript.audio_s + 0.3)
        assert LoopClock().now() == before
        utterance.feed(say([3]))
        assert (await utterance.final()).text == "w1 w2 w3"
        assert len(h.engine.requests) == 2
        utterance.cancel()


@pytest.mark.virtual_time
async def test_requests_carry_the_options_and_the_token_cap() -> None:
    async with house() as h:
        utterance = h.open(AsrOptions(language="de", prompt="hallo", word_times=True))
        utterance.feed(say([1, 2, 3]))
        await utterance.final()
        request = h.engine.requests[-1]
        assert (request.language, request.prompt, request.timed) == ("de", "hallo", True)
        assert request.max_tokens == 8 + np.ceil(len(request.pcm) / SAMPLE_RATE * 8)
        assert request.window == 2.5 * SAMPLE_RATE
        utterance.cancel()


@pytest.mark.virtual_time
async def test_at_most_one_partial_waits_and_the_newer_replaces_it() -> None:
    async with house(ToyEngine(delay_s=1.0)) as h:
        busy = h.open(AsrOptions(partials=False))
        busy.feed(say([0]))
        blocking = asyncio.create_task(busy.final())
        await asyncio.sleep(0.01)
        utterance = h.open()
        for n in range(4):
            utterance.feed(say([n]))
            await asyncio.sleep(0.02)
            assert h.scheduler.stats.queued == 1
        assert h.scheduler.stats.replaced_partials == 3
        await blocking
        await asyncio.sleep(1.5)
        assert len(h.engine.requests) == 2  # only the newest of the four was decoded
        assert len(h.engine.requests[-1].pcm) > 3 * WORD_SAMPLES
        utterance.cancel()
        busy.cancel()


@pytest.mark.virtual_time
async def test_while_a_partial_runs_no_second_one_is_asked_for() -> None:
    async with house(ToyEngine(delay_s=1.0)) as h:
        utterance = h.open()
        for n in range(3):
            utterance.feed(say([n]))
            await asyncio.sleep(0.1)
        assert (len(h.engine.requests), h.scheduler.stats.queued) == (1, 0)
        await asyncio.sleep(1.0)
        assert len(h.engine.requests) == 2  # asked for when the first one ended
        utterance.cancel()


@pytest.mark.virtual_time
async def test_a_final_overtakes_the_partials_of_others_and_drops_its_own() -> None:
    async with house(ToyEngine(delay_s=1.0)) as h:
        busy, *others = (h.open() for _ in range(6))
        busy.feed(say([0]))
        await asyncio.sleep(0.1)  # its partial runs
        for number, utterance in enumerate(others):
            utterance.feed(say([number]))
        began = LoopClock().now()
        transcript = await others[-1].final()
        assert transcript.text == "w4"
        assert LoopClock().now() - began == pytest.approx(1.9)  # the running one, then this one
        assert transcript.queue_s == pytest.approx(0.9)
        assert h.scheduler.stats.dropped_partials == 1
        for utterance in (busy, *others):
            utterance.cancel()
        assert h.scheduler.stats.queued == 0


@pytest.mark.virtual_time
async def test_a_final_takes_the_running_partial_if_it_decodes_just_the_same() -> None:
    async with house(ToyEngine(delay_s=1.0)) as h:
        utterance = h.open()
        utterance.feed(say([1, 2]))
        await asyncio.sleep(0.6)
        began = LoopClock().now()
        assert (await utterance.final()).text == "w1 w2"
        assert LoopClock().now() - began == pytest.approx(0.4)
        assert len(h.engine.requests) == 1
        utterance.cancel()


@pytest.mark.virtual_time
async def test_a_final_under_steady_sound_ends() -> None:
    async with house() as h:
        utterance = h.open(AsrOptions(partials=False))
        hum = np.full(FRAME_SAMPLES, 300, dtype=np.int16)
        utterance.feed(say([1, 2], hum=300))
        final = asyncio.create_task(utterance.final())
        for _ in range(100):
            utterance.feed(hum)
            await asyncio.sleep(0.02)
        assert (await final).text == "w1 w2"
        assert len(h.engine.requests) == 1
        utterance.cancel()


@pytest.mark.virtual_time
async def test_cancelling_the_await_drops_the_decode() -> None:
    async with house(ToyEngine(delay_s=1.0)) as h:
        busy = h.open(AsrOptions(partials=False))
        busy.feed(say([0]))
        blocking = asyncio.create_task(busy.final())
        await asyncio.sleep(0.1)
        utterance = h.open(AsrOptions(partials=False))
        utterance.feed(say([1]))
        waiting = asyncio.create_task(utterance.final())
        await asyncio.sleep(0.1)
        assert h.scheduler.stats.queued == 1
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert h.scheduler.stats.queued == 0
        await blocking
        assert (await utterance.final()).text == "w1"  # and may be asked again
        busy.cancel()
        utterance.cancel()


@pytest.mark.virtual_time
async def test_cancel_ends_everything() -> None:
    async with house(ToyEngine(delay_s=1.0)) as h:
        utterance = h.open()
        reader = asyncio.create_task(read_all(utterance))
        utterance.feed(say([1, 2]))
        await asyncio.sleep(0.5)
        final = asyncio.create_task(utterance.final())  # waits for the running partial
        second = asyncio.create_task(utterance.final())
        await asyncio.sleep(0.1)
        utterance.cancel()
        utterance.cancel()
        assert await reader == []
        for task in (final, second):
            with pytest.raises(EngineError, match="cancelled"):
                await task
        utterance.feed(say([3]))  # late audio is ignored
        with pytest.raises(EngineError, match="cancelled"):
            await utterance.final()
        assert len(utterance._buffer._data) == 0
        assert h.scheduler.stats.queued == 0


@pytest.mark.virtual_time
async def test_an_engine_failure_is_the_finals_and_a_partials_is_forgotten(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broken = True

    def hears(request: DecodeRequest) -> Decoded:
        if broken:
            raise RuntimeError("out of memory")
        return decode(request)

    async with house(ToyEngine(hears=hears)) as h:
        utterance = h.open()
        with caplog.at_level(logging.WARNING):
            utterance.feed(say([1]))
            await asyncio.sleep(0.1)
        assert "a partial decode failed" in caplog.text
        with pytest.raises(EngineError, match="failed: RuntimeError"):
            await utterance.final()
        broken = False
        assert (await utterance.final()).text == "w1"
        utterance.cancel()


@pytest.mark.virtual_time
@pytest.mark.parametrize("error", [RuntimeError("out of memory"), EngineError("away", stage="asr")])
async def test_an_engine_that_is_broken_for_long_does_not_fill_the_log(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    def hears(_: DecodeRequest) -> Decoded:
        raise error

    async with house(ToyEngine(hears=hears)) as h:
        calls = [h.open() for _ in range(5)]
        with caplog.at_level(logging.WARNING):
            await asyncio.gather(*(speak(call, say(range(45))) for call in calls))  # 25 s
        for call in calls:
            call.cancel()
    told = [r.getMessage() for r in caplog.records if "partial" in r.message]
    assert 2 <= len(told) <= 3
    assert h.scheduler.stats.failures > 300
    assert "(and" in told[1], "how many were not told"
    assert len(caplog.records) <= 6


@pytest.mark.virtual_time
async def test_a_shut_down_engine_fails_the_waiting_final() -> None:
    async with house(ToyEngine(delay_s=1.0)) as h:
        first, second = (h.open(AsrOptions(partials=False)) for _ in range(2))
        for utterance in (first, second):
            utterance.feed(say([1]))
        running, waiting = (asyncio.create_task(u.final()) for u in (first, second))
        await asyncio.sleep(0.5)
        await h.scheduler.aclose()
        assert (await running).text == "w1"
        with pytest.raises(EngineError, match="shut down"):
            await waiting


@pytest.mark.virtual_time
async def test_an_utterance_is_bounded(caplog: pytest.LogCaptureFixture) -> None:
    async with house() as h:
        utterance = h.open(AsrOptions(partials=False))
        pcm = say(range(80))  # 45 s
        for start in range(0, len(pcm), 1000):
            utterance.feed(pcm[start : start + 1000])
        transcript = await utterance.final()
        assert transcript.audio_s == 30.0
        assert utterance.dropped_samples == len(pcm) - 30 * SAMPLE_RATE
        assert [r.message for r in caplog.records] == [
            "an utterance passed 30 s; what comes after is not recognized"
        ]
        utterance.cancel()


@pytest.mark.virtual_time
async def test_a_slow_reader_gets_the_newest_hypothesis() -> None:
    async with house() as h:
        utterance = h.open()
        await speak(utterance, say([1, 2, 3]))
        reader = utterance.hypotheses()
        assert (await anext(reader)).text == "w1 w2 w3"
        utterance.cancel()
        assert [hypothesis async for hypothesis in reader] == []
