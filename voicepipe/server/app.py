"""The Starlette application around a service."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.routing import Route, WebSocketRoute

from voicepipe.errors import VoicepipeError
from voicepipe.server import pages
from voicepipe.server.metrics import Metrics
from voicepipe.server.realtime import realtime
from voicepipe.server.service import Service
from voicepipe.session.engines import Progress

log = logging.getLogger(__name__)


def create_app(
    service: Service,
    *,
    progress: Progress = lambda kind, state: None,
    on_failure: Callable[[VoicepipeError], None] = lambda error: None,
) -> Starlette:
    """Serves at once, while the engines warm up in the background; `/healthz` tells when they are
    there. `on_failure` is told when they will not come.
    """

    async def warm_up() -> None:
        try:
            await service.start(progress)
        except VoicepipeError as error:
            on_failure(error)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        warming = asyncio.create_task(warm_up(), name="warm-up")
        try:
            yield
        finally:
            warming.cancel()
            await asyncio.gather(warming, return_exceptions=True)
            await service.aclose()

    app = Starlette(
        lifespan=lifespan,
        routes=[
            Route("/", pages.home),
            Route("/healthz", pages.healthz),
            Route("/readyz", pages.readyz),
            Route("/metrics", pages.metrics),
            Route("/v1/models", pages.models),
            Route("/v1/turns", pages.turns),
            WebSocketRoute("/v1/realtime", realtime),
        ],
    )
    app.state.service = service
    app.state.metrics = Metrics(service)
    return app
