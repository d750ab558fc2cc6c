"""What people say in the built-in world, of all kinds: what its language model is made of."""

from __future__ import annotations

import random
from collections.abc import Callable

from coffee_bar import sentence as coffee_sentence
from domain import user_sentence
from spoken_parts import single_word, spelled_name, telephone_number
from spoken_texts import write_other

Kinds = tuple[tuple[Callable[[random.Random], str], int], ...]

KINDS: Kinds = (
    (user_sentence, 40_000),
    (coffee_sentence, 40_000),
    (telephone_number, 40_000),
    (single_word, 30_000),
    (spelled_name, 2_000),
    (write_other, 6_000),
)
"""What is said, and how often of all."""

PARTS: Kinds = (
    (telephone_number, 20_000),
    (single_word, 8_000),
)
"""What an utterance is tried for by itself: no sentence."""


def sentences(kinds: Kinds = KINDS, seed: int = 1) -> list[str]:
    """All of them, shuffled."""
    rng = random.Random(seed)
    texts = [write(rng) for write, count in kinds for _ in range(count)]
    rng.shuffle(texts)
    return texts
