"""A carrier that takes nothing, in virtual time: it is not waited for, nor buffered for ever."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from typing import Any

import pytest

from tests.session.harness import SIMULATED, LoudnessDetector
from tests.virtual_time import LoopClock
from voicepipe.asr.engines.simulated import SimulatedRecognizer
from voicepipe.config import Settings
from voicepipe.llm.engines.simulated import SimulatedModel
from voicepipe.protocols.telephony.carriers.pcm import PCM
from voicepipe.protocols.telephony.contract import Frame
from voicepipe.server.service import Service
from voicepipe.server.telephony.call import Call
from voicepipe.server.telephony.sender import Sender
from voicepipe.server.telephony.tickets import CallerId
from voicepipe.session.engines import Engines
from voicepipe.tts.engines.simulated import SimulatedSynthesizer

pytestmark = pytest.mark.virtual_time


class StuckLine:
    """Talks, and never reads."""

    broken = False

    def __init__(self, *opening: str) -> None:
        self._opening = list(opening)
        self.closed = False

    async def receive(self) -> Frame | None:
        await asyncio.sleep(0.02)
        return self._opening.pop(0) if self._opening else bytes(640)

    async def send(self, frame: Frame) -> None:
        await asyncio.get_running_loop().create_future()

    async def close(self) -> None:
        self.closed = True


async def test_carrier_that_reads_nothing_is_dropped(caplog: pytest.LogCaptureFixture) -> None:
    greeting = "One two three four five six seven eight nine ten. " * 20
    sections: dict[str, Any] = {"greeting": {"text": greeting}, "telephony": {"silence_ms": 0}}
    clock = LoopClock()
    engines = Engines(
        SimulatedRecognizer(SIMULATED, ["hello"], clock),
        SimulatedModel(SIMULATED),
        SimulatedSynthesizer(SIMULATED),
        LoudnessDetector,
    )
    service = Service(Settings.model_validate(sections), engines, clock)
    await service.start()
    try:
        line = StuckLine(json.dumps({"type": "start"}))
        await asyncio.wait_for(Call(service, PCM, line, CallerId()).run(), 60)
        assert line.closed
        assert not service.sessions
    finally:
        await service.aclose()
    assert any("reads too slowly" in message for message in caplog.messages)


class SlowLine(StuckLine):
    """Takes a frame every 20 ms."""

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[Frame] = []

    async def send(self, frame: Frame) -> None:
        await asyncio.sleep(0.02)
        self.sent.append(frame)


async def run_for(sender: Sender, seconds: float) -> None:
    task = asyncio.create_task(sender.run())
    await asyncio.sleep(seconds)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def test_sound_that_waits_is_recalled_and_the_order_to_clear_goes_first() -> None:
    line, left = SlowLine(), list[str]()
    sender = Sender(line)
    for name in ("a", "b", "c"):
        sender.put([name], sound=True, left=partial(left.append, name))
    sender.put(["event"])
    sender.drop_sound()
    sender.put(["clear"], urgent=True)
    await run_for(sender, 1.0)
    assert line.sent == ["clear", "event"]
    assert left == []


async def test_held_sound_waits_for_release_and_a_clear_does_not() -> None:
    line = SlowLine()
    sender = Sender(line)
    sender.hold()
    sender.put(["a", "b"], sound=True)
    sender.put(["clear"], urgent=True)
    await run_for(sender, 0.5)
    assert line.sent == ["clear"]
    sender.release()
    await run_for(sender, 0.5)
    assert line.sent == ["clear", "a", "b"]
