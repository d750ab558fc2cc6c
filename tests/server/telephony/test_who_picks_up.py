"""Who picks up a call that the server makes: a person is greeted, a machine gets its message."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.server.telephony.dialing import (
    AGENTS,
    DEADLINE_S,
    TO,
    dialing,
    judged,
    picked_up,
)
from tests.server.telephony.harness import tone
from tests.server.test_limits import nothing_left
from tests.server.test_live_calls import only_call
from tests.session.harness import LoudnessDetector
from voicepipe.lab.carriers.call import EmulatedCall
from voicepipe.runtime.errors import EngineError
from voicepipe.server.live_calls import LiveCall
from voicepipe.session import events as ev
from voicepipe.tts.contract import Voice
from voicepipe.tts.engines.simulated import SimulatedSynthesizer
from voicepipe.vad.contract import VoiceDetector


async def words(phone: EmulatedCall, live: LiveCall) -> list[str]:
    """All that was said, when the agent has come to the end of what it says next."""
    heard_at = await phone.sound(phone.clock.now(), DEADLINE_S)
    await phone.silence(heard_at, 600, DEADLINE_S)
    return said(live)


def said(live: LiveCall) -> list[str]:
    assert live.session is not None
    items: Any = live.session.conversation.items
    return [item.text for item in items]


@asynccontextmanager
async def a_call_that_is_up(**more: Any) -> AsyncIterator[tuple[EmulatedCall, LiveCall]]:
    async with dialing("twilio", **more) as (server, rest, program):
        wanted = {"to": TO, "agent": "poll", "variables": {"guest": "Ann"}}
        assert (await program.post("/v1/calls", json=wanted)).status_code == 201
        live = await only_call(server)
        async with picked_up(server, "twilio", judged("twilio", rest.asked[0]).stream_url) as phone:
            await live.connected()
            yield phone, live
        await nothing_left(server)


async def test_person_is_greeted_and_then_heard() -> None:
    async with a_call_that_is_up() as (phone, live):
        await phone.say(tone(400))
        greeted = await words(phone, live)
        assert greeted == ["Hello Ann, this is the poll."], "the hello was not a turn"
        await phone.say(tone(400))
        assert await words(phone, live) == [*greeted, "what time is it", "Thank you."]


async def test_key_of_a_person_who_picks_up_does_not_take_their_greeting() -> None:
    """As their hello, it is no turn: some services want a key before they put a call through."""
    async with a_call_that_is_up() as (phone, live):
        await phone.say(tone(400))
        await phone.press("1")
        assert await words(phone, live) == ["Hello Ann, this is the poll."]


async def test_machine_gets_its_message_after_its_greeting_and_the_call_ends() -> None:
    async with a_call_that_is_up() as (phone, live):
        with live.follow() as follower:
            greeted_at = await phone.say(tone(3500))
            heard_at = await phone.sound(phone.clock.now(), DEADLINE_S)
            assert heard_at - greeted_at >= 1.1, "not into its words"
            await phone.say(tone(300))  # whatever it says now, it does not stop the message
            await asyncio.wait_for(phone.ended.wait(), DEADLINE_S)
            events = [one async for one in follower]
        kinds = {type(one) for one in events}
        assert not kinds & {ev.SpeechStarted, ev.OutputAudioCleared}
        transcripts = [one.text for one in events if isinstance(one, ev.TextDone)]
        assert transcripts == ["Please call us back, Ann."]


@pytest.mark.parametrize("what", ["a key", "no voice"])
async def test_message_that_is_not_said_to_its_end_ends_the_call_all_the_same(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else would: a machine does not tire, and silence is not asked after."""
    if what == "no voice":
        monkeypatch.setattr(SimulatedSynthesizer, "stream", _no_voice)
    async with a_call_that_is_up() as (phone, _):
        await phone.say(tone(3500))
        if what == "a key":
            await phone.sound(phone.clock.now(), DEADLINE_S)
            await phone.press("5")
        await asyncio.wait_for(phone.ended.wait(), 10)


async def _no_voice(engine: SimulatedSynthesizer, clause: str, voice: Voice) -> AsyncIterator[None]:
    raise EngineError("no voice today", stage="tts")
    yield


async def test_machine_without_a_message_is_hung_up_on() -> None:
    async with a_call_that_is_up(agents={"poll": {**AGENTS["poll"], "voicemail": ""}}) as (
        phone,
        _,
    ):
        began = phone.clock.now()
        speaking = asyncio.create_task(phone.say(tone(6000)))
        await asyncio.wait_for(phone.ended.wait(), DEADLINE_S)
        assert phone.clock.now() - began < 6
        await speaking
        assert not phone.heard.spans()


async def test_without_detection_whoever_picks_up_is_greeted_at_once() -> None:
    async with a_call_that_is_up(detect_machine=False) as (phone, live):
        assert await words(phone, live) == ["Hello Ann, this is the poll."]


async def test_call_that_cannot_be_listened_to_leaves_no_session() -> None:
    made: list[VoiceDetector] = []

    def only_one() -> VoiceDetector:
        if made:
            raise EngineError("no second detector", stage="vad")
        made.append(LoudnessDetector())
        return made[0]

    async with dialing("twilio") as (server, rest, program):
        assert (await program.post("/v1/calls", json={"to": TO})).status_code == 201
        server.service.engines.new_detector = only_one
        async with picked_up(server, "twilio", judged("twilio", rest.asked[0]).stream_url) as phone:
            await asyncio.wait_for(phone.ended.wait(), DEADLINE_S)
        await nothing_left(server)
        assert len(server.service.seats) == 0
