"""Engines behind a Unix socket: streams, cancellation, bounds, errors, and a host that goes away.
The engines are simulated, the socket is real."""

from __future__ import annotations

import asyncio
import stat
import struct
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from tests.cluster.through_host import hosting, served
from tests.llm.reading import ask, read_all, until
from tests.tts.speech import speak
from voicepipe.asr.contract import AsrOptions, Hypothesis, Transcript
from voicepipe.asr.engines.simulated import SimulatedRecognizer
from voicepipe.audio.pcm import Int16, silence
from voicepipe.cluster import link, recognizer
from voicepipe.cluster.errors import Lost, Refused
from voicepipe.cluster.host import MAX_GREETING_BYTES, MAX_STRANGERS, EngineHost
from voicepipe.cluster.hosted import HostedUtterance
from voicepipe.cluster.language_model import RemoteModel
from voicepipe.cluster.reading import WINDOW
from voicepipe.cluster.served import ServedEngine
from voicepipe.cluster.unix_socket import bound, link_to
from voicepipe.config import LatencySettings, SimulatedSettings
from voicepipe.llm.contract import (
    IDLE_PRIORITY,
    ChatRequest,
    Delta,
    Finish,
    TextDelta,
    ToolCallUnusable,
)
from voicepipe.llm.engines.simulated import Answer, SimulatedModel
from voicepipe.runtime.errors import ConfigError, EngineError, EngineUnavailable
from voicepipe.tts.engines.simulated import SimulatedSynthesizer
from voicepipe.workers.wire import encode

NONE = LatencySettings(mean_ms=0)
SETTINGS = SimulatedSettings(
    asr=NONE, llm_first_token=NONE, llm_per_token=NONE, tts=NONE, transcript="what time is it"
)


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


class Endless:
    """A model that never stops, and counts what it was asked for."""

    name = "endless"

    def __init__(self) -> None:
        self.made = 0
        self.dropped = 0

    async def start(self) -> None: ...

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        while True:
            self.made += 1
            yield TextDelta("a")

    async def aclose(self) -> None: ...


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
        await until(lambda: len(asyncio.all_tasks()) > 1 and _named("final 1"))
        final.cancel()
        await asyncio.gather(final, return_exceptions=True)
        await until(lambda: not _named("final 1"))
        utterance.cancel()


def _named(name: str) -> bool:
    return any(task.get_name() == name for task in asyncio.all_tasks())


async def test_every_wait_has_a_deadline() -> None:
    engine = SimulatedModel(SETTINGS, [Answer("a b", hang_after_tokens=1)])
    slow = SimulatedSettings(asr=LatencySettings(mean_ms=60_000))
    async with hosting(llm=engine, asr=SimulatedRecognizer(slow)) as rig:
        with pytest.raises(EngineError, match=r"within 0\.2 s") as caught:
            await read_all(rig.adapter("llm", patience_s=0.2), ask("hi"))
        assert not caught.value.retryable  # a token had come
        await until(lambda: engine.cancelled_requests == 1)
        utterance = rig.adapter("asr", patience_s=0.2).open(AsrOptions())
        utterance.feed(silence(500))
        with pytest.raises(EngineError, match=r"no final .* within 0\.2 s"):
            await utterance.final()
        utterance.cancel()


async def test_a_full_engine_refuses_and_those_under_way_do_not_notice() -> None:
    engine = SimulatedModel(SETTINGS, lambda request: Answer("a b c", hang_after_tokens=2))
    async with hosting(llm=engine) as rig:
        rig.host.engines["llm"].max_ongoing = 1
        async with aclosing(rig.adapter("llm").stream(ask("hi"))) as stream:
            assert await anext(stream) == TextDelta("a")
            with pytest.raises(Refused, match="1 calls under way, its limit") as caught:
                await read_all(rig.adapter("llm"), ask("hi"))
            assert caught.value.retryable
            assert await anext(stream) == TextDelta(" b")


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


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        encode({"op": "hello", "version": link.VERSION, "nonce": "x" * MAX_GREETING_BYTES}),
        struct.pack(">2sII", b"vp", 4000, 0) + b"[" * 4000,
        encode({"op": "ping", "at": 1}),
        encode({"op": "hello", "version": 99}),
        encode({"op": "hello", "version": link.VERSION}) + encode({"op": "open", "id": 1}),
        encode({"op": "hello", "version": link.VERSION})
        + encode({"op": "open", "id": 1, "engine": "llm", "doing": "steal", "asked": {}}),
        encode({"op": "hello", "version": link.VERSION})
        + encode({"op": "open", "id": 1, "engine": "llm", "doing": "answer", "asked": {"is": 3}}),
        encode({"op": "hello", "version": link.VERSION}) + encode({"id": 1}),
    ],
)
async def test_a_stranger_is_let_go_and_hurts_nobody(sent: bytes) -> None:
    engine = SimulatedModel(SETTINGS, ["fine"])
    async with hosting(llm=engine) as rig:
        reader, writer = await asyncio.open_unix_connection(rig.path)
        writer.write(sent)
        async with asyncio.timeout(10):
            while await _more(reader):
                pass
        writer.close()
        assert (await read_all(rig.adapter("llm"), ask("hi"))).text == "fine"


