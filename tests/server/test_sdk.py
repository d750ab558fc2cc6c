"""The official `openai` SDK is the judge of the wire."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import numpy as np
import pytest
from openai import AsyncOpenAI, AuthenticationError, NotFoundError

from tests.server.harness import RunningServer, running_server, simulated_engines
from voicepipe.llm.engines.simulated import Answer

RATE = 24_000


def tone(ms: int) -> str:
    """Loud audio, base64 pcm16 at 24 kHz."""
    n = np.arange(RATE * ms // 1000)
    return base64.b64encode((9000 * np.sin(n * 0.07)).astype("<i2").tobytes()).decode()


def quiet(ms: int) -> str:
    return base64.b64encode(bytes(RATE * ms // 1000 * 2)).decode()


def client(server: RunningServer, key: str = "unused") -> AsyncOpenAI:
    return AsyncOpenAI(api_key=key, base_url=f"{server.http}/v1", websocket_base_url=server.ws)


async def until(connection: Any, wanted: str, collected: list[Any], limit_s: float = 20) -> Any:
    async with asyncio.timeout(limit_s):
        async for event in connection:
            collected.append(event)
            if event.type == wanted:
                return event
    raise AssertionError(f"the connection ended before {wanted}")


def types(events: list[Any]) -> list[str]:
    return [event.type for event in events]


async def test_spoken_turn_with_server_vad() -> None:
    async with (
        running_server() as server,
        client(server) as openai,
        openai.realtime.connect(model="gpt-realtime") as c,
    ):
        seen: list[Any] = []
        created = await until(c, "session.created", seen)
        assert created.session.type == "realtime"
        assert created.session.audio.input.turn_detection.interrupt_response is True
        await c.session.update(
            session={"type": "realtime", "audio": {"input": {"transcription": {"model": "x"}}}}
        )
        updated = await until(c, "session.updated", seen)
        assert updated.session.audio.input.transcription.model == "x"
        assert updated.session.audio.input.turn_detection.type == "server_vad"
        await c.input_audio_buffer.append(audio=tone(800))
        await c.input_audio_buffer.append(audio=quiet(1200))
        done = await until(c, "response.done", seen)
        assert done.response.status == "completed"
        order = types(seen)
        for earlier, later in (
            ("input_audio_buffer.speech_started", "input_audio_buffer.speech_stopped"),
            ("input_audio_buffer.speech_stopped", "input_audio_buffer.committed"),
            ("input_audio_buffer.committed", "conversation.item.added"),
            ("conversation.item.added", "response.created"),
            ("response.created", "response.output_item.added"),
            ("response.content_part.added", "response.output_audio.delta"),
            ("response.output_audio.done", "response.output_audio_transcript.done"),
            ("response.content_part.done", "response.output_item.done"),
        ):
            assert order.index(earlier) < order.index(later), (earlier, later)
        said = "".join(e.delta for e in seen if e.type == "response.output_audio_transcript.delta")
        final = next(e for e in seen if e.type == "response.output_audio_transcript.done")
        assert said == final.transcript == "It is half past seven. Can I do more for you?"
        heard = next(
            e for e in seen if e.type == "conversation.item.input_audio_transcription.completed"
        )
        assert heard.transcript == "what time is it"
        assert len([e for e in seen if e.type == "response.output_audio.delta"]) > 5
        for event in seen:
            assert event.event_id


async def test_push_to_talk_text_and_function_call_round_trip() -> None:
    engines = simulated_engines(
        answers=(
            Answer(tool=("get_weather", '{"city": "Paris"}')),
            "It is sunny in Paris.",
        ),
    )
    async with (
        running_server(engines) as server,
        client(server) as openai,
        openai.realtime.connect(model="m") as c,
    ):
        seen: list[Any] = []
        tool: Any = {
            "type": "function",
            "name": "get_weather",
            "description": "Weather of a city.",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
        }
        await c.session.update(
            session={
                "type": "realtime",
                "output_modalities": ["text"],
                "tools": [tool],
                "audio": {"input": {"turn_detection": None}},
            }
        )
        updated = await until(c, "session.updated", seen)
        assert updated.session.audio.input.turn_detection is None
        await c.input_audio_buffer.append(audio=tone(500))
        await c.input_audio_buffer.commit()
        await until(c, "input_audio_buffer.committed", seen)
        await c.response.create()
        done = await until(c, "response.done", seen)
        (call,) = done.response.output
        assert (call.type, call.name, call.status) == ("function_call", "get_weather", "completed")
        await c.conversation.item.create(
            item={"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}
        )
        await c.response.create()
        seen.clear()
        done = await until(c, "response.done", seen)
        assert done.response.output[0].content[0].text == "It is sunny in Paris."
        assert "response.output_audio.delta" not in types(seen)
        request = engines.model.requests[-1]  # type: ignore[attr-defined]
        assert [m.role for m in request.messages[-3:]] == ["user", "assistant", "tool"]


async def test_typed_turn_cancel_truncate_delete_retrieve_and_clear() -> None:
    long = "One two three four five six seven. " * 8
    async with (
        running_server(simulated_engines(answers=(long,))) as server,
        client(server) as openai,
        openai.realtime.connect(model="m") as c,
    ):
        seen: list[Any] = []
        await c.conversation.item.create(
            item={
                "id": "item_mine",
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "count"}],
            }
        )
        done_item = await until(c, "conversation.item.done", seen)
        assert done_item.item.id == "item_mine"
        assert done_item.previous_item_id is None
        await c.response.create(response={"metadata": {"client_event_id": "abc"}})
        created = await until(c, "response.created", seen)
        assert created.response.metadata == {"client_event_id": "abc"}
        for _ in range(6):  # at least 500 ms of audio
            await until(c, "response.output_audio.delta", seen)
        await c.response.create()
        error = await until(c, "error", seen)
        assert error.error.code == "conversation_already_has_active_response"
        await c.response.cancel()
        seen.clear()
        done = await until(c, "response.done", seen)
        assert done.response.status == "cancelled"
        assert done.response.status_details.reason == "client_cancelled"
        assert done.response.usage is not None
        assistant = done.response.output[0].id
        await c.response.cancel(event_id="evt_77")
        error = await until(c, "error", seen)
        assert error.error.code == "response_cancel_not_active"
        assert error.error.message.startswith("Cancellation failed")
        assert error.error.event_id == "evt_77"
        await c.conversation.item.truncate(item_id=assistant, content_index=0, audio_end_ms=400)
        truncated = await until(c, "conversation.item.truncated", seen)
        assert truncated.audio_end_ms == 400
        await c.conversation.item.retrieve(item_id=assistant)
        kept = await until(c, "conversation.item.retrieved", seen)
        transcript = kept.item.content[0].transcript
        assert transcript
        assert long.startswith(transcript)
        assert len(transcript) < 20
        await c.conversation.item.delete(item_id=assistant)
        await until(c, "conversation.item.deleted", seen)
        await c.conversation.item.retrieve(item_id=assistant)
        error = await until(c, "error", seen)
        assert error.error.code == "item_retrieve_invalid_item_id"
        await c.input_audio_buffer.clear()
        await until(c, "input_audio_buffer.cleared", seen)


async def test_out_of_band_response_leaves_no_trace() -> None:
    async with (
        running_server() as server,
        client(server) as openai,
        openai.realtime.connect(model="m") as c,
    ):
        seen: list[Any] = []
        await c.response.create(
            response={
                "conversation": "none",
                "output_modalities": ["text"],
                "input": [
                    {
                        "type": "message",
                        "role": "user",
                        "content": [{"type": "input_text", "text": "classify this"}],
                    }
                ],
            }
        )
        done = await until(c, "response.done", seen)
        assert done.response.conversation_id is None
        assert done.response.output[0].content[0].text
        assert not [t for t in types(seen) if t.startswith("conversation.item")]


async def test_g711_both_ways() -> None:
    async with (
        running_server() as server,
        client(server) as openai,
        openai.realtime.connect(model="m") as c,
    ):
        seen: list[Any] = []
        await c.session.update(
            session={
                "type": "realtime",
                "audio": {
                    "input": {"format": {"type": "audio/pcmu"}},
                    "output": {"format": {"type": "audio/pcma"}},
                },
            }
        )
        from voicepipe.audio import g711

        n = np.arange(8000)
        loud = g711.encode((9000 * np.sin(n * 0.2)).astype(np.int16), "pcmu")
        silent = g711.encode(np.zeros(9600, dtype=np.int16), "pcmu")
        await c.input_audio_buffer.append(audio=base64.b64encode(loud).decode())
        await c.input_audio_buffer.append(audio=base64.b64encode(silent).decode())
        await until(c, "response.done", seen)
        audio = b"".join(
            base64.b64decode(e.delta) for e in seen if e.type == "response.output_audio.delta"
        )
        samples = g711.decode(audio, "pcma")
        assert 2.5 < samples.size / 8000 < 5
        assert np.abs(samples.astype(np.int32)).max() > 1000


async def test_an_agent_that_listens_says_so_out_of_band() -> None:
    engines = simulated_engines(heard=("I would like to order a",))
    async with (
        running_server(engines, turns={"listening_after_ms": 500}) as server,
        client(server) as openai,
        openai.realtime.connect(model="gpt-realtime") as c,
    ):
        seen: list[Any] = []
        await c.input_audio_buffer.append(audio=tone(800))
        pause = asyncio.create_task(fall_silent(c, 3000))
        done = await until(c, "response.done", seen)
        assert done.response.conversation_id is None
        assert done.response.metadata == {"purpose": "backchannel"}
        order = types(seen)
        assert "response.output_audio.delta" in order
        assert "input_audio_buffer.speech_stopped" not in order, "the turn is open"
        assert "conversation.item.added" not in order, "it is no item of the conversation"
        said = next(e for e in seen if e.type == "response.output_audio_transcript.done")
        assert said.transcript == "Uh-huh."
        answer = await until(c, "response.done", seen)
        assert answer.response.conversation_id
        assert answer.response.status == "completed"
        items = [e.item for e in seen if e.type == "conversation.item.done"]
        assert [item.role for item in items] == ["user", "assistant"]
        assert "error" not in types(seen)
        await pause


async def fall_silent(connection: Any, ms: int) -> None:
    """At the pace of speech."""
    for _ in range(ms // 20):
        await connection.input_audio_buffer.append(audio=quiet(20))
        await asyncio.sleep(0.02)


async def test_models_are_listed_and_found() -> None:
    async with running_server() as server, client(server) as openai:
        (listed,) = (await openai.models.list()).data
        assert listed.created == int(server.service.started_at.timestamp())
        assert await openai.models.retrieve(listed.id) == listed
        with pytest.raises(NotFoundError) as refused:
            await openai.models.retrieve("gpt-realtime")
        assert refused.value.code == "model_not_found"
        assert refused.value.param == "model"
        assert "'gpt-realtime'" in refused.value.message
    async with running_server(server={"api_key": "s3cret"}) as server, client(server) as openai:
        with pytest.raises(AuthenticationError):
            await openai.models.retrieve(listed.id)
