"""Builds the ONNX graph of a VITS voice as Piper exports it, with random weights, without torch.

The architecture is that of Kim, Kong and Son, "Conditional Variational Autoencoder with Adversarial
Learning for End-to-End Text-to-Speech" (2021): text encoder with relative attention, stochastic
duration predictor (inverse rational quadratic splines), residual coupling flow, HiFi-GAN vocoder.
`MEDIUM` has the sizes of Piper's low and medium voices, 15.8 million weights, `HIGH` of its high
ones; `TINY` is the same shape, small.
"""

from __future__ import annotations

import math

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from scripts.vits_durations import durations
from scripts.vits_nodes import Graph, Size

FLOWS, FLOW_LAYERS, FLOW_KERNEL = 4, 4, 5
WINDOW = 4  # of relative attention
RATES, KERNELS = (8, 8, 4), (16, 16, 8)
RESBLOCKS = ((3, (1, 2)), (5, (2, 6)), (7, (3, 12)))  # kernel, dilations
RICH_RATES, RICH_KERNELS = (8, 8, 2, 2), (16, 16, 4, 4)
RICH_RESBLOCKS = tuple((kernel, (1, 3, 5)) for kernel in (3, 7, 11))
HOP = math.prod(RATES)
assert math.prod(RICH_RATES) == HOP


MEDIUM = Size(hidden=192, inner=768, layers=6, heads=2, rise=256, speaker=512)
HIGH = Size(hidden=192, inner=768, layers=6, heads=2, rise=512, speaker=512, rich=True)
TINY = Size(hidden=16, inner=32, layers=1, heads=2, rise=32, speaker=8)


def build(size: Size, symbols: int, speakers: int, seed: int) -> onnx.ModelProto:
    """The voice. Inputs `input` [1, P], `input_lengths` [1], `scales` [3] = noise, length, noise of
    the durations, `sid` [1] if it has several speakers; output [1, 1, 1, samples] in -1..1."""
    g = Graph(seed)
    noise, pace, noise_w = (g.part("scales", n, n + 1, axis=0) for n in range(3))
    speaker = _speaker(g, size, speakers) if speakers > 1 else None
    text, mean, spread, mask = _text_encoder(g, size, symbols)
    log_frames = durations(g, size, text, mask, noise_w, speaker)
    frames = g.op("Ceil", g.mul(g.mul(g.op("Exp", log_frames), mask), pace))
    path, frame_mask = _path(g, frames)
    mean, spread = _stretched(g, path, mean), _stretched(g, path, spread)
    deviation = g.op("Exp", spread)
    noisy = g.mul(g.mul(g.op("RandomNormalLike", mean), deviation), noise)
    latents = _flow(g, size, g.add(mean, noisy), frame_mask, speaker)
    sound = _vocoder(g, size, g.mul(latents, frame_mask), speaker)
    g.nodes.append(helper.make_node("Unsqueeze", [sound, g.const([1], np.int64)], ["output"]))
    return _model(g, speakers)


def _model(g: Graph, speakers: int) -> onnx.ModelProto:
    value = helper.make_tensor_value_info
    inputs = [
        value("input", TensorProto.INT64, [1, "phonemes"]),
        value("input_lengths", TensorProto.INT64, [1]),
        value("scales", TensorProto.FLOAT, [3]),
    ]
    if speakers > 1:
        inputs.append(value("sid", TensorProto.INT64, [1]))
    output = value("output", TensorProto.FLOAT, [1, 1, 1, "samples"])
    weights = [numpy_helper.from_array(array, name) for name, array in g.weights.items()]
    graph = helper.make_graph(g.nodes, "vits", inputs, [output], weights)
    # Opset 17 and IR 8 are read by every onnxruntime since 1.13.
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def _speaker(g: Graph, size: Size, speakers: int) -> str:
    table = g.normal("emb_g.weight", (speakers, size.speaker), 1.0)
    return g.op("Unsqueeze", g.op("Gather", table, "sid"), g.const([2], np.int64))


