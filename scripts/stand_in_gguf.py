"""Writes the built-in language model as a GGUF file, so that llama.cpp can serve it.

    python -m scripts.stand_in_gguf OUT.gguf [--source models/builtin/llm-hf]

llama.cpp cuts text into words by rules that it knows by name, and the tokenizer of the built-in
model has its own; Qwen's are the nearest. Tokens that those would cut (names with underscores, keys
of JSON) are declared as a user's own, which are looked for in the text before it is cut. It cannot
write words behind a space and in lower case, as that tokenizer does: the template of the file does
so with what is said, and the marks of capitals stay in what is answered.
"""

from __future__ import annotations

import argparse
import json
import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from voicepipe.models.registry import packaged_models_dir

VERSION = 3
ALIGNMENT = 32  # bytes; tensors begin at multiples of it
F32, F16 = 0, 1  # tensor types
NORMAL, CONTROL, USER_DEFINED = 1, 3, 4  # kinds of tokens: a user's are text, a control's are not
_LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}

_QWEN_WOULD_CUT = re.compile(
    r""" ?[a-zA-Z]+(?:_[a-zA-Z_]+|'[a-z]+)|[\[\]{}",]*\s?"[a-z_]+":\s?["\[{]?⇤?"""
)
_SPOKEN = {
    "+ system -": "+ ' ' + system | lower -",
    "+ message.content +": "+ ' ' + message.content | lower +",
    "'tools:'": "' tools:'",
    "user\\nhello": "user\\n hello",
}
"""In the chat template: text as the tokenizer would have written it."""
_BYTES = {"Ġ": " ", "Ċ": "\n", "âĩ¤": "⇤", "âĩ§": "⇧"}
"""How byte-level BPE writes a few characters."""

Floats = np.ndarray[Any, np.dtype[np.float32]]
Value = bool | int | float | str | list[str] | list[int]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A small Llama in Hugging Face's format, one file of bfloat16 weights."""

    folder: Path

    def json(self, name: str) -> Any:
        """One of its JSON files."""
        return json.loads((self.folder / name).read_text("utf-8"))

    def tensors(self) -> dict[str, Floats]:
        """Name to weights, in float32. Raises ValueError for any other format."""
        blob = (self.folder / "model.safetensors").read_bytes()
        (size,) = struct.unpack_from("<Q", blob)
        found = {}
        for name, entry in json.loads(blob[8 : 8 + size]).items():
            if name == "__metadata__":
                continue
            if entry["dtype"] != "BF16":
                raise ValueError(f"{name} is {entry['dtype']}, BF16 is known here")
            begin, end = (8 + size + offset for offset in entry["data_offsets"])
            halves = np.frombuffer(blob[begin:end], "<u2").astype("<u4") << 16
            found[name] = halves.view(np.float32).reshape(entry["shape"])
        return found


def write_gguf(path: Path, source: Path | None = None) -> None:
    """Write `path`; `source` is the checkpoint's directory, None = the built-in model's."""
    checkpoint = Checkpoint(source or packaged_models_dir() / "builtin" / "llm-hf")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gguf(facts_of(checkpoint), _tensors(checkpoint)))


def gguf(facts: Mapping[str, Value], tensors: Mapping[str, Floats]) -> bytes:
    """A whole file: matrices in 16 bits, vectors in 32."""
    infos, body = b"", b""
    for name, tensor in tensors.items():
        matrix = tensor.ndim == 2
        body += bytes(-len(body) % ALIGNMENT)
        infos += tensor_info(name, tensor.shape, F16 if matrix else F32, len(body))
        body += tensor.astype("<f2" if matrix else "<f4").tobytes()
    head = struct.pack("<4sIQQ", b"GGUF", VERSION, len(tensors), len(facts))
    head += header(facts) + infos
    return head + bytes(-len(head) % ALIGNMENT) + body


def header(facts: Mapping[str, Value]) -> bytes:
    """What a file says of itself."""
    return b"".join(_text(key) + _value(value) for key, value in facts.items())


def tensor_info(name: str, shape: Sequence[int], kind: int, offset: int) -> bytes:
    """Where one tensor is: `offset` bytes after the header's end."""
    sizes = struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape))
    return _text(name) + sizes + struct.pack("<IQ", kind, offset)


