"""Events on their way to the protocol: ordered, bounded by count and by bytes."""

from __future__ import annotations

import asyncio
from collections import deque

from voicepipe.session.events import AudioDelta, SessionEvent


class Outbox:
    """One writer (the session), one reader (the transport).

    A reader that falls so far behind that a bound is passed is not waited for: the outbox closes,
    `overflow` says why, and the session ends. Nothing is dropped from the middle.
    """

    def __init__(self, max_events: int, max_bytes: int) -> None:
        self._events: deque[SessionEvent] = deque()
        self._max_events, self._max_bytes = max_events, max_bytes
        self._bytes = 0
        self._ready = asyncio.Event()
        self._ended = asyncio.Event()
        self.closed = False
        self.overflow: str | None = None

    @property
    def waiting_bytes(self) -> int:
        """Audio that the transport has not taken yet."""
        return self._bytes

    def put(self, event: SessionEvent) -> None:
        """Queue an event; ignored once closed."""
        if self.closed:
            return
        if isinstance(event, AudioDelta):
            self._bytes += len(event.audio)
        self._events.append(event)
        if len(self._events) > self._max_events or self._bytes > self._max_bytes:
            self.overflow = (
                f"the client reads too slowly: over {self._max_events} events or "
                f"{self._max_bytes} bytes of audio are waiting for it "
                "(limits.max_events_queued, limits.max_events_bytes)"
            )
            self.close()
        self._ready.set()

    async def get(self) -> SessionEvent | None:
        """The next event; None once the outbox is closed and empty."""
        while not self._events:
            if self.closed:
                return None
            self._ready.clear()
            await self._ready.wait()  # owner: the transport's task; ends at close()
        event = self._events.popleft()
        if isinstance(event, AudioDelta):
            self._bytes -= len(event.audio)
        return event

    async def wait_closed(self) -> None:
        """Until `close`, or until a reader is too slow."""
        await self._ended.wait()  # owner: the transport's task

    def close(self) -> None:
        """No more events come; what is queued can still be read, unless it overflowed."""
        self.closed = True
        if self.overflow:
            self._events.clear()
        self._ended.set()
        self._ready.set()
