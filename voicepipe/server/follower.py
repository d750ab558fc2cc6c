"""One who follows a call: its events, and the sound of both sides for those who listen in."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Literal

from voicepipe.audio import pcm
from voicepipe.audio.codec import Decoder
from voicepipe.audio.formats import AudioFormat
from voicepipe.session.events import SessionEvent

Side = Literal["caller", "agent"]

LISTEN_RATE = 16_000
"""Hz of what listeners are given, whatever the wire has."""

MAX_WAITING = 2000
"""Events and frames that wait for a follower: 20 s of two people. One that is slower is let go."""


@dataclass(frozen=True, slots=True)
class Sound:
    """So much was said on one side: int16 little-endian, mono, at `LISTEN_RATE`. The agent's may
    come faster than it is played."""

    side: Side
    pcm: bytes


@dataclass(frozen=True, slots=True)
class Flushed:
    """What of the agent's sound has not been heard by now will not be."""


Told = SessionEvent | Sound | Flushed


class Follower:
    """`async for` what happens, until the call ends or `close`; or until it is `too_slow`."""

    def __init__(self, gone: Callable[[Follower], None], *, sound: bool = False) -> None:
        """`gone` is told when it has ended."""
        self._gone, self._listens = gone, sound
        self._waiting: deque[Told] = deque()
        self._ready = asyncio.Event()
        self._decoders: dict[Side, Decoder] = {}
        self._closed = False
        self.too_slow = False

    # -- for the call ------------------------------------------------------------------------------

    def told(self, event: SessionEvent) -> None:
        """The session has told its client this."""
        self._put(event)

    def sound(self, side: Side, audio: bytes, wire: AudioFormat) -> None:
        """That was said, in `wire`."""
        if not self._listens or not audio:
            return
        decoder = self._decoders.get(side)
        if decoder is None or decoder.wire != wire:  # a client may change its formats
            decoder = self._decoders[side] = Decoder(wire, LISTEN_RATE)
        self._put(Sound(side, pcm.to_bytes(decoder.decode(audio))))

    def flushed(self) -> None:
        """See `Flushed`."""
        if self._listens:
            self._put(Flushed())

    def end(self) -> None:
        """The call is over; what waits can still be read."""
        self._closed = True
        self._gone(self)
        self._ready.set()

    # -- for its owner -----------------------------------------------------------------------------

    async def get(self) -> Told | None:
        """The next thing; None: the call is over, or it was too slow."""
        while not self._waiting:
            if self._closed:
                return None
            self._ready.clear()
            await self._ready.wait()  # owner: the follower's; ends with the call at the latest
        return self._waiting.popleft()

    async def __aiter__(self) -> AsyncIterator[Told]:
        while (one := await self.get()) is not None:
            yield one

    def close(self) -> None:
        """No more is wanted."""
        self._waiting.clear()
        self.end()

    def __enter__(self) -> Follower:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _put(self, one: Told) -> None:
        if self._closed:
            return
        self._waiting.append(one)
        if len(self._waiting) > MAX_WAITING:
            self.too_slow = True
            self.close()
        self._ready.set()
