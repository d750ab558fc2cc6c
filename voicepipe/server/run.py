"""Run the application under uvicorn, set as a voice server needs it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.applications import Starlette

from voicepipe.config import Settings
from voicepipe.server.websocket_reading import ReadingProtocol


class Server(uvicorn.Server):
    """Ends with status 0 when told to stop: uvicorn's own raises the signal again after its clean
    shutdown, which a person at the terminal sees as a traceback.
    """

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
    return Server(config)
