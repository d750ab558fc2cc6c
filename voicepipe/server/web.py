"""The browser client: `web/` of the repository at `/` and `/web/...`, and what the page asks first.

The page comes at once, also while the engines start: it shows that itself.
"""

from __future__ import annotations

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

import voicepipe
from voicepipe.protocols.openai_realtime import extension
from voicepipe.server import auth, authorization
from voicepipe.server.service import Service

MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
"""What is served, and as what: the system's own table of types may say anything."""

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; object-src 'none'",
    "Permissions-Policy": "microphone=(self), camera=(), geolocation=()",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",  # keep it, but ask each time: an ETag answers
}


def web_dir() -> Path:
    """The folder `web` beside the package. It is not there where only the package was copied."""
    return Path(voicepipe.__file__).resolve().parent.parent / "web"


class PageFiles(StaticFiles):
    """Files of the known types, and no others; `..` and links lead nowhere."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        media_type = MEDIA_TYPES.get(Path(path).suffix)
        if media_type is None:
            raise HTTPException(404)
        response = await super().get_response(path, scope)
        if response.status_code == 200:
            response.headers["content-type"] = media_type
        response.headers.update(HEADERS)
        return response


def routes(directory: Path | None = None) -> list[BaseRoute]:
    """`/`, `/web/server` and `/web/...`; without the folder, `/` says what is missing."""
    directory = directory or web_dir()
    if not (directory / "index.html").is_file():
        return [Route("/", _no_page), Route("/web/server", server)]
    files = PageFiles(directory=directory)

    async def index(request: Request) -> Response:
        return await files.get_response("index.html", request.scope)

    return [Route("/", index), Route("/web/server", server), Mount("/web", files, name="web")]


async def server(request: Request) -> JSONResponse:
    """What the page must know before a call, as JSON; no key is needed to ask.

    A browser is not told why its WebSocket was refused, so this also says whether the key that
    comes with the request is right, whether there is room, and whether pages from here may connect.
    `voicepipe`: turn options and budgets that a call begins with, as in the session object.
    """
    service: Service = request.app.state.service
    settings = service.settings
    body = {
        "version": voicepipe.__version__,
        "profile": settings.profile,
        "ready": service.ready,
        "problem": str(service.failure) if service.failure else None,
        "engines": dict(service.engines.ready),
        "voices": list(service.engines.synthesizer.voices()) if service.ready else [],
        "voice": settings.tts.voice or None,
        "language": settings.asr.language,
        "voicepipe": extension.of_settings(service.session_defaults()),
        "key": _key_state(request),
        "origin_allowed": auth.origin_is_allowed(request, settings.server.allowed_origins),
        "full": len(service.sessions) >= settings.limits.max_sessions,
    }
    return JSONResponse(body, headers={"Cache-Control": "no-store"})


def _key_state(request: Request) -> str:
    """`none` is asked for, or the request's own is `right`, `wrong` or `missing`."""
    service: Service = request.app.state.service
    if service.settings.server.api_key is None:
        return "none"
    if auth.offered_key(request) is None:
        return "missing"
    entry = authorization.enter(request)
    wrong = isinstance(entry, Response) and entry.status_code == 401
    return "wrong" if wrong else "right"


async def _no_page(request: Request) -> Response:
    return Response(
        "voicepipe is running, but its page is not: the folder 'web' of the repository is missing "
        "beside the package.\nAny OpenAI Realtime client can connect to /v1/realtime; see /readyz "
        "and /v1/turns.\n",
        status_code=404,
        media_type="text/plain",
    )
