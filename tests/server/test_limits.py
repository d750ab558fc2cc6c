"""Bad input, limits, keys and clients that vanish: a clear error or a clean end, and no leak."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
import websockets
from websockets.asyncio.client import ClientConnection, connect

from tests.server.harness import RunningServer, running_server, simulated_engines
from tests.server.test_sdk import quiet, tone
from voicepipe.llm.engines.simulated import Answer

LONG_ANSWER = "One two three four five six seven eight nine ten. " * 12


@asynccontextmanager
async def raw(server: RunningServer, **options: Any) -> AsyncIterator[ClientConnection]:
    """A connection that has read its session.created."""
    async with connect(f"{server.ws}/realtime?model=m", max_size=None, **options) as ws:
        assert json.loads(await ws.recv())["type"] == "session.created"
        yield ws


async def next_of(ws: ClientConnection, *wanted: str, limit_s: float = 20) -> dict[str, Any]:
    async with asyncio.timeout(limit_s):
        while True:
            event: dict[str, Any] = json.loads(await ws.recv())
            if event["type"] in wanted:
                return event


async def send(ws: ClientConnection, **event: Any) -> None:
    await ws.send(json.dumps(event))


async def nothing_left(server: RunningServer) -> None:
    """Sessions, tasks and engine requests are all gone."""
    service, own = server.service, {"uvicorn"}
    engines: Any = service.engines
    async with asyncio.timeout(5):
        while (
            service.sessions
            or engines.model.active_requests
            or engines.synthesizer.active
            or _named_tasks() - own
        ):
            await asyncio.sleep(0.02)


def _named_tasks() -> set[str]:
    """Tasks of ours: the test's and uvicorn's own have default names."""
    names = (task.get_name() for task in asyncio.all_tasks())
    return {name for name in names if not name.startswith("Task-")}


MP3 = {"type": "realtime", "audio": {"input": {"format": {"type": "audio/mp3"}}}}
APPEND = "input_audio_buffer.append"


@pytest.mark.parametrize(
    ("message", "code", "param"),
    [
        ("{not json", "invalid_json", None),
        ({"event_id": "e1"}, None, "type"),
        ({"type": "no.such.event"}, "invalid_value", "type"),
        ({"type": APPEND}, "missing_required_parameter", "audio"),
        ({"type": APPEND, "audio": "@@@"}, None, "audio"),
        ({"type": APPEND, "audio": "AAAA"}, None, "audio"),  # three bytes: half a sample
        ({"type": "input_audio_buffer.commit"}, "input_audio_buffer_commit_empty", None),
        ({"type": "session.update", "session": MP3}, None, "session.audio.input.format.type"),
    ],
)
async def test_bad_message_is_answered_and_the_session_goes_on(
    message: Any, code: str | None, param: str | None
) -> None:
    async with running_server() as server, raw(server) as ws:
        if isinstance(message, str):
            await ws.send(message)
        else:
            await send(ws, **{"event_id": "e1", **message})
        error = (await next_of(ws, "error"))["error"]
        assert error["type"] == "invalid_request_error"
        assert error["message"]
        if code:
            assert error["code"] == code
        if param:
            assert error["param"] == param
        if not isinstance(message, str):
            assert error["event_id"] == "e1"
        await send(ws, type="input_audio_buffer.clear")
        await next_of(ws, "input_audio_buffer.cleared")


async def test_ten_megabytes_of_audio_at_once_are_refused_by_name_and_nothing_breaks() -> None:
    async with running_server() as server, raw(server) as ws:
        await send(ws, type="input_audio_buffer.append", event_id="big", audio="A" * 10_000_000)
        error = (await next_of(ws, "error"))["error"]
        assert error["code"] == "input_audio_buffer_full"
        assert error["event_id"] == "big"
        assert "limits.max_audio_backlog_s" in error["message"]
        await send(ws, type="input_audio_buffer.append", audio=tone(600))
        await send(ws, type="input_audio_buffer.append", audio=quiet(1000))
        done = await next_of(ws, "response.done")
        assert done["response"]["status"] == "completed"


async def test_a_minute_of_audio_at_once_does_not_hold_up_another_session() -> None:
    async with running_server() as server, raw(server) as busy, raw(server) as other:
        await send(busy, type="input_audio_buffer.append", audio=quiet(60_000))
        await send(busy, type="input_audio_buffer.append", audio=tone(600))
        await send(busy, type="input_audio_buffer.append", audio=quiet(1000))
        await send(other, type="input_audio_buffer.clear")
        await next_of(other, "input_audio_buffer.cleared", limit_s=2)
        assert (await next_of(busy, "response.done"))["response"]["status"] == "completed"


async def test_message_over_the_limit_closes_with_1009() -> None:
    async with running_server(limits={"max_message_bytes": 100_000}) as server:
        async with raw(server) as ws:
            await ws.send("x" * 200_000)
            with pytest.raises(websockets.ConnectionClosed) as closed:
                await next_of(ws, "never")
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1009
        await nothing_left(server)


async def test_client_that_vanishes_in_mid_answer_leaves_nothing_behind() -> None:
    engines = simulated_engines(answers=(LONG_ANSWER,))
    async with running_server(engines) as server:
        async with raw(server) as ws:
            await send(ws, type="input_audio_buffer.append", audio=tone(600))
            await send(ws, type="input_audio_buffer.append", audio=quiet(1000))
            await next_of(ws, "response.output_audio.delta")
            ws.transport.abort()
        await nothing_left(server)


async def test_client_that_vanishes_while_the_model_hangs_leaves_nothing_behind() -> None:
    engines = simulated_engines(answers=(Answer("Well", hang_after_tokens=1),))
    async with running_server(engines) as server:
        async with raw(server) as ws:
            await send(ws, type="input_audio_buffer.append", audio=tone(600))
            await send(ws, type="input_audio_buffer.append", audio=quiet(1000))
            await next_of(ws, "response.created")
            ws.transport.abort()
        await nothing_left(server)


async def test_slow_reader_is_cut_off_and_not_buffered_for_ever() -> None:
    """Minutes of audio for a client that reads none of it: kernel buffers fill, then ours."""
    engines = simulated_engines(answers=(LONG_ANSWER * 10,))
    small = socket.socket()
    small.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
    small.setblocking(False)
    limits = {"max_events_bytes": 500_000}
    async with running_server(engines, limits=limits, llm={"max_tokens": 4096}) as server:
        await asyncio.get_running_loop().sock_connect(small, ("127.0.0.1", server.port))
        async with raw(server, max_queue=1, sock=small) as ws:
            await send(ws, type="input_audio_buffer.append", audio=tone(600))
            await send(ws, type="input_audio_buffer.append", audio=quiet(1000))
            async with asyncio.timeout(60):
                while server.service.sessions:
                    assert all(s.outbox.waiting_bytes < 1_000_000 for s in server.service.sessions)
                    await asyncio.sleep(0.05)
            ws.transport.abort()
        await nothing_left(server)


async def test_failing_model_fails_the_response_clearly_and_the_next_turn_works() -> None:
    engines = simulated_engines(answers=(Answer("Hm", fail_after_tokens=0), "All is well again."))
    async with running_server(engines) as server, raw(server) as ws:
        for status in ("failed", "completed"):
            await send(ws, type="response.create")
            done = (await next_of(ws, "response.done"))["response"]
            assert done["status"] == status
            if status == "failed":
                assert done["status_details"]["error"]["code"] == "llm_failed"


async def test_failing_voice_fails_the_response_and_the_session_lives() -> None:
    engines = simulated_engines()
    engines.synthesizer.script.extend(["fail_midway"] * 2)  # type: ignore[attr-defined]
    async with running_server(engines) as server, raw(server) as ws:
        await send(ws, type="response.create")
        assert (await next_of(ws, "response.done"))["response"]["status"] == "failed"
        await send(ws, type="response.create")
        assert (await next_of(ws, "response.done"))["response"]["status"] == "completed"


async def test_session_time_limit_says_so_before_it_closes() -> None:
    async with running_server(limits={"max_session_s": 0.5}) as server:
        async with raw(server) as ws:
            error = (await next_of(ws, "error"))["error"]
            assert error["code"] == "session_expired"
            with pytest.raises(websockets.ConnectionClosedOK):
                await ws.recv()
        await nothing_left(server)


async def test_full_server_refuses_with_429_and_when_to_come_back() -> None:
    async with running_server(limits={"max_sessions": 1}) as server, raw(server):
        with pytest.raises(websockets.InvalidStatus) as refused:
            async with raw(server):
                pass
        response = refused.value.response
        assert response.status_code == 429
        assert response.headers["Retry-After"]
        assert json.loads(response.body)["error"]["code"] == "session_limit_exceeded"


async def test_a_refused_client_is_no_error_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async with running_server(server={"api_key": "s3cret"}) as server:
        with pytest.raises(websockets.InvalidStatus):
            async with raw(server):
                pass
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


async def test_key_is_asked_of_every_door_and_taken_from_header_or_subprotocol() -> None:
    async with running_server(server={"api_key": "s3cret"}) as server:
        for headers in ({}, {"Authorization": "Bearer wrong"}):
            with pytest.raises(websockets.InvalidStatus) as refused:
                async with raw(server, additional_headers=headers):
                    pass
            assert refused.value.response.status_code == 401
        async with raw(server, additional_headers={"Authorization": "Bearer s3cret"}):
            pass
        offered = ["realtime", "openai-insecure-api-key.s3cret"]
        async with raw(server, subprotocols=offered) as ws:
            assert ws.subprotocol == "realtime"
        async with httpx.AsyncClient(base_url=server.http) as http:
            assert (await http.get("/v1/turns")).status_code == 401
            assert (await http.get("/metrics")).status_code == 401
            assert (await http.get("/healthz")).status_code == 200
            allowed = {"Authorization": "Bearer s3cret"}
            assert (await http.get("/v1/turns", headers=allowed)).status_code == 200


async def test_pages_from_other_origins_are_refused_where_origins_are_listed() -> None:
    async with running_server(server={"allowed_origins": ["https://good.example"]}) as server:
        with pytest.raises(websockets.InvalidStatus) as refused:
            async with raw(server, origin="https://bad.example"):
                pass
        assert refused.value.response.status_code == 403
        async with raw(server, origin="https://good.example"):
            pass


async def test_health_readiness_metrics_and_turns() -> None:
    async with running_server() as server, httpx.AsyncClient(base_url=server.http) as http:
        async with raw(server) as ws:
            await send(
                ws,
                type="session.update",
                session={"type": "realtime", "voicepipe": {"turn_events": True}},
            )
            await send(ws, type="input_audio_buffer.append", audio=tone(600))
            await send(ws, type="input_audio_buffer.append", audio=quiet(1000))
            turn = (await next_of(ws, "voicepipe.turn"))["turn"]
            assert sum(turn["critical_ms"].values()) == pytest.approx(turn["voice_to_voice_ms"])
            assert (await http.get("/healthz")).text == "ok\n"
            ready = (await http.get("/readyz")).json()
            assert ready["engines"]["llm"] == {"engine": "simulated", "ready": True}
            assert ready["sessions"] == 1
            rows = (await http.get("/v1/turns?limit=5")).text.splitlines()
            assert json.loads(rows[-1])["turn_id"] == turn["turn_id"]
            for limit in ("0", "x", "9" * 5000):  # Python reads no number of so many digits
                assert (await http.get(f"/v1/turns?limit={limit}")).status_code == 400
            summary = (await http.get("/v1/turns?summary=1")).json()
            assert summary["voice_to_voice_ms"]["n"] == 1
            text = (await http.get("/metrics")).text
            assert "voicepipe_turn_voice_to_voice_seconds_count 1.0" in text
            assert "voicepipe_sessions 1.0" in text


async def test_a_call_that_is_not_there_cannot_be_joined_and_the_program_is_told() -> None:
    """It would be alone in a session of its own, and not know it."""
    async with running_server() as server:
        with pytest.raises(websockets.InvalidStatus) as refused:
            async with connect(f"{server.ws}/realtime?call_id=rtc_1"):
                pass
        assert refused.value.response.status_code == 404
        assert json.loads(refused.value.response.body)["error"]["param"] == "call_id"
        await nothing_left(server)


async def test_many_sessions_come_and_go_without_leaving_anything() -> None:
    async with running_server() as server:

        async def visit(number: int) -> None:
            async with raw(server) as ws:
                await send(ws, type="input_audio_buffer.append", audio=tone(400))
                if number % 3 == 0:
                    ws.transport.abort()
                    return
                await send(ws, type="input_audio_buffer.append", audio=quiet(1000))
                await next_of(ws, "response.done")

        await asyncio.gather(*(visit(n) for n in range(24)))
        await nothing_left(server)
        assert server.service.sessions_opened == 24


async def test_items_that_fill_the_conversation_are_refused_by_name_and_it_goes_on() -> None:
    limits = {"max_conversation_chars": 100_000}
    async with running_server(limits=limits) as server, raw(server) as ws:
        content = [{"type": "input_text", "text": "word " * 10_000}]
        item = {"type": "message", "role": "user", "content": content}
        for number in range(3):
            await send(ws, type="conversation.item.create", event_id=f"e{number}", item=item)
        error = (await next_of(ws, "error"))["error"]
        assert error["event_id"] == "e2"
        assert "limits.max_conversation_chars" in error["message"]
        await send(ws, type="input_audio_buffer.append", audio=tone(600))
        await send(ws, type="input_audio_buffer.append", audio=quiet(1000))
        assert (await next_of(ws, "response.done"))["response"]["status"] == "completed"


async def test_long_instructions_are_refused_by_name_and_change_nothing() -> None:
    async with running_server() as server, raw(server) as ws:
        long = {"type": "realtime", "instructions": "word " * 3_000_000}
        await send(ws, type="session.update", event_id="long", session=long)
        error = (await next_of(ws, "error"))["error"]
        assert error["event_id"] == "long"
        assert "limits.max_text_chars" in error["message"]
        await send(ws, type="response.create")
        assert (await next_of(ws, "response.done"))["response"]["status"] == "completed"


async def test_item_that_is_deleted_behind_its_reference_is_answered_all_the_same() -> None:
    async with running_server() as server, raw(server) as ws:
        for number in range(5):
            item_id = f"item_{number}"
            content = [{"type": "input_text", "text": "what time is it"}]
            item = {"id": item_id, "type": "message", "role": "user", "content": content}
            await send(ws, type="conversation.item.create", item=item)
            given = [{"type": "item_reference", "id": item_id}]
            response = {"input": given, "conversation": "none"}
            await send(ws, type="response.create", response=response)
            await send(ws, type="conversation.item.delete", item_id=item_id)
            done = await next_of(ws, "response.done")
            assert done["response"]["status"] == "completed", done
