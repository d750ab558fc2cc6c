"""Voices that agents and sessions name beside the engine's own: loaded when they first speak."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openai import AsyncOpenAI

from scripts.make_piper_voice import write_voice
from tests.server.harness import RunningServer, running_server, simulated_engines
from tests.tts.test_fallback import Deep
from voicepipe.config import LatencySettings, Settings, SimulatedSettings
from voicepipe.models.lock import Lock, LockedModel
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import EngineUnavailable
from voicepipe.server.engine_factory import create_synthesizer
from voicepipe.server.voices import a_voice_for_each_language
from voicepipe.tts.by_language import VoicePlan, VoicesByLanguage
from voicepipe.tts.contract import Synthesizer, Voice
from voicepipe.tts.engines.simulated import SimulatedSynthesizer
from voicepipe.tts.phrase_cache import CachingSynthesizer, PhraseCache

DEADLINE_S = 60.0
PULLED = "piper-en_US-ljspeech-medium"


@pytest.mark.virtual_time
async def test_one_that_fails_is_told_in_the_ledger_and_not_cached_under_its_name() -> None:
    class Broken(Deep):
        async def start(self) -> None:
            raise EngineUnavailable("ann.onnx is broken", stage="tts")

    main = SimulatedSynthesizer(SimulatedSettings(tts=LatencySettings(mean_ms=20)))
    plan = VoicePlan("piper", {}, named={"ann": "ann.onnx", "bob": "bob.onnx"})
    made: list[str] = []

    def load(name: str) -> SimulatedSynthesizer:
        made.append(name)
        return (Broken if name == "ann.onnx" else Deep)(SimulatedSettings())

    named = CachingSynthesizer(VoicesByLanguage(main, plan, load, 2), PhraseCache(2**20))
    await named.start()
    assert named.voices() == (*main.voices(), "ann", "bob")
    for _ in range(2):
        spoken = [speech async for speech in named.stream("Hello.", Voice("ann"))]
        assert spoken[0].route == {"tts": "no voice ann"}
    assert [speech async for speech in named.stream("Hello.", Voice("bob"))]
    assert made == ["ann.onnx", "bob.onnx"]
    await named.aclose()


@pytest.mark.virtual_time
async def test_while_a_voice_is_loading_for_long_the_main_one_speaks() -> None:
    class Slow(Deep):
        async def start(self) -> None:
            await asyncio.sleep(10)

    main = SimulatedSynthesizer(SimulatedSettings(tts=LatencySettings(mean_ms=20)))
    plan = VoicePlan("piper", {}, named={"ann": "ann.onnx"})
    named = VoicesByLanguage(main, plan, lambda name: Slow(SimulatedSettings()), 2, patience_s=4)
    await named.start()
    began = asyncio.get_running_loop().time()
    first = await anext(aiter(named.stream("Hello.", Voice("ann"))))
    assert first.route == {"tts": "no voice ann"}
    assert asyncio.get_running_loop().time() - began == pytest.approx(4, abs=0.5)
    await asyncio.sleep(8)
    first = await anext(aiter(named.stream("Hello.", Voice("ann"))))
    assert first.route == {}, "by now it is there"
    await named.aclose()


@pytest.mark.virtual_time
async def test_one_that_is_still_loading_is_closed_with_the_rest() -> None:
    order: list[str] = []

    class Slow(Deep):
        async def start(self) -> None:
            try:
                await asyncio.sleep(10)
            finally:
                await asyncio.sleep(1)  # what it has begun takes a while to end
                order.append("start ended")

        async def aclose(self) -> None:
            order.append("closed")

    main = SimulatedSynthesizer(SimulatedSettings(tts=LatencySettings(mean_ms=20)))
    plan = VoicePlan("piper", {}, named={"ann": "ann.onnx"})
    named = VoicesByLanguage(main, plan, lambda name: Slow(SimulatedSettings()), 2)
    await named.start()
    await anext(aiter(named.stream("Hello.", Voice("ann"))))
    await named.aclose()
    assert order == ["start ended", "closed"]


def tts_settings(folder: Path) -> tuple[dict[str, Any], Settings]:
    """Three tiny voices: the server's, one by a name of the settings, one that was pulled."""
    for name in ("main", "ann"):
        write_voice(folder / f"{name}.onnx")
    pulled = folder / "models" / PULLED
    pulled.mkdir(parents=True)
    write_voice(pulled / "en_US-ljspeech-medium.onnx")
    lock = Lock(models={PULLED: LockedModel(source="here", revision="main", complete=True)})
    lock.write(folder / "models")
    tts = {
        "engine": "piper",
        "model": str(folder / "main.onnx"),
        "first_audio_timeout_ms": 60_000,  # on a busy machine a voice takes long to load
        "named_voices": {"ann": str(folder / "ann.onnx"), "eve": str(folder / "eve.onnx")},
    }
    return tts, Settings.model_validate({"tts": tts, "models_dir": folder / "models"})


