"""Which names this server answers to. A page can point its own name at this machine (DNS rebinding)
and is then of the same origin as the server, for the browser; the name in `Host` gives it away.

A key protects as well: a rebound page does not know it. So where one is asked for, names are looked
at only if `server.allowed_hosts` lists some.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from voicepipe.config import Settings

LOOPBACK = ("localhost", "127.0.0.1", "::1")


def host_check(settings: Settings) -> Middleware:
    """Refuses requests and WebSockets under other names with 421."""
    return Middleware(_HostCheck, known=known_hosts(settings))


def known_hosts(settings: Settings) -> frozenset[str] | None:
    """Names that are answered to; None: all. Addresses always are, since a page cannot have one."""
    server = settings.server
    listed = server.allowed_hosts
    if "*" in listed or (server.api_key is not None and not listed):
        return None
    urls = (*server.allowed_origins, *server.regions.values(), settings.telephony.public_url)
    names: Iterable[str] = (*LOOPBACK, server.host, *map(_named, listed), *map(_host_of, urls))
    return frozenset(name.lower() for name in names if name)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches `host`."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_name(netloc: str) -> str:
    """The name in a `Host` header, in small letters, without port and brackets; "": none."""
    try:
        return (urlsplit(f"//{netloc}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _named(host: str) -> str:
    """As the list of them has it: with a port, or as an address, it is the same name."""
    return _host_of(host) if "//" in host else host_name(host)


def _host_of(url: str) -> str:
    return host_name(urlsplit(url).netloc) if "//" in url else ""


class _HostCheck:
    def __init__(self, app: ASGIApp, known: frozenset[str] | None) -> None:
        self._app, self._known = app, known

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._known is None or scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        name = host_name(Headers(scope=scope).get("host", ""))
        if name in self._known or _is_address(name):
            await self._app(scope, receive, send)
            return
        await _refusal(name)(scope, receive, send)


def _refusal(name: str) -> JSONResponse:
    message = (
        f"This server does not go by the name {name[:100]!r}. Add it to server.allowed_hosts, or "
        "set server.api_key."
    )
    error = {"message": message, "type": "invalid_request_error", "code": "unknown_host"}
    return JSONResponse({"error": error}, status_code=421)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
