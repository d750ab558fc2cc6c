"""Batches of training dialogues, without the sentences that judge the model."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import torch
from chat_format import CONTEXT, segments
from dialogues import Dialogue, dialogues
from tokenizers import Tokenizer

JUDGED: Final = Path(__file__).resolve().parents[2] / "tests" / "data" / "chat"
IGNORED: Final = -100  # label of tokens without loss


def normal_form(text: str) -> str:
    """Lower case words alone, for comparing sentences."""
    kept = "".join(c if c.isalnum() or c == "'" else " " for c in text.lower())
    return " ".join(kept.split())


def held_out_sentences(folder: Path = JUDGED) -> frozenset[str]:
    """What the user says in the questions (last message) and dialogues that judge the model."""
    said: set[str] = set()
    for file in sorted(folder.rglob("*.jsonl")):
        for line in filter(str.strip, file.read_text().splitlines()):
            case = json.loads(line)
            asked = [m["content"] for m in case.get("messages", ()) if m["role"] == "user"][-1:]
            said |= {normal_form(text) for text in asked}
            said |= {normal_form(turn["say"]) for turn in case.get("turns", ())}
    return frozenset(said)


def training_dialogues(seed: int) -> Iterator[Dialogue]:
    """Dialogues in which no user message holds a held-out sentence of more than three words.

    Short answers ("yes please") can't be told apart from any others and are let through.
    """
    held_out: dict[str, list[str]] = {}
    for sentence in held_out_sentences():
        words = sentence.split()
        if len(words) > 3:
            held_out.setdefault(" ".join(words[:4]), []).append(sentence)
    for dialogue in dialogues(seed):
        said = (normal_form(m["content"]) for m in dialogue.messages if m["role"] == "user")
        if not any(_holds(text, held_out) for text in said):
            yield dialogue


def _holds(text: str, held_out: Mapping[str, Sequence[str]]) -> bool:
    """Whether a sentence, found by its first four words, stands in the text."""
    words = text.split()
    starts = (" ".join(words[at : at + 4]) for at in range(len(words) - 3))
    return any(
        f" {sentence} " in f" {text} " for start in starts for sentence in held_out.get(start, ())
    )


Example = tuple[list[int], list[int]]


def encode(tokenizer: Tokenizer, dialogue: Dialogue) -> Example:
    """Token ids and labels (ids, or IGNORED where there is no loss) of one dialogue.

    A word is cut by what stands before it, so an answer is encoded behind the head of its block
    ("<|im_start|>assistant"), whose tokens are taken off again.
    """
    ids: list[int] = []
    labels: list[int] = []
    head = ""
    for text, learn in segments(dialogue):
        known = len(tokenizer.encode(head, add_special_tokens=False).ids)
        piece = tokenizer.encode(head + text, add_special_tokens=False).ids[known:]
        head = text if text.startswith("<|im_start|>") and text.endswith("assistant\n") else ""
        ids += piece
        labels += piece if learn else [IGNORED] * len(piece)
    return ids[:CONTEXT], labels[:CONTEXT]


def batches(
    tokenizer: Tokenizer, seed: int, tokens: int
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Endless (ids, labels) of about ``tokens`` tokens, dialogues of like length together.

    Padding is on the right, where a causal model can't see it, so no attention mask is needed.
    """
    rng = random.Random(seed)
    source = training_dialogues(seed)
    while True:
        pool = [encode(tokenizer, dialogue) for dialogue in itertools.islice(source, 512)]
        pool.sort(key=lambda example: len(example[0]))
        groups: list[list[Example]] = [[]]
        for example in pool:
            if groups[-1] and len(example[0]) * (len(groups[-1]) + 1) > tokens:
                groups.append([])
            groups[-1].append(example)
        rng.shuffle(groups)
        yield from (_pad(group) for group in groups)


def _pad(group: Sequence[Example]) -> tuple[torch.Tensor, torch.Tensor]:
    longest = max(len(ids) for ids, _ in group)
    ids = torch.zeros(len(group), longest, dtype=torch.long)
    labels = torch.full((len(group), longest), IGNORED)
    for row, (some_ids, some_labels) in enumerate(group):
        ids[row, : len(some_ids)] = torch.tensor(some_ids)
        labels[row, : len(some_labels)] = torch.tensor(some_labels)
    return ids, labels