async def test_of_many_strangers_the_oldest_is_let_go() -> None:
    engine = SimulatedModel(SETTINGS, ["fine"])
    async with hosting(llm=engine) as rig:
        strangers = [await asyncio.open_unix_connection(rig.path) for _ in range(MAX_STRANGERS + 1)]
        async with asyncio.timeout(10):
            assert not await _more(strangers[0][0])
        assert not strangers[1][0].at_eof()
        assert (await read_all(rig.adapter("llm"), ask("hi"))).text == "fine"
        for _, writer in strangers:
            writer.close()


async def test_a_gateway_that_has_greeted_may_send_much() -> None:
    engine = SimulatedModel(SETTINGS, ["fine"])
    async with hosting(llm=engine) as rig:
        assert (await read_all(rig.adapter("llm"), ask("x" * 100_000))).text == "fine"


async def _more(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read(1000)
    except ConnectionResetError:
        return b""


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


async def test_a_huge_item_fails_its_call_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voicepipe.workers.wire.MAX_MESSAGE_BYTES", 10_000)
    engine = SimulatedModel(SETTINGS, ["fine"])
    async with hosting(llm=engine) as rig:
        model = rig.adapter("llm")
        with pytest.raises(EngineError, match="over the limit"):
            await read_all(model, ask("x" * 20_000))
        assert (await read_all(model, ask("hi"))).text == "fine"
        await until(rig.host.idle.is_set)


class Polite(SimulatedModel):
    """A warm-up waits while somebody is answered, as llama.cpp's."""

    async def warm(self, request: ChatRequest) -> None:
        await until(lambda: not self.active_requests)


async def test_a_warm_up_that_waits_takes_nobodys_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def for_two(engines: dict[str, Any]) -> list[ServedEngine]:
        return [ServedEngine(name, engine, at_once=2) for name, engine in engines.items()]

    monkeypatch.setattr("tests.cluster.through_host.served", for_two)
    engine = Polite(SETTINGS, [Answer("a b", hang_after_tokens=1), "fine"])
    async with hosting(llm=engine) as rig:
        model = rig.adapter("llm")
        async with aclosing(model.stream(ask("hi"))) as stream:
            await anext(stream)
            warming = [asyncio.create_task(model.warm(ask("x"))) for _ in range(3)]
            await until(lambda: len(rig.host._tasks) == 4)
            async with asyncio.timeout(2):
                assert (await read_all(model, ask("hi"))).text == "fine"
            assert rig.link.busy("llm") == 1
        await asyncio.gather(*warming)


async def test_what_nobody_waits_for_is_asked_of_one_replica_however_long_it_takes() -> None:
    class Slow(SimulatedModel):
        async def warm(self, request: ChatRequest) -> None:
            self.warmed_requests += 1
            await asyncio.sleep(0.3)

    engine = Slow(SimulatedSettings(llm_first_token=LatencySettings(mean_ms=300)), ["fine"])
    async with hosting(llm=engine) as rig:
        model = rig.adapter("llm", hedge_s=0.05)
        await model.warm(ask("hi"))
        assert (await read_all(model, ask("hi", priority=IDLE_PRIORITY))).text == "fine"
    assert (engine.warmed_requests, engine.started_requests) == (1, 1)


async def test_an_item_too_large_to_send_is_an_error_of_its_stage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("voicepipe.workers.wire.MAX_MESSAGE_BYTES", 10_000)
    async with hosting(llm=SimulatedModel(SETTINGS, ["x" * 20_000])) as rig:
        with pytest.raises(EngineError, match="over the limit") as caught:
            await read_all(rig.adapter("llm"), ask("hi"))
    assert caught.value.stage == "llm"


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
    await until(lambda: len(sent) > 0 and not _named("final 2"))
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


async def test_many_calls_at_once_are_no_more_than_the_limit() -> None:
    async with hosting(asr=SimulatedRecognizer(SETTINGS)) as rig:
        rig.host.engines["asr"].max_ongoing = 2
        utterances = [rig.adapter("asr").open(AsrOptions()) for _ in range(5)]  # leave together
        await until(lambda: rig.host.engines["asr"].ongoing > 0)
        assert rig.host.engines["asr"].ongoing == 2
        for utterance in utterances:
            utterance.cancel()
        await until(rig.host.idle.is_set)
        assert rig.host.engines["asr"].ongoing == 0


async def test_a_call_whose_item_cannot_be_read_is_closed() -> None:
    async with hosting(asr=SimulatedRecognizer(SETTINGS)) as rig:
        utterance = rig.adapter("asr").open(AsrOptions())
        await until(lambda: rig.host.engines["asr"].ongoing == 1)
        utterance.message({"op": "item", "is": "Guess"}, b"")  # of a newer host
        await until(rig.host.idle.is_set)
        utterance.feed(silence(500))
        assert (await utterance.final()).text == "what time is it"  # asked anew
        utterance.cancel()


async def test_who_hears_again_gets_the_beginning_of_what_is_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recognizer, "MAX_KEPT_S", 1.0)
    async with hosting(asr=SimulatedRecognizer(SETTINGS)) as rig:
        utterance = rig.adapter("asr").open(AsrOptions())
        for ms in (400, 900, 400):
            utterance.feed(silence(ms))
        assert (await utterance.final()).audio_s == pytest.approx(1.7)
        utterance.failed(Lost("gone", stage="asr"))
        utterance.feed(silence(100))
        assert (await utterance.final()).audio_s == pytest.approx(1.0)
        utterance.cancel()
