"""Sessions that survive their connection. A client that asks for it (`?resume=on`) is told a token;
if its connection drops, the session is kept for `limits.resume_s`, and whoever comes with the token
and the same key goes on with it.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress

from starlette.requests import HTTPConnection
from starlette.websockets import WebSocket

from voicepipe.protocols.openai_realtime.codec import RealtimeCodec
from voicepipe.server import auth
from voicepipe.server.service import Service
from voicepipe.server.shared.directory import token_name

PARAMETER, ON = "resume", "on"
AFTER = "after"
TAKEN = 4001
"""Close code for who was connected when another connection resumed the session."""

POLL_S = 0.25
"""How soon a session that nobody is connected to sees that it is over."""

MAX_OPENINGS = 16
"""Events that connections began with, the newest, that a client may name as its newest."""

_ID = '"event_id":"'


class SentFrames:
    """The newest text frames that went out, up to `max_bytes`: a connection that drops may have
    taken some of them with it."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes, self._bytes = max_bytes, 0
        self._frames: deque[str] = deque()
        self._forgotten = 0  # frames that were sent before those
        self._openings: dict[str, int] = {}  # id of an event -> frames that were sent before it

    def add(self, frames: Iterable[str]) -> None:
        """They are about to be sent."""
        for frame in frames:
            self._frames.append(frame)
            self._bytes += len(frame)
        while self._bytes > self._max_bytes and self._frames:
            self._bytes -= len(self._frames.popleft())
            self._forgotten += 1

    def open(self, opening: Iterable[str], after: str) -> None:
        """A connection is sent this first, which is not kept, and then what followed the event
        `after`; "" = nothing that was sent before."""
        known = self._sent_until(after) if after else None
        sent = self._forgotten + len(self._frames) if known is None else known
        self._openings |= {event_id_of(frame): sent for frame in opening}
        while len(self._openings) > MAX_OPENINGS:
            del self._openings[next(iter(self._openings))]

    def after(self, event_id: str) -> list[str] | None:
        """What followed that event; None: nobody knows any more."""
        sent = self._sent_until(event_id)
        return None if sent is None else list(self._frames)[sent - self._forgotten :]

    def _sent_until(self, event_id: str) -> int | None:
        """How many frames, with that event."""
        for sent, frame in enumerate(self._frames, self._forgotten + 1):
            if event_id_of(frame) == event_id:
                return sent
        sent = self._openings.get(event_id, -1)
        return sent if sent >= self._forgotten else None


def event_id_of(frame: str) -> str:
    """Of a server event as text; "" where it has none. An error names its client's event too, and
    before its own."""
    at = frame.rfind(_ID)
    return "" if at < 0 else frame[at + len(_ID) :].partition('"')[0]


class Visitor:
    """Somebody who has come back, until the session is done with them."""

    def __init__(self, websocket: WebSocket, after: str) -> None:
        """`after`: the newest event that they have; "" = all that were sent."""
        self.websocket, self.after = websocket, after
        self._gone = asyncio.Event()
        self.taken = False  # another came after them

    def dismiss(self, *, taken: bool = False) -> None:
        """The session is done with them."""
        self.taken = taken
        self._gone.set()

    async def until_dismissed(self) -> None:
        await self._gone.wait()  # owner: the session's; it ends by `limits.max_session_s`


class Line:
    """One session's way to its client, whichever connection that is."""

    def __init__(self, digest: bytes, max_bytes: int, seconds: float) -> None:
        self.token = secrets.token_urlsafe(24)
        self.sent = SentFrames(max_bytes)
        self.arrived = asyncio.Event()
        self.call_id = ""
        self._digest, self._seconds = digest, seconds
        self._next: Visitor | None = None

    def opening(self, codec: RealtimeCodec, after: str | None = None) -> list[str]:
        """What a connection is sent first. `after`: it resumes, and this is the newest event that
        its client has ("" = all that was sent); what came behind it follows."""
        told = {"token": self.token, "seconds": self._seconds, "resumed": after is not None}
        missed = self.sent.after(after) if after else []
        if after is not None:
            told["complete"] = missed is not None
        opening = codec.opening(told)
        self.sent.open(opening, after or "")
        return [*opening, *(missed or [])]

    def opened_with(self, key: str | None) -> bool:
        """Takes the same time whatever the key."""
        return hmac.compare_digest(self._digest, _digest(key))

    def visit(self, visitor: Visitor) -> None:
        """The newest wins; who waits or is connected is told."""
        if self._next is not None:
            self._next.dismiss(taken=True)
        self._next = visitor
        self.arrived.set()

    async def next(self, over: Callable[[], bool]) -> Visitor | None:
        """Who comes back in time; None: nobody does, or the session is `over` without them."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._seconds
        while not self.arrived.is_set():
            left_s = until - loop.time()
            if left_s <= 0 or over():
                return None
            with suppress(TimeoutError):
                async with asyncio.timeout(min(left_s, POLL_S)):
                    await self.arrived.wait()
        visitor, self._next = self._next, None
        self.arrived.clear()
        return visitor

    def close(self) -> None:
        """The session has ended."""
        if self._next is not None:
            self._next.dismiss()


class Lines:
    """All of one process that may be resumed, by token; the directory lets other gateways find
    them."""

    def __init__(self, service: Service) -> None:
        self._limits, self._directory = service.settings.limits, service.directory
        self._lines: dict[str, Line] = {}

    def __len__(self) -> int:
        return len(self._lines)

    def open(self, connection: HTTPConnection, call_id: str = "") -> Line | None:
        """A line for a client that asks for one. `call_id`: of a WebRTC call, which goes on by a
        new offer."""
        wanted = connection.query_params.get(PARAMETER) == ON
        if not wanted or not self._limits.resume_s:
            return None
        digest = _digest(auth.offered_key(connection))
        line = Line(digest, self._limits.max_resume_bytes, self._limits.resume_s)
        line.call_id = call_id
        self._lines[line.token] = line
        self._directory.enter([token_name(line.token)])
        return line

    def find(self, connection: HTTPConnection) -> Line | None:
        """The one whose token and key this connection brings, if it is of its kind."""
        line = self._lines.get(connection.query_params.get(PARAMETER, ""))
        if line is None or not line.opened_with(auth.offered_key(connection)):
            return None
        by_socket = connection.scope["type"] == "websocket"
        return line if by_socket == (not line.call_id) else None

    def close(self, line: Line | None) -> None:
        """Its session has ended."""
        if line is not None:
            self._lines.pop(line.token, None)
            self._directory.strike([token_name(line.token)])
            line.close()


NOT_KEPT = "No session is kept for this token and key; it has ended, or was not kept long enough."


def resuming(connection: HTTPConnection) -> bool:
    """Whether somebody wants to come back."""
    return connection.query_params.get(PARAMETER, ON) != ON


def _digest(key: str | None) -> bytes:
    return hashlib.sha256((key or "").encode("utf-8", "replace")).digest()
