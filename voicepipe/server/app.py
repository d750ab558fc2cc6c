"""The Starlette application around a service."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route, WebSocketRoute

from voicepipe.runtime.closing import close_all
from voicepipe.runtime.errors import VoicepipeError
from voicepipe.server import authorization, call_actions, call_pages, pages, web, what_if
from voicepipe.server.agent_choice import AgentPaths
from voicepipe.server.client_secrets import client_secrets
from voicepipe.server.cors import cors
from voicepipe.server.gateways.forwarding import Forwarding
from voicepipe.server.hosts import host_check
from voicepipe.server.metrics import Metrics
from voicepipe.server.realtime import realtime
from voicepipe.server.regions import regions
from voicepipe.server.resume import Lines
from voicepipe.server.secret_store import ClientSecrets
from voicepipe.server.service import Service
from voicepipe.server.shared.state import StateUnavailable
from voicepipe.server.telephony import outbound_api
from voicepipe.server.telephony import routes as telephony
from voicepipe.server.telephony.audiosocket import AudioSocketListener
from voicepipe.server.telephony.state import TelephonyState
from voicepipe.server.webrtc import calls, vanished, whip
from voicepipe.server.webrtc.switchboard import Switchboard
from voicepipe.session.engines import Progress

log = logging.getLogger(__name__)


def create_app(
    service: Service,
    *,
    progress: Progress = lambda kind, state: None,
    on_failure: Callable[[VoicepipeError], None] = lambda error: None,
) -> Starlette:
    """Serves at once, while the engines warm up in the background; `/readyz` tells when they are
    there. `on_failure` is told when they will not come.
    """

    async def begin(start: Callable[[], Awaitable[None]]) -> None:
        try:
            await start()
        except VoicepipeError as error:
            on_failure(error)
        except Exception as error:
            log.exception("the server failed to start")
            problem = f"the server failed to start: {type(error).__name__}: {error}"
            service.failure = VoicepipeError(problem)
            on_failure(service.failure)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        vanished.log_quietly(asyncio.get_running_loop())
        warming = asyncio.create_task(begin(partial(service.start, progress)), name="warm-up")
        try:
            await begin(audiosocket.start)
            yield
        finally:
            warming.cancel()
            await close_all(
                ("AudioSocket's port", audiosocket.aclose),
                ("the warm-up", partial(asyncio.gather, warming, return_exceptions=True)),
                ("WebRTC's calls", switchboard.aclose),
                ("calls that ring, and the spent webhooks", phones.aclose),
                ("the service", service.aclose),
            )

    switchboard = Switchboard(service)
    phones = TelephonyState(service)
    audiosocket = AudioSocketListener(service)
    app = Starlette(
        lifespan=lifespan,
        exception_handlers={StateUnavailable: authorization.no_state},
        middleware=[
            Middleware(Forwarding, service=service),
            host_check(service.settings),
            cors(service.settings.server),
            Middleware(AgentPaths),
        ],
        routes=[
            *web.routes(service.settings.server),
            Route("/healthz", pages.healthz),
            Route("/readyz", pages.readyz),
            Route("/metrics", pages.metrics),
            Route("/v1/regions", regions),
            Route("/v1/models", pages.models),
            Route("/v1/models/{name}", pages.model),
            Route("/v1/turns", pages.turns),
            WebSocketRoute("/v1/realtime", realtime),
            Route("/v1/realtime/client_secrets", client_secrets, methods=["POST"]),
            *call_pages.routes(),
            *what_if.routes(),
            *calls.routes(),
            *call_actions.routes(),
            *whip.routes(),
            *telephony.routes(),
            *outbound_api.routes(),
        ],
    )
    app.state.service = service
    app.state.lines = Lines(service)
    app.state.metrics = Metrics(service)
    app.state.client_secrets = ClientSecrets(service.clock, state=service.shared)
    app.state.switchboard = switchboard
    app.state.telephony = phones
    app.state.audiosocket = audiosocket
    return app
