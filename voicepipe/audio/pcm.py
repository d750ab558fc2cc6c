"""Mono 16-bit PCM, the one form in which sound travels inside voicepipe."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Int16 = npt.NDArray[np.int16]
"""Samples, shape [n], mono, full scale +-32768."""

SAMPLE_RATE = 16_000
"""Hz; what the audio input (VAD, recognizer) work on."""

FRAME_MS = 20
FRAME_SAMPLES = SAMPLE_RATE * FRAME_MS // 1000
"""320 samples: one frame at 16 kHz."""


def from_bytes(data: bytes | bytearray | memoryview) -> Int16:
    """Little-endian s16 bytes to samples (no copy on little-endian machines).

    Raises ValueError for an odd number of bytes.
    """
    if len(data) % 2:
        raise ValueError(f"16-bit PCM needs an even number of bytes, got {len(data)}")
    return np.frombuffer(data, dtype="<i2")


def to_bytes(samples: Int16) -> bytes:
    """Samples to little-endian s16 bytes."""
    return samples.astype("<i2", copy=False).tobytes()


def duration_ms(samples: int, rate: int) -> float:
    """Length in ms of `samples` samples at `rate` Hz."""
    return samples * 1000.0 / rate


def silence(ms: float, rate: int = SAMPLE_RATE) -> Int16:
    """`ms` of digital silence."""
    return np.zeros(round(ms * rate / 1000), dtype=np.int16)
