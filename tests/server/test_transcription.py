"""The official `openai` SDK reads along while the user speaks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.harness import running_server, simulated_engines
from tests.server.test_sdk import client, quiet, tone, types, until
from voicepipe.llm.engines.simulated import SimulatedModel

STEM = "conversation.item.input_audio_transcription"
HEARD = "I want a table for two tonight"
INPUT = {
    "format": {"type": "audio/pcm", "rate": 24000},
    "transcription": {"model": "gpt-live-transcribe"},
}


@pytest.mark.parametrize("detection", [{"type": "server_vad"}, None], ids=["vad", "by commit"])
async def test_a_transcription_session(detection: dict[str, Any] | None) -> None:
    """As in OpenAI's guide: no model in the address, deltas before the turn is over, no answer."""
    engines = simulated_engines(heard=(HEARD,))
    async with (
        running_server(engines) as server,
        client(server) as openai,
        openai.realtime.connect(extra_query={"intent": "transcription"}) as c,
    ):
        seen: list[Any] = []
        assert (await until(c, "session.created", seen)).session.type == "transcription"
        audio = {"input": {**INPUT, "turn_detection": detection}}
        session: Any = {"type": "transcription", "audio": audio}
        await c.session.update(session=session)
        await until(c, "session.updated", seen)
        await c.input_audio_buffer.append(audio=tone(2500))
        early = await until(c, f"{STEM}.delta", seen)  # nobody has said that the turn is over
        assert HEARD.startswith(early.delta)
        await (
            c.input_audio_buffer.append(audio=quiet(1500))
            if detection
            else c.input_audio_buffer.commit()
        )
        done = await until(c, f"{STEM}.completed", seen)
        order = types(seen)
        for later in ("input_audio_buffer.committed", "conversation.item.added"):
            assert order.index(f"{STEM}.delta") < order.index(later), later
        deltas = [event for event in seen if event.type == f"{STEM}.delta"]
        assert "".join(event.delta for event in deltas) == done.transcript == HEARD
        assert {event.item_id for event in deltas} == {done.item_id}
        if detection:
            started = next(e for e in seen if e.type == "input_audio_buffer.speech_started")
            assert started.item_id == done.item_id  # announced ahead
        await c.session.update(session=session)
        await until(c, "session.updated", seen)
        assert not [kind for kind in types(seen) if kind.startswith("response.")]
        assert isinstance(engines.model, SimulatedModel)
        assert engines.model.started_requests == 0


async def test_segments_words_and_logprobs_come_when_they_are_included() -> None:
    names = [f"item.input_audio_transcription.{n}" for n in ("segments", "words", "logprobs")]
    async with (
        running_server(simulated_engines(heard=("Hello. Who is there?",))) as server,
        client(server) as openai,
        openai.realtime.connect(model="m") as c,
    ):
        seen: list[Any] = []
        session: Any = {"type": "realtime", "include": names, "audio": {"input": INPUT}}
        await c.session.update(session=session)
        assert (await until(c, "session.updated", seen)).session.include == names
        await c.input_audio_buffer.append(audio=tone(900))
        await c.input_audio_buffer.append(audio=quiet(1200))
        done = await until(c, f"{STEM}.completed", seen)
        segments = [event for event in seen if event.type == f"{STEM}.segment"]
        assert [segment.text for segment in segments] == ["Hello.", "Who is there?"]
        assert segments[0].end <= segments[1].start
        assert [word["word"] for word in done.words] == done.transcript.split()
        assert [entry.token for entry in done.logprobs] == done.transcript.split()
