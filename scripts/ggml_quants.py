"""Matrices in the block formats of ggml: bytes as they stand in a GGUF file.

Formats: https://github.com/ggml-org/llama.cpp/blob/master/ggml/src/ggml-common.h
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Floats = np.ndarray[Any, np.dtype[Any]]  # float32
Bytes = np.ndarray[Any, np.dtype[Any]]  # uint8


@dataclass(frozen=True, slots=True)
class Quant:
    """One format. `number`: its name in the file; `block`: weights that share a scale, of which
    `block_bytes` are made by `pack` from float32 [blocks, block].
    """

    name: str
    number: int
    block: int
    block_bytes: int
    pack: Callable[[Floats], Bytes]

    def size(self, rows: int, columns: int) -> int:
        """Bytes of a matrix."""
        return rows * columns // self.block * self.block_bytes

    def matrix(self, weights: Floats) -> bytes:
        """A whole matrix; its columns are a multiple of `block`."""
        return self.pack(weights.reshape(-1, self.block)).tobytes()

    def noise(self, rows: int, columns: int, random: np.random.Generator) -> bytes:
        """A matrix of random weights whose rows keep a vector's length about as it was."""
        blocks = rows * columns // self.block
        sample = random.standard_normal((4096, self.block), np.float32) / columns**0.5
        packed = self.pack(sample)
        return packed[random.integers(0, len(packed), blocks, dtype=np.int32)].tobytes()


def _halves(values: Floats) -> Bytes:
    return values.astype("<f2").view(np.uint8).reshape(len(values), -1)


def _reciprocal(scale: Floats) -> Floats:
    return np.divide(1, scale, out=np.zeros_like(scale), where=scale != 0)


def _pack_f16(x: Floats) -> Bytes:
    return _halves(x)


def _pack_q8_0(x: Floats) -> Bytes:
    scale = np.abs(x).max(1, keepdims=True) / 127
    codes = np.rint(x * _reciprocal(scale)).astype(np.int8)
    return np.concatenate([_halves(scale), codes.view(np.uint8)], 1)


def _pack_q4_0(x: Floats) -> Bytes:
    """The weight of largest size is -8 steps; the rest falls where it falls."""
    largest = np.take_along_axis(x, np.abs(x).argmax(1)[:, None], 1)
    scale = largest / -8
    codes = np.clip(np.floor(x * _reciprocal(scale) + 8.5), 0, 15).astype(np.uint8)
    return np.concatenate([_halves(scale), codes[:, :16] | codes[:, 16:] << 4], 1)


def _pack_q5_0(x: Floats) -> Bytes:
    """As Q4_0, with a fifth bit of each code in a word of its own."""
    largest = np.take_along_axis(x, np.abs(x).argmax(1)[:, None], 1)
    scale = largest / -16
    codes = np.clip(np.floor(x * _reciprocal(scale) + 16.5), 0, 31).astype(np.uint8)
    fifth = np.packbits(codes >> 4, axis=1, bitorder="little")
    low = codes & 15
    return np.concatenate([_halves(scale), fifth, low[:, :16] | low[:, 16:] << 4], 1)


def _pack_q4_k(x: Floats) -> Bytes:
    """Eight runs of 32 weights, each with a step and a least weight in six bits."""
    runs = x.reshape(len(x), 8, 32)
    least = np.minimum(runs.min(2), 0)
    steps, lows = (runs.max(2) - least) / 15, -least
    top = np.concatenate([steps.max(1, keepdims=True), lows.max(1, keepdims=True)], 1) / 63
    step_codes = np.rint(steps * _reciprocal(top[:, :1])).astype(np.uint8)
    low_codes = np.rint(lows * _reciprocal(top[:, 1:])).astype(np.uint8)
    kept = top.astype("<f2").astype(np.float32)
    step, low = step_codes * kept[:, :1], low_codes * kept[:, 1:]
    codes = np.rint((runs + low[..., None]) * _reciprocal(step.astype(np.float32))[..., None])
    pairs = np.clip(codes, 0, 15).astype(np.uint8).reshape(len(x), 4, 2, 32)
    packed = (pairs[:, :, 0] | pairs[:, :, 1] << 4).reshape(len(x), 128)
    return np.concatenate([_halves(top), _six_bits(step_codes, low_codes), packed], 1)


def _six_bits(steps: Bytes, lows: Bytes) -> Bytes:
    """Twice eight codes of six bits in twelve bytes, as Q4_K lays them."""
    first = steps[:, :4] | steps[:, 4:] >> 4 << 6
    second = lows[:, :4] | lows[:, 4:] >> 4 << 6
    third = steps[:, 4:] & 15 | (lows[:, 4:] & 15) << 4
    return np.concatenate([first, second, third], 1)


def _pack_q6_k(x: Floats) -> Bytes:
    """Sixteen scales of 8 bits over sixteen weights each, and one over those."""
    parts = x.reshape(len(x), 16, 16)
    largest = np.take_along_axis(parts, np.abs(parts).argmax(2)[..., None], 2)[..., 0]
    scales = largest / -32
    top = np.abs(scales).max(1, keepdims=True) / 127
    coarse = np.rint(scales * _reciprocal(top)).astype(np.int8)
    steps = (coarse.astype(np.float32) * top.astype("<f2").astype(np.float32))[..., None]
    codes = np.clip(np.rint(parts * _reciprocal(steps)) + 32, 0, 63).astype(np.uint8)
    low, high = _split_in_quarters(codes.reshape(len(x), 256))
    return np.concatenate([low, high, coarse.view(np.uint8), _halves(top)], 1)


def _split_in_quarters(codes: Bytes) -> tuple[Bytes, Bytes]:
    """Low four and high two bits, as Q6_K lays them: each half of a block has quarters of 32."""
    quarters = codes.reshape(len(codes), 2, 4, 32)
    one, two, three, four = (quarters[:, :, n] for n in range(4))
    low = np.concatenate([one & 15 | (three & 15) << 4, two & 15 | (four & 15) << 4], 2)
    high = one >> 4 | two >> 4 << 2 | three >> 4 << 4 | four >> 4 << 6
    return low.reshape(len(codes), 128), high.reshape(len(codes), 64)


F16 = Quant("F16", 1, 1, 2, _pack_f16)
Q4_0 = Quant("Q4_0", 2, 32, 18, _pack_q4_0)
Q8_0 = Quant("Q8_0", 8, 32, 34, _pack_q8_0)
Q5_0 = Quant("Q5_0", 6, 32, 22, _pack_q5_0)
Q4_K = Quant("Q4_K", 12, 256, 144, _pack_q4_k)
Q6_K = Quant("Q6_K", 14, 256, 210, _pack_q6_k)
