"""Engines behind a Unix socket: streams, cancellation, bounds, errors, and a host that goes away.
The engines are simulated, the socket is real."""

from __future__ import annotations

import asyncio
import stat
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.through_host import SETTINGS, Endless, hosting, is_running, served
from tests.llm.reading import ask, read_all, until
from tests.tts.speech import speak
from voicepipe.asr.contract import AsrOptions, Hypothesis, Transcript
from voicepipe.asr.engines.simulated import SimulatedRecognizer
from voicepipe.audio.pcm import Int16, silence
from voicepipe.cluster import link
from voicepipe.cluster.errors import Lost, Refused
from voicepipe.cluster.host import EngineHost
from voicepipe.cluster.hosted import HostedUtterance
from voicepipe.cluster.language_model import RemoteModel
from voicepipe.cluster.reading import WINDOW
from voicepipe.cluster.unix_socket import bound, link_to
from voicepipe.config import LatencySettings, SimulatedSettings
from voicepipe.llm.contract import (
    ChatRequest,
    Delta,
    Finish,
    TextDelta,
    ToolCallUnusable,
)
from voicepipe.llm.engines.simulated import Answer, SimulatedModel
from voicepipe.runtime.errors import ConfigError, EngineError, EngineUnavailable
from voicepipe.tts.engines.simulated import SimulatedSynthesizer


async def test_an_answer_streams_with_all_that_was_asked() -> None:
    engine = SimulatedModel(SETTINGS, [Answer("One two.", tool=("get_time", "{}"))])
    async with hosting(llm=engine) as rig:
        model = rig.adapter("llm")
        await model.start()
        request = ask("hi", priority=1, session_id="s1", seed=3)
        read = await read_all(model, request)
        await model.warm(request)
        await model.aclose()
    assert (read.texts, [call.name for call in read.calls]) == (["One", " two."], ["get_time"])
    assert read.finish is not None
    assert read.finish.reason == "tool_calls"
    assert float(read.finish.route["llm.hop_ms"]) >= 0
    assert engine.requests == [request]
    assert (engine.warmed_requests, model.name) == (1, "simulated")


async def test_speech_streams_and_voices_are_known() -> None:
    engine = SimulatedSynthesizer(SETTINGS)
    async with hosting(tts=engine) as rig:
        speaker = rig.adapter("tts")
        await speaker.start()
        spoken = await speak(speaker, "It is half past seven.")
        alone = await speak(engine, "It is half past seven.")
        await speaker.aclose()
    assert (speaker.sample_rate, speaker.voices()) == (24_000, ("simulated",))
    assert spoken.pcm.tobytes() == alone.pcm.tobytes()
    assert spoken.words == alone.words


async def test_audio_goes_up_and_hypotheses_come_down() -> None:
    async with hosting(asr=SimulatedRecognizer(SETTINGS)) as rig:
        recognizer = rig.adapter("asr")
        await recognizer.start()
        utterance = recognizer.open(AsrOptions(language="de"))
        shown: list[Hypothesis] = []
        utterance.feed(silence(800))
        async for hypothesis in utterance.hypotheses():
            shown.append(hypothesis)
            break
        first = await utterance.final()
        assert await utterance.final() is first
        utterance.feed(silence(200))
        second = await utterance.final()
        utterance.cancel()
        with pytest.raises(EngineError, match="cancelled"):
            await utterance.final()
        assert len([h async for h in utterance.hypotheses()]) <= 1  # one may lie there; it ends
        await recognizer.aclose()
    assert shown[-1].text == "what time"
    assert (first.text, first.audio_s, first.language) == ("what time is it", 0.8, "de")
    assert second.audio_s == 1.0


