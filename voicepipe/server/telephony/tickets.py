"""One-time tickets: a webhook that was signed by the carrier gets one, and the stream that it asked
for must bring it. They make the signature of a stream's address good for one call only, and let
the stream know what the webhook said of the caller.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from voicepipe.runtime.clock import Clock
from voicepipe.server.decision import Decision
from voicepipe.server.live_calls import LiveCall

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


@dataclass(slots=True)
class _Ticket:
    request: str
    text: str
    carrier: str
    caller_id: CallerId
    issued_at: float
    used: bool = False
    valid_s: float = 0.0


class Tickets:
    """Of one process. `spend` is told each request whose ticket is redeemed."""

    def __init__(
        self, clock: Clock, valid_s: float, spend: Callable[[str], None] = lambda request: None
    ) -> None:
        self._clock, self._valid_s, self._spend = clock, valid_s, spend
        self._by_request: OrderedDict[str, _Ticket] = OrderedDict()  # oldest first
        self._by_text: dict[str, _Ticket] = {}

    def issue(
        self, carrier: str, request: str, caller_id: CallerId, valid_s: float | None = None
    ) -> str | None:
        """A ticket for `request`, which identifies a webhook's request (its signature): carriers
        send it again where they heard no answer, and then get the same ticket. None: a replay, its
        ticket is spent.
        """
        self._forget_old()
        known = self._by_request.get(request)
        if known is not None:
            return None if known.used else known.text
        ticket = _Ticket(request, secrets.token_urlsafe(24), carrier, caller_id, self._clock.now())
        ticket.valid_s = self._valid_s if valid_s is None else valid_s
        self._by_request[request] = self._by_text[ticket.text] = ticket
        return ticket.text

    def redeem(self, carrier: str, text: str) -> CallerId | None:
        """What is known of the call; None: this carrier has no such ticket, it is too old, or it
        was redeemed before."""
        self._forget_old()
        ticket = self._by_text.get(text)
        if ticket is None or ticket.carrier != carrier or ticket.used:
            return None
        if self._clock.now() - ticket.issued_at > ticket.valid_s:
            return None
        ticket.used = True
        self._spend(ticket.request)
        caller_id, ticket.caller_id = ticket.caller_id, CallerId()  # a call is not kept by it
        return caller_id

    def _forget_old(self) -> None:
        limit = self._clock.now() - max(REMEMBER_S, self._valid_s)
        while self._by_request:
            request, oldest = next(iter(self._by_request.items()))
            if oldest.issued_at >= limit and len(self._by_request) <= MAX_TICKETS:
                return
            del self._by_request[request], self._by_text[oldest.text]
