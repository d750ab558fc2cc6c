"""Short-lived keys for browsers: minted for somebody who holds the server's own key, good for any
number of connections until they expire. Kept in memory, as digests: a restart ends them all.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import LimitExceeded

PREFIX = "ek_"
"""Stock browser clients refuse keys that begin otherwise."""

MAX_SECRETS = 10_000
"""Alive at a time; more are refused until some have expired."""

MAX_BYTES = 64 * 1024 * 1024
"""Of their session objects, as JSON; the same then."""


@dataclass(frozen=True, slots=True)
class _Kept:
    expires_at: float  # by the clock
    session: Mapping[str, Any]
    size: int  # bytes, as JSON


class ClientSecrets:
    """All secrets of one process."""

    def __init__(
        self, clock: Clock, max_secrets: int = MAX_SECRETS, max_bytes: int = MAX_BYTES
    ) -> None:
        self._clock, self._max, self._max_bytes = clock, max_secrets, max_bytes
        self._kept: dict[bytes, _Kept] = {}
        self._bytes = 0

    def mint(self, session: Mapping[str, Any], ttl_s: float) -> str:
        """A new secret; `session` applies to all connections made with it. Raises LimitExceeded."""
        size = len(json.dumps(session))
        if self._full(size):
            self._forget_expired()
        if self._full(size):
            limits = f"{self._max} client secrets or {self._max_bytes} bytes of their sessions"
            raise LimitExceeded(f"{limits} are the limit; try again when some have expired")
        value = PREFIX + secrets.token_hex(16)
        self._kept[_digest(value)] = _Kept(self._clock.now() + ttl_s, session, size)
        self._bytes += size
        return value

    def session_of(self, value: str) -> Mapping[str, Any] | None:
        """The session object that a secret was minted with; None: unknown or expired."""
        kept = self._kept.get(_digest(value))
        if kept is None:
            return None
        if self._clock.now() >= kept.expires_at:
            self._forget_expired()
            return None
        return kept.session

    def _full(self, size: int) -> bool:
        return len(self._kept) >= self._max or self._bytes + size > self._max_bytes

    def _forget_expired(self) -> None:
        now = self._clock.now()
        self._kept = {key: kept for key, kept in self._kept.items() if now < kept.expires_at}
        self._bytes = sum(kept.size for kept in self._kept.values())


def _digest(value: str) -> bytes:
    return hashlib.sha256(value.encode("utf-8", "replace")).digest()
