"""The built-in Whisper with its weights in Hugging Face's form, for transformers and fine-tuning.

    python scripts/training/asr_hf.py --out FOLDER

The repository holds these weights once, in CTranslate2's form with 8 bits (``models/builtin/asr``);
``models/builtin/asr-hf`` holds the other files that a folder of Hugging Face's needs. Both are put
together here. A weight is its 8 bits divided by its row's scale; queries, keys and values, which
CTranslate2 keeps as one product, come apart again.
"""

from __future__ import annotations

import argparse
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

BUILTIN: Final = Path(__file__).resolve().parents[2] / "models" / "builtin"
_TYPES: Final = {0: "<f4", 1: "<i1", 2: "<i2", 3: "<i4", 4: "<f2"}  # CTranslate2's numbers of them

#: Of a layer: CTranslate2's products, and Hugging Face's that are joined in them.
_PRODUCTS: Final = {
    "self_attention/linear_0": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "self_attention/linear_1": ("self_attn.out_proj",),
    "attention/linear_0": ("encoder_attn.q_proj",),
    "attention/linear_1": ("encoder_attn.k_proj", "encoder_attn.v_proj"),
    "attention/linear_2": ("encoder_attn.out_proj",),
    "ffn/linear_0": ("fc1",),
    "ffn/linear_1": ("fc2",),
}
_NORMS: Final = {
    "self_attention": "self_attn_layer_norm",
    "attention": "encoder_attn_layer_norm",
    "ffn": "final_layer_norm",
}
_OUTSIDE: Final = {
    "embeddings": "embed_tokens",
    "position_encodings": "embed_positions",
    "layer_norm": "layer_norm",
    "conv1": "conv1",
    "conv2": "conv2",
}
_ENDINGS: Final = {
    "weight": "weight",
    "bias": "bias",
    "gamma": "weight",
    "beta": "bias",
    "encodings": "weight",
}

Weights = dict[str, NDArray[Any]]


class _Reader:
    """Values of a binary file, one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def number(self, kind: str) -> int:
        (value,) = struct.unpack(f"<{kind}", self.bytes(struct.calcsize(f"<{kind}")))
        return int(value)

    def text(self) -> str:
        return self.bytes(self.number("H")).rstrip(b"\0").decode()

    def bytes(self, size: int) -> bytes:
        self._at += size
        return self._data[self._at - size : self._at]


def read_ct2(path: Path) -> Weights:
    """The variables of a ``model.bin``, by name, as float32 but for settings. Raises SystemExit
    for what is no Whisper in version 6 of the format."""
    reader = _Reader(path.read_bytes())
    if (reader.number("I"), reader.text()) != (6, "WhisperSpec"):
        raise SystemExit(f"{path} is no Whisper in version 6 of CTranslate2's format")
    reader.number("I")  # the revision of that Whisper
    stored: Weights = {}
    for _ in range(reader.number("I")):
        name = reader.text()
        shape = [reader.number("I") for _ in range(reader.number("B"))]
        kind = _TYPES[reader.number("B")]
        stored[name] = np.frombuffer(reader.bytes(reader.number("I")), kind).reshape(shape)
    return {name: _plain(name, stored) for name in stored if not name.endswith("_scale")}


def _plain(name: str, stored: Weights) -> NDArray[Any]:
    """Without its scale: one for each of the first dimension."""
    scale = stored.get(f"{name}_scale")
    if scale is None:
        return stored[name]
    return stored[name] / scale.reshape(-1, *(1,) * (stored[name].ndim - 1))


def in_hf_names(weights: Weights) -> Iterator[tuple[str, NDArray[Any]]]:
    """The same, by Hugging Face's names; what CTranslate2 keeps beside weights is left out."""
    for name, value in weights.items():
        if value.ndim == 0:
            continue  # a setting
        side, *middle, ending = name.split("/")
        at, end = f"model.{side}", _ENDINGS[ending]
        if not middle[0].startswith("layer_") or middle[0] == "layer_norm":
            yield f"{at}.{_OUTSIDE[middle[0]]}.{end}", value
            continue
        at += f".layers.{middle[0].removeprefix('layer_')}"
        if middle[-1] == "layer_norm":
            yield f"{at}.{_NORMS[middle[1]]}.{end}", value
            continue
        joined = _PRODUCTS["/".join(middle[1:])]
        for part, one in zip(joined, np.split(value, len(joined)), strict=True):
            if not (end == "bias" and part.endswith("k_proj")):  # Whisper's keys have none
                yield f"{at}.{part}.{end}", one


def write_hf(out: Path) -> None:
    """A whole folder."""
    from safetensors.numpy import save_file

    shutil.copytree(BUILTIN / "asr-hf", out, dirs_exist_ok=True)
    weights = read_ct2(BUILTIN / "asr" / "model.bin")
    named = {name: np.ascontiguousarray(one, np.float16) for name, one in in_hf_names(weights)}
    save_file(named, out / "model.safetensors", metadata={"format": "pt"})


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    write_hf(parser.parse_args().out)


if __name__ == "__main__":
    main()
