"""A Whisper model of random weights in CTranslate2's format: the stock shape (30 s of positions,
several languages, timestamps) in miniature. What it hears is nonsense; how it is called is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ctranslate2
import numpy as np
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

WIDTH, HEADS, MELS, INNER = 32, 2, 80, 64
POSITIONS, TEXT_POSITIONS = 1500, 448

LANGUAGES = ("en", "de")
SPECIALS = (
    "<|endoftext|>",
    "<|startoftranscript|>",
    *(f"<|{code}|>" for code in LANGUAGES),
    *("<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>"),
    "<|notimestamps|>",
    *(f"<|{n * 0.02:.2f}|>" for n in range(1501)),
)


def make_random_whisper(folder: Path, *, multilingual: bool = True) -> Path:
    """Write the model into `folder` (about 300 kB) and return it."""
    tokenizer = make_tokenizer(multilingual)
    vocabulary = [
        name for name, _ in sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    ]
    rng = np.random.default_rng(5)
    spec: Any = ctranslate2.specs.WhisperSpec(1, HEADS, 1, HEADS)
    _encoder(spec.encoder, rng)
    _decoder(spec.decoder, rng, len(vocabulary))
    spec.register_vocabulary(vocabulary)
    special = [tokenizer.token_to_id(name) for name in SPECIALS]
    spec.config.suppress_ids = special[1:]
    spec.config.suppress_ids_begin = special[:1]
    spec.config.lang_ids = [tokenizer.token_to_id(f"<|{code}|>") for code in LANGUAGES]
    spec.config.alignment_heads = [(0, 0), (0, 1)]
    spec.validate()
    folder.mkdir(parents=True, exist_ok=True)
    spec.save(str(folder))
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "preprocessor_config.json").write_text(json.dumps({"feature_size": MELS}))
    return folder


def make_tokenizer(multilingual: bool) -> Tokenizer:
    """The alphabet byte by byte, then the special tokens in Whisper's order."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    # An entry of no letters is how CTranslate2 tells a multilingual vocabulary.
    tokens = [*alphabet, *([""] if multilingual else ["unused"])]
    bpe = models.BPE({token: n for n, token in enumerate(tokens)}, [])
    tokenizer = Tokenizer(bpe)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(list(SPECIALS))
    return tokenizer


def _random(rng: np.random.Generator, *shape: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    weights: np.ndarray[Any, np.dtype[np.float32]]
    weights = (rng.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)
    return weights


def _linear(spec: Any, rng: np.random.Generator, out: int, into: int) -> None:
    spec.weight, spec.bias = _random(rng, out, into), np.zeros(out, np.float32)


def _norm(spec: Any) -> None:
    spec.gamma, spec.beta = np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32)


def _feed_forward(spec: Any, rng: np.random.Generator) -> None:
    _norm(spec.layer_norm)
    _linear(spec.linear_0, rng, INNER, WIDTH)
    _linear(spec.linear_1, rng, WIDTH, INNER)


def _self_attention(spec: Any, rng: np.random.Generator) -> None:
    _norm(spec.layer_norm)
    _linear(spec.linear[0], rng, 3 * WIDTH, WIDTH)
    _linear(spec.linear[1], rng, WIDTH, WIDTH)


def _encoder(spec: Any, rng: np.random.Generator) -> None:
    spec.conv1.weight, spec.conv1.bias = _random(rng, WIDTH, MELS, 3), np.zeros(WIDTH, np.float32)
    spec.conv2.weight, spec.conv2.bias = _random(rng, WIDTH, WIDTH, 3), np.zeros(WIDTH, np.float32)
    spec.position_encodings.encodings = _random(rng, POSITIONS, WIDTH)
    _norm(spec.layer_norm)
    for layer in spec.layer:
        _self_attention(layer.self_attention, rng)
        _feed_forward(layer.ffn, rng)


def _decoder(spec: Any, rng: np.random.Generator, vocabulary: int) -> None:
    spec.embeddings.weight = _random(rng, vocabulary, WIDTH)
    spec.position_encodings.encodings = _random(rng, TEXT_POSITIONS, WIDTH)
    _norm(spec.layer_norm)
    spec.projection.weight = 3 * _random(rng, vocabulary, WIDTH)
    for layer in spec.layer:
        _self_attention(layer.self_attention, rng)
        _norm(layer.attention.layer_norm)
        _linear(layer.attention.linear[0], rng, WIDTH, WIDTH)
        _linear(layer.attention.linear[1], rng, 2 * WIDTH, WIDTH)
        _linear(layer.attention.linear[2], rng, WIDTH, WIDTH)
        _feed_forward(layer.ffn, rng)
