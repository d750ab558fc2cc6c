"""A server of embeddings, whose model sees spelling only."""

from __future__ import annotations

import json
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.scripted_server import ModelServer, Reply, listening
from voicepipe.llm.cache.embedding import Vector

_FORM = frozenset("the of to do i you me my please tell what s how can which are is".split())


def spelled(text: str) -> Vector:
    """Hashed counts of the words that say something, and of their groups of three letters."""
    vector = np.zeros(512, dtype=np.float32)
    for word in set(text.replace("'", " ").split()) - _FORM:
        padded = f" {word} "
        for feature in (f"={word}", *(padded[i : i + 3] for i in range(len(padded) - 2))):
            vector[zlib.crc32(feature.encode()) % 512] += 1
    return vector / np.float32(np.linalg.norm(vector) or 1)


@dataclass
class EmbeddingsServer(ModelServer):
    """`replies` in order, then the vectors of what is asked, five times as long as they should be:
    not every server normalizes them."""

    def got(self, path: str) -> tuple[int, object]:
        raise AssertionError(f"nobody asks for {path}")

    async def posted(self, path: str, body: dict[str, Any]) -> Reply:
        assert path == "/v1/embeddings"
        return self.replies.pop(0) if self.replies else embedded(5 * spelled(body["input"]))


def embedded(vector: Vector) -> Reply:
    body = {"data": [{"index": 0, "embedding": vector.tolist()}], "model": "letters"}
    return Reply((json.dumps(body).encode(),))


@asynccontextmanager
async def embeddings_server(*replies: Reply) -> AsyncIterator[EmbeddingsServer]:
    """A running one."""
    async with listening(EmbeddingsServer(replies=list(replies))) as server:
        yield server
