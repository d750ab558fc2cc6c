"""The TCP port that Asterisk's AudioSocket calls: no HTTP, no key, so it is off until it is set."""

from __future__ import annotations

import asyncio
import logging
import socket

from voicepipe.protocols.telephony.carriers.audiosocket import AUDIOSOCKET
from voicepipe.runtime.errors import ConfigError
from voicepipe.server.service import Service
from voicepipe.server.shared.state import StateUnavailable
from voicepipe.server.telephony.call import Call
from voicepipe.server.telephony.line import TcpLine
from voicepipe.server.telephony.room import busy
from voicepipe.server.telephony.tickets import CallerId

log = logging.getLogger(__name__)


class AudioSocketListener:
    """Listens where `telephony.audiosocket` says, if it says so; one gateway of several is handed
    its connections."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._server: asyncio.Server | None = None
        self._calls: set[asyncio.Task[None]] = set()

    @property
    def port(self) -> int | None:
        """Where it listens; None: it does not."""
        if self._server is None:
            return None
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def start(self) -> None:
        """Raises ConfigError where the port cannot be had."""
        settings = self._service.settings.telephony.audiosocket
        if settings.port is None or not self._service.shared.alone:
            return
        try:
            self._server = await asyncio.start_server(self._take, settings.host, settings.port)
        except OSError as error:
            raise ConfigError(
                f"telephony.audiosocket: cannot listen on {settings.host}:{settings.port}: "
                f"{error.strerror or error}"
            ) from None
        log.info("AudioSocket calls are taken on %s:%s", settings.host, self.port)

    def __len__(self) -> int:
        """Connections that are open."""
        return len(self._calls)

    async def take(self, connection: socket.socket) -> None:
        """One that another process has accepted."""
        self._take(*await asyncio.open_connection(sock=connection))

    async def aclose(self) -> None:
        """Stop listening and end the calls."""
        if self._server is not None:
            self._server.close()
        for task in self._calls:
            task.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)
        if self._server is not None:
            await self._server.wait_closed()

    def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A plain function, so that the task is ours to end."""
        task = asyncio.create_task(self._serve(TcpLine(reader, writer)), name="audiosocket call")
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)
        # one that is cancelled before its first step closes nothing itself
        task.add_done_callback(lambda _: writer.close())

    async def _serve(self, line: TcpLine) -> None:
        try:
            reason = busy(self._service)
        except StateUnavailable as error:
            reason = str(error)
        if len(self._calls) > self._service.settings.limits.max_sessions:
            reason = "too many connections"  # that have not said who they are
        if reason is not None:
            log.warning("an AudioSocket call is refused: %s", reason)
            await line.close()
            return
        await Call(self._service, AUDIOSOCKET, line, CallerId()).run()