def _text_encoder(g: Graph, size: Size, symbols: int) -> tuple[str, str, str, str]:
    """Hidden text, mean and log spread of the prior, mask; all [1, ?, P]."""
    hidden = size.hidden
    table = g.normal("enc_p.emb.weight", (symbols, hidden), 1.0)
    x = g.op("Transpose", g.op("Gather", table, "input"), perm=[0, 2, 1])
    count = g.length("input", 1)
    inside = g.op("Less", g.positions(count), "input_lengths")
    mask = g.op("Unsqueeze", g.op("Cast", inside, to=TensorProto.FLOAT), g.const([0, 1], np.int64))
    offsets = _offsets(g, count)
    for n in range(size.layers):
        name = f"enc_p.encoder.{{}}.{n}"
        heard = _attention(g, size, g.mul(x, mask), name.format("attn_layers"), offsets)
        x = g.norm(g.add(x, heard), name.format("norm_layers_1"), hidden)
        inner = name.format("ffn_layers")
        y = g.conv(g.mul(x, mask), f"{inner}.conv_1", hidden, size.inner, 3)
        y = g.conv(g.mul(g.op("Relu", y), mask), f"{inner}.conv_2", size.inner, hidden, 3)
        x = g.norm(g.add(x, g.mul(y, mask)), name.format("norm_layers_2"), hidden)
    x = g.mul(x, mask)
    mean, spread = g.halves(g.mul(g.conv(x, "enc_p.proj", hidden, 2 * hidden), mask))
    return x, mean, g.mul(spread, g.const(0.1)), mask


def _offsets(g: Graph, count: str) -> tuple[str, str]:
    """For attention from i to j: index of offset j - i, and 1.0 where it lies in the window."""
    at = g.positions(count)
    column = g.op("Unsqueeze", at, g.const([1], np.int64))
    offset = g.op("Add", g.op("Sub", at, column), g.const(WINDOW, np.int64))
    least, most = g.const(0, np.int64), g.const(2 * WINDOW, np.int64)
    index = g.op("Clip", offset, least, most)
    return index, g.op("Cast", g.op("Equal", index, offset), to=TensorProto.FLOAT)


def _attention(g: Graph, size: Size, x: str, name: str, offsets: tuple[str, str]) -> str:
    wide = size.hidden // size.heads
    split = g.const([1, size.heads, wide, -1], np.int64)
    q, k, v = (
        g.op("Reshape", g.conv(x, f"{name}.conv_{part}", size.hidden, size.hidden), split)
        for part in "qkv"
    )  # [1, heads, wide, P]
    q = g.op("Transpose", g.mul(q, g.const(wide**-0.5)), perm=[0, 1, 3, 2])
    scores = g.op("MatMul", q, k)
    near_k = g.normal(f"{name}.emb_rel_k", (wide, 2 * WINDOW + 1), wide**-0.5)
    near_v = g.normal(f"{name}.emb_rel_v", (2 * WINDOW + 1, wide), wide**-0.5)
    index = g.op("Expand", offsets[0], g.op("Shape", scores))
    near = g.op("GatherElements", g.op("MatMul", q, near_k), index, axis=3)
    weights = g.op("Softmax", g.add(scores, g.mul(near, offsets[1])), axis=-1)
    empty = g.mul(g.op("MatMul", q, near_k), g.const(0.0))
    shares = g.op(
        "ScatterElements", empty, index, g.mul(weights, offsets[1]), axis=3, reduction="add"
    )
    heard = g.op("MatMul", weights, g.op("Transpose", v, perm=[0, 1, 3, 2]))
    heard = g.op("Transpose", g.add(heard, g.op("MatMul", shares, near_v)), perm=[0, 1, 3, 2])
    flat = g.op("Reshape", heard, g.const([1, size.hidden, -1], np.int64))
    return g.conv(flat, f"{name}.conv_o", size.hidden, size.hidden)


def _path(g: Graph, frames: str) -> tuple[str, str]:
    """Which id each frame belongs to, [1, F, P] of 0 and 1, and the mask of frames [1, 1, F]."""
    flat = g.op("Squeeze", frames, g.const([0], np.int64))  # [1, P]
    total = g.op("ReduceSum", frames, g.const([1, 2], np.int64), keepdims=0)
    total = g.op("Cast", g.op("Max", total, g.const(1.0)), to=TensorProto.INT64)
    at = g.positions(total)
    inside = g.op("Cast", g.op("Less", at, total), to=TensorProto.FLOAT)
    mask = g.op("Unsqueeze", inside, g.const([0, 1], np.int64))
    column = g.op("Unsqueeze", g.op("Cast", at, to=TensorProto.FLOAT), g.const([1], np.int64))
    ends = g.op("CumSum", flat, g.const(1, np.int64))
    begun = g.op("Not", g.op("Less", column, g.op("Sub", ends, flat)))
    path = g.op("And", begun, g.op("Less", column, ends))
    path = g.op("Cast", path, to=TensorProto.FLOAT)
    return g.op("Unsqueeze", path, g.const([0], np.int64)), mask


