"""libwebrtc's echo canceller (AEC3) and noise suppressor, as the package `livekit` brings them.

The library starts four threads and takes 25 MB once per process, so it is loaded where it is first
wanted, by `load`. A canceller is 0.4 MB and has no thread.
"""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from voicepipe.audio.pcm import SAMPLE_RATE, Int16

if TYPE_CHECKING:
    from livekit import rtc

log = logging.getLogger(__name__)

STEP_SAMPLES = SAMPLE_RATE // 100
"""10 ms: what the library takes at a time."""


@cache
def load() -> bool:
    """Take the library into this process; may block for 0.2 s. False: it cannot be had here."""
    try:
        from livekit import rtc

        rtc.AudioProcessingModule(echo_cancellation=True)
    except (ImportError, OSError) as error:
        log.warning("no echo cancellation: %s", error)
        return False
    return True


def loaded() -> bool:
    """Whether `load` has been called, so that it will not block."""
    return load.cache_info().currsize > 0


class EchoCanceller:
    """One per call. Call `load` first, and make none where it said False."""

    def __init__(self, *, echo: bool = True, noise: bool = False) -> None:
        """`echo`: take the far end out; `noise`: and what is no voice."""
        from livekit import rtc

        self._rtc = rtc
        self._module = rtc.AudioProcessingModule(echo_cancellation=echo, noise_suppression=noise)

    def clean(self, near: Int16, far: Int16) -> Int16:
        """`near` (int16 [n], 16 kHz, n a multiple of 10 ms) without `far`, which was played at that
        time or up to half a second before; int16 [n]."""
        cleaned = bytearray()
        for start in range(0, near.size, STEP_SAMPLES):
            self._module.process_reverse_stream(self._step(far, start))
            step = self._step(near, start)
            self._module.process_stream(step)
            cleaned += step.data
        return np.frombuffer(cleaned, dtype=np.int16)

    def _step(self, samples: Int16, start: int) -> rtc.AudioFrame:
        data = bytearray(samples[start : start + STEP_SAMPLES].tobytes())
        return self._rtc.AudioFrame(data, SAMPLE_RATE, 1, STEP_SAMPLES)
