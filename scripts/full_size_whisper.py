"""Writes Whisper models of the true sizes, in CTranslate2's format, that hear what the built-in one
hears: each of its units stands in them several times over, which no norm notices, and the
layers that are left over add nothing. Every matrix is computed in full, so a decode takes as long
as the real model's.

That needs a width that is a multiple of the built-in model's 256. `tiny.en` has 384: it is noise,
good for timing only, and so is what `large-v3-turbo` hears, which wants another spectrogram.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from scripts.stand_in_whisper import (
    FLOAT32,
    ModelBin,
    Variable,
    read_model_bin,
    with_stock_positions,
    write_stock_files,
)
from voicepipe.models.registry import packaged_models_dir

WIDTH = 256  # of the built-in model
INT8 = 1  # CTranslate2's number for it
NEVER = -1e4  # added to the logits of tokens that only fill the vocabulary
_LAYER = re.compile(r"(encoder|decoder)/layer_(\d+)/(.+)")
_WRITES = ("self_attention/linear_1", "attention/linear_2", "ffn/linear_1")
"""What puts a layer's result back; all zero in a layer that adds nothing."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Of a Whisper model. Heads are of 64 units, as all of Whisper's are."""

    width: int
    encoder_layers: int
    decoder_layers: int
    vocabulary: int = 51_864
    mels: int = 80

    @property
    def hears(self) -> bool:
        return self.width % WIDTH == 0 and self.mels == 80

    def layers(self, side: str) -> int:
        return self.encoder_layers if side == "encoder" else self.decoder_layers


SHAPES = {
    "tiny.en": Shape(384, 4, 4),
    "base.en": Shape(512, 6, 6),
    "small.en": Shape(768, 12, 12),
    "large-v3-turbo": Shape(1280, 32, 4, 51_866, 128),
}


def write_full_size(folder: Path, shape: Shape) -> None:
    """Write all files of a stock checkpoint to `folder`."""
    source = packaged_models_dir() / "builtin" / "asr"
    tokens = json.loads((source / "vocabulary.json").read_text("utf-8"))
    model = read_model_bin(with_stock_positions((source / "model.bin").read_bytes()))
    small = {variable.name: variable for variable in model.variables}
    heard = len(tokens)
    tokens += [f"<|unused_{n}|>" for n in range(len(tokens), shape.vocabulary)]
    write_stock_files(folder, source, tokens, shape.mels)
    made = [_Grown(shape).grown(variable) for variable in _all(small, shape)]
    made.append(_bias(heard, shape.vocabulary))
    made.sort(key=lambda variable: variable.name)
    (folder / "model.bin").write_bytes(
        ModelBin(model.kind, model.revision, made, model.end).packed()
    )


def _all(small: dict[str, Variable], shape: Shape) -> Iterator[Variable]:
    """The small model's variables, and those of layers that it has not."""
    for variable in small.values():
        found = _LAYER.fullmatch(variable.name)
        if found is None:
            yield variable
    for side in ("encoder", "decoder"):
        first = f"{side}/layer_0/"
        parts = [name.removeprefix(first) for name in small if name.startswith(first)]
        for layer in range(shape.layers(side)):
            for part in parts:
                name = f"{side}/layer_{layer}/{part}"
                spare = replace(_silent(small[first + part]), name=name)
                yield small.get(name, spare)


def _bias(heard: int, vocabulary: int) -> Variable:
    """So that none of the tokens that were added is ever heard."""
    bias = np.full(vocabulary, NEVER, np.float32)
    bias[:heard] = 0
    return Variable("decoder/projection/bias", bias.shape, FLOAT32, bias.tobytes())


def _silent(variable: Variable) -> Variable:
    """The variable of a layer that adds nothing."""
    part = variable.name.rsplit("/", 1)
    if part[0].endswith(_WRITES) and part[1] != "weight_scale":
        return replace(variable, data=bytes(len(variable.data)))
    return variable


