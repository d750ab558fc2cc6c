"""From the trained network to `models/builtin/words/acoustics.onnx`: spectra in, costs out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from acoustic_net import LATE, STACK, STATES, AcousticNet, log_mel, mel_filters
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

RARE = 0.8  # how much of what makes a state rare in the recordings is taken out
WEIGHT = 0.6  # of the network beside pocketsphinx's own model
_UNIT = 9.766  # pocketsphinx's, of a nat: 1 / ln(1.0001) / 1024
_MOST = 25.0  # nats


class Costs(nn.Module):
    """What `voicepipe/asr/sphinx/acoustics.py` runs."""

    def __init__(self, net: AcousticNet, shares: Tensor) -> None:
        super().__init__()
        self.net = net
        self.register_buffer("filters", mel_filters())
        self.register_buffer("rare", RARE * torch.log(shares))

    def forward(self, power: Tensor, past: Tensor) -> tuple[Tensor, Tensor]:
        """Power [1, T, 257]; costs [1, T, STATES] and the next past."""
        logits, past = self.net(log_mel(power, self.filters), past)
        fit = torch.log_softmax(logits, -1) - self.rare
        worse = (fit.amax(-1, keepdim=True) - fit).clamp(max=_MOST)
        return torch.round(worse * (WEIGHT * _UNIT)), past


def export(net: AcousticNet, shares: Tensor, path: Path) -> None:
    """Write the file; large weights are kept in half precision, which changes no decision."""
    shapes = {"power": {1: "frames"}, "costs": {1: "frames"}}
    torch.onnx.export(
        Costs(net.eval(), shares),
        (torch.rand(1, 2 * STACK, 257), net.begin(1)),
        str(path),
        input_names=["power", "past"],
        output_names=["costs", "next"],
        dynamic_axes=shapes,
        opset_version=17,
        dynamo=False,
    )
    model = onnx.load(str(path))
    _halve(model.graph)
    for key, value in (("late", LATE), ("states", STATES)):
        entry = model.metadata_props.add()
        entry.key, entry.value = key, str(value)
    onnx.save(model, str(path))


def _halve(graph: onnx.GraphProto) -> None:
    weights, casts = [], []
    for weight in graph.initializer:
        values = numpy_helper.to_array(weight)
        if values.dtype == np.float32 and values.size > 4096 and 257 not in values.shape:
            name = f"{weight.name}_half"
            weights.append(numpy_helper.from_array(values.astype(np.float16), name))
            casts.append(helper.make_node("Cast", [name], [weight.name], to=TensorProto.FLOAT))
        else:
            weights.append(weight)
    nodes = [*casts, *graph.node]
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend(weights)
    graph.node.extend(nodes)
