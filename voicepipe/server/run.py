"""Run the application under uvicorn, set as a voice server needs it."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from voicepipe.config import Settings
from voicepipe.runtime.errors import ConfigError
from voicepipe.server import tls
from voicepipe.server.http_protocol import HEAD_DEADLINE_S, MAX_WAITING, patient_for
from voicepipe.server.service import Service
from voicepipe.server.websocket_reading import ReadingProtocol

log = logging.getLogger(__name__)

BACKLOG = 2048
"""Connections that may wait to be accepted, as uvicorn has it."""

POLL_S = 0.05
"""How often a server that stops looks whether its last turns are over."""


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

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.config.ssl is not None and self._tls is not None:
            work = tls.renew(self.config.ssl, *self._tls)
            self._renewing = asyncio.create_task(work, name="tls")

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._service is not None:
            await self._until_noticed(self._service)
            await self._until_empty(self._service)
            await self._until_quiet(self._service)
        if self._renewing is not None:
            self._renewing.cancel()
            await asyncio.gather(self._renewing, return_exceptions=True)
        await super().shutdown(sockets)

    async def _until_noticed(self, service: Service) -> None:
        """The load balancer reads `/readyz` every few seconds and sends newcomers until then."""
        service.leaving = True
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


def listening_socket(settings: Settings) -> socket.socket:
    """Taken before the engines load, which may be minutes. Raises ConfigError in one line where the
    address cannot be had."""
    host, port = settings.server.host, settings.server.port
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        found = socket.socket(family, kind, protocol)
        try:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            found.bind(address)
            found.listen(BACKLOG)
        except OSError:
            found.close()
            raise
    except OSError as error:
        raise ConfigError(_why_not(host, port, error)) from None
    found.set_inheritable(True)
    return found


def _why_not(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {port} of {host} is in use by another program: stop it, or choose another with "
            "--port"
        )
    reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
    return f"cannot listen on {host}, port {port}: {reason}"
