"""Where the gateways stand: `GET /v1/regions`, and what each must know of the others.

A client measures the way to `/readyz` of each, which asks no key and says whether calls are taken.
The list holds public addresses only, so it asks none either.
"""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse

from voicepipe.config import ServerSettings
from voicepipe.server.service import Service


async def regions(request: Request) -> JSONResponse:
    """The regions in the settings' order; `here` is the one that answers. Its `url` is null where
    the list lacks it: it is reached as this request was."""
    service: Service = request.app.state.service
    settings = service.settings.server
    body = {"object": "list", "region": settings.region or None, "data": _listed(settings)}
    return JSONResponse(body, headers={"Cache-Control": "no-store"})


def _listed(settings: ServerSettings) -> list[dict[str, Any]]:
    known: dict[str, str | None] = dict(settings.regions)
    if settings.region:
        known.setdefault(settings.region, None)
    return [
        {"id": name, "object": "region", "url": url, "here": name == settings.region}
        for name, url in known.items()
    ]


def page_origins(settings: ServerSettings) -> tuple[str, ...]:
    """Whose pages may connect, as browsers write it: those that the settings allow, and those of
    the other regions."""
    allowed = (origin.rstrip("/").lower() for origin in settings.allowed_origins)
    return (*allowed, *settings.regions.values())


def connect_sources(settings: ServerSettings) -> str:
    """What a page of ours may speak to, as a Content Security Policy has it."""
    sockets = [url.replace("http", "ws", 1) for url in settings.regions.values()]
    return " ".join(["'self'", *settings.regions.values(), *sockets])
