"""Texts as vectors whose products say how alike their meanings are."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any, Protocol

import httpx
import numpy as np
import numpy.typing as npt

from voicepipe.config.llm import EmbedderSettings
from voicepipe.resilience.breaker import Breaker, BreakerOptions
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import EngineUnavailable
from voicepipe.runtime.http_service import HttpService, kind, reading

log = logging.getLogger(__name__)

Vector = npt.NDArray[np.float32]
"""float32 [dimensions], of length 1."""

MAX_CONNECTIONS = 16
MAX_REPLY_BYTES = 1 << 20
"""4,096 dimensions, written out, are less than a tenth of it."""


class Embedder(Protocol):
    """Asked on the turn's path."""

    async def embed(self, text: str) -> Vector | None:
        """None where it fails or takes too long. `text` is as `what_is_said` has it."""
        ...

    async def aclose(self) -> None:
        """Idempotent."""
        ...


class ServerEmbedder:
    """Any server with OpenAI's `POST {base_url}/embeddings`: vLLM, llama.cpp, Ollama, TEI.

    One that fails or is late is left alone by a breaker, and answers are generated meanwhile."""

    def __init__(self, settings: EmbedderSettings, clock: Clock) -> None:
        """Raises EngineUnavailable where no server is named."""
        if not settings.base_url:
            raise EngineUnavailable(
                "llm.cache.semantic compares meanings and needs a server that has /embeddings: "
                "set llm.cache.embedder.base_url, e.g. http://127.0.0.1:8000/v1.",
                stage="llm",
            )
        self._server = HttpService(
            settings.base_url, settings.api_key, max_connections=MAX_CONNECTIONS
        )
        self._server.open()
        self._model = settings.model
        self._timeout_s = settings.timeout_ms / 1000
        self._clock = clock
        self.breaker = Breaker(BreakerOptions(error_rate=0.5, calls=6, min_calls=3), clock)

    async def embed(self, text: str) -> Vector | None:
        """See `Embedder`."""
        permit = self.breaker.enter()
        if permit is None:
            return None
        began = self._clock.now()
        try:
            async with asyncio.timeout(self._timeout_s):
                vector = await self._ask(text)
            permit.succeeded((self._clock.now() - began) * 1000)
            return vector
        except Exception as error:  # a server in trouble, or what its odd reply does to a parser
            permit.failed()
            log.warning("no embedding from %s (%s)", self._server.host, kind(error))
            return None
        finally:
            permit.done((self._clock.now() - began) * 1000)

    async def aclose(self) -> None:
        """See `Embedder`."""
        await self._server.aclose()

    async def _ask(self, text: str) -> Vector:
        reply = await self._server.post("embeddings", {"model": self._model, "input": text})
        body = b""
        async with reading(reply) as pieces:
            async for piece in pieces:
                body += piece
                if len(body) > MAX_REPLY_BYTES:
                    raise ValueError("the reply is too long")
        if reply.status_code != httpx.codes.OK:
            raise ValueError(f"status {reply.status_code}")
        return _unit_vector(json.loads(body))


def _unit_vector(reply: Any) -> Vector:
    """Raises ValueError for anything but one vector of finite numbers, not all zero."""
    try:
        vector = np.array(reply["data"][0]["embedding"], dtype=np.float32)
    except (LookupError, TypeError) as error:
        raise ValueError("no embedding in the reply") from error
    length = float(np.linalg.norm(vector))
    if vector.ndim != 1 or not 0 < length < np.inf:
        raise ValueError("the embedding is no vector")
    return vector / np.float32(length)
