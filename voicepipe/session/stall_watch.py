"""A client that stops sending in mid-speech is answered, not waited for for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from voicepipe.dialog.core import Dialog
from voicepipe.runtime.clock import Clock
from voicepipe.session.audio_input import AudioInput

HELD_UP_S = 0.1
"""A timer so late means that the loop, not the client, has stalled."""

SLACK_S = 0.001


class StallWatch:
    """Looks for audio that does not come while the user speaks. `on_stall` is called once."""

    def __init__(
        self, clock: Clock, audio: AudioInput, dialog: Dialog, on_stall: Callable[[], None]
    ) -> None:
        self._clock, self._audio, self._dialog = clock, audio, dialog
        self._on_stall = on_stall
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """From now on; not at all where no time is set, or every turn would end at once."""
        if self._limit_s:
            self._look_in(self._limit_s)

    def close(self) -> None:
        """No more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    @property
    def _limit_s(self) -> float:
        return self._dialog.options.stall_ms / 1000

    def _look_in(self, wait_s: float) -> None:
        self.close()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(wait_s, self._check, loop.time() + wait_s)

    def _check(self, due_s: float) -> None:
        self._timer = None
        if not self._dialog.user_is_speaking or not self._limit_s:
            return
        left_s = self._limit_s - (self._clock.now() - self._audio.last_audio_at)
        if left_s > SLACK_S:
            self._look_in(left_s)
        elif asyncio.get_running_loop().time() - due_s > HELD_UP_S:
            self._look_in(HELD_UP_S)  # it was us who stood still: what has come goes first
        else:
            self._on_stall()
