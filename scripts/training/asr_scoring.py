"""What the recognizer gets wrong."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

import torch
from asr_batches import Item, Placed
from asr_features import features
from asr_model import HOP, Shape, TinyWhisper
from asr_tokenizer import SPECIALS, token_id
from sound import RATE
from tokenizers import Tokenizer
from torch import Tensor


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
