"""Answers in Redis, shared by all processes of a fleet. Needs the extra `redis`."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

from voicepipe.llm.cache.store import Answer
from voicepipe.resilience.breaker import Breaker, BreakerOptions
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import EngineUnavailable

log = logging.getLogger(__name__)

KEY_PREFIX = "voicepipe:answer:"
MAX_CONNECTIONS = 16


class RedisStore:
    """Implements `AnswerStore`. Redis itself bounds the memory (`maxmemory`, an LRU policy); the
    entries carry their time to live.

    A lookup lies on the turn's path, so it gets `timeout_ms`; a Redis that fails or is late is left
    alone by a breaker, and the answers are generated meanwhile.
    """

    def __init__(self, url: str, clock: Clock, *, ttl_s: float, timeout_ms: float) -> None:
        """Raises EngineUnavailable without the package or for a URL that is none."""
        try:
            from redis import asyncio as redis
        except ImportError:
            raise EngineUnavailable(
                "llm.cache.redis_url needs the package 'redis', which is not installed: "
                "pip install redis",
                stage="llm",
            ) from None
        try:
            self._redis: Any = redis.Redis.from_url(url, max_connections=MAX_CONNECTIONS)
        except ValueError:  # whose words may hold the URL's password
            raise EngineUnavailable(
                "llm.cache.redis_url is not a Redis URL; write it as redis://HOST:PORT/0 or "
                "rediss://USER:PASSWORD@HOST:PORT/0",
                stage="llm",
            ) from None
        self._ttl_ms = round(ttl_s * 1000)
        self._timeout_s = timeout_ms / 1000
        self._clock = clock
        self.breaker = Breaker(BreakerOptions(error_rate=0.5, calls=6, min_calls=3), clock)

    async def get(self, key: str) -> Answer | None:
        """See `AnswerStore`."""
        raw = await self._ask("GET", KEY_PREFIX + key)
        return None if raw is None else _decoded(raw)

    async def put(self, key: str, answer: Answer) -> None:
        """See `AnswerStore`."""
        value = json.dumps([answer.text, answer.prompt_tokens, answer.completion_tokens])
        await self._ask("SET", KEY_PREFIX + key, value, "PX", str(self._ttl_ms))

    async def aclose(self) -> None:
        await self._redis.aclose()

    async def _ask(self, *command: str) -> bytes | None:
        from redis.exceptions import RedisError

        permit = self.breaker.enter()
        if permit is None:
            return None
        began = self._clock.now()
        try:
            async with asyncio.timeout(self._timeout_s):
                reply = await self._redis.execute_command(*command)
            permit.succeeded((self._clock.now() - began) * 1000)
        except (RedisError, OSError, TimeoutError) as error:
            permit.failed()
            log.warning("Redis did not answer (%s); answers are generated", type(error).__name__)
            return None
        finally:
            permit.done((self._clock.now() - began) * 1000)
        return reply if isinstance(reply, bytes) else None


def _decoded(raw: bytes) -> Answer | None:
    """None for what somebody else wrote there."""
    try:
        text, prompt_tokens, completion_tokens = json.loads(raw)
        return Answer(str(text), int(prompt_tokens), int(completion_tokens))
    except (ValueError, TypeError, OverflowError, RecursionError):
        return None
