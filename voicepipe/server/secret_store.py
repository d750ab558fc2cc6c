"""Short-lived keys for browsers: minted for somebody who holds the server's own key, good for any
number of connections until they expire. Kept in memory, as digests: a restart ends them all.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from voicepipe.clock import Clock
from voicepipe.errors import LimitExceeded

PREFIX = "ek_"
"""Stock browser clients refuse keys that begin otherwise."""

MAX_SECRETS = 10_000
"""Alive at a time; more are refused until some have expired."""


@dataclass(frozen=True, slots=True)
class _Kept:
    expires_at: float  # by the clock
    session: Mapping[str, Any]


class ClientSecrets:
    """All secrets of one process."""

    def __init__(self, clock: Clock, max_secrets: int = MAX_SECRETS) -> None:
        self._clock, self._max = clock, max_secrets
        self._kept: dict[bytes, _Kept] = {}

    def mint(self, session: Mapping[str, Any], ttl_s: float) -> str:
        """A new secret; `session` applies to all connections made with it. Raises LimitExceeded."""
        if len(self._kept) >= self._max:
            self._forget_expired()
        if len(self._kept) >= self._max:
            raise LimitExceeded(
                f"{self._max} client secrets are alive, the limit; try again when some have expired"
            )
        value = PREFIX + secrets.token_hex(16)
        self._kept[_digest(value)] = _Kept(self._clock.now() + ttl_s, session)
        return value

    def session_of(self, value: str) -> Mapping[str, Any] | None:
        """The session object that a secret was minted with; None: unknown or expired."""
        kept = self._kept.get(_digest(value))
        if kept is None:
            return None
        if self._clock.now() >= kept.expires_at:
            del self._kept[_digest(value)]
            return None
        return kept.session

    def _forget_expired(self) -> None:
        now = self._clock.now()
        self._kept = {key: kept for key, kept in self._kept.items() if now < kept.expires_at}


def _digest(value: str) -> bytes:
    return hashlib.sha256(value.encode("utf-8", "replace")).digest()
