"""The built-in Whisper in the shape of a stock checkpoint: 30 s of encoder positions, no file of
our own beside it. It still hears its small domain, so what a stock checkpoint goes through can be
seen end to end on a machine that has none. See `make_stand_in_models.py`.
"""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

STOCK_POSITIONS = 1500  # of 20 ms
FORMAT_VERSION = 6  # of CTranslate2's model.bin, as this file reads and writes it
FLOAT32 = 0  # CTranslate2's number for it
POSITIONS = "encoder/position_encodings/encodings"

Floats = np.ndarray[Any, np.dtype[np.float32]]


@dataclass(frozen=True, slots=True)
class Variable:
    """One tensor of a model.bin, its bytes as they stand there."""

    name: str
    shape: tuple[int, ...]
    kind: int
    data: bytes


def write_stock_whisper(folder: Path, source: Path) -> None:
    """Write config.json, model.bin, tokenizer.json and both forms of the vocabulary to `folder`.

    `source`: a directory in CTranslate2's format, with fewer positions or as many.
    """
    tokens = json.loads((source / "vocabulary.json").read_text("utf-8"))
    write_stock_files(folder, source, tokens)
    (folder / "model.bin").write_bytes(with_stock_positions((source / "model.bin").read_bytes()))


def write_stock_files(folder: Path, source: Path, tokens: Sequence[str], mels: int = 80) -> None:
    """All but the weights."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("config.json", "tokenizer.json"):
        shutil.copyfile(source / name, folder / name)
    (folder / "vocabulary.json").write_text(json.dumps(tokens), "utf-8")
    (folder / "vocabulary.txt").write_text("".join(f"{token}\n" for token in tokens), "utf-8")
    spectrogram = {"feature_size": mels, "chunk_length": 30, "sampling_rate": 16_000}
    (folder / "preprocessor_config.json").write_text(json.dumps(spectrogram), "utf-8")


@dataclass(frozen=True, slots=True)
class ModelBin:
    """A model.bin. `end`: what follows the tensors, names alone."""

    kind: str
    revision: int
    variables: Sequence[Variable]
    end: bytes

    def packed(self) -> bytes:
        """As a file."""
        count = len(self.variables)
        head = struct.pack("<I", FORMAT_VERSION) + _text(self.kind)
        head += struct.pack("<II", self.revision, count)
        return head + b"".join(map(_packed, self.variables)) + self.end


def with_stock_positions(model: bytes) -> bytes:
    """The same model.bin with 30 s of positions. Raises ValueError for a format not known here or
    positions that are not Whisper's sine waves, which alone can be continued."""
    found = read_model_bin(model)
    return replace(found, variables=[_continued(one) for one in found.variables]).packed()


def read_model_bin(model: bytes) -> ModelBin:
    """Raises ValueError for a format not known here."""
    at = 0

    def take(form: str) -> tuple[Any, ...]:
        nonlocal at
        values = struct.unpack_from(f"<{form}", model, at)
        at += struct.calcsize(f"<{form}")
        return values

    def text() -> str:
        (size,) = take("H")
        (raw,) = take(f"{size}s")
        return str(raw[:-1], "utf-8")  # it ends in a zero byte

    (version,) = take("I")
    if version != FORMAT_VERSION:
        raise ValueError(f"model.bin has version {version}, {FORMAT_VERSION} is known here")
    kind = text()
    revision, count = take("II")
    variables = []
    for _ in range(count):
        name, (rank,) = text(), take("B")
        shape, (number, size) = take(f"{rank}I"), take("BI")
        (data,) = take(f"{size}s")
        variables.append(Variable(name, shape, number, data))
    return ModelBin(kind, revision, variables, model[at:])


def _continued(variable: Variable) -> Variable:
    if variable.name != POSITIONS:
        return variable
    have, width = variable.shape
    waves = sine_positions(STOCK_POSITIONS, width)
    learnt = np.frombuffer(variable.data, np.float32).reshape(have, width)
    if variable.kind != FLOAT32 or not np.allclose(learnt, waves[:have], atol=1e-3):
        raise ValueError(f"{POSITIONS} are not the sine waves of Whisper")
    waves[:have] = learnt
    return replace(variable, shape=waves.shape, data=waves.tobytes())


def sine_positions(positions: int, width: int) -> Floats:
    """Whisper's encoder positions: float32 [positions, width], sines first, then cosines."""
    half = width // 2
    turns = np.arange(positions)[:, None] * 10_000.0 ** (-np.arange(half) / (half - 1))
    waves: Floats = np.concatenate([np.sin(turns), np.cos(turns)], axis=1).astype(np.float32)
    return waves


def _packed(variable: Variable) -> bytes:
    rank = len(variable.shape)
    sizes = struct.pack(f"<B{rank}I", rank, *variable.shape)
    kind = struct.pack("<BI", variable.kind, len(variable.data))
    return _text(variable.name) + sizes + kind + variable.data


def _text(text: str) -> bytes:
    raw = text.encode() + b"\0"
    return struct.pack("<H", len(raw)) + raw