async def test_closing_and_cancelling_reach_the_engine() -> None:
    engine = SimulatedModel(SETTINGS, [Answer("a b c", hang_after_tokens=1)])
    speaking, hearing = SimulatedSynthesizer(SETTINGS, ["hang"]), SimulatedRecognizer(SETTINGS)
    async with hosting(llm=engine, tts=speaking, asr=hearing) as rig:
        model = rig.adapter("llm")
        async with aclosing(model.stream(ask("hi"))) as stream:
            await anext(stream)
        await until(lambda: engine.cancelled_requests == 1)
        task = asyncio.create_task(speak(rig.adapter("tts"), "Hello."))
        await until(lambda: speaking.active == 1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await until(lambda: speaking.active == 0)
        utterance = rig.adapter("asr").open(AsrOptions())
        await until(lambda: rig.host.engines["asr"].ongoing == 1)
        utterance.cancel()
        await until(rig.host.idle.is_set)


async def test_an_engine_is_a_window_ahead_of_its_reader_at_most() -> None:
    engine = Endless()
    async with hosting(llm=engine) as rig:
        async with aclosing(rig.adapter("llm").stream(ask("hi"))) as stream:
            await anext(stream)
            await until(lambda: engine.made > WINDOW)
            for _ in range(10):
                await asyncio.sleep(0)
            assert engine.made <= WINDOW + 1
            for _ in range(3 * WINDOW):
                await anext(stream)
            assert engine.made <= 4 * WINDOW + 2


class Failing(Endless):
    """Raises what it is told to."""

    def __init__(self, error: Exception, after: int = 0) -> None:
        super().__init__()
        self.error, self.after = error, after

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        for _ in range(self.after):
            yield TextDelta("a")
        raise self.error


@pytest.mark.parametrize(
    ("error", "kind", "says"),
    [
        (ToolCallUnusable("it is no JSON"), ToolCallUnusable, "it is no JSON"),
        (EngineUnavailable("gone", stage="llm"), EngineUnavailable, "gone"),
        (KeyError("a caller's words"), EngineError, "the llm engine failed: KeyError"),
    ],
)
async def test_errors_keep_their_type(error: Exception, kind: type[EngineError], says: str) -> None:
    async with hosting(llm=Failing(error)) as rig:
        with pytest.raises(kind) as caught:
            await read_all(rig.adapter("llm"), ask("hi"))
    assert says in str(caught.value)
    assert "words" not in str(caught.value)
    assert caught.value.stage == "llm"


class Deaf(SimulatedRecognizer):
    """Its first final fails."""

    def open(self, options: AsrOptions) -> Any:
        utterance = super().open(options)
        answer = utterance.final
        failures = iter([EngineError("overloaded", stage="asr", retryable=True)])

        async def final() -> Transcript:
            for error in failures:
                raise error
            return await answer()

        utterance.final = final  # type: ignore[method-assign]
        return utterance


async def test_a_final_that_fails_ends_no_utterance() -> None:
    async with hosting(asr=Deaf(SETTINGS)) as rig:
        utterance = rig.adapter("asr").open(AsrOptions())
        utterance.feed(silence(500))
        with pytest.raises(EngineError, match="overloaded") as caught:
            await utterance.final()
        assert caught.value.retryable
        assert (await utterance.final()).text == "what time is it"
        utterance.cancel()


async def test_a_final_that_nobody_waits_for_is_dropped() -> None:
    slow = SimulatedSettings(asr=LatencySettings(mean_ms=60_000))
    async with hosting(asr=SimulatedRecognizer(slow)) as rig:
        utterance = rig.adapter("asr").open(AsrOptions())
        utterance.feed(silence(500))
        final = asyncio.create_task(utterance.final())
        await until(lambda: len(asyncio.all_tasks()) > 1 and is_running("final 1"))
        final.cancel()
        await asyncio.gather(final, return_exceptions=True)
        await until(lambda: not is_running("final 1"))
        utterance.cancel()


async def test_a_host_that_stops_lets_calls_end_and_takes_none() -> None:
    gate = asyncio.Event()

    class Gated(Endless):
        async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
            yield TextDelta("a")
            await gate.wait()
            yield Finish("stop")

    async with hosting(llm=Gated()) as rig:
        running = asyncio.create_task(read_all(rig.adapter("llm"), ask("hi")))
        await until(lambda: rig.host.engines["llm"].ongoing == 1)
        draining = asyncio.create_task(rig.host.drain(30))
        with pytest.raises(Refused, match="takes no new calls"):
            await read_all(rig.adapter("llm"), ask("hi"))
        assert not draining.done()
        gate.set()
        assert (await running).text == "a"
        assert await draining


async def test_an_engine_that_cannot_start_says_why() -> None:
    class Broken(Endless):
        async def start(self) -> None:
            raise EngineUnavailable("model.bin is missing; voicepipe models pull", stage="llm")

    folder_engine = {"llm": Broken(), "tts": SimulatedSynthesizer(SETTINGS)}
    with pytest.raises(EngineUnavailable, match=r"model\.bin is missing"):
        async with hosting(**folder_engine):
            pass


async def test_gateways_that_came_early_are_told(tmp_path: Path) -> None:
    path = tmp_path / "s" / "engines"
    model = RemoteModel(link_to(path))
    starting = asyncio.create_task(model.start())
    host = EngineHost(served({"llm": Failing(RuntimeError("no"))}))
    loop = asyncio.get_running_loop()
    server = await loop.create_unix_server(host.accept, sock=bound(path))
    try:
        host.engines["llm"].engine.start = _cannot
        await asyncio.gather(host.start(), return_exceptions=True)
        with pytest.raises(EngineUnavailable, match="no model here"):
            await starting
    finally:
        await model.aclose()
        server.close()
        await host.aclose()


async def _cannot() -> None:
    raise EngineUnavailable("no model here", stage="llm")


async def test_nobody_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    way = link_to(tmp_path / "nobody")
    way._start_s = 0.1
    model = RemoteModel(way)
    with pytest.raises(EngineUnavailable, match="no engine host answers at nobody"):
        await model.start()
    with pytest.raises(Lost):
        await read_all(model, ask("hi"))
    await model.aclose()


async def test_a_silent_host_is_taken_for_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "PING_S", 0.02)
    monkeypatch.setattr(link, "SILENCE_S", 0.2)
    engine = SimulatedModel(SETTINGS, [Answer("a", hang_after_tokens=0)])
    async with hosting(llm=engine) as rig:
        model = rig.adapter("llm")
        await model.start()
        reading = asyncio.create_task(read_all(model, ask("hi")))
        await until(lambda: engine.active_requests == 1)
        for guest in rig.host._guests:
            guest.wire.transport.pause_reading()  # it hears nothing, and says nothing
        deaf = list(rig.host._guests)
        with pytest.raises(Lost, match="silent") as caught:
            await reading
        assert caught.value.retryable
        for guest in deaf:
            guest.wire.transport.resume_reading()
        await until(lambda: engine.active_requests == 0)
        await model.aclose()


