"""Short-lived keys for browsers: minted for somebody who holds the server's own key, good for any
number of connections until they expire. Kept as digests, in memory or where all gateways find them:
a restart ends them all.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from typing import Any

from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import LimitExceeded
from voicepipe.server.shared.state import SharedState

PREFIX = "ek_"
"""Stock browser clients refuse keys that begin otherwise."""

MAX_SECRETS = 10_000
"""Alive at a time; more are refused until some have expired."""

MAX_BYTES = 64 * 1024 * 1024
"""Of their session objects, as JSON; the same then."""


class ClientSecrets:
    """All secrets of one server. `clock`: the same for all its gateways."""

    def __init__(
        self,
        clock: Clock,
        max_secrets: int = MAX_SECRETS,
        max_bytes: int = MAX_BYTES,
        state: SharedState | None = None,
    ) -> None:
        self._clock, self._max, self._max_bytes = clock, max_secrets, max_bytes
        self._state = state or SharedState()

    def mint(self, session: Mapping[str, Any], ttl_s: float) -> str:
        """A new secret; `session` applies to all connections made with it. Raises LimitExceeded."""
        kept = json.dumps(session)
        if self._full(len(kept)):
            self._forget_expired()
        if self._full(len(kept)):
            limits = f"{self._max} client secrets or {self._max_bytes} bytes of their sessions"
            raise LimitExceeded(f"{limits} are the limit; try again when some have expired")
        value = PREFIX + secrets.token_hex(16)
        self._state.run(
            "INSERT INTO secrets VALUES (?, ?, ?, ?)",
            (_digest(value), self._clock.now() + ttl_s, len(kept), kept),
        )
        return value

    def session_of(self, value: str) -> Mapping[str, Any] | None:
        """The session object that a secret was minted with; None: unknown or expired. Raises
        StateUnavailable."""
        if not value.startswith(PREFIX):
            return None
        found = self._state.rows(
            "SELECT session FROM secrets WHERE digest = ? AND expires_at > ?",
            (_digest(value), self._clock.now()),
        )
        return None if not found else json.loads(found[0][0])

    def _full(self, size: int) -> bool:
        question = "SELECT count(*), coalesce(sum(size), 0) FROM secrets"
        (count, taken), *_ = self._state.rows(question)
        return bool(count >= self._max or taken + size > self._max_bytes)

    def _forget_expired(self) -> None:
        self._state.run("DELETE FROM secrets WHERE expires_at <= ?", (self._clock.now(),))


def _digest(value: str) -> bytes:
    return hashlib.sha256(value.encode("utf-8", "replace")).digest()
