"""Cuts the ONNX graph of a VITS voice into three, so that its sound can be made in windows.

    text      ids, scales -> prior latents [1, C, F], mask [1, 1, F], frames of each id
    flow      latents, mask -> what the first upsampling gives, [1, U, r F]
    vocoder   that -> waveform [1, 1, hop F]

F counts frames, `hop` samples each. `text` needs the whole sentence; the other two are convolutions
that see so many frames to each side (`reach.py`) and no further. Every part keeps the nodes of the
voice as they are, so its numbers are the voice's own, bit for bit.

The cuts are found by what the nodes do, not by their names, which differ between exporters:

- the vocoder is what upsamples: the only transposed convolutions in a VITS;
- the prior is noise times its spread plus its mean: the first sum behind the noise that does not
  decide how long phonemes last, which is the one that never reaches the graph's only `Ceil`.

The first upsampling goes with the flow, since matrix products over fewer than 65 frames are summed
in another order (see `stream.py`) and this one is the last that counts in frames.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import onnx
from onnx import TensorProto, helper

from voicepipe.tts.engines.vits.reach import Reach, reach


class NotCuttable(Exception):
    """The graph is not what a VITS voice looks like; the message says where it differs."""


@dataclass(frozen=True, slots=True)
class Part:
    """One of the windowed parts. `source` and `result` name its windowed tensors."""

    model: onnx.ModelProto
    source: str
    result: str
    reach: Reach


@dataclass(frozen=True, slots=True)
class Cut:
    """A voice in three parts. `mask` and `frames` are further results of `text`; `flow` reads
    `mask` too."""

    text: onnx.ModelProto
    flow: Part
    vocoder: Part
    mask: str
    frames: str


def cut(voice: onnx.ModelProto) -> Cut:
    """Cut a voice. Raises NotCuttable."""
    graph = _Graph(voice)
    rise, frames = graph.first("ConvTranspose").output[0], graph.only("Ceil").output[0]
    prior = _prior(graph, frames)
    behind_prior = graph.descendants(prior)
    if rise not in behind_prior:
        raise NotCuttable("its vocoder does not follow its prior")
    mask = _mask(graph, prior, rise, behind_prior)
    waveform = voice.graph.output[0].name
    flow = _part(graph, prior, rise, also=(mask,))
    vocoder = _part(graph, rise, waveform)
    text = graph.extract((prior, mask, frames))
    return Cut(text, flow, vocoder, mask, frames)


def _prior(graph: _Graph, frames: str) -> str:
    """The latents before the flow: the sum behind the noise that durations do not depend on."""
    noises = [
        node.output[0]
        for node in graph.nodes("RandomNormalLike")
        if frames not in graph.descendants(node.output[0])
    ]
    if len(noises) != 1:
        raise NotCuttable(f"it has {len(noises)} sources of noise behind its durations, not 1")
    tensor = noises[0]
    while True:
        readers = graph.readers(tensor)
        if len(readers) != 1 or readers[0].op_type not in {"Mul", "Add"}:
            raise NotCuttable("its noise does not simply become its prior")
        tensor = readers[0].output[0]
        if readers[0].op_type == "Add":
            return str(tensor)


def _mask(graph: _Graph, prior: str, rise: str, behind_prior: frozenset[str]) -> str:
    """The one tensor that the flow reads beside the prior and that depends on the text."""
    between = graph.ancestors((rise,), stop={prior}) & behind_prior
    crossing = {
        name
        for node in graph.all_nodes()
        if not between.isdisjoint(node.output)
        for name in node.input
        if name != prior and name not in between and graph.depends_on(name, "input_lengths")
    }
    if len(crossing) != 1:
        raise NotCuttable(f"its flow reads {len(crossing)} more results of the text, not 1")
    return str(crossing.pop())


def _part(graph: _Graph, source: str, result: str, also: tuple[str, ...] = ()) -> Part:
    model = graph.extract((result,), given=(source, *also))
    names = {given.name for given in model.graph.input}
    if not names <= {source, *also, "sid"}:
        strange = ", ".join(sorted(names - {source, *also, "sid"}))
        raise NotCuttable(f"what lies behind {source} also reads {strange}")
    if any(node.op_type.startswith("Random") for node in model.graph.node):
        raise NotCuttable(f"there is noise behind {source}")
    try:
        return Part(model, source, result, reach(model, source, result))
    except ValueError as error:
        raise NotCuttable(str(error)) from None


class _Graph:
    """A model's graph, by who makes and who reads each tensor. Nodes are in topological order."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self._model = model
        self._makers: dict[str, Any] = {}
        self._readers: dict[str, list[Any]] = {}
        for node in model.graph.node:
            for name in node.output:
                self._makers[name] = node
            for name in node.input:
                self._readers.setdefault(name, []).append(node)

    def all_nodes(self) -> Iterable[Any]:
        return self._model.graph.node  # type: ignore[no-any-return]

    def nodes(self, op: str) -> Iterator[Any]:
        return (node for node in self._model.graph.node if node.op_type == op)

    def first(self, op: str) -> Any:
        node = next(self.nodes(op), None)
        if node is None:
            raise NotCuttable(f"it has no {op}")
        return node

    def only(self, op: str) -> Any:
        found = list(self.nodes(op))
        if len(found) != 1:
            raise NotCuttable(f"it has {len(found)} nodes {op}, not 1")
        return found[0]

    def readers(self, name: str) -> list[Any]:
        return self._readers.get(name, [])

    def descendants(self, name: str) -> frozenset[str]:
        """All tensors that depend on `name`."""
        found: set[str] = set()
        waiting = [name]
        while waiting:
            for node in self.readers(waiting.pop()):
                fresh = [output for output in node.output if output not in found]
                found.update(fresh)
                waiting += fresh
        return frozenset(found)

    def ancestors(self, names: Iterable[str], stop: Iterable[str] = ()) -> set[str]:
        """`names` and all tensors, inputs and weights that they depend on, up to `stop`."""
        found, waiting, border = set[str](), list(names), set(stop)
        while waiting:
            name = waiting.pop()
            if name in found or name in border or not name:
                continue
            found.add(name)
            if name in self._makers:
                waiting += self._makers[name].input
        return found

    def depends_on(self, name: str, given: str) -> bool:
        return given in self.ancestors((name,))

    def extract(self, results: tuple[str, ...], given: tuple[str, ...] = ()) -> onnx.ModelProto:
        """The model that makes `results` from `given` and the graph's own inputs."""
        graph = self._model.graph
        needed = self.ancestors(results, stop=given)
        nodes = [node for node in graph.node if not needed.isdisjoint(node.output)]
        inputs = [value for value in graph.input if value.name in needed]
        inputs += [_float(name) for name in given]
        own = {value.name: value for value in graph.output}
        outputs = [own.get(name) or _float(name) for name in results]
        weights = [weight for weight in graph.initializer if weight.name in needed]
        return helper.make_model(
            helper.make_graph(nodes, "part", inputs, outputs, weights),
            opset_imports=self._model.opset_import,
            ir_version=self._model.ir_version,
        )


def _float(name: str) -> onnx.ValueInfoProto:
    """Of any shape: onnxruntime knows it better than we do."""
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, None)
