"""One-time tickets: a webhook that was signed by the carrier gets one, and the stream that it asked
for must bring it. They make the signature of a stream's address good for one call only, and let
the stream know what the webhook said of the caller.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from voicepipe.runtime.clock import Clock
from voicepipe.server.decision import Decision
from voicepipe.server.live_calls import LiveCall
from voicepipe.server.shared.directory import Directory, ticket_name
from voicepipe.server.shared.state import SharedState

MAX_TICKETS = 10_000
"""Unused and used ones that are remembered; the oldest goes first."""

REMEMBER_S = 86_400.0
"""A webhook that comes again within this time, after its ticket was used, is a replay."""


@dataclass(frozen=True, slots=True)
class CallerId:
    """What the signed webhook said of a call; the stream itself is not believed."""

    caller: str = ""
    called: str = ""
    agent: str = ""  # that the webhook's path names
    live: LiveCall | None = None  # where a program was asked, or has the number called
    decision: Decision | None = None  # what it said


class Tickets:
    """Of one server: what one gateway has issued, another redeems. Only a ticket of a call that
    rings stays where the call is; the directory knows where. `spend` is told each request whose
    ticket is redeemed. All methods raise StateUnavailable."""

    def __init__(
        self,
        clock: Clock,
        valid_s: float,
        spend: Callable[[str], None] = lambda request: None,
        state: SharedState | None = None,
    ) -> None:
        self._clock, self._valid_s, self._spend = clock, valid_s, spend
        self._state = state or SharedState()
        self._directory = Directory(self._state)
        self._ringing: dict[str, tuple[float, CallerId]] = {}  # by ticket; the time is its end

    def issue(
        self, carrier: str, request: str, caller_id: CallerId, valid_s: float | None = None
    ) -> str | None:
        """A ticket for `request`, which identifies a webhook's request (its signature): carriers
        send it again where they heard no answer, and then get the same ticket. None: a replay, its
        ticket is spent.
        """
        self._forget_old()
        now, valid_s = self._clock.now(), self._valid_s if valid_s is None else valid_s
        ticket, rings = secrets.token_urlsafe(24), caller_id.live is not None
        new = self._state.run(
            "INSERT OR IGNORE INTO tickets VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
            (
                *(ticket, request, carrier, caller_id.caller, caller_id.called, caller_id.agent),
                *(rings, now, valid_s),
            ),
        )
        if new and rings:
            self._ringing[ticket] = (now + valid_s, caller_id)
            self._directory.enter([ticket_name(ticket)])
        return ticket if new else self._known(request)

    def redeem(self, carrier: str, text: str) -> CallerId | None:
        """What is known of the call; None: this carrier has no such ticket, it is too old, or it
        was redeemed before."""
        self._forget_old()
        redeemed = self._state.run(
            "UPDATE tickets SET used = 1 "
            "WHERE text = ? AND carrier = ? AND NOT used AND ? - issued_at <= valid_s",
            (text, carrier, self._clock.now()),
        )
        if not redeemed:
            return None
        question = "SELECT request, rings, caller, called, agent FROM tickets WHERE text = ?"
        ((request, rings, *said),) = self._state.rows(question, (text,))
        self._spend(request)
        return self._let_go(text) if rings else CallerId(*said)

    def _known(self, request: str) -> str | None:
        question = "SELECT text FROM tickets WHERE request = ? AND NOT used"
        found = self._state.rows(question, (request,))
        return found[0][0] if found else None

    def _let_go(self, ticket: str) -> CallerId | None:
        """Of a call that rings here: its ticket does not keep it. None: its gateway has died."""
        if ticket not in self._ringing:
            return None
        self._directory.strike([ticket_name(ticket)])
        return self._ringing.pop(ticket)[1]

    def _forget_old(self) -> None:
        now = self._clock.now()
        for ticket in [one for one, (until, _) in self._ringing.items() if until < now]:
            self._let_go(ticket)
        newest = self._state.number("SELECT max(number) FROM tickets")
        limits = (now - max(REMEMBER_S, self._valid_s), newest - MAX_TICKETS)
        self._state.run("DELETE FROM tickets WHERE issued_at < ? OR number <= ?", limits)
