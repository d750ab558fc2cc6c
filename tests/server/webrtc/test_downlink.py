"""The outgoing track as the session's sink: pace, fades, and what was heard."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, cast

import av
import numpy as np
import pytest
from aiortc.mediastreams import MediaStreamError

from tests.virtual_time import LoopClock
from voicepipe.audio import pcm
from voicepipe.audio.pcm import Int16
from voicepipe.server.webrtc.downlink import FADE_SAMPLES, FRAME_SAMPLES, Downlink
from voicepipe.server.webrtc.opus import SETTLED, OpusDecoder, OpusEncoder, short_silence

LOUD = pcm.to_bytes(np.full(FRAME_SAMPLES, 10_000, np.int16))


def downlink() -> Downlink:
    track = Downlink(LoopClock(), 200)
    track.opus = False  # samples are easier to look at
    return track


async def pull(track: Downlink) -> Int16:
    frame = cast(av.AudioFrame, await track.recv())
    samples: Int16 = frame.to_ndarray()[0]
    assert samples.size == FRAME_SAMPLES
    return samples


@pytest.mark.virtual_time
async def test_frames_keep_an_absolute_pace_and_their_own_time() -> None:
    track, clock = downlink(), LoopClock()
    began = clock.now()
    for n in range(50):
        frame = cast(av.AudioFrame, await track.recv())
        assert frame.pts == n * FRAME_SAMPLES
        assert clock.now() - began == pytest.approx(n * 0.02)
        await asyncio.sleep(0.013)  # the sender's own time does not add up


@pytest.mark.virtual_time
async def test_a_short_stall_is_made_good_and_a_long_one_is_not() -> None:
    track, clock = downlink(), LoopClock()
    await pull(track)
    await asyncio.sleep(0.1)
    began = clock.now()
    for _ in range(5):
        await pull(track)
    assert clock.now() == began  # the five that were due
    await asyncio.sleep(5)
    began = clock.now()
    for _ in range(5):
        await pull(track)
    assert clock.now() - began == pytest.approx(0.08)


@pytest.mark.virtual_time
async def test_pieces_leave_in_order_and_tell_when() -> None:
    track, left = downlink(), list[str]()
    half = LOUD[:FRAME_SAMPLES]
    track.play(half, 10, lambda: left.append("first"))
    track.play(LOUD, 20, lambda: left.append("second"))
    track.play(half, 10, lambda: left.append("third"))
    assert track.given_ms == 40
    assert left == []
    assert (await pull(track)).all()
    assert left == ["first", "second"]
    assert (await pull(track)).all()
    assert left == ["first", "second", "third"]
    assert not (await pull(track)).any()


@pytest.mark.virtual_time
async def test_heard_is_what_was_pulled_less_the_way_to_the_ear() -> None:
    track = downlink()
    track.set_delay(50)
    for _ in range(5):
        track.play(LOUD, 20, lambda: None)
    for _ in range(5):
        await pull(track)
    assert track.heard_ms() == pytest.approx(30)
    await asyncio.sleep(0.05)
    assert track.heard_ms() == pytest.approx(80)
    track.set_delay(500)
    assert track.heard_ms() == pytest.approx(80)  # never less than before
    await asyncio.sleep(0.6)
    assert track.heard_ms() == pytest.approx(100)
    assert track.lead_ms >= 500 + 200


@pytest.mark.virtual_time
async def test_flush_fades_out_and_counts_what_has_left_as_heard() -> None:
    track, left = downlink(), list[int]()
    for n in range(5):
        track.play(LOUD, 20, partial(left.append, n))
    await pull(track)
    await pull(track)
    assert track.flush() == pytest.approx(40)
    assert track.given_ms == track.heard_ms() == pytest.approx(40)
    fading = await pull(track)
    assert fading[0] == 10_000
    assert (np.diff(fading.astype(int)) <= 0).all()
    assert not fading[FADE_SAMPLES:].any()
    assert not (await pull(track)).any()
    assert left == [0, 1]
    track.play(LOUD, 20, lambda: left.append(9))
    assert track.given_ms == pytest.approx(60)
    assert (await pull(track)).all()


@pytest.mark.virtual_time
async def test_flush_of_what_has_not_begun_makes_no_sound() -> None:
    track = downlink()
    await pull(track)
    track.play(LOUD, 20, lambda: None)
    assert track.flush() == 0
    assert not (await pull(track)).any()


@pytest.mark.virtual_time
async def test_queue_is_bounded() -> None:
    track = downlink()
    for _ in range(40):
        track.play(LOUD * 50, 1000, lambda: None)
    assert 30_000 <= track.given_ms <= 31_000


@pytest.mark.virtual_time
async def test_stopped_track_ends() -> None:
    track = downlink()
    track.end()
    with pytest.raises(MediaStreamError):
        await track.recv()


def test_opus_packets_are_speech_and_silence_is_coded_once() -> None:
    encoder = OpusEncoder()
    decoder: Any = av.CodecContext.create("libopus", "r")
    decoder.format, decoder.layout, decoder.sample_rate = "s16", "mono", 48_000
    tone = (9000 * np.sin(np.arange(FRAME_SAMPLES * 50) * 0.07)).astype(np.int16)
    frames = [*tone.reshape(50, -1), *np.zeros((60, FRAME_SAMPLES), np.int16)]
    packets = [encoder.encode(samples, n * FRAME_SAMPLES) for n, samples in enumerate(frames)]
    silent = {bytes(packet) for packet in packets[50 + SETTLED :]}
    assert [len(data) for data in silent] == [3]
    heard = [
        np.abs(f.to_ndarray()).max() for p in packets for f in decoder.decode(av.Packet(bytes(p)))
    ]
    assert min(heard[2:50]) > 5000
    assert max(heard[50 + SETTLED :]) == 0
    assert [packet.pts for packet in packets[:3]] == [0, 960, 1920]


@pytest.mark.virtual_time
async def test_a_reply_that_is_expected_waits_5_ms_at_most() -> None:
    track, clock = Downlink(LoopClock(), 200), LoopClock()
    for _ in range(SETTLED + 1):
        await track.recv()
    track.expect()
    left: list[float] = []
    times, stamps = list[float](), list[int]()
    for n in range(40):
        if n == 9:
            track.play(LOUD * 3, 60, lambda: left.append(clock.now()))
            asked = clock.now()
        packet = cast("av.Packet[Any]", await track.recv())
        times.append(clock.now())
        stamps.append(packet.pts or 0)
    assert 0 < left[0] - asked <= 0.005 + 1e-6
    steps = np.diff(times)
    assert steps[:8] == pytest.approx([0.005] * 8), "silence in short packets"
    assert steps[9:] == pytest.approx([0.02] * 30), (
        "speech, and the silence behind it, in long ones"
    )
    assert np.diff(stamps) == pytest.approx(steps * 48_000), "media time is time"


@pytest.mark.virtual_time
async def test_what_was_expected_and_does_not_come_ends_the_haste() -> None:
    track, clock = Downlink(LoopClock(), 200), LoopClock()
    for _ in range(SETTLED + 1):
        await track.recv()
    track.expect()
    await asyncio.sleep(2)
    await track.recv()
    began = clock.now()
    await track.recv()
    assert clock.now() - began == pytest.approx(0.02)


def test_short_silence_is_decoded_as_such() -> None:
    decoder = OpusDecoder()
    (frame,) = decoder.decode(short_silence())
    assert frame.samples == 240
    assert not frame.to_ndarray().any()
    assert len(short_silence()) <= 4
