"""Packets in order, and aiortc's receiver still where we look for it."""

from __future__ import annotations

import pytest
from aiortc import RTCConfiguration, RTCPeerConnection
from aiortc.jitterbuffer import JitterBuffer
from aiortc.rtp import RtpPacket

from tests.server.harness import running_server
from tests.server.webrtc.caller import call, tone
from voicepipe.server.webrtc import jitter
from voicepipe.server.webrtc.jitter import ReorderBuffer, take_over


def through(numbers: list[int], patience: int = 2) -> tuple[ReorderBuffer, list[int]]:
    got: list[int] = []
    buffer = ReorderBuffer(patience, lambda packet: got.append(packet.sequence_number))
    for number in numbers:
        assert buffer.add(RtpPacket(sequence_number=number & 0xFFFF)) == (False, None)
    return buffer, got


@pytest.mark.parametrize(
    ("came", "went"),
    [
        ([7, 8, 9], [7, 8, 9]),
        ([7, 9, 8, 10], [7, 8, 9, 10]),  # one overtook another
        ([7, 9], [7]),  # the missing one may still come
        ([7, 9, 10], [7, 9, 10]),  # it will not
        ([7, 9, 10, 8, 11], [7, 9, 10, 11]),  # it comes too late
        ([7, 7, 8, 8], [7, 8]),  # twice
        ([65534, 65535, 0, 1], [65534, 65535, 0, 1]),
        ([65534, 0, 65535], [65534, 65535, 0]),
        ([65534, 0, 1], [65534, 0, 1]),
        ([7, 8, 20, 21], [7, 8, 20, 21]),  # a burst was lost
        ([7, 8, 5000, 5001], [7, 8, 5000, 5001]),  # another stream
        ([7, 9, 5000], [7, 9, 5000]),
        ([5000, 7, 8], [5000, 7, 8]),
    ],
)
def test_packets_leave_in_order_and_wait_for_no_more_than_two(
    came: list[int], went: list[int]
) -> None:
    assert through(came)[1] == went


def test_what_waits_is_released_when_nothing_newer_comes() -> None:
    buffer, got = through([7, 9])
    buffer.release()
    assert got == [7, 9]
    assert buffer.lost == 1
    buffer.release()
    buffer.add(RtpPacket(sequence_number=8))
    assert got == [7, 9]
    assert buffer.late == 1


async def test_aiortc_still_has_its_buffer_where_it_is_replaced() -> None:
    """When this fails, aiortc has moved: fix `jitter.ATTRIBUTE`, else calls are 60-280 ms late."""
    pc = RTCPeerConnection(RTCConfiguration(iceServers=[]))
    receiver = pc.addTransceiver("audio").receiver
    assert isinstance(getattr(receiver, jitter.ATTRIBUTE), JitterBuffer)
    buffer, _ = through([])
    assert take_over(receiver, buffer)
    assert getattr(receiver, jitter.ATTRIBUTE) is buffer
    await pc.close()


async def test_packets_of_a_call_go_through_our_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    add = ReorderBuffer.add

    def noting(self: ReorderBuffer, packet: RtpPacket) -> tuple[bool, None]:
        seen.append(packet.sequence_number)
        return add(self, packet)

    monkeypatch.setattr(ReorderBuffer, "add", noting)
    async with running_server() as server, call(server) as one:
        one.microphone.say(tone(400))
        await one.until("input_audio_buffer.speech_started")
    assert len(seen) >= 3  # 60 ms: the least that counts as speech


async def test_call_goes_on_with_aiortcs_own_buffer_if_it_has_moved(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(jitter, "ATTRIBUTE", "_RTCRtpReceiver__somewhere_else")
    async with running_server() as server, call(server) as one:
        one.microphone.say(tone(600))
        await one.until_loud()
    assert "jitter buffer is not where it was" in caplog.text