async def test_an_engine_of_another_name_is_not_offered() -> None:
    async with hosting(llm=SimulatedModel(SETTINGS)) as rig:
        with pytest.raises(EngineUnavailable, match=r"llm\.cascade is not offered"):
            await read_all(rig.adapter("llm.cascade"), ask("hi"))
        await until(lambda: rig.link.connected)
        assert rig.adapter("llm").problem is None
        assert "not offered" in rig.adapter("llm.cascade").problem


async def test_load_is_told_with_the_pulse(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "PING_S", 0.02)
    async with hosting(llm=SimulatedModel(SETTINGS, ["a"])) as rig:
        await read_all(rig.adapter("llm"), ask("hi"))
        await until(lambda: rig.link.load.get("llm", {}).get("served") == 1)
        assert rig.link.round_trip_s is not None
        assert 0 < rig.link.round_trip_s < 5


async def test_an_engine_that_is_unwell_and_well_again_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link, "PING_S", 0.02)
    engine = Unwell()
    async with hosting(llm=engine) as rig:
        model = rig.adapter("llm")
        assert model.problem is None
        engine.problem = "the llm worker is starting"
        await until(lambda: model.problem == "the llm worker is starting")
        engine.problem = None
        await until(lambda: model.problem is None)


class Unwell(Endless):
    """Says that it cannot serve, where it is told to."""

    problem: str | None = None


