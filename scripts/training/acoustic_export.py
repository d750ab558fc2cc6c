"""From the trained network to `models/builtin/words/acoustics.onnx`: spectra in, costs out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import torch
from acoustic_net import LATE, STACK, STATES, AcousticNet, log_mel, mel_filters
from onnx import helper, numpy_helper
from torch import Tensor, nn

RARE = 0.8  # how much of what makes a state rare in the recordings is taken out
WEIGHT = 0.6  # of the network beside pocketsphinx's own model
_UNIT = 9.766  # pocketsphinx's, of a nat: 1 / ln(1.0001) / 1024
_MOST = 25.0  # nats
_SMALL, _SCALES = "_8bit", "_scales"  # of a weight
_HALF = "_half"  # of one in a file of before


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
    """Write the file; large weights are kept in 8 bits, which changes next to nothing."""
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
    _shrink(model.graph)
    for key, value in (("late", LATE), ("states", STATES)):
        entry = model.metadata_props.add()
        entry.key, entry.value = key, str(value)
    onnx.save(model, str(path))


def recovered(path: Path) -> tuple[AcousticNet, Tensor]:
    """The network of an exported file and the shares of its states, so that training goes on from
    what ships. What a narrower network lacks is added so that it says the same as before."""
    graph = onnx.load(str(path)).graph
    kept = {weight.name: torch.tensor(_single(weight)) for weight in graph.initializer}
    products = iter(
        [
            value * kept.get(name.removesuffix(_SMALL) + _SCALES, 1)
            for name, value in kept.items()
            if name.endswith((_SMALL, _HALF))
        ]
    )
    net = AcousticNet()
    state = net.state_dict()
    for name, own in state.items():
        value = kept.get(f"net.{name}")
        value = next(products).T if value is None else value
        if name.endswith((".a.bias", ".b.weight")):
            own.zero_()
        own[tuple(slice(size) for size in value.shape)] = value
    rare = kept["rare"] if "rare" in kept else _in_order(state, kept)
    net.load_state_dict(state)
    shares = torch.exp(rare / RARE)
    return net, shares / shares.sum()


def _in_order(state: dict[str, Tensor], kept: dict[str, Tensor]) -> Tensor:
    """Of the file that shipped first, whose network had the states in another order: brings them
    into ours, and gives what it took off for rare ones."""
    order = kept["perm"].long()
    for name in ("out.weight", "out.bias"):
        own = state[name]
        own.copy_(own.reshape(STACK, STATES, -1)[:, order].reshape(own.shape))
    return kept["prior"][order]


def _single(weight: onnx.TensorProto) -> npt.NDArray[np.float32]:
    values: npt.NDArray[np.float32] = numpy_helper.to_array(weight).astype(np.float32)
    return values


def _shrink(graph: onnx.GraphProto) -> None:
    """Large weights to 8 bits, with a scale for each column."""
    weights, nodes = [], []
    for weight in graph.initializer:
        values = numpy_helper.to_array(weight)
        if values.dtype == np.float32 and values.size > 4096 and 257 not in values.shape:
            scales = np.maximum(np.abs(values).max(0), 1e-8) / 127
            small = np.round(values / scales).astype(np.int8)
            names = [weight.name + _SMALL, weight.name + _SCALES]
            weights += [
                numpy_helper.from_array(array, name)
                for array, name in zip((small, scales), names, strict=True)
            ]
            nodes.append(helper.make_node("DequantizeLinear", names, [weight.name], axis=1))
        else:
            weights.append(weight)
    nodes += graph.node
    del graph.initializer[:], graph.node[:]
    graph.initializer.extend(weights)
    graph.node.extend(nodes)
