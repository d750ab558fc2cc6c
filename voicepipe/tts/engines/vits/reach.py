"""How far the results of a graph of convolutions see, counted from its strides and kernels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import onnx


@dataclass(frozen=True, slots=True)
class Reach:
    """A result at frame t depends on frames t - `left` .. t + `right` of the source, and comes
    `rate` times for each of them.
    """

    left: int
    right: int
    rate: int


@dataclass(frozen=True, slots=True)
class _Seen:
    """The same of one tensor, exactly."""

    left: Fraction = Fraction(0)
    right: Fraction = Fraction(0)
    rate: int = 1

    def joined(self, other: _Seen) -> _Seen:
        return _Seen(
            max(self.left, other.left),
            max(self.right, other.right),
            max(self.rate, other.rate),
        )


def reach(model: onnx.ModelProto, source: str, result: str) -> Reach:
    """The reach of `result`, in whole frames of `source` [1, channels, frames]. Raises ValueError
    for a convolution that does not say how wide it is; exporters do say it.

    Whatever is no convolution is taken to work on each frame for itself; whether that is true, a
    trial must show.
    """
    seen: dict[str, _Seen] = {source: _Seen()}
    for node in model.graph.node:
        known = [seen[name] for name in node.input if name in seen]
        if not known:
            continue
        value = known[0]
        for other in known[1:]:
            value = value.joined(other)
        if node.op_type in {"Conv", "ConvTranspose"}:
            value = _convolved(node, value)
        for name in node.output:
            seen[name] = value
    last = seen[result]
    return Reach(math.ceil(last.left), math.ceil(last.right), last.rate)


def _convolved(node: Any, value: _Seen) -> _Seen:
    attributes: Mapping[str, Any] = {
        a.name: onnx.helper.get_attribute_value(a) for a in node.attribute
    }
    if "kernel_shape" not in attributes:
        raise ValueError(f"the convolution {node.name or node.output[0]} does not state its kernel")
    kernel = attributes["kernel_shape"][0]
    before = attributes.get("pads", (0, 0))[0]
    dilation = attributes.get("dilations", (1,))[0]
    stride = attributes.get("strides", (1,))[0]
    span = (kernel - 1) * dilation
    if node.op_type == "Conv":
        return _Seen(
            value.left + Fraction(before, value.rate),
            value.right + Fraction(span - before, value.rate),
            value.rate,
        )
    # A sample o of the result is made of all i with 0 <= o + before - i * stride <= span.
    rate = value.rate * stride
    return _Seen(
        value.left + Fraction(span - before, rate), value.right + Fraction(before, rate), rate
    )
