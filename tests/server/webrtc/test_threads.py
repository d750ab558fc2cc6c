"""What codes a call's audio leaves no threads, and resamples as PyAV's own does."""

from __future__ import annotations

import os

import av
import numpy as np
import pytest
from aiortc.mediastreams import MediaStreamError

from voicepipe.runtime.clock import MonotonicClock
from voicepipe.server.webrtc.downlink import Downlink
from voicepipe.server.webrtc.opus import OpusDecoder, OpusEncoder
from voicepipe.server.webrtc.resampler import Resampler


def frames(rate: int, layout: str) -> list[av.AudioFrame]:
    """Half a second of noise, 20 ms each."""
    channels, size = (2 if layout == "stereo" else 1), rate // 50
    made = []
    for n in range(25):
        noise = np.random.default_rng(n).integers(-9000, 9000, (1, size * channels))
        frame = av.AudioFrame.from_ndarray(noise.astype(np.int16), format="s16", layout=layout)
        frame.sample_rate, frame.pts = rate, n * size
        made.append(frame)
    return made


def threads() -> int:
    return len(os.listdir("/proc/self/task"))


def test_what_hears_the_caller_starts_no_thread() -> None:
    (packet,) = {bytes(OpusEncoder().encode(np.ones(480, dtype=np.int16), 0))}
    before, kept = threads(), []
    for _ in range(8):
        decoder, resampler = OpusDecoder(), Resampler(16_000)
        for frame in decoder.decode(packet):
            resampler.resample(frame)
        kept.append((decoder, resampler))
    assert threads() == before


async def test_the_agents_track_leaves_no_thread_behind_when_it_ends() -> None:
    before, ended = threads(), []
    for _ in range(8):
        track = Downlink(MonotonicClock(), 60)
        await track.recv()
        assert threads() > before
        track.end()
        track.end()  # any number of times
        with pytest.raises(MediaStreamError):
            await track.recv()
        ended.append(track)
    assert threads() == before


@pytest.mark.parametrize(("rate", "layout"), [(48_000, "mono"), (48_000, "stereo"), (8000, "mono")])
def test_it_resamples_as_the_library_does(rate: int, layout: str) -> None:
    stock = av.AudioResampler(format="s16", layout="mono", rate=16_000)
    ours = Resampler(16_000)
    for frame, same in zip(frames(rate, layout), frames(rate, layout), strict=True):
        wanted = b"".join(bytes(p.planes[0])[: p.samples * 2] for p in stock.resample(frame))
        got = b"".join(bytes(p.planes[0])[: p.samples * 2] for p in ours.resample(same))
        assert got == wanted
