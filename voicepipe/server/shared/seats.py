"""Who has a session, in all gateways: what `limits.max_sessions` and keys' own limits count."""

from __future__ import annotations

import time
from collections.abc import Callable

from voicepipe.runtime.errors import LimitExceeded
from voicepipe.server.shared.state import SharedState

RATE_S = 60.0
"""What `keys.NAME.sessions_a_minute` counts in, at any moment the last so many seconds."""


class Seats:
    """Of one gateway; they are counted together. Asking and taking raise StateUnavailable."""

    def __init__(
        self, state: SharedState, limit: int, now: Callable[[], float] = time.time
    ) -> None:
        """`now`: a clock that all gateways share, in seconds."""
        self._state, self._limit, self._now = state, limit, now

    def __len__(self) -> int:
        """Taken, in all gateways."""
        return self._state.number("SELECT count(*) FROM seats")

    @property
    def problem(self) -> str | None:
        """Why no session can be opened now; None: there is room."""
        if len(self) < self._limit:
            return None
        self._state.settle()  # a seat that could not be freed counts until then
        if len(self) < self._limit:
            return None
        return f"the server holds {self._limit} sessions, its limit (limits.max_sessions)"

    def take(self, session: str, key: str = "", key_limit: int | None = None) -> None:
        """In one statement, so that two gateways cannot both take the last one. Raises
        LimitExceeded that names the limit."""
        taken = self._state.run(
            "INSERT INTO seats SELECT ?1, ?2, ?3 WHERE (SELECT count(*) FROM seats) < ?4 "
            "AND (?5 IS NULL OR (SELECT count(*) FROM seats WHERE key = ?3) < ?5)",
            (session, self._state.gateway, key, self._limit, key_limit),
        )
        if not taken:
            raise LimitExceeded(self.problem or self._key_is_full(key))

    def check_key(self, key: str, key_limit: int | None, ringing: int) -> None:
        """Whether it may have one session more than it has and than wait for one. Raises
        LimitExceeded that names the limit."""
        if key_limit is None or self._of_key(key) + ringing < key_limit:
            return
        self._state.settle()
        if self._of_key(key) + ringing >= key_limit:
            raise LimitExceeded(self._key_is_full(key, ringing))

    def begin(self, key: str, a_minute: int) -> None:
        """A session of a key that may open so many a minute is to begin. Raises LimitExceeded."""
        now = self._now()
        # from the future: the clock was set back since
        self._state.run("DELETE FROM begun WHERE at <= ? OR at > ?", (now - RATE_S, now))
        begun = self._state.run(
            "INSERT INTO begun SELECT ?1, ?2 "
            "WHERE (SELECT count(*) FROM begun WHERE key = ?1) < ?3",
            (key, now, a_minute),
        )
        if not begun:
            raise LimitExceeded(
                f"this key has opened {a_minute} sessions within a minute, its limit "
                f"(keys.{key}.sessions_a_minute)"
            )

    def free(self, session: str) -> None:
        """Its session has ended."""
        self._state.let_go("DELETE FROM seats WHERE session = ?", (session,))

    def _of_key(self, key: str) -> int:
        return self._state.number("SELECT count(*) FROM seats WHERE key = ?", (key,))

    def _key_is_full(self, key: str, ringing: int = 0) -> str:
        taken = self._of_key(key) + ringing
        return f"this key has {taken} sessions, its limit (keys.{key}.max_sessions)"