def _tensors(checkpoint: Checkpoint) -> dict[str, Floats]:
    """Under llama.cpp's names; the output shares the embedding."""
    weights = checkpoint.tensors()
    heads = checkpoint.json("config.json")["num_attention_heads"]
    found = {
        "token_embd.weight": weights["model.embed_tokens.weight"],
        "output_norm.weight": weights["model.norm.weight"],
    }
    for layer in range(checkpoint.json("config.json")["num_hidden_layers"]):
        for name, theirs in _LAYER.items():
            weight = weights[f"model.layers.{layer}.{theirs}.weight"]
            if name in {"attn_q", "attn_k"}:
                weight = _turned_in_pairs(weight, heads)
            found[f"blk.{layer}.{name}.weight"] = weight
    return found


def _turned_in_pairs(weight: Floats, heads: int) -> Floats:
    """Rotary positions turn a head's first half with its second in one format, and neighbours with
    each other in llama.cpp's."""
    rows, columns = weight.shape
    halves = weight.reshape(heads, 2, rows // heads // 2, columns)
    return halves.swapaxes(1, 2).reshape(rows, columns)


def facts_of(checkpoint: Checkpoint) -> dict[str, Value]:
    """Shape and tokenizer, under llama.cpp's names."""
    config = checkpoint.json("config.json")
    shape = {
        "context_length": config["max_position_embeddings"],
        "embedding_length": config["hidden_size"],
        "block_count": config["num_hidden_layers"],
        "feed_forward_length": config["intermediate_size"],
        "attention.head_count": config["num_attention_heads"],
        "attention.head_count_kv": config["num_key_value_heads"],
        "attention.layer_norm_rms_epsilon": config["rms_norm_eps"],
        "rope.dimension_count": config["head_dim"],
        "rope.freq_base": config["rope_parameters"]["rope_theta"],
        "vocab_size": config["vocab_size"],
    }
    template = checkpoint.json("tokenizer_config.json")["chat_template"]
    for written, spoken in _SPOKEN.items():
        assert written in template, f"the chat template has no {written!r} any more"
        template = template.replace(written, spoken)
    return {
        "general.architecture": "llama",
        "general.name": "voicepipe's built-in model",
        **{f"llama.{key}": value for key, value in shape.items()},
        **{f"tokenizer.ggml.{key}": value for key, value in _vocabulary(checkpoint).items()},
        "tokenizer.ggml.bos_token_id": config["bos_token_id"],
        "tokenizer.ggml.eos_token_id": config["eos_token_id"],
        "tokenizer.ggml.padding_token_id": config["pad_token_id"],
        "tokenizer.ggml.add_bos_token": False,
        "tokenizer.chat_template": template,
    }


def _vocabulary(checkpoint: Checkpoint) -> dict[str, Value]:
    tokenizer = checkpoint.json("tokenizer.json")
    numbers: dict[str, int] = tokenizer["model"]["vocab"]
    tokens = sorted(numbers, key=numbers.__getitem__)
    kinds = [NORMAL] * len(tokens)
    for number, token in enumerate(tokens):
        text = token
        for written, read in _BYTES.items():
            text = text.replace(written, read)
        if _QWEN_WOULD_CUT.fullmatch(text):
            shorter = text.replace("⇤", "").removeprefix(" ")  # '"name": "⇤' -> '"name": "'
            is_free = shorter.replace(" ", "Ġ") not in numbers
            tokens[number], kinds[number] = shorter if is_free else text, USER_DEFINED
    for token in tokenizer["added_tokens"]:
        spoken = token["content"].startswith("<|")  # <tool_call> must stay readable in the answer
        kinds[token["id"]] = CONTROL if spoken else USER_DEFINED
    return {
        "model": "gpt2",
        "pre": "qwen2",
        "tokens": tokens,
        "token_type": kinds,
        "merges": [" ".join(pair) for pair in tokenizer["model"]["merges"]],
    }


def _value(value: Value) -> bytes:
    match value:
        case bool():
            return struct.pack("<IB", 7, value)
        case int():
            return struct.pack("<II", 4, value)
        case float():
            return struct.pack("<If", 6, value)
        case str():
            return struct.pack("<I", 8) + _text(value)
    return _texts(value) if isinstance(value[0], str) else _numbers(value)


def _texts(values: Iterable[Any]) -> bytes:
    packed = [_text(value) for value in values]
    return struct.pack("<IIQ", 9, 8, len(packed)) + b"".join(packed)


def _numbers(values: list[Any]) -> bytes:
    return struct.pack(f"<IIQ{len(values)}i", 9, 5, len(values), *values)


def _text(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("out", type=Path, help="the .gguf file to write")
    parser.add_argument("--source", type=Path, help="a small Llama in Hugging Face's format")
    args = parser.parse_args()
    write_gguf(args.out, args.source)
    print(f"{args.out}: {args.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
