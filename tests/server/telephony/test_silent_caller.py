"""AudioSocket's caller who sends nothing until he speaks: Asterisk passes silence suppression on,
and hangs up where nothing crosses the connection for two seconds."""

from __future__ import annotations

import asyncio
import logging
from itertools import pairwise

import pytest

from tests.server.telephony.harness import call, phone_server, tone
from tests.server.test_live_calls import only_call
from voicepipe.audio.formats import PCM_8K, PCM_16K, AudioFormat
from voicepipe.lab.carriers.audiosocket import EmulatedAudioSocket
from voicepipe.lab.carriers.fault_injection import Mischief
from voicepipe.server.decision import Decision
from voicepipe.server.telephony import call_events

ANSWER_S = 20.0
ASTERISK_WAITS_S = 2.0
SILENT = Mischief(silence_suppressed=True)
GREETING = {"text": "Good morning."}


async def test_he_is_greeted_at_once() -> None:
    async with (
        phone_server(greeting=GREETING) as server,
        call(server, "audiosocket", mischief=SILENT) as phone,
    ):
        picked_up = phone.clock.now()
        assert await phone.sound(picked_up, ANSWER_S) - picked_up < ASTERISK_WAITS_S


@pytest.mark.parametrize("fmt", [PCM_8K, PCM_16K], ids=["8 kHz", "16 kHz"])
async def test_he_is_understood_when_he_speaks(fmt: AudioFormat) -> None:
    async with (
        phone_server(greeting=GREETING) as server,
        call(server, "audiosocket", dialect=EmulatedAudioSocket(fmt=fmt), mischief=SILENT) as phone,
    ):
        greeted = await phone.sound(phone.clock.now(), ANSWER_S)
        await phone.silence(greeted, 500, ANSWER_S)
        await phone.sound(await phone.say(tone(600)), ANSWER_S)
        assert phone.problems == []


async def test_asterisk_keeps_the_line_of_two_who_say_nothing() -> None:
    async with (
        phone_server(greeting=GREETING) as server,
        call(server, "audiosocket", mischief=SILENT) as phone,
    ):
        await asyncio.sleep(4.5)
        sent = [told.at for told in phone.heard.time_line if told.what == "audio"]
        assert phone.clock.now() - sent[-1] < ASTERISK_WAITS_S
        gaps = [after - before for before, after in pairwise(sent)]
        assert max(gaps) < ASTERISK_WAITS_S


async def test_asterisk_keeps_the_line_while_a_program_decides() -> None:
    async with (
        phone_server(
            greeting=GREETING, telephony={"wait_for_program": True, "incoming_ms": 6000}
        ) as server,
        call(server, "audiosocket", mischief=SILENT) as phone,
    ):
        began = phone.clock.now()
        live = await only_call(server)
        await asyncio.sleep(3.0)
        assert live.decide(Decision(True))
        await phone.sound(phone.clock.now(), ANSWER_S)
        sent = [told.at for told in phone.heard.time_line if told.what == "audio"]
        gaps = [after - before for before, after in pairwise([began, *sent])]
        assert max(gaps) < ASTERISK_WAITS_S


@pytest.mark.parametrize(("name", "lives"), [("audiosocket", True), ("plain", False)])
async def test_a_peer_that_may_be_silent_is_not_taken_for_dead(
    name: str, lives: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_events, "NOTHING_CAME_S", 0.4)
    async with phone_server() as server, call(server, name, mischief=SILENT) as phone:
        if name == "plain":
            await phone.press("1")  # it starts with its first message
        ended = asyncio.wait_for(phone.ended.wait(), 1.5 if lives else ANSWER_S)
        (error,) = await asyncio.gather(ended, return_exceptions=True)
        assert isinstance(error, TimeoutError) is lives


async def test_what_does_not_even_say_which_call_it_is_is_closed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    async with phone_server(telephony={"start_timeout_s": 0.6}) as server:
        port = server.app.state.audiosocket.port
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        assert await asyncio.wait_for(reader.read(), ANSWER_S) == b""
        writer.close()
    assert "no call was started within 1 s" in caplog.text
