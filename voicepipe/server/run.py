"""Run the application under uvicorn, set as a voice server needs it."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette

from voicepipe.config import Settings
from voicepipe.server import tls
from voicepipe.server.http_protocol import HEAD_DEADLINE_S, MAX_WAITING, patient_for
from voicepipe.server.service import Service
from voicepipe.server.websocket_reading import ReadingProtocol

log = logging.getLogger(__name__)

POLL_S = 0.05
"""How often a server that stops looks whether its last turns are over."""

LAST_WORDS_S = 1.0
"""For a connection to say what it wants of a server that ends, and to be answered."""

HANDSHAKE_S = 10.0
"""For a client's part in beginning TLS, before it is let go."""


class Server(uvicorn.Server):
    """Lets the running turns finish when it is told to stop, for `server.shutdown_s` at most: to
    uvicorn a WebSocket has no end of its own to wait for, so it closes all of them at once.

    Ends with status 0 then: uvicorn's own raises the signal again after its clean shutdown, which a
    person at the terminal sees as a traceback.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        service: Service | None,
        tls_files: tuple[Path, Path] | None = None,
    ) -> None:
        super().__init__(config)
        self._service, self._tls = service, tls_files
        self._renewing: asyncio.Task[None] | None = None
        self._taking = 0  # connections whose TLS is under way
        self.ending = False  # no more connections are taken

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        context = self.config.ssl
        if any(one.family is socket.AF_UNIX for one in sockets or ()):
            self.config.ssl = None  # between gateways of one machine; not for what is handed over
        await super().startup(sockets)
        self.config.ssl = context
        if context is not None and self._tls is not None:
            work = tls.renew(context, *self._tls)
            self._renewing = asyncio.create_task(work, name="tls")

    @property
    def connections(self) -> int:
        """That are open."""
        return len(self.server_state.connections)

    async def take(self, connection: socket.socket) -> None:
        """Serve a connection that another process has accepted. Raises OSError where it has gone
        or speaks no TLS."""
        loop = asyncio.get_running_loop()
        context = self.config.ssl
        deadline_s = None if context is None else HANDSHAKE_S
        self._taking += 1
        try:
            await loop.connect_accepted_socket(
                self._protocol, connection, ssl=context, ssl_handshake_timeout=deadline_s
            )
        finally:
            self._taking -= 1

    def _protocol(self) -> asyncio.Protocol:
        """As uvicorn makes one for each connection that it has accepted itself."""
        new: Any = self.config.http_protocol_class
        made: asyncio.Protocol = new(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return made

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._service is not None:
            await self._until_noticed(self._service)
            await self._until_empty(self._service)
            await self._until_quiet(self._service)
        await self._until_answered()
        if self._renewing is not None:
            self._renewing.cancel()
            await asyncio.gather(self._renewing, return_exceptions=True)
        await super().shutdown(sockets)

    async def _until_noticed(self, service: Service) -> None:
        """The load balancer reads `/readyz` every few seconds and sends newcomers until then; to
        a server that was never ready it has sent nobody."""
        service.leaving = True
        if not service.ready:
            return
        until = service.clock.now() + service.settings.server.lame_duck_s
        while service.clock.now() < until and not self.force_exit:  # noqa: ASYNC110
            await asyncio.sleep(POLL_S)

    async def _until_empty(self, service: Service) -> None:
        """Calls end by themselves while the next process takes the new ones."""
        service.refuse_newcomers()
        drain_s = service.settings.server.drain_s
        until = service.clock.now() + drain_s
        if service.sessions and drain_s:
            log.info("%d calls go on, for %g s at most", len(service.sessions), drain_s)
        while service.sessions and service.clock.now() < until and not self.force_exit:  # noqa: ASYNC110
            await asyncio.sleep(POLL_S)

    async def _until_quiet(self, service: Service) -> None:
        service.refuse_newcomers()
        until = service.clock.now() + service.settings.server.shutdown_s
        while service.busy and service.clock.now() < until and not self.force_exit:  # noqa: ASYNC110
            await asyncio.sleep(POLL_S)  # turns have no common event

    async def _until_answered(self) -> None:
        """Who has come may still ask, and is answered, if only that the server is stopping: uvicorn
        would close the connection without a word. Nobody else comes meanwhile."""
        self.ending = True
        for server in self.servers:
            server.close()
        loop = asyncio.get_running_loop()
        until = loop.time() + LAST_WORDS_S
        await asyncio.sleep(POLL_S)  # then it counts what was accepted just now
        while self._unanswered and loop.time() < until and not self.force_exit:  # noqa: ASYNC110
            await asyncio.sleep(POLL_S)

    @property
    def _unanswered(self) -> bool:
        return self._taking > 0 or any(map(_is_new, self.server_state.connections))

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        signals = (signal.SIGINT, signal.SIGTERM)
        for number in signals:
            loop.add_signal_handler(number, self.handle_exit, number, None)
        try:
            yield
        finally:
            for number in signals:
                loop.remove_signal_handler(number)


def _is_new(connection: Any) -> bool:
    """Its first request has not come yet, or is a WebSocket's that has no answer yet."""
    if isinstance(connection, ReadingProtocol):
        return not connection.handshake_complete
    return connection.cycle is None


def uvicorn_server(app: Starlette, settings: Settings) -> Server:
    """Not yet running: `await server.serve()`. Raises ConfigError where its TLS cannot be used."""
    files = tls.tls_files(settings.server)
    config = uvicorn.Config(
        app,
        host=settings.server.host,
        port=settings.server.port,
        http=patient_for(HEAD_DEADLINE_S, MAX_WAITING),
        ws=ReadingProtocol,  # waits in send() when a reader is slow; uvicorn's others buffer more
        ws_max_size=settings.limits.max_message_bytes,
        ws_per_message_deflate=False,  # base64 audio hardly shrinks, and it costs a core
        ws_ping_interval=20.0,
        ws_ping_timeout=20.0,
        ssl_certfile=None if files is None else files[0],
        ssl_keyfile=None if files is None else files[1],
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=max(1, round(settings.server.shutdown_s)),
    )
    return Server(config, getattr(app.state, "service", None), files)