def _stretched(g: Graph, path: str, x: str) -> str:
    """[1, C, P] -> [1, C, F]."""
    long = g.op("MatMul", path, g.op("Transpose", x, perm=[0, 2, 1]))
    return g.op("Transpose", long, perm=[0, 2, 1])


def _flow(g: Graph, size: Size, x: str, mask: str, speaker: str | None) -> str:
    for n in reversed(range(FLOWS)):
        name = f"flow.flows.{2 * n}"
        still, moved = g.halves(g.flip(x))
        h = g.mul(g.conv(still, f"{name}.pre", size.hidden // 2, size.hidden), mask)
        h = _gated(g, size, h, mask, f"{name}.enc", speaker)
        shift = g.mul(g.conv(h, f"{name}.post", size.hidden, size.hidden // 2, gain=0.3), mask)
        x = g.op("Concat", still, g.mul(g.op("Sub", moved, shift), mask), axis=1)
    return x


def _gated(g: Graph, size: Size, x: str, mask: str, name: str, speaker: str | None) -> str:
    """WaveNet's gated convolutions, with residuals and skips."""
    hidden, skips = size.hidden, []
    if speaker:
        wide = 2 * hidden * FLOW_LAYERS
        speaker = g.conv(speaker, f"{name}.cond_layer", size.speaker, wide)
    for n in range(FLOW_LAYERS):
        y = g.conv(x, f"{name}.in_layers.{n}", hidden, 2 * hidden, FLOW_KERNEL)
        if speaker:
            y = g.add(y, g.part(speaker, 2 * hidden * n, 2 * hidden * (n + 1)))
        tanh, gate = g.part(y, 0, hidden), g.part(y, hidden, 2 * hidden)
        y = g.mul(g.op("Tanh", tanh), g.op("Sigmoid", gate))
        last = n == FLOW_LAYERS - 1
        y = g.conv(y, f"{name}.res_skip_layers.{n}", hidden, hidden * (1 if last else 2))
        skips.append(y if last else g.part(y, hidden, 2 * hidden))
        x = x if last else g.mul(g.add(x, g.part(y, 0, hidden)), mask)
    return g.mul(g.add(*skips), mask)


def _vocoder(g: Graph, size: Size, x: str, speaker: str | None) -> str:
    """HiFi-GAN's generator, [1, C, F] -> [1, 1, HOP F]."""
    channels = size.rise
    x = g.conv(x, "dec.conv_pre", size.hidden, channels, 7)
    if speaker:
        x = g.add(x, g.conv(speaker, "dec.cond", size.speaker, channels, gain=0.3))
    rates, kernels = (RICH_RATES, RICH_KERNELS) if size.rich else (RATES, KERNELS)
    resblocks = RICH_RESBLOCKS if size.rich else RESBLOCKS
    for n, (rate, kernel) in enumerate(zip(rates, kernels, strict=True)):
        x = g.op("LeakyRelu", x, alpha=0.1)
        x = g.rise(x, f"dec.ups.{n}", channels, channels // 2, kernel, rate)
        channels //= 2
        blocks = [
            _residual(g, size, x, f"dec.resblocks.{len(resblocks) * n + k}", channels, *block)
            for k, block in enumerate(resblocks)
        ]
        x = g.op("Div", g.add(*blocks), g.const(float(len(resblocks))))
    x = g.op("LeakyRelu", x, alpha=0.01)
    x = g.conv(x, "dec.conv_post", channels, 1, 7, gain=0.6, bias=False)
    last = g.weights["dec.conv_post.weight"]
    last -= last.mean(axis=2, keepdims=True)  # speech has no direct current
    return g.op("Tanh", x)


def _residual(
    g: Graph,
    size: Size,
    x: str,
    name: str,
    channels: int,
    kernel: int,
    dilations: tuple[int, ...],
) -> str:
    for n, dilation in enumerate(dilations):
        y = g.op("LeakyRelu", x, alpha=0.1)
        y = g.conv(y, f"{name}.convs.{n}", channels, channels, kernel, dilation=dilation)
        if size.rich:
            y = g.op("LeakyRelu", y, alpha=0.1)
            y = g.conv(y, f"{name}.convs2.{n}", channels, channels, kernel, gain=0.5)
        x = g.add(y, x)
    return x
