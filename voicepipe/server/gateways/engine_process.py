"""The process that holds the heavy engines for all gateways, as their parent looks after it: there
before them, gone after them, and replaced when it dies. Gateways find each new one by its socket.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import time
from collections.abc import Callable

from voicepipe.runtime.errors import VoicepipeError
from voicepipe.server.gateways.channel import Channel, ChannelClosed
from voicepipe.server.gateways.children import Deaths, ended, fork
from voicepipe.server.gateways.place import failure_of

log = logging.getLogger(__name__)

STOP_S = 20.0
"""For what is under way, and for engines to let go of their memory."""

AGAIN_S = 2.0
"""Before it is started again where the system had no room for it."""


class EngineProcess:
    """`look` at it now and then; `stop` it at the end."""

    def __init__(
        self,
        hold_engines: Callable[[Channel], int],
        let_go: Callable[[], None],
        died: Callable[[str, VoicepipeError | None], bool],
    ) -> None:
        """`died` is told how it ended, and why where it could still say so; whether another should
        take its place."""
        self._hold_engines, self._let_go, self._died = hold_engines, let_go, died
        self._pid: int | None = None
        self._channel: Channel | None = None
        self._deaths = Deaths()
        self._born_s = self._due_s = 0.0

    def look(self) -> None:
        """Start it, if it is due."""
        now = time.monotonic()
        if self._pid is not None:
            self._bury_if_dead(now)
        elif now >= self._due_s:
            self._born_s = now
            try:
                self._start()
            except OSError as error:
                self._due_s = now + AGAIN_S
                text = "the engines' process cannot be started now: %s; it is tried again"
                log.error(text, error.strerror)

    def close_channel(self) -> None:
        """In other children too."""
        if self._channel is not None:
            self._channel.close()

    def stop(self) -> None:
        """Blocking, for `STOP_S` at most."""
        if self._pid is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGTERM)
        until = time.monotonic() + STOP_S
        while os.waitpid(self._pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > until:
                log.error("the engines' process has not ended in time and is killed")
                os.kill(self._pid, signal.SIGKILL)
                os.waitpid(self._pid, 0)
                break
            time.sleep(0.02)
        self._pid = None
        self.close_channel()

    def _start(self) -> None:
        ours, theirs = Channel.pair()
        self._channel = ours
        try:
            self._pid = fork(lambda: self._hold_engines(theirs), self._let_go)
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()

    def _last_words(self) -> VoicepipeError | None:
        assert self._channel is not None
        try:
            message = self._channel.receive()
        except ChannelClosed:
            message = None
        self._channel.close()
        return None if message is None else failure_of(message.body)

    def _bury_if_dead(self, now: float) -> None:
        assert self._pid is not None
        pid, status = os.waitpid(self._pid, os.WNOHANG)
        if not pid:
            return
        self._pid = None
        how, why = ended(os.waitstatus_to_exitcode(status)), self._last_words()
        if not self._died(how, why):
            return
        pause = self._deaths.one_more(now - self._born_s if why is None else 0.0)
        self._due_s = now + pause
        log.error(
            "the engines' process %s; what it was at fails, calls go on; another takes its place%s",
            how if why is None else f"cannot start ({why})",
            f" in {pause:g} s" if pause else "",
        )
