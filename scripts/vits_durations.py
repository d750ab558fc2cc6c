"""The stochastic duration predictor of VITS, from noise to durations: inverse spline flows."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from scripts.vits_nodes import Graph, Size

DURATION_FLOWS, DURATION_LAYERS = 3, 3  # of 4 flows one is unused when speaking
BINS, TAIL, LEAST = 10, 5.0, 1e-3  # of the splines: bins, half their range, least size of a bin
MEAN_LOG_FRAMES = 0.9  # of an id: 2.5 frames, about what real voices have


def durations(g: Graph, size: Size, text: str, mask: str, noise: str, speaker: str | None) -> str:
    """Log of the frames of each id, [1, 1, P]."""
    x = g.conv(text, "dp.pre", size.hidden, size.hidden)
    if speaker:
        x = g.add(x, g.conv(speaker, "dp.cond", size.speaker, size.hidden))
    x = g.conv(_separable(g, size, x, mask, "dp.convs"), "dp.proj", size.hidden, size.hidden)
    x = g.mul(x, mask)
    z = g.mul(g.op("RandomNormalLike", g.part(x, 0, 2)), noise)
    for n in range(DURATION_FLOWS):
        z = _spline_flow(g, size, g.flip(z), mask, x, f"dp.flows.{7 - 2 * n}")
    z = g.flip(z)
    return g.op("Add", g.part(z, 0, 1), g.const(MEAN_LOG_FRAMES))


def _separable(g: Graph, size: Size, x: str, mask: str, name: str) -> str:
    """Dilated, depth-separable convolutions."""
    for n in range(DURATION_LAYERS):
        y = g.conv(
            g.mul(x, mask), f"{name}.convs_sep.{n}", size.hidden, size.hidden, 3,
            dilation=3**n, groups=size.hidden,
        )  # fmt: skip
        y = _gelu(g, g.norm(y, f"{name}.norms_1.{n}", size.hidden))
        y = g.conv(y, f"{name}.convs_1x1.{n}", size.hidden, size.hidden)
        x = g.add(x, _gelu(g, g.norm(y, f"{name}.norms_2.{n}", size.hidden)))
    return g.mul(x, mask)


def _gelu(g: Graph, x: str) -> str:
    bell = g.op("Add", g.op("Erf", g.mul(x, g.const(2**-0.5))), g.const(1.0))
    return g.mul(g.mul(x, g.const(0.5)), bell)


def _spline_flow(g: Graph, size: Size, z: str, mask: str, text: str, name: str) -> str:
    still, moved = g.halves(z)
    h = g.add(g.conv(still, f"{name}.pre", 1, size.hidden), text)
    h = _separable(g, size, h, mask, f"{name}.convs")
    h = g.mul(g.conv(h, f"{name}.proj", size.hidden, 3 * BINS - 1, gain=0.3), mask)
    return g.mul(g.op("Concat", still, _inverse_spline(g, size, moved, h), axis=1), mask)


def _knots(g: Graph, size: Size, raw: str) -> tuple[str, str]:
    """Left ends and sizes of the bins, [1, BINS, P]."""
    share = g.op("Softmax", g.mul(raw, g.const(size.hidden**-0.5)), axis=1)
    share = g.op("Add", g.mul(share, g.const(1 - LEAST * BINS)), g.const(LEAST))
    wide = g.mul(share, g.const(2 * TAIL))
    ends = g.op("CumSum", wide, g.const(1, np.int64))
    return g.op("Sub", g.op("Sub", ends, wide), g.const(TAIL)), wide


def _inverse_spline(g: Graph, size: Size, y: str, h: str) -> str:
    """Durkan et al., "Neural Spline Flows" (2019), equations 6 to 8; linear outside the bins."""
    left, wide = _knots(g, size, g.part(h, 0, BINS))
    low, high = _knots(g, size, g.part(h, BINS, 2 * BINS))
    slopes = g.op("Add", g.op("Softplus", g.part(h, 2 * BINS, 3 * BINS - 1)), g.const(LEAST))
    one = g.op("Add", g.mul(g.part(h, 0, 1), g.const(0.0)), g.const(1.0))  # the slope of the tails
    before, after = g.op("Concat", one, slopes, axis=1), g.op("Concat", slopes, one, axis=1)
    from_low = g.op("Not", g.op("Less", y, low))
    in_bin = g.op("And", from_low, g.op("Less", y, g.add(low, high)))
    chosen = g.op("Cast", in_bin, to=TensorProto.FLOAT)

    def pick(values: str) -> str:
        return g.op("ReduceSum", g.mul(values, chosen), g.const([1], np.int64), keepdims=1)

    left, wide, low, high, before, after = map(pick, (left, wide, low, high, before, after))
    steep = g.op("Div", high, wide)
    rise = g.op("Sub", y, low)
    bend = g.op("Sub", g.add(before, after), g.mul(steep, g.const(2.0)))
    a = g.add(g.mul(rise, bend), g.mul(high, g.op("Sub", steep, before)))
    b = g.op("Sub", g.mul(high, before), g.mul(rise, bend))
    c = g.op("Neg", g.mul(steep, rise))
    root = g.op("Sqrt", g.op("Sub", g.mul(b, b), g.mul(g.mul(a, c), g.const(4.0))))
    share = g.op("Div", g.mul(c, g.const(-2.0)), g.add(b, root))
    inside = g.op("Less", g.op("Abs", y), g.const(TAIL))
    return g.op("Where", inside, g.add(g.mul(share, wide), left), y)
