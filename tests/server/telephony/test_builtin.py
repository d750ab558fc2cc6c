"""Real engines on a telephone line: mu-law at 8 kHz, or Vonage's 16 kHz, both ways."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.e2e.speaking import recording_of
from tests.server.harness import RunningServer
from tests.server.telephony.harness import call, phone_server
from tests.server.test_limits import _named_tasks
from voicepipe.audio import files
from voicepipe.config.loading import load_settings
from voicepipe.conversation.items import MessageItem
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.server.assembly import build_engines

ANSWER_S = 40.0


@asynccontextmanager
async def builtin_phone() -> AsyncIterator[RunningServer]:
    async with phone_server(build_engines(load_settings("builtin"), MonotonicClock())) as server:
        yield server
        async with asyncio.timeout(5):
            while server.service.sessions or any(n.startswith("call ") for n in _named_tasks()):
                await asyncio.sleep(0.02)


def said(server: RunningServer, role: str) -> list[str]:
    (session,) = server.service.sessions
    items = session.conversation.items
    return [i.text for i in items if isinstance(i, MessageItem) and i.role == role]


@pytest.mark.parametrize("name", ["twilio", "telnyx", "vonage", "audiosocket"])
async def test_spoken_question_is_understood_and_answered(name: str) -> None:
    question = files.read(recording_of("set a timer for five minutes"))
    async with builtin_phone() as server, call(server, name) as phone:
        heard_at = await phone.sound(await phone.say(question), ANSWER_S)
        await phone.silence(heard_at, 1000, ANSWER_S)
        assert said(server, "user") == ["set a timer for five minutes"]
        (answer,) = said(server, "assistant")
        assert "five" in answer.lower()
        (turn,) = server.service.turn_log.recent(10)
        assert turn.end == "completed"
        assert sum((turn.critical or {}).values()) == turn.voice_to_voice_us
        assert phone.problems == []


async def test_caller_who_speaks_over_the_answer_silences_it_and_is_answered() -> None:
    question = files.read(recording_of("tell me a joke"))
    other = files.read(recording_of("set a timer for five minutes"))
    async with builtin_phone() as server, call(server) as phone:
        heard_at = await phone.sound(await phone.say(question), ANSWER_S)
        await phone.silence(heard_at + 0.6, 0, ANSWER_S)
        began = phone.clock.now()
        saying = asyncio.create_task(phone.say(other))
        silent_at = await phone.silence(began, 400, ANSWER_S)
        spoken_at = await saying
        assert silent_at < spoken_at, "the agent fell silent while the caller spoke"
        answered_at = await phone.sound(spoken_at, ANSWER_S)
        await phone.silence(answered_at, 1000, ANSWER_S)
        assert said(server, "user")[-1] == "set a timer for five minutes"
        ends = [turn.end for turn in server.service.turn_log.recent(10)]
        assert ends[0] == "interrupted"
        assert ends[-1] == "completed"
