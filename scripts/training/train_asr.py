"""Train the built-in recognizer: a small Whisper on the corpus of ``speech.py``, on CPU cores.

The network has Whisper's shape and Hugging Face's parameter names, so that the stock converters
take it, but its encoder runs on windows of any length: CTranslate2 does the same when serving, and
a 2 s utterance then costs a quarter of an 8 s one. Recipe:

* loss: cross-entropy of the decoder plus character CTC on the encoder's output (its head is thrown
  away). CTC finds the sounds in a few hundred steps; attention alone took 2,000 to find the audio.
* bf16 weights and activations with float32 master weights, AdamW, and an average of the weights
  (EMA), which is what is scored and exported.
* data-parallel processes of one thread each, which meet once a step. One process of two threads
  meets at each of some 500 operations, and took twice as long on a machine with other work.
* the schedule is in wall time: warm-up, a plateau, linear decay to the end of the budget.
* augmentation happens in the spectrogram (noise, tilt, telephone band) where it costs little.

Commands::

    python scripts/training/train_asr.py train --minutes 75
    python scripts/training/train_asr.py train --minutes 75 --resume   # after a crash
    python scripts/training/train_asr.py export                        # models/builtin/asr
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed
import torch.multiprocessing
from faster_whisper.feature_extractor import FeatureExtractor
from speech import CACHE, NOISE_KINDS, RATE, make_noise, read_meta
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor, nn
from torch.nn import functional

ROOT = Path(__file__).resolve().parents[2]
HOP, N_FFT, MELS = 160, 400, 80
#: Whisper's special tokens, in the order that CTranslate2 and faster-whisper expect.
SPECIALS = (
    "<|endoftext|>",
    "<|startoftranscript|>",
    "<|en|>",
    "<|translate|>",
    "<|transcribe|>",
    "<|startoflm|>",
    "<|startofprev|>",
    "<|nospeech|>",
    "<|notimestamps|>",
)
TIMESTAMPS = 1501
LETTERS = " abcdefghijklmnopqrstuvwxyz'"  # CTC classes 1..28; 0 is the blank


@dataclass(frozen=True)
class Shape:
    """The sizes of the network; `window_s` is the longest window it can be given."""

    d_model: int = 256
    heads: int = 4
    encoder_layers: int = 4
    encoder_ffn: int = 1024
    decoder_layers: int = 2
    decoder_ffn: int = 768
    text_tokens: int = 512
    window_s: int = 8
    target_positions: int = 448  # what faster-whisper takes for granted

    @property
    def vocabulary(self) -> int:
        return self.text_tokens + len(SPECIALS) + TIMESTAMPS

    @property
    def frames(self) -> int:
        """Mel frames (10 ms) of the longest window."""
        return self.window_s * RATE // HOP


# ---------------------------------------------------------------------------------------- tokenizer


def train_tokenizer(texts: Sequence[str], size: int) -> Tokenizer:
    """Byte-level BPE of `size` entries on `texts`, then the special tokens."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    # faster-whisper suppresses the first token of " -", " '" and " ♩". Were that the bare space,
    # every word without a merge for its first letter would become impossible; so merge these.
    # Seven symbols share their first bytes: together frequent enough, each alone too rare.
    guards = [" - ' ♩", " - ' ♪", " - ' ♫", " - ' ♬", " - ' ♭", " - ' ♮", " - ' ♯"]
    guards *= len(texts) // 140 + 1
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=[],
        show_progress=False,
    )
    tokenizer.train_from_iterator([f" {text}" for text in texts] + guards, trainer)
    tokenizer.add_special_tokens(list(SPECIALS))
    if tokenizer.get_vocab_size() != size + len(SPECIALS):
        raise RuntimeError(f"tokenizer has {tokenizer.get_vocab_size()} entries")
    return tokenizer


def token_id(tokenizer: Tokenizer, name: str) -> int:
    """The number of a special token that must be there."""
    found = tokenizer.token_to_id(name)
    if found is None:
        raise KeyError(f"the tokenizer has no {name}")
    return int(found)


# -------------------------------------------------------------------------------------------- model


