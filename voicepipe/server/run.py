"""Run the application under uvicorn, set as a voice server needs it."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette

from voicepipe.config import Settings
from voicepipe.server.http_protocol import HEAD_DEADLINE_S, MAX_WAITING, patient_for
from voicepipe.server.service import Service
from voicepipe.server.websocket_reading import ReadingProtocol

POLL_S = 0.05
"""How often a server that stops looks whether its last turns are over."""


class Server(uvicorn.Server):
    """Lets the running turns finish when it is told to stop, for `server.shutdown_s` at most: to
    uvicorn a WebSocket has no end of its own to wait for, so it closes all of them at once.

    Ends with status 0 then: uvicorn's own raises the signal again after its clean shutdown, which a
    person at the terminal sees as a traceback.
    """

    def __init__(self, config: uvicorn.Config, service: Service | None) -> None:
        super().__init__(config)
        self._service = service

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if self._service is not None:
            await self._until_quiet(self._service)
        await super().shutdown(sockets)

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
    """Not yet running: `await server.serve()`."""
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
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=max(1, round(settings.server.shutdown_s)),
    )
    return Server(config, getattr(app.state, "service", None))
