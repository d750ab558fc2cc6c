"""From the corpus to batches: what is heard together, and what is to be said of it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from asr_model import HOP, Shape
from asr_tokenizer import LETTERS, SPECIALS, token_id
from corpus import read_meta
from sound import RATE
from tokenizers import Tokenizer
from torch import Tensor


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
