"""A carrier's frames as events; frames that nobody understands are skipped, but not for ever."""

from __future__ import annotations

import asyncio
import logging

from voicepipe.protocols.telephony.contract import CallCodec, CallEvent, Frame
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import ProtocolError, VoicepipeError
from voicepipe.server.telephony.line import Line

log = logging.getLogger(__name__)

SILENT_S = 0.2
"""A peer that sends nothing for so long at first may have a caller who says nothing."""

NOTHING_CAME_S = 60.0
"""Carriers send audio all the time, and where it is left out for silence, not for so long: the
line is dead."""

MAX_BAD_FRAMES = 50
"""A peer that sends so many in a row speaks another dialect."""

BAD_FRAMES_LOGGED = 5  # of a call


class WrongDialect(VoicepipeError):
    """The peer speaks something else than this path takes."""


class CallEvents:
    """Of one call."""

    def __init__(self, name: str, line: Line, codec: CallCodec, clock: Clock) -> None:
        """`name`: the dialect's, for messages."""
        self._name, self._line, self._codec, self._clock = name, line, codec, clock
        self._bad_frames = self._bad_in_a_row = 0
        self._frame_at = clock.now()  # when the newest frame came

    @property
    def dead(self) -> bool:
        """Nothing has come for too long from a peer that always has something to send. From others
        a broken connection is told by what we send."""
        may_be_silent = self._codec.abilities.silence_every_s is not None
        return not may_be_silent and self._clock.now() - self._frame_at > NOTHING_CAME_S

    async def opening(self) -> list[CallEvent] | None:
        """As `next`; where nothing comes the dialect may start the call without."""
        try:
            async with asyncio.timeout(SILENT_S):
                return await self.next()
        except TimeoutError:
            return list(self._codec.nothing_came())

    async def next(self) -> list[CallEvent] | None:
        """Of the next frame, perhaps none; None: the peer is gone. Raises WrongDialect."""
        frame = await self._line.receive()
        if frame is None:
            return None
        self._frame_at = self._clock.now()
        return self._parse(frame)

    def _parse(self, frame: Frame) -> list[CallEvent]:
        try:
            events = list(self._codec.receive(frame))
        except ProtocolError as error:
            self._bad_in_a_row += 1
            self._bad_frames += 1
            if self._bad_frames <= BAD_FRAMES_LOGGED:
                log.warning("%s: a frame was skipped: %s", self._name, error)
            if self._bad_in_a_row >= MAX_BAD_FRAMES:
                raise WrongDialect(
                    f"the peer does not speak {self._name}: {MAX_BAD_FRAMES} bad frames in a row, "
                    f"the last: {error}"
                ) from None
            return []
        self._bad_in_a_row = 0
        return events
