"""espeak-ng in a real worker process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.tts.speech import exists, speak, until, worker_pids
from voicepipe.config import TtsSettings
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import EngineError, EngineUnavailable, RequestRefused
from voicepipe.tts.contract import Voice
from voicepipe.tts.engines.espeak import EspeakSynthesizer
from voicepipe.workers.process import WorkerDied

QUESTION = "Is there **anything** else, at 3.5 degrees or 7:30 pm, that I can do?"


@contextlib.asynccontextmanager
async def espeak(workers: int = 1, voice: str = "") -> AsyncIterator[EspeakSynthesizer]:
    engine = EspeakSynthesizer(TtsSettings(workers=workers, voice=voice), MonotonicClock())
    await engine.start()
    pids = worker_pids(engine)
    assert len(pids) == workers
    try:
        yield engine
        pids += worker_pids(engine)
    finally:
        await engine.aclose()
    assert not [pid for pid in pids if exists(pid)]
    assert engine.pool.active == 0


async def test_speech_is_audible_and_as_long_as_speech_is() -> None:
    async with espeak() as engine:
        assert engine.sample_rate == 22_050
        spoken = await speak(engine, "It is half past seven in the evening.")
        assert 1.5 < spoken.seconds < 4
        assert spoken.rms > 500
        assert len(spoken.chunks) > 3
        assert spoken.chunks[0].size / engine.sample_rate < 0.1  # streams: 60 ms first
        slow = await speak(engine, "It is half past seven in the evening.", speed=0.5)
        fast = await speak(engine, "It is half past seven in the evening.", speed=2.0)
        assert slow.seconds > 1.5 * spoken.seconds > 2 * fast.seconds


async def test_word_times_point_at_the_words_written() -> None:
    async with espeak() as engine:
        spoken = await speak(engine, QUESTION)
        written = [QUESTION[word.char : word.char + word.length] for word in spoken.words]
        assert written == (
            "Is there anything else, at 3.5 degrees or 7:30 pm, that I can do?".split()
        )
        assert spoken.words[0].start_s < 0.2
        assert spoken.words[-1].start_s > 0.7 * spoken.seconds - 0.5


async def test_nothing_to_say_is_an_empty_stream() -> None:
    async with espeak() as engine:
        for clause in ("", "  \n", "🙂", "```\ncode\n```\n"):
            assert (await speak(engine, clause)).chunks == []
        hostile = 'NUL \x00, surrogate \ud800, <speak>&lt;</speak> [[D,Is]] "quotes" \\ %s é 你好'
        assert (await speak(engine, hostile)).rms > 300


async def test_an_unknown_voice_is_no_fault_of_the_engine() -> None:
    async with espeak() as engine:
        with pytest.raises(RequestRefused):
            await speak(engine, "Hello there.", voice="alloy")


async def test_voices() -> None:
    async with espeak(voice="en-gb+f3") as engine:
        assert {"en-us", "en-gb+f3", "de", "fr"} <= set(engine.voices())
        by_default = await speak(engine, "Hello there.")
        named = await speak(engine, "Hello there.", voice="en-gb+f3")
        other = await speak(engine, "Hello there.", voice="en-us+m3")
        assert abs(named.pcm.size - by_default.pcm.size) < 500
        assert named.pcm.tobytes() != other.pcm.tobytes()
        with pytest.raises(EngineError, match="espeak has no voice 'alloy'; it has"):
            await speak(engine, "Hello there.", voice="alloy")
    with pytest.raises(EngineUnavailable, match=r"tts\.voice: .* no voice 'alloy'"):
        await EspeakSynthesizer(TtsSettings(voice="alloy"), MonotonicClock()).start()


async def test_cancel_stops_early_and_the_worker_serves_at_once() -> None:
    async with espeak() as engine:
        book = "This is a very long sentence that nobody wants to hear until its end, " * 3000
        begun = time.perf_counter()
        whole = 0
        async with asyncio.timeout(60):
            stream = engine.stream(book, Voice())
            async for speech in stream:
                whole += speech.pcm.size
                break
            await stream.aclose()
        await until(lambda: engine.pool.active == 0)
        spoken = await speak(engine, "The next one.")
        took_s = time.perf_counter() - begun
        assert spoken.rms > 300
        assert engine.pool.workers[0].restarts == 0
        # The book is three hours of speech, about 10 s of work even on a fast core.
        assert took_s < 5, f"{took_s:.1f} s: the worker went on speaking"


async def test_kill_midway_fails_the_clause_and_the_next_is_spoken() -> None:
    async with espeak() as engine:
        (pid,) = worker_pids(engine)
        book = "A long sentence for a worker that will not live to see its end, " * 400

        async def speak_until_killed() -> None:
            async for _ in engine.stream(book, Voice()):
                if exists(pid):
                    os.kill(pid, signal.SIGKILL)

        with pytest.raises(WorkerDied, match="killed by SIGKILL") as raised:
            await speak_until_killed()
        assert raised.value.stage == "tts"
        assert not raised.value.retryable
        assert (await speak(engine, "I am back.")).rms > 300
        worker = engine.pool.workers[0]
        assert (worker.restarts, worker.active) == (1, 0)
        assert worker_pids(engine) != [pid]


async def test_a_death_before_the_first_audio_is_retried_unseen() -> None:
    async with espeak() as engine:
        (pid,) = worker_pids(engine)
        os.kill(pid, signal.SIGSTOP)  # so that it takes the request and never answers
        task = asyncio.create_task(speak(engine, "Say it again."))
        await until(lambda: engine.pool.active == 1)
        os.kill(pid, signal.SIGKILL)
        assert (await task).rms > 300


async def test_eight_clauses_at_once_on_two_workers() -> None:
    async with espeak(workers=2) as engine:
        clauses = [f"This is sentence number {n} of eight." for n in range(8)]
        for spoken in await asyncio.gather(*(speak(engine, clause) for clause in clauses)):
            assert 1 < spoken.seconds < 5
            assert spoken.rms > 500
        assert [worker.served for worker in engine.pool.workers] == [4, 4]


async def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "espeakng_loader", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    engine = EspeakSynthesizer(TtsSettings(), MonotonicClock())
    with pytest.raises(EngineUnavailable, match=r"pip install espeakng-loader"):
        await engine.start()


def test_nothing_gpl_is_imported_by_the_server() -> None:
    program = (
        "import sys, voicepipe.tts.engines.espeak, voicepipe.tts.engines.piper\n"
        "print([n for n in sys.modules if n.split('.')[0] in ('espeakng_loader', 'piper')])"
    )
    root = Path(__file__).parents[2]
    found = subprocess.run(
        [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True
    )
    assert found.stdout == "[]\n"
