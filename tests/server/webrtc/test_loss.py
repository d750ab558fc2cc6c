"""Lost packets cost the caller's speech next to no time. Delay: from the microphone's frame to the
session's ears, over real UDP; medians, since the machine may be busy."""

from __future__ import annotations

import asyncio
import random
import statistics
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
import pytest
from aiortc import RTCRtpReceiver
from aiortc.rtp import RtpPacket

from tests.server.harness import running_server
from tests.server.webrtc.caller import Caller, call, tone
from voicepipe.audio import pcm
from voicepipe.server.webrtc.jitter import ATTRIBUTE, ReorderBuffer
from voicepipe.server.webrtc.peer import Peer

FRAME_MS = 20


class Line:
    """The server's side of the wire: loses packets on demand, and notes when bursts arrive."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.lose: Callable[[], bool] = lambda: False
        self.lost = 0
        self.heard_ms = 0.0
        self._loud = asyncio.Event()
        self.loud_at = 0.0
        stock: Callable[..., Awaitable[None]] = RTCRtpReceiver._handle_rtp_packet
        hear = Peer._hear
        line = self

        async def receive(self: RTCRtpReceiver, packet: RtpPacket, arrival_time_ms: int) -> None:
            ours = isinstance(getattr(self, ATTRIBUTE), ReorderBuffer)
            if ours and line.lose():
                line.lost += 1
                return
            await stock(self, packet, arrival_time_ms=arrival_time_ms)

        def noting(self: Peer, audio: bytes) -> None:
            line.heard_ms += len(audio) / 32
            if not line._loud.is_set() and np.abs(pcm.from_bytes(audio)).max(initial=0) > 2000:
                line.loud_at = asyncio.get_running_loop().time()
                line._loud.set()
            hear(self, audio)

        monkeypatch.setattr(RTCRtpReceiver, "_handle_rtp_packet", receive)
        monkeypatch.setattr(Peer, "_hear", noting)

    async def delay_ms(self, caller: Caller) -> float:
        """Of one burst of sound."""
        self._loud.clear()
        said_at = caller.microphone.say(tone(40))
        async with asyncio.timeout(10):
            await self._loud.wait()
            delay = (self.loud_at - await said_at) * 1000
            await caller.microphone.quiet.wait()
        await asyncio.sleep(0.1)  # its last packets arrive
        return delay


def once() -> Callable[[], bool]:
    """Loses the next packet."""
    left = [True]
    return lambda: bool(left and left.pop())


async def test_one_lost_packet_delays_nothing_that_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line(monkeypatch)
    async with running_server() as server, call(server) as one:
        before = [await line.delay_ms(one) for _ in range(9)]
        line.lose = once()
        after = [await line.delay_ms(one) for _ in range(9)]
        assert line.lost == 1
        assert statistics.median(after) - statistics.median(before) <= 40
        assert statistics.median(after) < 80  # what aiortc's own buffer takes at its best


async def test_one_per_cent_of_loss_is_filled_with_silence_and_adds_no_delay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line, chance = Line(monkeypatch), random.Random(1)
    async with running_server() as server, call(server) as one:
        clean = [await line.delay_ms(one) for _ in range(9)]
        before_ms = line.heard_ms - one.microphone.sent_ms
        packets: list[Any] = []

        def lose() -> bool:
            packets.append(None)
            return chance.random() < 0.01

        line.lose = lose
        lossy = []
        while len(packets) < 400:
            lossy.append(await line.delay_ms(one))
        assert line.lost >= 2
        assert statistics.median(lossy) - statistics.median(clean) <= 40
        # Sound for all of the caller's time; more only where the machine held packets back.
        assert line.heard_ms - one.microphone.sent_ms >= before_ms - 100
