"""asyncio's loop with timers to the microsecond, and datagrams read as they come.

The stock selector waits with `epoll_wait`, which counts in milliseconds and is rounded up: every
timer fires up to 1 ms late, and a turn has several in a row. `select` on the epoll's own descriptor
waits to the microsecond, at the cost of one more system call whenever the loop has nothing to do.
The kernel adds a slack of its own, 50 us where nobody says otherwise; we say otherwise.

The stock loop reads one datagram a socket each time it goes round, though all that a TCP connection
has. A caller by WebRTC sends 60 a second: once a round takes 17 ms, what is read falls behind what
comes, by up to the four seconds that the socket holds, and what finds no room is lost. Calls by
WebSocket lose nothing then. Here a socket has several read at a time.
"""

from __future__ import annotations

import asyncio
import select
import selectors
import sys
from asyncio import selector_events
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

MOST_DESCRIPTORS = 1024
"""`select` knows no descriptor beyond; the loop's own is among the first a process opens."""


def new_event_loop() -> asyncio.AbstractEventLoop:
    """A fresh loop; the stock one where there is no epoll."""
    if sys.platform != "linux":
        return asyncio.new_event_loop()
    return PreciseEventLoop(PreciseSelector())


MOST_DATAGRAMS = 4
"""Read from one socket before the others have their turn, so that a loop that takes 60 ms a round
keeps up. Not all that is there: on a machine at its limit WebSockets and new calls waited then
until they were given up."""

GIVE_WAY_S = 0.0005
"""A thread that runs Python keeps the interpreter so long from the loop, each time that the loop
wakes. The stock 5 ms are on a turn's path several times while prompts are made beside it."""


def run(main: Coroutine[Any, Any, T]) -> T:
    """As `asyncio.run`, on such a loop; for the main thread of a process that serves calls."""
    _take_the_slack_out()
    sys.setswitchinterval(GIVE_WAY_S)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(main)


def _take_the_slack_out() -> None:
    """The kernel may not put off this thread's timers to join them with others."""
    with suppress(OSError):  # no such file elsewhere; and without it a timer is 50 us later
        Path("/proc/self/timerslack_ns").write_text("1")


if sys.platform == "linux":

    class PreciseSelector(selectors.EpollSelector):
        """Epoll whose timeouts are not rounded to milliseconds."""

        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            """As the base class has it."""
            if timeout is None or timeout <= 0 or self.fileno() >= MOST_DESCRIPTORS:
                return super().select(timeout)
            ready, _, _ = select.select([self.fileno()], [], [], timeout)
            return super().select(0) if ready else []

    class PreciseEventLoop(asyncio.SelectorEventLoop):
        """The loop on `PreciseSelector`, whose sockets have several datagrams read at a time."""

        def _make_datagram_transport(self, *args: Any, **kwargs: Any) -> asyncio.DatagramTransport:
            return _DatagramTransport(self, *args, **kwargs)

    class _DatagramTransport(
        selector_events._SelectorDatagramTransport  # type: ignore[name-defined, misc]
    ):
        """Reads several at a time. asyncio has no public place for it; a test holds this one."""

        def _read_ready(self) -> None:
            for _ in range(MOST_DATAGRAMS):
                if self.is_closing():
                    return
                try:
                    data, address = self._sock.recvfrom(self.max_size)
                except (BlockingIOError, InterruptedError):
                    return
                except OSError as error:  # of an earlier one that was sent: nobody is there
                    self._protocol.error_received(error)
                    return
                self._protocol.datagram_received(data, address)