def test_a_socket_is_for_its_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "s" / "engines"
    with bound(path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        with pytest.raises(ConfigError, match="another engine host listens there"):
            bound(path)
    with bound(path):
        pass  # what a killed host left is no obstacle
    path.parent.chmod(0o755)
    with pytest.raises(ConfigError, match="others can reach it"):
        bound(path)
    with pytest.raises(ConfigError, match="107 bytes"):
        bound(tmp_path / ("x" * 120))


async def test_a_final_dropped_in_the_same_breath_is_forgotten() -> None:
    """Its task never takes a first step, and has no `finally`."""
    sent: list[object] = []
    (engine,) = served({"asr": SimulatedRecognizer(SETTINGS)})
    call = HostedUtterance(engine, {}, lambda header, _: sent.append(header))
    running = asyncio.create_task(call.run())
    await until(lambda: call._utterance is not None)
    call.receive({"op": "audio"}, silence(500).tobytes())
    call.receive({"op": "final", "n": 1}, b"")
    call.receive({"op": "drop", "n": 1}, b"")
    call.receive({"op": "final", "n": 2}, b"")
    await until(lambda: len(sent) > 0 and not is_running("final 2"))
    assert not call._finals
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


class Choking(SimulatedRecognizer):
    """Its utterances take no audio."""

    def __init__(self, error: Exception) -> None:
        super().__init__(SETTINGS)
        self.error = error

    def open(self, options: AsrOptions) -> Any:
        utterance = super().open(options)

        def feed(pcm: Int16) -> None:
            raise self.error

        utterance.feed = feed  # type: ignore[method-assign]
        return utterance


@pytest.mark.parametrize("error", [ValueError("a caller's words"), RuntimeError("memory at 0x1")])
async def test_an_engine_that_chokes_on_audio_ends_its_own_call_only(error: Exception) -> None:
    engine = SimulatedModel(SETTINGS, [Answer("a b", hang_after_tokens=1)])
    async with hosting(asr=Choking(error), llm=engine) as rig:
        async with aclosing(rig.adapter("llm").stream(ask("hi"))) as stream:
            await anext(stream)
            utterance = rig.adapter("asr").open(AsrOptions())
            await until(lambda: rig.host.engines["asr"].ongoing == 1)
            await asyncio.sleep(0.01)
            utterance.feed(silence(100))
            with pytest.raises(EngineError) as caught:
                await utterance.final()
            assert str(caught.value) == f"the asr engine failed: {type(error).__name__}"
            utterance.cancel()
            assert rig.link.connected  # the answer goes on


async def test_a_host_that_ends_as_somebody_comes_closes_its_engines() -> None:
    class Closing(Endless):
        closed = False

        async def aclose(self) -> None:
            self.closed = True

    engine = Closing()
    host = EngineHost(served({"llm": engine}))
    host.accept()  # asyncio tells the protocol of its transport a tick later
    await host.aclose()
    assert engine.closed


async def test_a_call_whose_item_cannot_be_read_is_closed() -> None:
    async with hosting(asr=SimulatedRecognizer(SETTINGS)) as rig:
        utterance = rig.adapter("asr").open(AsrOptions())
        await until(lambda: rig.host.engines["asr"].ongoing == 1)
        utterance.message({"op": "item", "is": "Guess"}, b"")  # of a newer host
        await until(rig.host.idle.is_set)
        utterance.feed(silence(500))
        assert (await utterance.final()).text == "what time is it"  # asked anew
        utterance.cancel()
