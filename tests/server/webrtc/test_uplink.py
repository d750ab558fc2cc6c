"""The caller's packets become audio without gaps, and the clock of silence goes on."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from aiortc.codecs import PCMU_CODEC
from aiortc.rtcrtpparameters import RTCRtpCodecParameters
from aiortc.rtp import RtpPacket

from tests.virtual_time import LoopClock
from voicepipe.audio import pcm
from voicepipe.audio.formats import PCM_16K
from voicepipe.server.webrtc.opus import OpusEncoder
from voicepipe.server.webrtc.uplink import MUTED_AFTER_MS, Uplink

OPUS = RTCRtpCodecParameters("audio/opus", clockRate=48_000, channels=2, payloadType=96)
SAMPLES = PCM_16K.rate // 1000  # in a millisecond


class AudioInput:
    """Hears PCMU: a packet is exactly its 20 ms."""

    def __init__(self) -> None:
        self.audio = b""
        self.uplink = Uplink(self.hear, LoopClock(), reorder_packets=2)
        self.uplink._codecs = {0: PCMU_CODEC, 96: OPUS}
        self.number = self.media_time = 0

    def hear(self, audio: bytes) -> None:
        self.audio += audio

    @property
    def ms(self) -> float:
        return PCM_16K.ms(len(self.audio))

    def packet(self, payload: bytes = b"\x00" * 160, payload_type: int = 0) -> None:
        packet = RtpPacket(payload_type, 0, self.number & 0xFFFF, self.media_time & 0xFFFFFFFF)
        packet.payload = payload
        self.uplink._buffer.add(packet)
        self.pass_by()

    def pass_by(self, packets: int = 1) -> None:
        """20 ms of the caller's time each."""
        self.number += packets
        self.media_time += 160 * packets


@pytest.mark.virtual_time
async def test_lost_packets_leave_silence_of_their_length() -> None:
    ears = AudioInput()
    for lost in (1, 2, 7):
        for _ in range(10):
            ears.packet()
        ears.pass_by(lost)
    ears.packet()
    ears.packet()
    assert ears.ms == pytest.approx(20 * (10 + 1 + 10 + 2 + 10 + 7 + 2), abs=2)
    samples = np.abs(pcm.from_bytes(ears.audio))
    gap = samples[205 * SAMPLES : 215 * SAMPLES]
    assert not gap.any()
    assert samples[100 * SAMPLES] > 1000


@pytest.mark.virtual_time
async def test_media_time_may_wrap_and_jump() -> None:
    ears = AudioInput()
    ears.media_time = 2**32 - 800
    for _ in range(10):
        ears.packet()
    assert ears.ms == pytest.approx(200, abs=2)
    ears.media_time += 8000 * 3600  # a sender that began anew, not an hour of silence
    ears.packet()
    ears.media_time -= 8000 * 1000
    ears.packet()
    assert ears.ms == pytest.approx(240, abs=2)


@pytest.mark.virtual_time
async def test_muted_track_is_silence_in_real_time_and_nothing_is_heard_twice() -> None:
    ears = AudioInput()
    clock = asyncio.create_task(ears.uplink.keep_time())
    await asyncio.sleep(0)
    for _ in range(10):
        ears.packet()
        await asyncio.sleep(0.02)
    assert ears.ms == pytest.approx(200, abs=2)
    await asyncio.sleep(3)
    assert ears.ms == pytest.approx(3200, abs=MUTED_AFTER_MS)
    ears.pass_by(150)
    for _ in range(10):
        ears.packet()
        await asyncio.sleep(0.02)
    assert ears.ms == pytest.approx(3400, abs=5)
    clock.cancel()
    await asyncio.gather(clock, return_exceptions=True)


@pytest.mark.virtual_time
async def test_packet_behind_a_lost_one_does_not_wait_for_ever() -> None:
    ears = AudioInput()
    clock = asyncio.create_task(ears.uplink.keep_time())
    await asyncio.sleep(0)
    ears.packet()
    ears.pass_by()
    ears.packet()
    assert ears.ms == pytest.approx(20, abs=2)
    await asyncio.sleep(0.25)
    assert ears.ms >= 58
    clock.cancel()
    await asyncio.gather(clock, return_exceptions=True)


@pytest.mark.virtual_time
async def test_codec_may_change_and_rubbish_counts_as_lost() -> None:
    ears = AudioInput()
    encoder = OpusEncoder()
    ears.packet()
    ears.packet(b"\x00" * 160, payload_type=77)
    ears.packet(b"", payload_type=0)
    for n in range(5):
        packet = encoder.encode(np.full(480, 500, np.int16), n * 480)
        ears.media_time = n * 960
        ears.packet(bytes(packet), payload_type=96)
    ears.media_time = 5 * 960
    ears.packet(b"\xff" * 3, payload_type=96)
    assert 20 + 5 * 20 - 3 <= ears.ms <= 20 + 6 * 20 + 1
