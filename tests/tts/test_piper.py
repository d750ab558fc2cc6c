"""piper-tts in a real worker process, on a tiny voice with random weights."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from scripts.make_piper_voice import write_voice
from tests.tts.speech import exists, speak, worker_pids
from voicepipe.clock import MonotonicClock
from voicepipe.config import TtsSettings
from voicepipe.errors import EngineError, EngineUnavailable
from voicepipe.tts.contract import Voice
from voicepipe.tts.engines.piper import PiperSynthesizer
from voicepipe.workers.process import WorkerDied


@pytest.fixture(scope="module")
def voice_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("voice") / "tiny.onnx"
    write_voice(path)
    assert path.stat().st_size < 200_000
    return path


@contextlib.asynccontextmanager
async def piper(model_file: Path, voice: str = "") -> AsyncIterator[PiperSynthesizer]:
    engine = PiperSynthesizer(TtsSettings(voice=voice), model_file, MonotonicClock())
    await engine.start()
    pids = worker_pids(engine)
    try:
        yield engine
        pids += worker_pids(engine)
    finally:
        await engine.aclose()
    assert not [pid for pid in pids if exists(pid)]
    assert engine.pool.active == 0


async def test_audio_comes_sentence_by_sentence(voice_file: Path) -> None:
    async with piper(voice_file) as engine:
        assert engine.sample_rate == 22_050
        assert engine.voices() == ("tiny",)
        short = await speak(engine, "Hello.")
        spoken = await speak(engine, "It is half past seven. Is there anything **else**, sir?")
        assert len(spoken.chunks) == 2
        assert spoken.rms > 1000
        assert spoken.seconds > 3 * short.seconds > 0.5
        fast = await speak(engine, "Hello.", speed=3.0)
        assert fast.seconds == pytest.approx(short.seconds / 3, rel=0.05)
        assert (await speak(engine, "🙂")).chunks == []
        with pytest.raises(EngineError, match="piper has no voice 'alloy'"):
            await speak(engine, "Hello.", voice="alloy")


async def test_speakers_are_voices(tmp_path: Path) -> None:
    write_voice(tmp_path / "two.onnx", speakers=2)
    async with piper(tmp_path / "two.onnx", voice="speaker1") as engine:
        assert engine.voices() == ("speaker0", "speaker1")
        assert (await speak(engine, "Hello.", voice="speaker0")).rms > 1000
        assert (await speak(engine, "Hello.")).rms > 1000


async def test_cancel_between_sentences(voice_file: Path) -> None:
    async with piper(voice_file) as engine:
        stream = engine.stream("This is one more sentence to say. " * 3000, Voice())
        begun = time.perf_counter()
        async for _ in stream:
            break
        await stream.aclose()
        assert (await speak(engine, "Next.")).rms > 1000
        assert time.perf_counter() - begun < 5
        assert engine.pool.workers[0].restarts == 0


async def test_kill_midway(voice_file: Path) -> None:
    async with piper(voice_file) as engine:
        (pid,) = worker_pids(engine)

        async def speak_until_killed() -> None:
            async for _ in engine.stream("This is one more sentence to say. " * 300, Voice()):
                if exists(pid):
                    os.kill(pid, signal.SIGKILL)

        with pytest.raises(WorkerDied):
            await speak_until_killed()
        assert (await speak(engine, "Back.")).rms > 1000
        assert engine.pool.workers[0].restarts == 1


async def test_eight_at_once(voice_file: Path) -> None:
    async with piper(voice_file) as engine:
        spoken = await asyncio.gather(*(speak(engine, f"Number {n}.") for n in range(8)))
        assert all(clause.rms > 1000 for clause in spoken)


async def test_what_is_missing_is_named(
    voice_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, clock = TtsSettings(engine="piper", model="en_US-amy"), MonotonicClock()
    with pytest.raises(EngineUnavailable, match="voicepipe models pull en_US-amy"):
        await PiperSynthesizer(settings, None, clock).start()
    with pytest.raises(EngineUnavailable, match=r"gone\.onnx is missing"):
        await PiperSynthesizer(settings, tmp_path / "gone.onnx", clock).start()
    (tmp_path / "alone.onnx").write_bytes(b"x")
    with pytest.raises(EngineUnavailable, match=r"alone\.onnx\.json is missing"):
        await PiperSynthesizer(settings, tmp_path / "alone.onnx", clock).start()
    shutil.copy(f"{voice_file}.json", tmp_path / "alone.onnx.json")
    with pytest.raises(EngineUnavailable, match=r"alone\.onnx cannot be loaded"):
        await PiperSynthesizer(settings, tmp_path / "alone.onnx", clock).start()
    with pytest.raises(EngineUnavailable, match="has no speaker 'bob'"):
        await PiperSynthesizer(TtsSettings(voice="bob"), voice_file, clock).start()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(EngineUnavailable, match=r"pip install 'voicepipe\[piper\]'"):
        await PiperSynthesizer(settings, voice_file, clock).start()
