"""A caller's line that returns the agent's own voice, over a real connection."""

from __future__ import annotations

import asyncio

import pytest

from scripts.bench_barge_in import voice_of
from scripts.bench_vad import built_in_clips
from scripts.echo_line import RecordedVoice
from tests.server.harness import simulated_engines
from tests.server.telephony.harness import call, phone_server
from tests.server.test_limits import nothing_left
from voicepipe.audio import echo_canceller
from voicepipe.config import VadSettings
from voicepipe.lab.carriers.fault_injection import Mischief
from voicepipe.vad.engines import create_detector

MONOLOGUE = "And so it goes on and on, telling of one thing after another without an end. " * 2


@pytest.mark.parametrize(("setting", "held"), [("off", True), ("auto", False)])
async def test_the_agents_own_voice_on_the_line_does_not_hold_it(setting: str, held: bool) -> None:
    assert echo_canceller.load()
    engines = simulated_engines()
    engines.new_detector = lambda: create_detector(VadSettings())
    engines.synthesizer = RecordedVoice(voice_of(built_in_clips()[:20]))
    audio = {"echo_cancellation": setting}
    async with phone_server(engines, greeting={"text": MONOLOGUE}, audio=audio) as server:
        async with call(server, "twilio", mischief=Mischief(echo_db=30)) as phone:
            began = await phone.sound(phone.clock.now(), 20)
            await asyncio.sleep(max(0.0, began + 8 - phone.clock.now()))
            clears = [h for h in phone.heard.time_line if h.what == "clear"]
            assert phone.problems == []
        await nothing_left(server)
    assert bool(clears) is held
