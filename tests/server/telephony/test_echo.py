"""A caller's line that returns the agent's own voice, over a real connection."""

from __future__ import annotations

import asyncio

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
HEARD_S = 8


async def holds(setting: str) -> int:
    """How often the agent falls silent though nobody speaks."""
    engines = simulated_engines()
    engines.new_detector = lambda: create_detector(VadSettings())
    engines.synthesizer = RecordedVoice(voice_of(built_in_clips()[:20]))
    audio = {"echo_cancellation": setting}
    async with phone_server(engines, greeting={"text": MONOLOGUE}, audio=audio) as server:
        async with call(server, "twilio", mischief=Mischief(echo_db=20)) as phone:
            began = await phone.sound(phone.clock.now(), 20)
            await asyncio.sleep(max(0.0, began + HEARD_S - phone.clock.now()))
            clears = sum(h.what == "clear" for h in phone.heard.time_line)
            assert phone.problems == []
        await nothing_left(server)
    return clears


async def test_the_agents_own_voice_on_the_line_does_not_silence_it() -> None:
    assert echo_canceller.load()
    raw, cancelled = await holds("off"), await holds("auto")
    print(f"held {raw} times in {HEARD_S} s, {cancelled} with the echo taken out")
    assert raw >= 2
    assert cancelled <= 1  # a busy machine sends a packet late, and the echo comes out of step
