"""What a host of engines bears: strangers, too many calls, too large items, endless waits."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import pytest

from tests.cluster.through_host import SETTINGS, hosting
from tests.llm.reading import ask, read_all, until
from voicepipe.asr.contract import AsrOptions
from voicepipe.asr.engines.simulated import SimulatedRecognizer
from voicepipe.audio.pcm import silence
from voicepipe.cluster import link, recognizer
from voicepipe.cluster.errors import Lost, Refused
from voicepipe.cluster.host import MAX_GREETING_BYTES, MAX_STRANGERS
from voicepipe.cluster.served import ServedEngine
from voicepipe.config import LatencySettings, SimulatedSettings
from voicepipe.llm.contract import (
    IDLE_PRIORITY,
    ChatRequest,
    TextDelta,
)
from voicepipe.llm.engines.simulated import Answer, SimulatedModel
from voicepipe.runtime.errors import EngineError
from voicepipe.workers.wire import encode


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


async def test_a_host_of_another_key_is_tried_ever_less_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link, "RETRY_S", (0.0, 60.0))
    tried = 0

    async def let_go(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal tried
        tried += 1
        writer.close()  # as a host does that was given no proof

    server = await asyncio.start_server(let_go, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]

    def connect(make: Callable[[], asyncio.Protocol]) -> Any:
        return asyncio.get_running_loop().create_connection(make, "127.0.0.1", port)

    way = link.Link(connect, "llm@host:1")
    try:
        await way.start(way)
        await until(lambda: tried == 2)
        await asyncio.sleep(0.2)
        assert tried == 2, "it waits longer each time"
    finally:
        await way.aclose(way)
        server.close()


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
