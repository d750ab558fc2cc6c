"""Frames on their way to a carrier: in order, bounded, and recallable as long as they wait here."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from voicepipe.protocols.telephony.contract import Frame
from voicepipe.server.telephony.line import Line

MAX_FRAMES = 500
"""Waiting frames; a call is given its audio 200 ms ahead, so more means that nobody reads."""


@dataclass(frozen=True, slots=True)
class _Entry:
    frame: Frame
    sound: bool
    urgent: bool
    left: Callable[[], None] | None


class Sender:
    """One writer task (`run`), any number of callers on the loop. A carrier that does not read is
    not waited for: `overflow` says so, `wait_overflow` returns, and the call ends."""

    def __init__(self, line: Line, max_frames: int = MAX_FRAMES) -> None:
        self._line = line
        self._max_frames = max_frames
        self._entries: deque[_Entry] = deque()
        self._ready = asyncio.Event()
        self._overflowed = asyncio.Event()
        self._held = False
        self.overflow: str | None = None

    def put(
        self,
        frames: Sequence[Frame],
        *,
        sound: bool = False,
        urgent: bool = False,
        left: Callable[[], None] | None = None,
    ) -> None:
        """Queue frames. `sound`: audio and its marks, which `drop_sound` recalls and `hold` keeps
        back; `urgent`: before all that waits; `left`: called when the first of them is sent."""
        entries = [_Entry(f, sound, urgent, left if n == 0 else None) for n, f in enumerate(frames)]
        if urgent:
            self._entries.extendleft(reversed(entries))
        else:
            self._entries.extend(entries)
        if len(self._entries) > self._max_frames:
            self._entries.clear()
            self.overflow = f"the carrier reads too slowly: over {self._max_frames} frames wait"
            self._overflowed.set()
        self._ready.set()

    def drop_sound(self) -> None:
        """Forget audio and marks that have not been sent."""
        self._entries = deque(entry for entry in self._entries if not entry.sound)
        self._ready.set()

    def hold(self) -> None:
        """The carrier's queue is full: audio waits here until `release`."""
        self._held = True

    def release(self) -> None:
        """The carrier takes audio again."""
        self._held = False
        self._ready.set()

    async def run(self) -> None:
        """Send until cancelled. Raises LineLost."""
        while True:
            entry = self._next()
            if entry is None:
                self._ready.clear()
                await self._ready.wait()  # owner: the call, which cancels this task
                continue
            if entry.left is not None:
                entry.left()
            await self._line.send(entry.frame)

    async def wait_overflow(self) -> None:
        """Until the carrier has fallen too far behind."""
        await self._overflowed.wait()  # owner: the call, which cancels this

    def rest(self) -> list[Frame]:
        """What has not been sent, sound left out, where `run` has ended."""
        return [entry.frame for entry in self._entries if not entry.sound]

    def _next(self) -> _Entry | None:
        if not self._entries or (self._held and self._entries[0].sound):
            return None
        return self._entries.popleft()
