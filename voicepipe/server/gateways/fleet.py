"""The gateways as their parent sees them: how many connections each has, and who gets the next."""

from __future__ import annotations

import logging
import socket
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from voicepipe.server.gateways.channel import Channel
from voicepipe.server.gateways.place import Port, Stage

log = logging.getLogger(__name__)

SILENT_S = 5.0
"""A gateway that has said nothing for so long gets no connections until it says something; it
speaks every second."""


HUNG_S = 30.0
"""A gateway that took calls and has said nothing for so long is taken for hung."""

RESTS_S = 1.0
"""A gateway that could not receive a connection gets none for so long."""

PREFERRED = (Stage.READY, Stage.SERVING, Stage.LEAVING, Stage.ENDING)
"""Who gets a connection: one of a later stage only where there is none of an earlier; it can say
"wait", or "the server is stopping"."""

Handed = tuple[Port, socket.socket]


@dataclass(slots=True)
class Gateway:
    """One process. Its own counts come with each report; what was handed over since then, the
    parent knows by itself: a burst of connections is spread before the first report is back."""

    number: int
    id: str
    pid: int
    channel: Channel
    born_s: float
    heard_s: float
    stage: Stage = Stage.STARTING
    ready_s: float | None = None
    connections: int = 0  # open in it when it reported last, calls by UDP counted too
    calls: int = 0
    received: int = 0
    handed: deque[Handed] = field(default_factory=deque)  # not yet received
    rests_until_s: float = 0.0
    reload_due: bool = False  # it was told to while it could not hear it yet

    @property
    def load(self) -> int:
        return self.connections + len(self.handed)

    def takes(self, now_s: float) -> bool:
        """Whether it may be handed connections."""
        heard = now_s - self.heard_s < SILENT_S
        return self.stage is not Stage.STARTING and heard and now_s >= self.rests_until_s

    def hung(self, now_s: float) -> bool:
        """Whether another should take its place. While it starts it may be silent."""
        return self.ready_s is not None and now_s - self.heard_s > HUNG_S

    def hand(self, port: Port, connection: socket.socket) -> bool:
        """False: it takes nothing just now. The parent keeps the socket until the gateway says
        that it has it: until then it has read nothing of it, and another can have it instead. The
        gateway is told what it is taken for: if it has gone on since then, another should have
        it."""
        if not self.channel.send({"take": port, "stage": self.stage}, connection):
            return False
        self.handed.append((port, connection))
        return True

    def reported(self, body: dict[str, Any], now_s: float) -> list[Handed]:
        """It has said how it is. What it could not receive, or declined, is returned, for
        another."""
        self.heard_s = now_s
        self.connections, self.calls = body["connections"], body["calls"]
        lost: list[Handed] = []
        declined: list[Handed] = []
        while self.received < body["received"] and self.handed:
            self.received += 1
            one = self.handed.popleft()
            if self.received in body["lost"]:
                lost.append(one)
            elif self.received in body["declined"]:
                declined.append(one)
            else:
                one[1].close()
        if lost:
            self._rest(len(lost), now_s)
        return lost + declined

    def _rest(self, lost: int, now_s: float) -> None:
        if now_s >= self.rests_until_s:
            text = "gateway %d has no room for connections (%d): others get them (see ulimit -n)"
            log.error(text, self.number, lost)
        self.rests_until_s = now_s + RESTS_S


def choose(gateways: Iterable[Gateway], now_s: float) -> list[Gateway]:
    """Who may take a connection, the one with the fewest first; of equals, the one that has been
    heard least recently, so that they take turns."""
    able = [one for one in gateways if one.takes(now_s)]
    stages = {one.stage for one in able}
    best = next((stage for stage in PREFERRED if stage in stages), None)
    able = [one for one in able if one.stage is best]
    return sorted(able, key=lambda one: (one.load, one.received + len(one.handed)))
