"""A gateway's end of the channel: takes the connections that its parent has accepted, and says how
many it has."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from voicepipe.server.gateways.channel import Channel, ChannelClosed, Message
from voicepipe.server.gateways.place import Port, Stage

log = logging.getLogger(__name__)

REPORT_S = 0.05
"""Between two looks whether the parent should know something."""

ALIVE_S = 1.0
"""So often it is told something anyway."""

MAX_TAKING = 1024
"""Connections that have come and are not served yet: their TLS is under way."""

TOLD_LOST = 64
"""The parent is told which of the last connections were lost, or declined; of earlier ones, it was
told."""

Take = Callable[[socket.socket], Awaitable[None]]


class Attendance:
    """`start` it inside a running loop, `ready` when calls can be taken, `aclose`."""

    def __init__(
        self,
        channel: Channel,
        takers: Mapping[Port, Take],
        counts: Callable[[], tuple[int, int]],
        orphaned: Callable[[], None],
        going: Callable[[], Stage | None] = lambda: None,
    ) -> None:
        """`counts`: open connections (calls by UDP with them) and sessions. `orphaned` is called
        when the parent has died: nobody would hand over anything any more. `going`: whether this
        gateway is LEAVING, or ENDING; None: it stays."""
        self._channel, self._takers, self._counts = channel, takers, counts
        self._orphaned, self._going = orphaned, going
        self._stage = Stage.SERVING
        self._received = 0
        self._lost: deque[int] = deque(maxlen=TOLD_LOST)  # which, counted from 1
        self._declined: deque[int] = deque(maxlen=TOLD_LOST)
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
                    self._receive(message)
        except ChannelClosed:
            asyncio.get_running_loop().remove_reader(self._channel.fileno())
            log.error("the parent process has died: this gateway ends")
            self._orphaned()

    def _receive(self, message: Message) -> None:
        """The parent is told before anything is read: what it was not told of, it hands to
        another gateway should this one die. What is not taken, the parent has still."""
        self._received += 1
        connection = message.connection
        if self._declines(Stage(message.body["stage"])):
            self._declined.append(self._received)
        elif connection is None or len(self._taking) >= MAX_TAKING:  # None: no descriptor was free
            self._lost.append(self._received)
        else:
            self._report()
            self._take(Port(message.body["take"]), connection)
            return
        self._report()
        if connection is not None:
            connection.close()

    def _declines(self, known: Stage) -> bool:
        """Whether the parent, which took this gateway for what is `known`, did not know yet that it
        goes: another may stay. What it hands over all the same, nobody else can have."""
        going = self._going()
        return going is not None and going is not known

    def _take(self, port: Port, connection: socket.socket) -> None:
        connection.setblocking(False)
        task = asyncio.create_task(self._taken(port, connection), name=f"a connection by {port}")
        self._taking.add(task)
        task.add_done_callback(self._taking.discard)

    async def _taken(self, port: Port, connection: socket.socket) -> None:
        with suppress(OSError):  # it has gone, or was no TLS
            await self._takers[port](connection)

    def _state(self) -> tuple[Stage, int, int]:
        return self._going() or self._stage, *self._counts()

    def _report(self) -> tuple[Stage, int, int]:
        stage, connections, calls = state = self._state()
        self._channel.send(
            {
                "stage": stage,
                "connections": connections + len(self._taking),
                "calls": calls,
                "received": self._received,
                "lost": list(self._lost),
                "declined": list(self._declined),
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