@asynccontextmanager
async def speaking_server(
    tts: dict[str, Any], synthesizer: Synthesizer, **agents: Any
) -> AsyncIterator[tuple[RunningServer, AsyncOpenAI]]:
    engines = replace(simulated_engines(), synthesizer=synthesizer)
    async with running_server(engines, agents=agents, tts=tts) as server:
        sdk = AsyncOpenAI(api_key="none", base_url=f"{server.http}/v1")
        async with sdk:
            yield server, sdk


async def until(connection: Any, kind: str) -> Any:
    async with asyncio.timeout(DEADLINE_S):
        while (event := await connection.recv()).type != kind:
            pass
    return event


def spoken_by(voice: str) -> Any:
    return {"audio": {"output": {"voice": voice}}}


async def test_agents_and_sessions_speak_with_piper_voices_of_their_own(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tts, settings = tts_settings(tmp_path)
    clock = MonotonicClock()
    voices = a_voice_for_each_language(create_synthesizer(settings, clock), settings, clock)
    assert isinstance(voices, VoicesByLanguage)
    assert "tts.named_voices.eve is left out: the model path" in caplog.text
    bar = {"instructions": "You serve.", "greeting": "Hello there.", "voice": "ann"}
    desk = {"instructions": "You sit.", "greeting": "Yes?", "voice": "eve"}
    async with speaking_server(tts, voices, bar=bar, desk=desk) as (_, sdk):
        async with asyncio.timeout(DEADLINE_S):  # the engines may be a moment later than the port
            while "agents.desk.voice: there is no voice 'eve' here" not in caplog.text:
                await asyncio.sleep(0.01)
        assert voices.voices() == ("main", PULLED, "ann")
        async with sdk.realtime.connect(model="x", extra_query={"agent": "bar"}) as talk:
            created: Any = await talk.recv()
            assert created.session.audio.output.voice == "ann"
            await talk.session.update(session={"type": "realtime"})  # who speaks first is greeted
            await until(talk, "response.output_audio.delta")
            assert list(voices._loaded) == [str(tmp_path / "ann.onnx")]
            await until(talk, "response.done")
            await talk.response.create(response=spoken_by(PULLED))
            await until(talk, "response.output_audio.delta")
            assert list(voices._loaded) == [str(tmp_path / "ann.onnx"), PULLED]
            await until(talk, "response.done")
            await talk.response.create(response=spoken_by("eva"))
            told = await until(talk, "error")
            assert "'eva'" in told.error.message
            assert "ann" in told.error.message, "those that there are"
        async with sdk.realtime.connect(model="x", extra_query={"agent": "desk"}) as talk:
            created = await talk.recv()
            assert created.session.audio.output.voice == "default"
            await talk.session.update(session={"type": "realtime"})
            await until(talk, "response.output_audio.delta")  # the call lives, and is greeted
            await until(talk, "response.done")
