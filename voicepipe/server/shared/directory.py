"""Which gateway holds what: calls by all their names, sessions that may be resumed, tickets of
calls that ring."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from voicepipe.server.shared.state import SharedState


class Directory:
    """Of one gateway; what it enters, all find. A gateway that is alone enters nothing."""

    def __init__(self, state: SharedState) -> None:
        self._state = state

    def enter(self, names: Iterable[str]) -> None:
        """They are held here."""
        if not self._state.alone:
            for name in names:
                row = (name, self._state.gateway)
                self._state.let_go("INSERT OR REPLACE INTO held VALUES (?, ?)", row)

    def strike(self, names: Iterable[str]) -> None:
        """No more."""
        if not self._state.alone:
            for name in names:
                row = (name, self._state.gateway)
                self._state.let_go("DELETE FROM held WHERE name = ? AND gateway = ?", row)

    def elsewhere(self, name: str) -> str | None:
        """The other gateway that holds it; None: nobody does, or this one. Raises
        StateUnavailable."""
        found = self._state.rows("SELECT gateway FROM held WHERE name = ?", (name,))
        return found[0][0] if found and found[0][0] != self._state.gateway else None

    def dial(self, call_id: str, limit: int) -> bool:
        """Enter a call that the server makes, unless sessions and calls that ring have reached
        `limit` by now: in one statement, so that two gateways cannot both take the last room. The
        caller counts the calls of a gateway that is alone. Raises StateUnavailable."""
        if self._state.alone:
            return True
        entered = self._state.run(
            "INSERT INTO held SELECT ?1, ?2 WHERE (SELECT count(*) FROM seats) "
            "+ (SELECT count(*) FROM held WHERE name GLOB ?3) < ?4",
            (dialing_name(call_id), self._state.gateway, f"{_DIALING}*", limit),
        )
        return bool(entered)

    def dialing_elsewhere(self) -> int:
        """How many people the other gateways are calling. Raises StateUnavailable."""
        return self._state.number(
            "SELECT count(*) FROM held WHERE name GLOB ? AND gateway != ?",
            (f"{_DIALING}*", self._state.gateway),
        )


_DIALING = "dialing:"


def dialing_name(call_id: str) -> str:
    """Of a call that the server makes, while it rings."""
    return f"{_DIALING}{call_id}"


def request_name(request: str) -> str:
    """Of a carrier's request whose call rings."""
    return f"request:{_digest(request)}"


def token_name(token: str) -> str:
    """Of a session that may be resumed: who reads the directory cannot resume it."""
    return f"resume:{_digest(token)}"


def ticket_name(ticket: str) -> str:
    """Of a ticket, likewise."""
    return f"ticket:{_digest(ticket)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
