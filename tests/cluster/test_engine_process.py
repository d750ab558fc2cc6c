"""The built-in engines in a process of their own, used by a gateway's engines in this one; the
process is killed, and started again."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.asr.sphinx.listening import question
from tests.llm.engines.test_ctranslate2 import chat
from tests.llm.reading import read_all
from tests.tts.speech import speak
from voicepipe.asr.contract import AsrOptions
from voicepipe.audio.pcm import FRAME_SAMPLES
from voicepipe.cluster.errors import Lost
from voicepipe.cluster.language_model import RemoteModel
from voicepipe.cluster.unix_socket import link_to
from voicepipe.config import Settings
from voicepipe.config.asr import AsrSecondSettings
from voicepipe.config.loading import load_settings
from voicepipe.llm.engines.simulated import SimulatedModel
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import EngineError, EngineUnavailable
from voicepipe.server.assembly import build_engines
from voicepipe.server.shared_engines import (
    has_heavy,
    heavy_engines,
    run_engine_host,
    serve_engines,
    shared_engines,
)
from voicepipe.session.engines import Engines
from voicepipe.tts.contract import Voice

SPAWN = multiprocessing.get_context("spawn")


def builtin(**changes: object) -> Settings:
    """One recognizer that knows two sentences: it loads at once."""
    found = load_settings("builtin", environ={})
    phrases = ("what time is it", "tell me a joke")
    heard = {"engine": "pocketsphinx", "model": "", "phrases": phrases, "domain_share": 1.0}
    asr = found.asr.model_copy(update={**heard, "second": AsrSecondSettings()})
    return found.model_copy(update={"asr": asr, **changes})


class Process:
    """An engine host as a supervisor starts it."""

    def __init__(self, settings: Settings, path: Path) -> None:
        self._process = SPAWN.Process(target=run_engine_host, args=(settings, path))
        self._process.start()

    def kill(self, number: int = signal.SIGKILL) -> None:
        assert self._process.pid is not None
        if self._process.is_alive():
            os.kill(self._process.pid, number)

    async def ended(self) -> int | None:
        await asyncio.to_thread(self._process.join, 30)
        return self._process.exitcode


@asynccontextmanager
async def gateway(settings: Settings, path: Path) -> AsyncIterator[Engines]:
    engines = build_engines(settings, MonotonicClock(), shared_engines(path))
    await engines.start()
    try:
        yield engines
    finally:
        await engines.aclose()


async def hear(engines: Engines) -> str:
    utterance = engines.recognizer.open(AsrOptions())
    sound = question("what_time_is_it")
    for start in range(0, len(sound), FRAME_SAMPLES):
        utterance.feed(sound[start : start + FRAME_SAMPLES])
    try:
        return (await utterance.final()).text
    finally:
        utterance.cancel()


async def test_two_gateways_share_one_process_that_dies_and_comes_back(tmp_path: Path) -> None:
    settings, path = builtin(), tmp_path / "s" / "engines"
    host = Process(settings, path)
    try:
        async with gateway(settings, path) as one, gateway(settings, path) as two:
            assert one.recognizer.name == "pocketsphinx"
            heard = await asyncio.gather(hear(one), hear(two))
            assert set(heard) == {"what time is it"}
            for engines in (one, two):
                assert (await read_all(engines.model, chat("hello"))).text
                assert (await speak(engines.synthesizer, "Hello there.")).rms > 300
                assert engines.problems() == {}
            await _lose(host, one)
            host = Process(settings, path)
            await one.start()  # as the adapters wait: until it is there again
            assert await hear(one) == "what time is it"
            assert (await speak(one.synthesizer, "Hello there.")).rms > 300
        host.kill(signal.SIGTERM)
        assert await host.ended() == 0
        assert not path.exists()
    finally:
        host.kill()
        await host.ended()


async def _lose(host: Process, engines: Engines) -> None:
    """Killed in mid-answer: the call fails clearly, the gateway says what is wrong, and lives."""
    book = "This is a very long sentence that nobody wants to hear until its end, " * 3000
    stream = engines.synthesizer.stream(book, Voice())
    await anext(stream)
    host.kill()
    with pytest.raises(Lost) as caught:
        async for _ in stream:
            pass
    assert not caught.value.retryable  # something had come
    await host.ended()
    with pytest.raises(EngineError) as again:
        await read_all(engines.model, chat("hello"))
    assert again.value.retryable
    assert set(engines.problems()) == {"asr", "llm", "tts"}
    with pytest.raises(Lost):
        await hear(engines)


async def test_an_engine_that_cannot_load_ends_the_host_and_gateways_are_told(
    tmp_path: Path,
) -> None:
    found = builtin()
    broken = builtin(llm=found.llm.model_copy(update={"model": str(tmp_path)}))
    path = tmp_path / "s" / "engines"
    model = RemoteModel(link_to(path))
    telling = asyncio.create_task(model.start())
    with pytest.raises(EngineUnavailable, match=r"model\.bin is missing"):
        await serve_engines(broken, path, asyncio.Event())
    with pytest.raises(EngineUnavailable, match=r"model\.bin is missing"):
        await telling
    await model.aclose()
    assert not path.exists()


async def test_light_engines_stay_in_the_gateway() -> None:
    simulated = load_settings("simulated", environ={})
    assert not has_heavy(simulated)
    assert heavy_engines(simulated, MonotonicClock()) == {}
    both = builtin()
    fallback = both.llm.fallback.model_copy(update={"engine": "simulated"})
    mixed = builtin(llm=both.llm.model_copy(update={"fallback": fallback}))
    assert set(heavy_engines(mixed, MonotonicClock())) == {"asr", "llm", "tts"}
    create = shared_engines(Path("nobody"))
    assert isinstance(create("llm", mixed, MonotonicClock()), RemoteModel)
    assert isinstance(create("llm", simulated, MonotonicClock()), SimulatedModel)
