"""A client that stops sending in mid-speech is answered; a server that stood still itself knows."""

from __future__ import annotations

import asyncio
import base64
import json
import time

import pytest
from websockets.asyncio.client import ClientConnection

from tests.server.harness import RunningServer, running_server
from tests.server.test_limits import next_of, raw
from tests.session.harness import SILENT, VOICED, conversation
from voicepipe.audio import pcm
from voicepipe.audio.pcm import FRAME_MS, Int16
from voicepipe.config import Settings
from voicepipe.conversation.items import MessageItem
from voicepipe.dialog.options import TurnOptions
from voicepipe.session import events as ev

STALL_MS = Settings().turns.stall_ms


@pytest.mark.virtual_time
async def test_a_client_that_falls_silent_on_the_wire_is_answered() -> None:
    async with conversation() as talk:
        await talk.speak(600)
        await asyncio.sleep(10)
        spoken = talk.time_of(ev.SpeechStarted)
        waited_ms = (talk.time_of(ev.SpeechStopped) - spoken) * 1000
        assert STALL_MS <= waited_ms <= 600 + STALL_MS
        assert len(talk.of(ev.ResponseDone)) == 1


async def test_a_server_that_stood_still_hears_on() -> None:
    """The frames that came meanwhile wait in the socket; the turn is not cut in two."""
    async with running_server() as server, raw(server) as ws:
        await say(ws, VOICED, 400)
        time.sleep(1.5 * STALL_MS / 1000)  # noqa: ASYNC251 - the whole process, as when it is starved
        await say(ws, VOICED, 400)
        await say(ws, SILENT, 800)
        done = await next_of(ws, "response.done")
        assert done["response"]["status"] == "completed"  # cut off, where the turn was ended early
        (item,) = [i for i in the_conversation(server) if i.role == "user"]
        assert item.text == "what time is it"


def the_conversation(server: RunningServer) -> list[MessageItem]:
    (session,) = server.service.sessions
    return [i for i in session.conversation.items if isinstance(i, MessageItem)]


async def say(ws: ClientConnection, frame: Int16, ms: int) -> None:
    wire = pcm.to_bytes(frame.repeat(3)[::2])  # 16 to 24 kHz, roughly: only its loudness counts
    audio = base64.b64encode(wire).decode()
    for _ in range(ms // FRAME_MS):
        await ws.send(json.dumps({"type": "input_audio_buffer.append", "audio": audio}))
        await asyncio.sleep(FRAME_MS / 1000)


@pytest.mark.virtual_time
async def test_who_sets_no_time_for_it_is_not_cut_short_at_once() -> None:
    never = Settings(turns=TurnOptions(stall_ms=0))
    async with conversation(config=never) as talk:
        await talk.speak(600)
        await asyncio.sleep(10)
        assert not talk.of(ev.SpeechStopped)
        await talk.quiet(3000)
        assert len(talk.of(ev.SpeechStopped)) == len(talk.of(ev.ResponseDone)) == 1
