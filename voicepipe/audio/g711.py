"""G.711 mu-law and A-law by table: 256 entries to decode, 65,536 to encode.

The tables are made from ITU-T G.711's segment formulas at import (about 3 ms), so there is no
dependency and no per-sample Python.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from voicepipe.audio.pcm import Int16

UInt8 = npt.NDArray[np.uint8]

_MULAW_BIAS = 132  # 33 << 2: G.711 works on 14 bits, samples here have 16
_MULAW_CLIP = 32635


def _mulaw_decode_table() -> Int16:
    code = ~np.arange(256, dtype=np.uint8)
    exponent = ((code >> 4) & 7).astype(np.int32)
    mantissa = (code & 15).astype(np.int32)
    magnitude = (((mantissa << 3) + _MULAW_BIAS) << exponent) - _MULAW_BIAS
    return np.where(code & 0x80, -magnitude, magnitude).astype(np.int16)


def _alaw_decode_table() -> Int16:
    code = np.arange(256, dtype=np.uint8) ^ 0x55
    exponent = ((code >> 4) & 7).astype(np.int32)
    mantissa = (code & 15).astype(np.int32) << 4
    magnitude = np.where(
        exponent == 0, mantissa + 8, (mantissa + 0x108) << np.maximum(exponent - 1, 0)
    )
    return np.where(code & 0x80, magnitude, -magnitude).astype(np.int16)


def _all_samples() -> npt.NDArray[np.int32]:
    """Every int16 in the order of its two's complement bits, so a view as uint16 indexes it."""
    return np.arange(65_536, dtype=np.uint16).view(np.int16).astype(np.int32)


def _mulaw_encode_table() -> UInt8:
    sample = _all_samples()
    sign = np.where(sample < 0, 0x80, 0)
    magnitude = np.minimum(np.abs(sample), _MULAW_CLIP) + _MULAW_BIAS
    exponent = np.floor(np.log2(magnitude)).astype(np.int32) - 7
    mantissa = (magnitude >> (exponent + 3)) & 15
    codes: UInt8 = (~(sign | (exponent << 4) | mantissa) & 0xFF).astype(np.uint8)
    return codes


def _alaw_encode_table() -> UInt8:
    sample = _all_samples()
    sign = np.where(sample >= 0, 0x80, 0)
    magnitude = np.where(sample >= 0, sample, -sample - 1)  # one's complement: -1 and 0 are twins
    exponent = np.maximum(np.floor(np.log2(np.maximum(magnitude, 1))).astype(np.int32) - 7, 0)
    mantissa = np.where(exponent == 0, magnitude >> 4, magnitude >> (exponent + 3)) & 15
    codes: UInt8 = ((sign | (exponent << 4) | mantissa) ^ 0x55).astype(np.uint8)
    return codes


@cache
def _tables(law: str) -> tuple[Int16, UInt8]:
    if law == "pcmu":
        return _mulaw_decode_table(), _mulaw_encode_table()
    if law == "pcma":
        return _alaw_decode_table(), _alaw_encode_table()
    raise ValueError(f"unknown G.711 law {law!r}; known: pcmu, pcma")


def decode(data: bytes, law: str) -> Int16:
    """G.711 bytes ("pcmu" or "pcma") to samples, int16 [len(data)]."""
    return _tables(law)[0][np.frombuffer(data, dtype=np.uint8)]


def encode(samples: Int16, law: str) -> bytes:
    """Samples to G.711 bytes, one each."""
    return _tables(law)[1][np.ascontiguousarray(samples).view(np.uint16)].tobytes()
