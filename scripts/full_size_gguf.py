"""Writes GGUF models of the true sizes of those that people use, which say what the built-in one
says: its weights stand in a corner of the large matrices, and the layers that are left over add
nothing. Every matrix is computed in full, so a token takes as long as the real model's, while
answers make sense, end where they should and call tools.

    hidden units   the rest is zero; the norms' weights make up for the larger mean
    heads          several of the built-in model's in one, each asked by a head of its own; the
                   rest writes nothing. Their rotations are those of the small head, by the table
                   of factors that llama.cpp reads
    layers         the first ones; after them the two matrices that write are zero
    vocabulary     the rest looks like a token that no answer has

So all are of the architecture `llama`; what Qwen and Gemma have besides (biases, a few norms) is
less than a percent of the work.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from scripts.ggml_quants import F16, Q4_0, Q4_K, Q5_0, Q6_K, Q8_0, Floats, Quant
from scripts.stand_in_gguf import ALIGNMENT, F32, VERSION, Checkpoint, Value, facts_of, header
from scripts.stand_in_gguf import tensor_info as info
from voicepipe.models.registry import packaged_models_dir

NEVER_SAID = "<|im_start|>"
UNUSED = 5  # a kind of token
SMALL_HEAD = 32  # of the built-in model


@dataclass(frozen=True, slots=True)
class Shape:
    """Of a language model. `tied`: the output is the embedding."""

    stands_for: str
    hidden: int
    layers: int
    inner: int
    heads: int
    kv_heads: int
    head: int
    vocabulary: int
    tied: bool = True

    @property
    def parameters(self) -> int:
        attention = 2 * self.hidden * self.head * (self.heads + self.kv_heads)
        layer = attention + 3 * self.hidden * self.inner
        return self.layers * layer + self.vocabulary * self.hidden * (1 if self.tied else 2)


SHAPES = {
    "0.27b": Shape("Gemma 3 270M", 640, 18, 2048, 8, 2, 128, 262_144),
    "0.36b": Shape("SmolLM2 360M", 960, 32, 2560, 15, 5, 64, 49_152),
    # True: 14 heads on 2, into which six heads do not go; 1.5 % less work.
    "0.5b": Shape("Qwen2.5 0.5B", 896, 24, 4864, 15, 3, 64, 151_936),
    "0.6b": Shape("Qwen3 0.6B", 1024, 28, 3072, 16, 8, 128, 151_936),
    "1.5b": Shape("Qwen2.5 1.5B", 1536, 28, 8960, 12, 2, 128, 151_936),
    "3b": Shape("Qwen2.5 3B", 2048, 36, 11_008, 16, 2, 128, 151_936),
    "7b": Shape("Qwen2.5 7B", 3584, 28, 18_944, 28, 4, 128, 152_064, tied=False),
}

Weights = Mapping[str, Floats]
Mix = Callable[[str, int, int, int], Quant]
"""The format of a matrix, by its name, its columns, its layer and the number of layers."""


def _q4_k_m(name: str, columns: int, layer: int, layers: int) -> Quant:
    """As llama.cpp's own quantizer chooses: more bits for half of the values and of what the
    layers write; where 256 does not divide the columns, the next larger format of 32.
    """
    eighth = layers // 8
    precious = layer < eighth or layer >= 7 * eighth or (layer - eighth) % 3 == 2
    better = name in ("attn_v", "ffn_down") and precious
    if columns % Q4_K.block:
        return Q8_0 if better else Q5_0
    return Q6_K if better else Q4_K


MIXES: dict[str, Mix] = {
    "q4_k_m": _q4_k_m,
    "q4_0": lambda *_: Q4_0,
    "q8_0": lambda *_: Q8_0,
    "f16": lambda *_: F16,
}


@dataclass(frozen=True, slots=True)
class Matrix:
    """One matrix of the file: `corner` stands in it, or it is all noise."""

    name: str
    rows: int
    columns: int
    quant: Quant
    corner: Floats | None

    def data(self, random: np.random.Generator) -> bytes:
        if self.corner is None:
            return self.quant.noise(self.rows, self.columns, random)
        whole = np.zeros((self.rows, self.columns), np.float32)
        rows, columns = self.corner.shape
        whole[:rows, :columns] = self.corner
        return self.quant.matrix(whole)


def write_full_size(path: Path, shape: Shape, mix: str = "q4_k_m") -> None:
    """Write `path`: gigabytes for the large ones, matrix by matrix. `mix`: one of MIXES."""
    small = Checkpoint(packaged_models_dir() / "builtin" / "llm-hf")
    vectors = dict(_vectors(small, shape))
    matrices = list(_matrices(small, shape, MIXES[mix]))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        _write_head(file, _facts(small, shape), vectors, matrices)
        for vector in vectors.values():
            _write_aligned(file, vector.astype("<f4").tobytes())
        random = np.random.default_rng(7)
        for matrix in matrices:
            _write_aligned(file, matrix.data(random))


def _write_head(
    file: BinaryIO, facts: Mapping[str, Value], vectors: Weights, matrices: list[Matrix]
) -> None:
    infos, at = b"", 0
    for name, vector in vectors.items():
        infos += info(name, vector.shape, F32, at)
        at = _aligned(at + vector.size * 4)
    for one in matrices:
        infos += info(one.name, (one.rows, one.columns), one.quant.number, at)
        at = _aligned(at + one.quant.size(one.rows, one.columns))
    count = len(vectors) + len(matrices)
    file.write(struct.pack("<4sIQQ", b"GGUF", VERSION, count, len(facts)))
    file.write(header(facts) + infos)
    file.write(bytes(-file.tell() % ALIGNMENT))


def _write_aligned(file: BinaryIO, data: bytes) -> None:
    file.write(data)
    file.write(bytes(-len(data) % ALIGNMENT))


def _aligned(at: int) -> int:
    return at + -at % ALIGNMENT


# What stands in the file ---------------------------------------------------------------------


def _facts(small: Checkpoint, shape: Shape) -> dict[str, Value]:
    facts = facts_of(small)
    tokens, kinds = facts["tokenizer.ggml.tokens"], facts["tokenizer.ggml.token_type"]
    assert isinstance(tokens, list)
    assert isinstance(kinds, list)
    more = range(len(tokens), shape.vocabulary)
    eps = facts["llama.attention.layer_norm_rms_epsilon"]
    assert isinstance(eps, float)
    return facts | {
        "general.name": f"the built-in model at the size of {shape.stands_for}",
        "llama.context_length": 32_768,
        "llama.embedding_length": shape.hidden,
        "llama.block_count": shape.layers,
        "llama.feed_forward_length": shape.inner,
        "llama.attention.head_count": shape.heads,
        "llama.attention.head_count_kv": shape.kv_heads,
        "llama.attention.key_length": shape.head,
        "llama.attention.value_length": shape.head,
        "llama.attention.layer_norm_rms_epsilon": eps * _width(small) / shape.hidden,
        "llama.rope.dimension_count": shape.head,
        "llama.vocab_size": shape.vocabulary,
        "tokenizer.ggml.tokens": [*tokens, *(f"<|unused_{n}|>" for n in more)],
        "tokenizer.ggml.token_type": [*kinds, *(UNUSED for _ in more)],
    }


def _vectors(small: Checkpoint, shape: Shape) -> Iterator[tuple[str, Floats]]:
    weights = small.tensors()
    keep = (_width(small) / shape.hidden) ** 0.5  # the mean square is over more units

    def norm(name: str) -> Floats:
        whole = np.zeros(shape.hidden, np.float32)
        whole[: _width(small)] = weights[name] * keep
        return whole

    yield "output_norm.weight", norm("model.norm.weight")
    yield "rope_freqs.weight", _rotation_factors(small, shape)
    for layer in range(shape.layers):
        for ours, theirs in (("attn", "input"), ("ffn", "post_attention")):
            known = f"model.layers.{layer}.{theirs}_layernorm.weight"
            made = norm(known) if known in weights else np.ones(shape.hidden, np.float32)
            yield f"blk.{layer}.{ours}_norm.weight", made


def _rotation_factors(small: Checkpoint, shape: Shape) -> Floats:
    """By which llama.cpp divides its own angles, to get those of small heads side by side."""
    base = float(small.json("config.json")["rope_parameters"]["rope_theta"])
    pairs = np.arange(shape.head // 2)
    own = base ** (-pairs / (shape.head // 2))
    wanted = base ** (-(pairs % (SMALL_HEAD // 2)) / (SMALL_HEAD // 2))
    factors: Floats = (own / wanted).astype(np.float32)
    return factors


def _matrices(small: Checkpoint, shape: Shape, mix: Mix) -> Iterator[Matrix]:
    weights = small.tensors()
    table = _table(shape, mix)
    known = weights["model.embed_tokens.weight"]
    tokens = small.json("tokenizer.json")["added_tokens"]
    (never,) = [token["id"] for token in tokens if token["content"] == NEVER_SAID]
    rows = np.concatenate([known, np.tile(known[never], (shape.vocabulary - len(known), 1))])
    yield Matrix("token_embd.weight", shape.vocabulary, shape.hidden, table, rows)
    if not shape.tied:
        yield Matrix("output.weight", shape.vocabulary, shape.hidden, table, rows)
    for layer in range(shape.layers):
        yield from _layer(weights, layer, shape, mix)


def _table(shape: Shape, mix: Mix) -> Quant:
    """Of embedding and output."""
    plain = mix("attn_q", shape.hidden, 0, 1)
    if plain in (F16, Q8_0):
        return plain
    return Q8_0 if shape.hidden % Q6_K.block else Q6_K


def _layer(weights: Weights, layer: int, shape: Shape, mix: Mix) -> Iterator[Matrix]:
    asked, kept = shape.heads * shape.head, shape.kv_heads * shape.head
    sizes = {
        "attn_q": (asked, shape.hidden),
        "attn_k": (kept, shape.hidden),
        "attn_v": (kept, shape.hidden),
        "attn_output": (shape.hidden, asked),
        "ffn_gate": (shape.inner, shape.hidden),
        "ffn_up": (shape.inner, shape.hidden),
        "ffn_down": (shape.hidden, shape.inner),
    }
    corners = _corners(weights, f"model.layers.{layer}.", shape)
    for name, (rows, columns) in sizes.items():
        corner = corners.get(name)
        if corner is None and name in ("attn_output", "ffn_down"):
            corner = np.zeros((1, 1), np.float32)  # this layer writes nothing
        quant = mix(name, columns, layer, shape.layers)
        yield Matrix(f"blk.{layer}.{name}.weight", rows, columns, quant, corner)


def _corners(weights: Weights, layer: str, shape: Shape) -> dict[str, Floats]:
    """Matrices of one layer of the built-in model; empty where it has no such layer."""
    if f"{layer}mlp.up_proj.weight" not in weights:
        return {}

    def heads(name: str) -> Floats:
        """Float32 [heads, 32, width]."""
        found = weights[f"{layer}self_attn.{name}_proj.weight"]
        return found.reshape(-1, SMALL_HEAD, found.shape[-1])

    sharper = (shape.head / SMALL_HEAD) ** 0.5  # scores are divided by the root of the head's size
    written = heads_of_columns(weights[f"{layer}self_attn.o_proj.weight"])
    return {
        "attn_q": _placed(_in_pairs(heads("q")) * sharper, shape, asks=True),
        "attn_k": _placed(_in_pairs(heads("k")), shape, asks=False),
        "attn_v": _placed(heads("v"), shape, asks=False),
        "attn_output": _placed(written, shape, asks=True).T,
        "ffn_gate": weights[f"{layer}mlp.gate_proj.weight"],
        "ffn_up": weights[f"{layer}mlp.up_proj.weight"],
        "ffn_down": weights[f"{layer}mlp.down_proj.weight"],
    }


def heads_of_columns(weight: Floats) -> Floats:
    """A matrix that reads heads, turned: float32 [heads, 32, width]."""
    return weight.T.reshape(-1, SMALL_HEAD, weight.shape[0])


def _in_pairs(heads: Floats) -> Floats:
    """Rotary positions turn neighbours with each other in llama.cpp's format."""
    count, size, width = heads.shape
    return heads.reshape(count, 2, size // 2, width).swapaxes(1, 2).reshape(heads.shape)


def _placed(heads: Floats, shape: Shape, *, asks: bool) -> Floats:
    """Small heads where they belong in the rows of large ones: several side by side in each that
    is kept, each asked by another of those that share it.
    """
    lanes, group = shape.head // SMALL_HEAD, shape.heads // shape.kv_heads
    lanes = min(lanes, group)
    if len(heads) > lanes * shape.kv_heads:
        raise ValueError(f"{shape.stands_for} has no room for {len(heads)} heads")
    count = shape.heads if asks else shape.kv_heads
    placed = np.zeros((count, shape.head, heads.shape[-1]), np.float32)
    for number, head in enumerate(heads):
        kept, lane = divmod(number, lanes)
        place = kept * group + lane if asks else kept
        placed[place, lane * SMALL_HEAD : (lane + 1) * SMALL_HEAD] = head
    return placed.reshape(-1, heads.shape[-1])


def _width(small: Checkpoint) -> int:
    width: int = small.json("config.json")["hidden_size"]
    return width
