"""Run the application under uvicorn, set as a voice server needs it."""

from __future__ import annotations

import uvicorn
from starlette.applications import Starlette

from voicepipe.config import Settings


def uvicorn_server(app: Starlette, settings: Settings) -> uvicorn.Server:
    """Not yet running: `await server.serve()`."""
    config = uvicorn.Config(
        app,
        host=settings.server.host,
        port=settings.server.port,
        ws="websockets-sansio",  # waits in send() when a reader is slow; the others buffer more
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
    return uvicorn.Server(config)
