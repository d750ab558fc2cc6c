"""The nodes that VITS graphs are made of, with random weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper


@dataclass(frozen=True, slots=True)
class Size:
    """Widths and depths."""

    hidden: int
    inner: int  # of the feed-forward layers
    layers: int
    heads: int
    rise: int  # channels at the vocoder's entrance
    speaker: int  # of a speaker's embedding
    rich: bool = False  # the vocoder of Piper's high voices: four steps up, thrice the filters


class Graph:
    """Nodes and weights so far. Tensors are named by number, weights as Piper's exports do."""

    def __init__(self, seed: int) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: dict[str, npt.NDArray[Any]] = {}
        self._random = np.random.default_rng(seed)

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node; the name of its output."""
        return self._add(kind, inputs, 1, attributes)[0]

    def halves(self, x: str) -> list[str]:
        """The two halves of the channels."""
        return self._add("Split", (x,), 2, {"axis": 1})

    def _add(
        self, kind: str, inputs: tuple[str, ...], outputs: int, attributes: dict[str, Any]
    ) -> list[str]:
        names = [f"t{len(self.nodes)}_{n}" for n in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names

    def const(self, value: Any, kind: Any = np.float32) -> str:
        array = np.array(value, kind)
        name = f"c_{array.dtype.char}{array.shape}_{array.ravel().tolist()}"
        self.weights[name] = array
        return name

    def normal(self, name: str, shape: tuple[int, ...], deviation: float) -> str:
        self.weights[name] = (self._random.standard_normal(shape) * deviation).astype(np.float32)
        return name

    def conv(
        self, x: str, name: str, ins: int, outs: int, kernel: int = 1, *, dilation: int = 1,
        groups: int = 1, gain: float = 1.0, bias: bool = True,
    ) -> str:  # fmt: skip
        """A convolution over time that keeps the length; `gain` 1 keeps the variance."""
        fan = ins // groups * kernel
        weight = self.normal(f"{name}.weight", (outs, ins // groups, kernel), gain * fan**-0.5)
        biases = [self.normal(f"{name}.bias", (outs,), 0.02)] if bias else []
        return self.op(
            "Conv", x, weight, *biases, kernel_shape=[kernel], dilations=[dilation], group=groups,
            pads=[(kernel - 1) * dilation // 2] * 2, strides=[1],
        )  # fmt: skip

    def rise(self, x: str, name: str, ins: int, outs: int, kernel: int, stride: int) -> str:
        weight = self.normal(f"{name}.weight", (ins, outs, kernel), (ins * kernel / stride) ** -0.5)
        bias = self.normal(f"{name}.bias", (outs,), 0.02)
        return self.op(
            "ConvTranspose", x, weight, bias, kernel_shape=[kernel], dilations=[1], group=1,
            pads=[(kernel - stride) // 2] * 2, strides=[stride],
        )  # fmt: skip

    def norm(self, x: str, name: str, channels: int) -> str:
        """Layer norm over the channels of [1, C, T]."""
        self.weights[f"{name}.gamma"] = np.ones(channels, np.float32)
        self.weights[f"{name}.beta"] = np.zeros(channels, np.float32)
        last = self.op("Transpose", x, perm=[0, 2, 1])
        normal = self.op("LayerNormalization", last, f"{name}.gamma", f"{name}.beta", axis=-1)
        return self.op("Transpose", normal, perm=[0, 2, 1])

    def add(self, *names: str) -> str:
        total = names[0]
        for name in names[1:]:
            total = self.op("Add", total, name)
        return total

    def mul(self, a: str, b: str) -> str:
        return self.op("Mul", a, b)

    def part(self, x: str, begin: int, end: int, axis: int = 1, step: int = 1) -> str:
        """x[begin:end:step] along an axis."""
        parts = [self.const([n], np.int64) for n in (begin, end, axis, step)]
        return self.op("Slice", x, *parts)

    def flip(self, x: str) -> str:
        """Channels in reverse."""
        return self.part(x, -1, -(2**31), step=-1)

    def length(self, x: str, axis: int) -> str:
        """[1] int64."""
        return self.op("Shape", x, start=axis, end=axis + 1)

    def positions(self, count: str) -> str:
        """0, 1, ... `count` - 1, int64; `count` is [1]."""
        zero, one = self.const(0, np.int64), self.const(1, np.int64)
        return self.op("Range", zero, self.op("Squeeze", count), one)
