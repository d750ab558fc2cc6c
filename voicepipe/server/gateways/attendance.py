"""A gateway's end of the channel: takes the connections that its parent has accepted, and says how
many it has."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from voicepipe.server.gateways.channel import Channel, ChannelClosed
from voicepipe.server.gateways.place import Port, Stage

log = logging.getLogger(__name__)

REPORT_S = 0.05
"""Between two looks whether the parent should know something."""

ALIVE_S = 1.0
"""So often it is told something anyway."""

MAX_TAKING = 1024
"""Connections that have come and are not served yet: their TLS is under way."""

TOLD_LOST = 64
"""The parent is told which of the last connections were lost; of earlier ones, it was told."""

Take = Callable[[socket.socket], Awaitable[None]]


class Attendance:
    """`start` it inside a running loop, `ready` when calls can be taken, `aclose`."""

    def __init__(
        self,
        channel: Channel,
        takers: Mapping[Port, Take],
        counts: Callable[[], tuple[int, int]],
        orphaned: Callable[[], None],
        leaving: Callable[[], bool] = lambda: False,
    ) -> None:
        """`counts`: open connections (calls by UDP with them) and sessions. `orphaned` is called
        when the parent has died: nobody would hand over anything any more. `leaving`: whether no
        more calls are taken."""
        self._channel, self._takers, self._counts = channel, takers, counts
        self._orphaned, self._leaving = orphaned, leaving
        self._stage = Stage.SERVING
        self._received = 0
        self._lost: deque[int] = deque(maxlen=TOLD_LOST)  # which, counted from 1
        self._taking: set[asyncio.Task[None]] = set()
        self._reporting: asyncio.Task[None] | None = None

    def start(self) -> None:
        loop = asyncio.get_running_loop()
        loop.add_reader(self._channel.fileno(), self._read)
        self._reporting = asyncio.create_task(self._report_on(), name="gateway-reports")

    def ready(self) -> None:
        """Calls are taken from now on."""
        self._stage = Stage.READY
        self._report()

    async def aclose(self) -> None:
        """Take and report no more."""
        asyncio.get_running_loop().remove_reader(self._channel.fileno())
        tasks = {*self._taking, *({self._reporting} if self._reporting else ())}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _read(self) -> None:
        try:
            while (message := self._channel.receive()) is not None:
                if "take" in message.body:
                    self._receive(Port(message.body["take"]), message.connection)
        except ChannelClosed:
            asyncio.get_running_loop().remove_reader(self._channel.fileno())
            log.error("the parent process has died: this gateway ends")
            self._orphaned()

    def _receive(self, port: Port, connection: socket.socket | None) -> None:
        """The parent is told before anything is read: what it was not told of, it hands to
        another gateway should this one die. None: the kernel had no descriptor free for it here,
        and the parent has it still."""
        self._received += 1
        if connection is not None and len(self._taking) >= MAX_TAKING:
            connection.close()
            connection = None
        if connection is None:
            self._lost.append(self._received)
        self._report()
        if connection is not None:
            self._take(port, connection)

    def _take(self, port: Port, connection: socket.socket) -> None:
        connection.setblocking(False)
        task = asyncio.create_task(self._taken(port, connection), name=f"a connection by {port}")
        self._taking.add(task)
        task.add_done_callback(self._taking.discard)

    async def _taken(self, port: Port, connection: socket.socket) -> None:
        with suppress(OSError):  # it has gone, or was no TLS
            await self._takers[port](connection)

    def _state(self) -> tuple[Stage, int, int]:
        return Stage.LEAVING if self._leaving() else self._stage, *self._counts()

    def _report(self) -> tuple[Stage, int, int]:
        stage, connections, calls = state = self._state()
        self._channel.send(
            {
                "stage": stage,
                "connections": connections + len(self._taking),
                "calls": calls,
                "received": self._received,
                "lost": list(self._lost),
            }
        )
        return state

    async def _report_on(self) -> None:
        last, since_s = self._report(), 0.0
        while True:
            await asyncio.sleep(REPORT_S)
            since_s += REPORT_S
            if since_s >= ALIVE_S or self._state() != last:
                last, since_s = self._report(), 0.0