class _Grown:
    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._random = np.random.default_rng(7)

    def grown(self, variable: Variable) -> Variable:
        """Of the large shape."""
        if variable.name.endswith("num_heads"):
            return replace(variable, data=struct.pack("<h", self._shape.width // 64))
        if not variable.shape or variable.name.endswith(("alignment_heads", "alignment_layer")):
            return variable
        array = _array(variable)
        axes = self._axes(variable.name, array)
        grown = array if self._times is None else _tiled(array, axes, self._times)
        grown = self._scaled(variable.name, grown)
        if self._times is None:
            grown = self._noise(array, axes, variable.name)
        grown = self._padded(variable.name, grown)
        return Variable(variable.name, grown.shape, variable.kind, grown.tobytes())

    @property
    def _times(self) -> int | None:
        return None if self._shape.width % WIDTH else self._shape.width // WIDTH

    def _axes(self, name: str, array: np.ndarray[Any, Any]) -> list[int]:
        """Axes that hold units. The vocabulary, the positions and the spectrogram do not."""
        if name.startswith("decoder/embeddings") or "position_encodings" in name:
            return [1] if array.ndim > 1 else []
        return [axis for axis in range(array.ndim) if array.shape[axis] % WIDTH == 0]

    def _scaled(self, name: str, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """A sum over units that are there several times must count each once. Weights are divided
        by their scale when they are read; the last norm makes up for the tied output.
        """
        times = self._times or 1
        reads_units = not name.startswith(("encoder/conv1", "decoder/embeddings"))
        if name.endswith("weight_scale") and reads_units:
            return (array * times).astype(np.float32)
        if name.startswith("decoder/layer_norm/"):
            return (array / times).astype(np.float32)
        return array

    def _noise(
        self, array: np.ndarray[Any, Any], axes: list[int], name: str
    ) -> np.ndarray[Any, Any]:
        shape = [
            size * self._shape.width // WIDTH if axis in axes else size
            for axis, size in enumerate(array.shape)
        ]
        if array.dtype == np.int8:
            return self._random.integers(-127, 128, shape, np.int8)
        if name.endswith("weight_scale"):
            return np.full(shape, 73.0 * self._shape.width**0.5, np.float32)
        level = 1.0 if name.endswith("gamma") else 0.0
        return np.full(shape, level, np.float32)

    def _padded(self, name: str, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Rows of the vocabulary, bands of the spectrogram, the wider middle of a layer."""
        inner = 4 * self._shape.width
        if name.startswith("decoder/embeddings"):
            more = self._shape.vocabulary - len(array)
            return np.concatenate([array, np.repeat(array[:1], more, 0)])
        if name == "encoder/conv1/weight":
            return _widened(array, 1, self._shape.mels, 0)
        if "decoder" in name and "/ffn/linear_0/" in name:
            return _widened(array, 0, inner, 1 if name.endswith("scale") else 0)
        if "decoder" in name and name.endswith("/ffn/linear_1/weight"):
            return _widened(array, 1, inner, 0)
        return array


def _array(variable: Variable) -> np.ndarray[Any, Any]:
    kind = {FLOAT32: np.float32, INT8: np.int8}[variable.kind]
    return np.frombuffer(variable.data, kind).reshape(variable.shape)


def _tiled(array: np.ndarray[Any, Any], axes: list[int], times: int) -> np.ndarray[Any, Any]:
    """Each run of WIDTH units along these axes, several times."""
    for axis in axes:
        runs = np.split(array, array.shape[axis] // WIDTH, axis)
        array = np.concatenate([run for run in runs for _ in range(times)], axis)
    return array


def _widened(array: np.ndarray[Any, Any], axis: int, size: int, fill: int) -> np.ndarray[Any, Any]:
    missing = [(0, size - have if at == axis else 0) for at, have in enumerate(array.shape)]
    return np.pad(array, missing, constant_values=fill)
