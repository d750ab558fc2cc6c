"""piper-tts in a real worker process, on tiny voices of the true architecture, random weights."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import time
from collections.abc import AsyncIterator
from pathlib import Path

import onnx
import pytest

from scripts.make_piper_voice import write_voice
from tests.tts.speech import exists, speak, worker_pids
from voicepipe.config import TtsSettings
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import EngineError, EngineUnavailable
from voicepipe.tts.contract import Voice
from voicepipe.tts.engines.piper import PiperSynthesizer
from voicepipe.workers.process import WorkerDied


@pytest.fixture(scope="module")
def voice_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("voice") / "tiny.onnx"
    write_voice(path)
    assert path.stat().st_size < 500_000
    return path


@pytest.fixture(scope="module")
def steady_voice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A voice that draws no lengths: each sound of a text is as long every time."""
    path = tmp_path_factory.mktemp("steady") / "tiny.onnx"
    write_voice(path)
    config = path.with_name("tiny.onnx.json")
    described = json.loads(config.read_text())
    described["inference"]["noise_w"] = 0.0
    config.write_text(json.dumps(described))
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


async def test_audio_comes_in_windows(steady_voice: Path) -> None:
    async with piper(steady_voice) as engine:
        assert engine.pool.info["windows"] == ""
        assert engine.sample_rate == 22_050
        assert engine.voices() == ("tiny",)
        short = await speak(engine, "Hello.")
        spoken = await speak(engine, "It is half past seven. Is there anything **else**, sir?")
        assert spoken.chunks[0].size == 16 * 256  # 186 ms, as soon as they are there
        assert len(spoken.chunks) >= 6
        assert spoken.rms > 1000
        assert spoken.seconds > short.seconds > 0.1
        fast = await speak(engine, "It is half past seven. Is there anything else, sir?", speed=2.0)
        assert 0.45 < fast.seconds / spoken.seconds < 0.6  # each sound is whole frames long
        assert (await speak(engine, "🙂")).chunks == []
        with pytest.raises(EngineError, match="piper has no voice 'alloy'"):
            await speak(engine, "Hello.", voice="alloy")


@pytest.mark.parametrize(
    "text",
    [
        "Hello there, this is one clause.",
        "It is half past seven. Is there anything else, sir?",
        "All 21 of the 3.5 inch disks, at the end of the line, cost 4.50 - or so.",
    ],
)
async def test_words_come_with_the_sound_they_begin_in(text: str, steady_voice: Path) -> None:
    async with piper(steady_voice) as engine:
        spoken = await speak(engine, text)  # checks that each word lies in its chunk
        said = [text[word.char : word.char + word.length] for word in spoken.words]
        assert said == [word for word in text.split() if any(c.isalnum() for c in word)]
        starts = [word.start_s for word in spoken.words]
        assert 0 < starts[0] < 0.3  # behind the start and its pad
        assert len(set(starts)) >= len(starts) - 4  # "of the" may begin together


async def test_a_clause_is_as_loud_as_its_neighbours(voice_file: Path) -> None:
    """Nothing is normalized: the gain of a clause does not depend on its own peak."""
    async with piper(voice_file) as engine:
        clauses = ("Yes.", "It is half past seven.", "I have set a timer for ten minutes, sir.")
        levels = [(await speak(engine, clause)).rms for clause in clauses]
        assert max(levels) / min(levels) < 1.26  # 2 dB


async def test_a_voice_that_cannot_be_cut_speaks_whole_and_says_why(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_voice(tmp_path / "odd.onnx")
    model = onnx.load(str(tmp_path / "odd.onnx"))
    ceil = next(node for node in model.graph.node if node.op_type == "Ceil")
    model.graph.node.append(onnx.helper.make_node("Ceil", list(ceil.input), ["another"]))
    onnx.save(model, str(tmp_path / "odd.onnx"))
    async with piper(tmp_path / "odd.onnx") as engine:
        assert "2 nodes Ceil" in caplog.text
        spoken = await speak(engine, "It is half past seven. Is there anything else, sir?")
        assert len(spoken.chunks) == 2
        assert spoken.rms > 1000
        assert spoken.words == []


async def test_a_newcomer_is_heard_while_others_speak(voice_file: Path) -> None:
    """One worker, one session in mid-clause: the other's first chunk comes before its end."""
    async with piper(voice_file) as engine:
        long = engine.stream("This is one more sentence to say. " * 100, Voice())
        await anext(long)
        short = await asyncio.wait_for(speak(engine, "Me too."), 20)
        assert short.rms > 1000
        left = 0
        async for _ in long:
            left += 1
        assert left > 50


async def test_speakers_are_voices(tmp_path: Path) -> None:
    write_voice(tmp_path / "two.onnx", speakers=2)
    async with piper(tmp_path / "two.onnx", voice="speaker1") as engine:
        assert engine.voices() == ("speaker0", "speaker1")
        assert (await speak(engine, "Hello.", voice="speaker0")).rms > 1000
        assert (await speak(engine, "Hello.")).rms > 1000


async def test_cancel_within_a_chunk(voice_file: Path) -> None:
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
                with contextlib.suppress(ProcessLookupError):  # it dies once
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
    with pytest.raises(EngineUnavailable, match=r"pip install piper-tts onnx"):
        await PiperSynthesizer(settings, voice_file, clock).start()
