"""What waits behind audio that came in one long message: it is heard slice by slice, so that other
sessions keep their turn."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable

from voicepipe.runtime.errors import LimitExceeded, ProtocolError
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.context import Context

log = logging.getLogger(__name__)

SLICE_MS = 200
"""Audio heard without giving other sessions a chance; more waits its turn."""

MAX_BACKLOG = 5000
"""Slices and commands waiting behind a long append."""


class Backlog:
    """One session's. `hear` and `carry_out` are given what waited, in order; errors become
    events, since whoever sent it is long gone."""

    def __init__(
        self,
        context: Context,
        hear: Callable[[bytes], None],
        carry_out: Callable[[cmd.Command], None],
    ) -> None:
        self._context, self._hear, self._carry_out = context, hear, carry_out
        self.waits: deque[cmd.Command] = deque()
        self.audio_ms = 0.0  # of what waits

    def add(self, audio: bytes) -> None:
        """Wire audio, however long."""
        wire, idle = self._context.settings.input_format, not self.waits
        size = max(1, round(SLICE_MS * wire.bytes_per_ms))
        self.audio_ms += wire.ms(len(audio))
        last = self.waits[-1] if len(self.waits) > 1 else None  # the first is being heard
        if isinstance(last, cmd.AppendAudio) and len(last.audio) + len(audio) <= size:
            self.waits[-1] = cmd.AppendAudio(last.audio + audio)  # crumbs would be a long queue
            return
        for start in range(0, len(audio), size):
            self.waits.append(cmd.AppendAudio(audio[start : start + size]))
        if idle:
            self._context.tasks.spawn(self._work_off(), "audio-backlog")

    def line_up(self, command: cmd.Command) -> None:
        """It comes after audio that is still being heard. Raises ProtocolError."""
        if len(self.waits) >= MAX_BACKLOG:
            raise ProtocolError(
                f"over {MAX_BACKLOG} messages are waiting to be handled", code="limit_exceeded"
            )
        self.waits.append(command)

    async def _work_off(self) -> None:
        while self.waits:
            command = self.waits[0]  # stays queued meanwhile: what follows lines up behind it
            try:
                self._take(command)
            except Exception:
                log.exception("%s could not be worked off", type(command).__name__)
                self._tell_failure(command)
                if isinstance(command, cmd.AppendAudio):
                    self._drop_audio_behind()
            await asyncio.sleep(0)
            if self.waits:
                self.waits.popleft()
        self.audio_ms = 0.0

    def _take(self, command: cmd.Command) -> None:
        if isinstance(command, cmd.AppendAudio):
            heard_ms = self._context.settings.input_format.ms(len(command.audio))
            self.audio_ms = max(0.0, self.audio_ms - heard_ms)
            self._hear(command.audio)
        else:
            self._carry_out_late(command)

    def _tell_failure(self, command: cmd.Command) -> None:
        heard = isinstance(command, cmd.AppendAudio)
        what = (
            "audio that was sent in one long message was not heard" if heard else "it is not done"
        )
        self._context.emit(
            ev.SessionError(
                f"An internal error: {what}.",
                "server_error",
                event_id=command.event_id,
                kind="server_error",
            )
        )

    def _drop_audio_behind(self) -> None:
        """The rest of what failed, up to the next command: who sent that waits for an answer."""
        wire = self._context.settings.input_format
        while len(self.waits) > 1 and isinstance(audio := self.waits[1], cmd.AppendAudio):
            self.audio_ms = max(0.0, self.audio_ms - wire.ms(len(audio.audio)))
            del self.waits[1]

    def _carry_out_late(self, command: cmd.Command) -> None:
        """Like `Session.handle`, when its caller is long gone."""
        try:
            self._carry_out(command)
        except (ProtocolError, LimitExceeded) as error:
            self._context.emit(ev.SessionError.of(error, command.event_id))
