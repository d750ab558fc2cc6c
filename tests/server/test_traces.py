"""Spans as a collector gets them, and a collector that does not answer."""

from __future__ import annotations

import contextlib
import json
import logging
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.server.harness import running_server
from tests.server.test_limits import next_of, raw, send
from tests.server.test_sdk import quiet, tone
from voicepipe.config import Settings
from voicepipe.ledger.records import SEGMENTS, ToolSpan, TurnRecord, critical_segments
from voicepipe.server.traces import MAX_WAITING, traces

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class Collector(ThreadingHTTPServer):
    """Takes spans; while `hangs` is set it answers nobody."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.daemon_threads = True
        self.spans: list[Any] = []
        self.hangs = threading.Event()
        self.goes_on = threading.Event()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1/traces"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        collector: Any = self.server
        if collector.hangs.is_set():
            collector.goes_on.wait(30)
            return
        if self.headers["content-encoding"] == "gzip":
            raise AssertionError("not asked for")
        request = ExportTraceServiceRequest.FromString(body)
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                collector.spans += scope.spans
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass


@contextlib.contextmanager
def collector() -> Iterator[Collector]:
    server = Collector()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.hangs.clear()  # what is exported now is not tried again and again
        server.goes_on.set()
        for thread in threading.enumerate():
            if thread.name == "last export":  # else its failure is in the next test's log
                thread.join(30)
        server.shutdown()
        server.server_close()


def facts(span: Any) -> dict[str, Any]:
    return {a.key: getattr(a.value, a.value.WhichOneof("value")) for a in span.attributes}


def length(span: Any) -> int:
    return int(span.end_time_unix_nano - span.start_time_unix_nano)


async def test_a_call_is_a_trace_and_its_turns_stages_add_up_exactly() -> None:
    with collector() as found:
        async with running_server(tracing={"endpoint": found.endpoint}) as server:
            async with raw(server, additional_headers={"traceparent": PARENT}) as ws:
                told = {"type": "realtime", "voicepipe": {"turn_events": True}}
                await send(ws, type="session.update", session=told)
                for pause_ms in (0, 200):
                    await send(ws, type="input_audio_buffer.append", audio=tone(600))
                    await send(ws, type="input_audio_buffer.append", audio=quiet(pause_ms))
                    await send(ws, type="input_audio_buffer.append", audio=tone(400))
                    await send(ws, type="input_audio_buffer.append", audio=quiet(1000))
                    turn = (await next_of(ws, "voicepipe.turn"))["turn"]
            server.app.state.service.traces.dropped = 3
            async with httpx.AsyncClient(trust_env=False) as client:
                metrics = (await client.get(f"{server.http}/metrics")).text
            assert "voicepipe_traces_dropped_total 3.0" in metrics
    (call,) = (span for span in found.spans if span.name == "call")
    assert call.trace_id.hex() == "0af7651916cd43dd8448eb211c80319c", "the caller's own trace"
    assert call.parent_span_id.hex() == "b7ad6b7169203331"
    assert {span.trace_id for span in found.spans} == {call.trace_id}
    turns = [span for span in found.spans if span.name == "turn"]
    assert len(turns) == 2
    assert all(span.parent_span_id == call.span_id for span in turns)
    for span in turns:
        children = [s for s in found.spans if s.parent_span_id == span.span_id]
        critical = [s for s in children if facts(s)["voicepipe.critical"]]
        assert [s.name for s in critical] == [name for name, _ in SEGMENTS]
        assert sum(map(length, critical)) == length(span)
        work = {s.name: facts(s) for s in children if not facts(s)["voicepipe.critical"]}
        assert work["llm work"]["gen_ai.operation.name"] == "chat"
    assert length(turns[-1]) == round(turn["voice_to_voice_ms"] * 1e6)
    assert facts(turns[-1])["voicepipe.turn.id"] == turn["turn_id"]
    prepared = [facts(span) for span in found.spans if span.name == "prepared reply"]
    assert {one["voicepipe.reply.end"] for one in prepared} == {"committed", "discarded"}
    assert {one.get("voicepipe.reply.why") for one in prepared} == {None, "user_went_on"}
    assert not any(one["voicepipe.critical"] for one in prepared)
    words = str(found.spans)
    assert "seven" not in words
    assert "what time" not in words


@pytest.mark.parametrize("redact", [[], ["card", "name"]])
async def test_what_was_said_is_there_where_it_is_asked_for(redact: list[str]) -> None:
    text = "my name is anna, what time is it"
    with collector() as found:
        tracing = {"endpoint": found.endpoint, "content": True}
        async with (
            running_server(tracing=tracing, calls={"redact": redact}) as server,
            raw(server) as ws,
        ):
            content = [{"type": "input_text", "text": text}]
            item = {"type": "message", "role": "user", "content": content}
            await send(ws, type="conversation.item.create", item=item)
            await send(ws, type="response.create")
            await next_of(ws, "response.done")
    (turn,) = (span for span in found.spans if span.name == "turn")
    ((asked,), (answered,)) = (
        json.loads(facts(turn)[f"gen_ai.{way}.messages"]) for way in ("input", "output")
    )
    assert (asked["role"], answered["role"]) == ("user", "assistant")
    said = text.replace("anna", "[name]") if redact else text
    assert asked["parts"] == [{"type": "text", "content": said}]
    assert answered["parts"][0]["content"]


def record(number: int) -> TurnRecord:
    critical = {name: 1000 for name, _ in SEGMENTS}
    marks: Any = {"speech_end": 0, "audio_out": 6000}
    return TurnRecord(f"turn_{number}", "sess_1", "speech", "completed", marks, critical, {}, {})


def test_the_stages_of_a_turn_with_a_tool_add_up_too() -> None:
    marks: Any = {
        **{"speech_end": 0, "endpoint": 1000, "asr_final": 2000, "llm_request": 2000},
        **{"llm_first_token": 9000, "first_clause": 9500, "tts_first_audio": 11_000},
        "audio_out": 12_000,
    }
    tools = (ToolSpan("order", 3000, 8000),)
    one = replace(record(1), marks=marks, critical=critical_segments(marks, tools), tools=tools)
    with collector() as found:
        running = traces(Settings(tracing={"endpoint": found.endpoint}))
        assert running is not None
        running.turn(one)
        running.call_ends("sess_1")
        running.close()
    (turn,) = (span for span in found.spans if span.name == "turn")
    critical = [s for s in found.spans if facts(s).get("voicepipe.critical")]
    assert {s.name: length(s) for s in critical}["tool"] == 5_000_000
    assert sum(map(length, critical)) == length(turn) == 12_000_000
    assert critical[-1].end_time_unix_nano == turn.end_time_unix_nano


def test_the_model_named_is_the_one_that_answered() -> None:
    said = {"engine": "openai", "model": "tiny", "others": {"big": {"engine": "llama_cpp"}}}
    said["others"]["big"]["model"] = "large.gguf"  # type: ignore[index]
    with collector() as found:
        settings = {"llm": said, "tracing": {"endpoint": found.endpoint}}
        made = traces(Settings.model_validate(settings))
        assert made is not None
        for chosen, model, provider in (
            ("", "tiny", "openai"),
            ("listed", "listed", "openai"),
            ("big", "large.gguf", "llama_cpp"),
        ):
            one = replace(record(1), route={"model": chosen} if chosen else {})
            told = made._gen_ai("llm", one)
            assert told["gen_ai.request.model"] == model
            assert told["gen_ai.provider.name"] == provider
        made.close()


def test_a_collector_that_hangs_costs_spans_and_nothing_else() -> None:
    with collector() as found:
        found.hangs.set()
        running = traces(Settings(tracing={"endpoint": found.endpoint}))
        assert running is not None
        began = time.perf_counter()
        for number in range(20_000):
            running.turn(record(number))
        took_s = time.perf_counter() - began
        assert took_s / 20_000 < 0.0005, f"{took_s / 20_000 * 1e6:.0f} us a turn"
        assert running.waiting <= MAX_WAITING
        assert 0 < running.dropped < 20_000
        began = time.perf_counter()
        running.close()
        assert time.perf_counter() - began < 6


def test_without_an_endpoint_nothing_is_made() -> None:
    assert traces(Settings()) is None


@pytest.mark.parametrize("wrong", ["127.0.0.1:4318", "ftp://x"])
def test_an_endpoint_is_an_address(wrong: str) -> None:
    with pytest.raises(ValueError, match="endpoint"):
        Settings(tracing={"endpoint": wrong})


def test_a_collector_that_is_away_is_told_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    with collector() as found:
        made = traces(Settings(tracing={"endpoint": found.endpoint}))
        assert made is not None
        exporter = "opentelemetry.exporter.otlp.proto.http.trace_exporter"
        caplog.set_level(logging.WARNING)
        for name in (exporter, "urllib3.connectionpool"):
            caplog.clear()
            for _ in range(5):
                try:
                    raise ConnectionError("refused")
                except ConnectionError:
                    logging.getLogger(name).exception("cannot be reached")
            assert len(caplog.records) <= 1
            assert "Traceback" not in caplog.text
        made.close()