class Attention(nn.Module):
    """Whisper's multi-head attention, in plain matrix products.

    torch's fused attention took three times as long for these sizes in bf16 on a Zen 4 core.
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.k_proj = nn.Linear(shape.d_model, shape.d_model, bias=False)
        self.v_proj = nn.Linear(shape.d_model, shape.d_model)
        self.q_proj = nn.Linear(shape.d_model, shape.d_model)
        self.out_proj = nn.Linear(shape.d_model, shape.d_model)

    def _split(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        per_head = x.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
        return per_head.reshape(batch * self.heads, length, width // self.heads)

    def forward(
        self, x: Tensor, source: Tensor | None = None, mask: Tensor | None = None
    ) -> Tensor:
        """`x` [B, T, d] attends to `source` [B, S, d] (itself by default); `mask` is added."""
        source = x if source is None else source
        batch, length, width = x.shape
        queries = self._split(self.q_proj(x) * (width // self.heads) ** -0.5)
        keys = self._split(self.k_proj(source)).transpose(1, 2).contiguous()
        scores = torch.bmm(queries, keys)
        if mask is not None:
            scores = scores + mask
        mixed = torch.bmm(scores.softmax(-1), self._split(self.v_proj(source)))
        mixed = mixed.view(batch, self.heads, length, -1).transpose(1, 2)
        return self.out_proj(mixed.reshape(batch, length, width))  # type: ignore[no-any-return]


class EncoderLayer(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.self_attn = Attention(shape)
        self.self_attn_layer_norm = nn.LayerNorm(shape.d_model)
        self.fc1 = nn.Linear(shape.d_model, shape.encoder_ffn)
        self.fc2 = nn.Linear(shape.encoder_ffn, shape.d_model)
        self.final_layer_norm = nn.LayerNorm(shape.d_model)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.self_attn(self.self_attn_layer_norm(x))
        return x + self.fc2(functional.gelu(self.fc1(self.final_layer_norm(x))))  # type: ignore[no-any-return]


class DecoderLayer(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.self_attn = Attention(shape)
        self.self_attn_layer_norm = nn.LayerNorm(shape.d_model)
        self.encoder_attn = Attention(shape)
        self.encoder_attn_layer_norm = nn.LayerNorm(shape.d_model)
        self.fc1 = nn.Linear(shape.d_model, shape.decoder_ffn)
        self.fc2 = nn.Linear(shape.decoder_ffn, shape.d_model)
        self.final_layer_norm = nn.LayerNorm(shape.d_model)

    def forward(self, x: Tensor, audio: Tensor, mask: Tensor) -> Tensor:
        x = x + self.self_attn(self.self_attn_layer_norm(x), mask=mask)
        x = x + self.encoder_attn(self.encoder_attn_layer_norm(x), audio)
        return x + self.fc2(functional.gelu(self.fc1(self.final_layer_norm(x))))  # type: ignore[no-any-return]


def sinusoids(length: int, channels: int) -> Tensor:
    """Whisper's fixed encoder positions [length, channels]."""
    step = math.log(10_000) / (channels // 2 - 1)
    scaled = torch.arange(length)[:, None] * torch.exp(-step * torch.arange(channels // 2))[None]
    return torch.cat([scaled.sin(), scaled.cos()], dim=1)


class Encoder(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(MELS, shape.d_model, 3, padding=1)
        self.conv2 = nn.Conv1d(shape.d_model, shape.d_model, 3, stride=2, padding=1)
        self.embed_positions = nn.Embedding(shape.frames // 2, shape.d_model)
        self.embed_positions.weight.data = sinusoids(shape.frames // 2, shape.d_model)
        self.embed_positions.weight.requires_grad = False
        self.layers = nn.ModuleList(EncoderLayer(shape) for _ in range(shape.encoder_layers))
        self.layer_norm = nn.LayerNorm(shape.d_model)

    def forward(self, mel: Tensor) -> Tensor:
        """`mel` [B, 80, T] with any T up to the window gives [B, ceil(T / 2), d]."""
        x = functional.gelu(self.conv2(functional.gelu(self.conv1(mel)))).transpose(1, 2)
        x = x + self.embed_positions.weight[: x.shape[1]]
        for layer in self.layers:
            x = layer(x)
        return self.layer_norm(x)  # type: ignore[no-any-return]


class Decoder(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(shape.vocabulary, shape.d_model)
        self.embed_positions = nn.Embedding(shape.target_positions, shape.d_model)
        nn.init.normal_(self.embed_tokens.weight, std=0.02)
        nn.init.normal_(self.embed_positions.weight, std=0.01)
        self.layers = nn.ModuleList(DecoderLayer(shape) for _ in range(shape.decoder_layers))
        self.layer_norm = nn.LayerNorm(shape.d_model)

    def forward(self, tokens: Tensor, audio: Tensor) -> Tensor:
        """Logits [B, T, text + specials + 1]; the last one stands for every timestamp token."""
        length = tokens.shape[1]
        x = self.embed_tokens(tokens) + self.embed_positions.weight[:length]
        mask = torch.full((length, length), -1e9, dtype=x.dtype).triu(1)
        for layer in self.layers:
            x = layer(x, audio, mask)
        # Timestamps are never trained: one shared row for all of them keeps the softmax honest
        # (1,501 rows of random logits would leak into the probability of "no speech").
        used = self.embed_tokens.weight.shape[0] - TIMESTAMPS + 1
        return (self.layer_norm(x) @ self.embed_tokens.weight[:used].T).float()


class Body(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.encoder = Encoder(shape)
        self.decoder = Decoder(shape)


class TinyWhisper(nn.Module):
    """`model` holds what is exported; `ctc` is the training-only letter head."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.model = Body(shape)
        self.ctc = nn.Linear(shape.d_model, len(LETTERS) + 1)


# --------------------------------------------------------------------------------------------- data


@dataclass
class Item:
    """One corpus entry in memory-mapped form."""

    pcm: np.ndarray[Any, np.dtype[np.int16]]
    text: str
    kind: str
    voice: str
    tokens: list[int]
    letters: list[int]


def load_items(split: str, tokenizer: Tokenizer) -> list[Item]:
    """All entries of a split; the audio stays on disk until it is used."""
    maps: dict[str, Any] = {}
    items = []
    for entry in read_meta(split):
        if entry["path"] not in maps:
            maps[entry["path"]] = np.memmap(entry["path"], dtype=np.int16, mode="r")
        start = entry["offset"]
        text = entry["text"]
        items.append(
            Item(
                pcm=maps[entry["path"]][start : start + entry["length"]],
                text=text,
                kind=entry["kind"],
                voice=entry["voice"],
                tokens=tokenizer.encode(f" {text}").ids if text else [],
                letters=[LETTERS.index(letter) + 1 for letter in text],
            )
        )
    return items


@dataclass
class Placed:
    """An item with the silence around it, in samples."""

    item: Item
    lead: int
    tail: int

    @property
    def length(self) -> int:
        return self.lead + len(self.item.pcm) + self.tail


def place(item: Item, rng: random.Random, limit: int) -> Placed:
    """Draw lead and tail. A truncated utterance ends where it ends: there was no more audio yet."""
    free = limit - len(item.pcm)
    lead = min(free, int(RATE * rng.choice((rng.uniform(0, 0.15), rng.uniform(0.1, 0.7)))))
    tail = int(RATE * rng.choice((rng.uniform(0, 0.1), rng.uniform(0, 0.9))))
    if item.kind == "truncated":
        tail = 0
    return Placed(item, lead, max(0, min(free - lead, tail)))


def batches(
    items: Sequence[Item], rng: random.Random, budget: int, shape: Shape, longest: int
) -> Iterator[tuple[list[Placed], int]]:
    """Endless batches of like length and their window (samples); `budget` is mel frames a batch.

    Items longer than `longest` samples are left out (the curriculum: short ones first).
    """
    limit = shape.frames * HOP
    pool = [rng.choice(items) for _ in range(4096)]
    placed = [place(item, rng, limit) for item in pool if len(item.pcm) <= longest]
    placed.sort(key=lambda one: one.length)
    groups: list[tuple[list[Placed], int]] = []
    while placed:
        spare = rng.uniform(0, 0.5) if rng.random() < 0.75 else rng.uniform(0, 3.0)
        window = min(limit, placed[-1].length + int(spare * RATE))
        window = -(-window // (2 * HOP)) * 2 * HOP
        count = max(8, min(80, budget * HOP // window))
        if len(placed) >= 8:  # a rest of a few would be a step of mostly noise
            groups.append((placed[-count:], window))
        del placed[-count:]
    rng.shuffle(groups)
    yield from groups


class Noises:
    """A bank of complex noise spectra, so that noise can be added after the Fourier transform."""

    def __init__(self, items: Sequence[Item], seconds: float, seed: int) -> None:
        rng = np.random.default_rng(seed)
        sounds = [
            make_noise(kind, int(seconds * RATE), rng) for kind in NOISE_KINDS for _ in range(2)
        ]
        voices = [item for item in items if item.text]
        sounds += [self._babble(voices, int(seconds * RATE), rng) for _ in range(3)]
        self.spectra = [spectrum(torch.from_numpy(sound)[None])[0].numpy() for sound in sounds]

    @staticmethod
    def _babble(items: Sequence[Item], count: int, rng: Any) -> Any:
        """Eight voices at once, unit RMS."""
        sound = np.zeros(count, np.float32)
        for _ in range(8):
            at = 0
            while at < count:
                pcm = items[int(rng.integers(len(items)))].pcm[: count - at]
                sound[at : at + len(pcm)] += pcm.astype(np.float32) / 32768
                at += len(pcm) + int(RATE * rng.uniform(0, 0.5))
        return sound / sound.std()

    def draw(self, frames: int, rng: random.Random) -> Spectra:
        """Complex [frames, 201] of unit RMS noise."""
        bank = rng.choice(self.spectra)
        start = rng.randrange(len(bank) - frames)
        return bank[start : start + frames]


WINDOW = torch.hann_window(N_FFT, periodic=True)
MEL_FILTERS = torch.from_numpy(FeatureExtractor(feature_size=MELS).mel_filters)
FREQUENCIES = np.linspace(0, RATE / 2, N_FFT // 2 + 1, dtype=np.float32)
Spectra = np.ndarray[Any, np.dtype[np.complex64]]


def spectrum(audio: Tensor) -> Tensor:
    """Complex spectrogram [B, N / 160, 201] of audio [B, N], as in faster-whisper's extractor."""
    full = torch.stft(audio, N_FFT, HOP, window=WINDOW, center=True, return_complex=True)
    return full[..., :-1].transpose(1, 2).contiguous()


def log_mel(spectra: Tensor) -> Tensor:
    """Complex spectrogram [B, T, 201] to Whisper's log-mel [B, T, 80]."""
    real, imaginary = spectra.real, spectra.imag
    power = torch.addcmul(real * real, imaginary, imaginary)
    mel = torch.matmul(power, MEL_FILTERS.T).clamp_min_(1e-10).log10_()
    floor = mel.flatten(1).amax(1)[:, None, None] - 8.0
    return torch.maximum(mel, floor).add_(4.0).div_(4.0)


def echo(audio: np.ndarray[Any, Any], rng: random.Random) -> None:
    """A few early reflections (3-70 ms), in place."""
    for _ in range(rng.randint(1, 4)):
        delay = int(RATE * rng.uniform(0.003, 0.07))
        audio[delay:] += audio[:-delay] * rng.uniform(0.05, 0.35)


def response(rng: random.Random) -> np.ndarray[Any, np.dtype[np.float32]] | None:
    """Amplitude response [201] of a microphone or a line: tilt, a bump, the telephone band."""
    roll = rng.random()
    if roll < 0.35:
        return None
    gain_db = (FREQUENCIES / 4000 - 0.5) * rng.uniform(-12, 9)
    centre, width = rng.uniform(200, 6000), rng.uniform(200, 1500)
    gain_db = gain_db + rng.uniform(-6, 6) * np.exp(-(((FREQUENCIES - centre) / width) ** 2))
    if roll > 0.83:
        low, high = rng.uniform(100, 350), rng.uniform(3300, 3900)
        gain_db = gain_db - 0.35 * np.maximum(low - FREQUENCIES, 0)
        gain_db = gain_db - 0.25 * np.maximum(FREQUENCIES - high, 0)
    return np.asarray(10 ** (np.maximum(gain_db, -110) / 20), np.float32)


def mask_mel(mel: np.ndarray[Any, Any], frames: int, rng: random.Random) -> None:
    """SpecAugment on one [T, 80] spectrogram: narrow masks with its mean, in place."""
    mean = mel[:frames].mean()
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        width = rng.randint(1, 11)
        start = rng.randrange(MELS - width)
        mel[:frames, start : start + width] = mean
    for _ in range(rng.choice((0, 0, 1, 2))):
        width = rng.randint(1, 11)
        if frames > 4 * width:
            start = rng.randrange(frames - width)
            mel[start : start + width] = mean


def features(
    group: Sequence[Placed], window: int, noises: Noises | None, rng: random.Random
) -> Tensor:
    """Log-mel [B, 80, window / 160]; augmented if there is a noise bank.

    Audio and noise end where the utterance ends; from there to the window's end it is digital
    silence, which is how the server pads. What is done clip by clip is numpy on purpose: torch
    splits even small operations over its threads, and on a busy machine each split waits for the
    slower half (it doubled the time of a step).
    """
    audio = np.zeros((len(group), window), np.float32)
    levels = []
    for row, one in zip(audio, group, strict=True):
        pcm = one.item.pcm.astype(np.float32) / 32768
        level_db = rng.uniform(-26, 4) if noises and one.item.text else 0.0
        pcm *= 10 ** (level_db / 20)
        row[one.lead : one.lead + len(pcm)] = pcm
        levels.append(float(np.sqrt(np.mean(pcm**2) + 1e-12)))
        if noises and rng.random() < 0.3:
            echo(row[: one.length], rng)
    spectra = spectrum(torch.from_numpy(audio))
    if noises:
        for clip, one, level in zip(spectra.numpy(), group, levels, strict=True):
            colour(clip, one, level, noises, rng)
    mel = log_mel(spectra)
    if noises:
        for clip, one in zip(mel.numpy(), group, strict=True):
            if one.item.text:
                mask_mel(clip, one.length // HOP, rng)
    return mel.transpose(1, 2)


def colour(spectra: Spectra, one: Placed, level: float, noises: Noises, rng: random.Random) -> None:
    """Add noise and a frequency response to one complex spectrogram [T, 201], in place."""
    frames = min(len(spectra), one.length // HOP)
    if frames < 2:
        return
    heard = spectra[:frames]
    if one.item.text and rng.random() < 0.8:
        snr_db = rng.uniform(4, 42)
        heard += noises.draw(frames, rng) * np.float32(level * 10 ** (-snr_db / 20))
    curve = response(rng)
    if curve is not None:
        heard *= curve


def targets(
    group: Sequence[Placed], tokenizer: Tokenizer, rng: random.Random
) -> tuple[Tensor, Tensor]:
    """Decoder inputs and labels [B, T] (label -100 = not scored).

    Speech: start, no-timestamps | text, end. No speech: the label after start is the no-speech
    token, and the text is empty. Some inputs are swapped for random tokens, so that the decoder
    listens instead of completing phrases.
    """
    end, start = token_id(tokenizer, SPECIALS[0]), token_id(tokenizer, SPECIALS[1])
    no_speech, plain = token_id(tokenizer, SPECIALS[-2]), token_id(tokenizer, SPECIALS[-1])
    rows, labels = [], []
    for one in group:
        tokens = one.item.tokens
        seen = [rng.randrange(end) if rng.random() < 0.06 else token for token in tokens]
        rows.append([start, plain, *seen])
        labels.append([plain if tokens else no_speech, *tokens, end])
    length = max(map(len, rows))
    inputs = torch.tensor([row + [end] * (length - len(row)) for row in rows])
    wanted = torch.tensor([row + [-100] * (length - len(row)) for row in labels])
    return inputs, wanted


def ctc_loss(logits: Tensor, group: Sequence[Placed]) -> Tensor:
    """Letter CTC per letter of `logits` [B, T, 29]; an empty text is all blanks."""
    flat = [letter for one in group for letter in one.item.letters]
    counts = torch.tensor([len(one.item.letters) for one in group])
    lengths = torch.full((len(group),), logits.shape[1])
    loss: Tensor = functional.ctc_loss(
        logits.float().log_softmax(-1).transpose(0, 1),
        torch.tensor(flat, dtype=torch.long),
        lengths,
        counts,
        reduction="sum",
        zero_infinity=True,
    )
    return loss / (counts.sum() + len(group))


# ------------------------------------------------------------------------------------------ scoring


def word_errors(reference: str, hypothesis: str) -> int:
    """Word edits from `hypothesis` to `reference`."""
    ref, hyp = reference.split(), hypothesis.split()
    row = list(range(len(hyp) + 1))
    for i, wanted in enumerate(ref, 1):
        diagonal, row[0] = row[0], i
        for j, got in enumerate(hyp, 1):
            diagonal, row[j] = (
                row[j],
                min(row[j] + 1, row[j - 1] + 1, diagonal + (wanted != got)),
            )
    return row[-1]


@torch.no_grad()
def greedy(model: TinyWhisper, mel: Tensor, tokenizer: Tokenizer, steps: int = 48) -> list[str]:
    """Greedy texts of a batch; an empty text where no-speech wins at the start token."""
    end, start = token_id(tokenizer, SPECIALS[0]), token_id(tokenizer, SPECIALS[1])
    no_speech, plain = token_id(tokenizer, SPECIALS[-2]), token_id(tokenizer, SPECIALS[-1])
    audio = model.model.encoder(mel)
    tokens = torch.tensor([[start, plain]]).repeat(len(mel), 1)
    silent = model.model.decoder(tokens[:, :1], audio)[:, 0].argmax(-1) == no_speech
    for _ in range(steps):
        logits = model.model.decoder(tokens, audio)[:, -1]
        logits[:, end + 1 :] = -math.inf
        tokens = torch.cat([tokens, logits.argmax(-1, keepdim=True)], dim=1)
        if bool((tokens == end).any(dim=1).all()):
            break
    texts = []
    for row, quiet in zip(tokens[:, 2:].tolist(), silent.tolist(), strict=True):
        said = row[: row.index(end)] if end in row else row
        texts.append("" if quiet else tokenizer.decode(said).strip())
    return texts


def dev_figures(
    model: TinyWhisper, items: Sequence[Item], tokenizer: Tokenizer, shape: Shape
) -> dict[str, Any]:
    """WER on spoken dev items, share of wordless ones that yield text, and an example."""
    rng = random.Random(5)
    spoken = [item for item in items if item.kind not in ("none", "truncated", "joined")][:120]
    empty = [item for item in items if item.kind == "none"][:40]
    errors = words = 0
    example = ""
    for first in range(0, len(spoken), 40):
        group = [Placed(item, RATE // 4, RATE // 4) for item in spoken[first : first + 40]]
        window = min(shape.frames * HOP, max(one.length for one in group) // HOP * HOP + HOP)
        texts = greedy(model, features(group, window, None, rng), tokenizer)
        for one, text in zip(group, texts, strict=True):
            errors += word_errors(one.item.text, text)
            words += len(one.item.text.split())
            example = f"{one.item.text!r} -> {text!r}"
    group = [Placed(item, 0, 0) for item in empty]
    window = max(one.length for one in group) // HOP * HOP + HOP
    texts = greedy(model, features(group, window, None, rng), tokenizer)
    return {
        "wer": round(errors / words, 4),
        "text_on_nothing": sum(bool(text) for text in texts) / len(texts),
        "example": example,
    }


# ----------------------------------------------------------------------------------------- training


class Trainer:
    """The training state: a bf16 network, its float32 master weights, their average."""

    def __init__(self, options: argparse.Namespace, rank: int) -> None:
        self.options = options
        self.rank = rank
        self.shape = Shape()
        torch.manual_seed(options.seed)  # the same first weights in every process
        self.rng = random.Random(f"{options.seed}/{rank}/{options.resume}")
        self.folder = Path(options.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.tokenizer = self._tokenizer()
        self.train = load_items("train", self.tokenizer)
        self.dev = load_items("dev", self.tokenizer)
        self.noises = Noises(self.train[:3000], 40.0, options.seed + rank)
        self.network = TinyWhisper(self.shape)
        self.trained = [p for p in self.network.parameters() if p.requires_grad]
        self.master = torch.cat([p.detach().flatten() for p in self.trained])
        self.average = self.master.clone()
        self._flatten()
        self.optimizer = torch.optim.AdamW(
            [self.master], lr=1e-9, betas=(0.9, 0.98), eps=1e-8, weight_decay=0.01, fused=True
        )
        self.step = 0
        self.spent_s = 0.0

    def _flatten(self) -> None:
        """Let all weights, and all gradients, share one bf16 tensor: few large operations."""
        self.network = self.network.bfloat16()
        self.weights = self.master.bfloat16()
        self.gradients = torch.zeros_like(self.weights)
        start = 0
        for p in self.trained:
            end = start + p.numel()
            p.data = self.weights[start:end].view_as(p)
            p.grad = self.gradients[start:end].view_as(p)
            start = end

    def _tokenizer(self) -> Tokenizer:
        path = self.folder / "tokenizer.json"
        if self.rank == 0 and not path.exists():
            texts = [entry["text"] for entry in read_meta("train") if entry["text"]]
            train_tokenizer(texts, self.shape.text_tokens).save(str(path))
        torch.distributed.barrier()
        return Tokenizer.from_file(str(path))

    def learning_rate(self) -> float:
        """Warm-up in steps, plateau, then linear decay over the rest of the wall time."""
        done = self.spent_s / (60 * self.options.minutes)
        hold = self.options.hold
        decay = 1.0 if done < hold else max(0.01, (1 - done) / (1 - hold))
        return float(self.options.peak * min(1.0, (self.step + 1) / 400) * decay)

    def update(self, group: list[Placed], window: int) -> tuple[float, float]:
        """One step; returns the two losses."""
        mel = features(group, window, self.noises, self.rng).bfloat16()
        inputs, wanted = targets(group, self.tokenizer, self.rng)
        audio = self.network.model.encoder(mel)
        logits = self.network.model.decoder(inputs, audio)
        attention = functional.cross_entropy(
            logits.flatten(0, 1), wanted.flatten(), ignore_index=-100, label_smoothing=0.05
        )
        letters = ctc_loss(self.network.ctc(audio), group)
        done = self.spent_s / (60 * self.options.minutes)
        share = max(0.25, 0.6 - done * 0.9)
        ((1 - share) * attention + share * letters).backward()  # type: ignore[no-untyped-call]
        self._apply()
        return attention.item(), letters.item()

    def _apply(self) -> None:
        # One exchange a step: the mean gradient, and the clock that the schedule goes by.
        shared = torch.cat([self.gradients.float(), torch.tensor([self.spent_s])])
        torch.distributed.all_reduce(shared)
        shared /= self.options.processes
        self.spent_s = float(shared[-1])
        gradient = shared[:-1]
        gradient *= min(1.0, 1.0 / (float(gradient.norm()) + 1e-6))
        self.gradients.zero_()
        self.master.grad = gradient
        for slot in self.optimizer.param_groups:
            slot["lr"] = self.learning_rate()
        self.optimizer.step()
        self.step += 1
        keep = min(0.998, (1 + self.step) / (20 + self.step))
        self.average.lerp_(self.master, 1 - keep)
        self.weights.copy_(self.master)

    def averaged(self) -> TinyWhisper:
        """A float32 network with the averaged weights."""
        network = TinyWhisper(self.shape)
        trained = [p for p in network.parameters() if p.requires_grad]
        sizes = [p.numel() for p in trained]
        for p, mean in zip(trained, self.average.split(sizes), strict=True):
            p.data.copy_(mean.view_as(p))
        return network.eval()

    def save(self) -> None:
        state = {
            "shape": asdict(self.shape),
            "network": self.averaged().state_dict(),
            "master": self.master,
            "average": self.average,
            "optimizer": self.optimizer.state_dict(),
            "step": self.step,
            "spent_s": self.spent_s,
            "seed": self.options.seed,
        }
        torch.save(state, self.folder / "checkpoint.tmp")
        (self.folder / "checkpoint.tmp").rename(self.folder / "checkpoint.pt")

    def load(self, fresh: bool) -> None:
        """Take the weights of the checkpoint; with `fresh`, start a new schedule from them."""
        state = torch.load(self.folder / "checkpoint.pt", weights_only=False)
        self.average.copy_(state["average"])
        self.master.copy_(state["average"] if fresh else state["master"])
        self.weights.copy_(self.master)
        if not fresh:
            self.optimizer.load_state_dict(state["optimizer"])
            self.step, self.spent_s = state["step"], state["spent_s"]

    def run(self) -> None:
        """Train until the wall time is spent; the first process also reports, scores and saves."""
        total_s = 60 * self.options.minutes
        if self.rank == 0:
            count = sum(p.numel() for p in self.network.model.parameters())
            print(f"{len(self.train)} train, {len(self.dev)} dev items, {count} parameters")
        self._last_score = self._last_save = self.spent_s
        recent: list[tuple[float, float]] = []
        while self.spent_s < total_s:
            short = self.spent_s < self.options.short_share * total_s
            longest = int(RATE * (2.0 if short else 60.0))
            budget = self.options.budget // self.options.processes
            self._reload_if_grown()
            for group, window in batches(self.train, self.rng, budget, self.shape, longest):
                began = time.monotonic()
                recent.append(self.update(group, window))
                if self.rank == 0:
                    self._look_after(recent)
                self.spent_s += time.monotonic() - began
                if self._finished(total_s):
                    break
        if self.rank == 0:
            self.save()
            self._score("end: ")

    def _finished(self, total_s: float) -> bool:
        """Whether the time is up, decided by the first process for all."""
        done = torch.tensor([float(self.spent_s >= total_s)])
        torch.distributed.broadcast(done, 0)
        if done.item():
            self.spent_s = max(self.spent_s, total_s)
        return bool(done.item())

    def _look_after(self, recent: list[tuple[float, float]]) -> None:
        if self.step % 100 == 0:
            self._report(recent)
            recent.clear()
        if self.spent_s - self._last_score > 60 * self.options.score_minutes:
            self._last_score = self.spent_s
            self._score("")
        if self.spent_s - self._last_save > 240:
            self._last_save = self.spent_s
            self.save()

    def _score(self, label: str) -> None:
        figures = dev_figures(self.averaged(), self.dev, self.tokenizer, self.shape)
        print(f"{label}step {self.step} dev {json.dumps(figures)}", flush=True)

    def _reload_if_grown(self) -> None:
        """New corpus parts may be written while training runs."""
        parts = len(list(CACHE.glob("train-*.jsonl")))
        if parts != getattr(self, "_parts", parts):
            self.train = load_items("train", self.tokenizer)
            print(f"process {self.rank}: corpus grew to {len(self.train)} items", flush=True)
        self._parts = parts

    def _report(self, recent: Sequence[tuple[float, float]]) -> None:
        attention, letters = np.mean(recent, axis=0)
        print(
            f"step {self.step} {self.spent_s / 60:.1f} min"
            f" ({self.spent_s / self.step * 1000:.0f} ms/step) lr {self.learning_rate():.2e}"
            f" ce {attention:.3f} ctc {letters:.3f} [{time.strftime('%H:%M:%S')}]",
            flush=True,
        )


# ------------------------------------------------------------------------------------------- export


def whisper_config(shape: Shape, tokenizer: Tokenizer) -> Any:
    """The Hugging Face configuration of `shape`."""
    from transformers import WhisperConfig

    end = token_id(tokenizer, "<|endoftext|>")
    return WhisperConfig(
        vocab_size=shape.vocabulary,
        num_mel_bins=MELS,
        d_model=shape.d_model,
        encoder_layers=shape.encoder_layers,
        encoder_attention_heads=shape.heads,
        encoder_ffn_dim=shape.encoder_ffn,
        decoder_layers=shape.decoder_layers,
        decoder_attention_heads=shape.heads,
        decoder_ffn_dim=shape.decoder_ffn,
        max_source_positions=shape.frames // 2,
        max_target_positions=shape.target_positions,
        activation_function="gelu",
        dropout=0.0,
        pad_token_id=end,
        bos_token_id=end,
        eos_token_id=end,
        decoder_start_token_id=token_id(tokenizer, "<|startoftranscript|>"),
        suppress_tokens=[],
        begin_suppress_tokens=[],
    )


def whisper_weights(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Checkpoint weights under Hugging Face's names, the timestamps filled in."""
    weights = {name: value for name, value in state.items() if name.startswith("model.")}
    tokens = weights["model.decoder.embed_tokens.weight"].clone()
    tokens[-TIMESTAMPS:] = tokens[-TIMESTAMPS]  # only the first of them stood in the softmax
    weights["model.decoder.embed_tokens.weight"] = tokens
    weights["proj_out.weight"] = tokens
    return weights


def generation_config(tokenizer: Tokenizer, shape: Shape, heads: Sequence[Sequence[int]]) -> Any:
    """What to suppress while decoding: every special token but the end, and all timestamps.

    Nothing is suppressed at the beginning, so that an empty answer stays possible.
    """
    from transformers import GenerationConfig

    end = token_id(tokenizer, "<|endoftext|>")
    return GenerationConfig(
        suppress_tokens=list(range(end + 1, shape.vocabulary)),
        begin_suppress_tokens=[],
        alignment_heads=[list(head) for head in heads],
        lang_to_id={"<|en|>": token_id(tokenizer, "<|en|>")},
        no_timestamps_token_id=token_id(tokenizer, "<|notimestamps|>"),
        decoder_start_token_id=token_id(tokenizer, "<|startoftranscript|>"),
        eos_token_id=end,
        pad_token_id=end,
        bos_token_id=end,
        is_multilingual=False,
        return_timestamps=False,
        max_length=shape.target_positions,
    )


def write_hf(folder: Path, state: dict[str, Any], tokenizer: Tokenizer, half: bool) -> None:
    """A Hugging Face directory: weights, configuration, tokenizer, feature extractor."""
    from transformers import PreTrainedTokenizerFast, WhisperFeatureExtractor
    from transformers import WhisperForConditionalGeneration as Whisper

    shape = Shape(**state["shape"])
    model = Whisper(whisper_config(shape, tokenizer))
    model.load_state_dict(whisper_weights(state["network"]))
    model.generation_config = generation_config(tokenizer, shape, state.get("heads", [[1, 0]]))
    if half:
        model = model.half()
    model.save_pretrained(folder)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<|endoftext|>",
        eos_token="<|endoftext|>",
        pad_token="<|endoftext|>",
        unk_token="<|endoftext|>",
    )
    fast.save_pretrained(folder)
    WhisperFeatureExtractor(feature_size=MELS, chunk_length=shape.window_s).save_pretrained(folder)


def export(options: argparse.Namespace) -> None:
    """Write ``models/builtin/asr`` (CTranslate2 int8) and ``models/builtin/asr-hf`` (fp16)."""
    from ctranslate2.converters import TransformersConverter

    folder = Path(options.folder)
    state = torch.load(folder / "checkpoint.pt", weights_only=False)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    heads = folder / "alignment_heads.json"
    if heads.exists():
        state["heads"] = json.loads(heads.read_text())
    out = Path(options.out)
    with tempfile.TemporaryDirectory() as temporary:
        write_hf(Path(temporary), state, tokenizer, half=False)
        converter = TransformersConverter(
            temporary, copy_files=["tokenizer.json", "preprocessor_config.json"]
        )
        converter.convert(f"{temporary}/ct2", quantization="int8", force=True)
        out.mkdir(parents=True, exist_ok=True)
        for path in Path(temporary, "ct2").iterdir():
            shutil.move(str(path), out / path.name)
    write_hf(Path(f"{out}-hf"), state, tokenizer, half=True)
    print(f"exported step {state['step']} ({state['spent_s'] / 60:.0f} min) to {out}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Train and export the built-in recognizer.")
    parser.add_argument("command", choices=("train", "export"))
    parser.add_argument("--minutes", type=float, default=75, help="wall time of the training")
    parser.add_argument("--folder", default=str(CACHE.parent / "asr-run"))
    parser.add_argument("--out", default=str(ROOT / "models" / "builtin" / "asr"))
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--peak", type=float, default=1.2e-3, help="highest learning rate")
    parser.add_argument("--hold", type=float, default=0.4, help="share of time before the decay")
    parser.add_argument("--budget", type=int, default=14_000, help="mel frames in a batch")
    parser.add_argument("--short-share", type=float, default=0.08, help="share of short-only time")
    parser.add_argument("--score-minutes", type=float, default=4.0)
    parser.add_argument("--processes", type=int, default=2, help="of one thread each")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint")
    parser.add_argument("--second", action="store_true", help="a new schedule from its weights")
    options = parser.parse_args()
    if options.command == "export":
        export(options)
        return
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(
            train, args=(options, f"file://{folder}/meet"), nprocs=options.processes
        )


def train(rank: int, options: argparse.Namespace, meeting: str) -> None:
    """One of the training processes."""
    torch.set_num_threads(1)
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    torch.distributed.init_process_group(
        "gloo", init_method=meeting, rank=rank, world_size=options.processes
    )
    trainer = Trainer(options, rank)
    if options.resume or options.second:
        trainer.load(fresh=options.second)
    trainer.run()
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
