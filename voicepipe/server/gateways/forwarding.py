"""What lands on a gateway that does not hold the call it is about goes on to the one that does:
requests about a call by its id, programs that join it, listeners, sessions that are resumed, the
stream of a call that rings.

The other gateway checks keys, origins and names as if the client had come to it: here nothing is
decided. A client that is forwarded costs both gateways its frames for as long as it stays.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, MutableMapping
from typing import Any
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Receive, Scope, Send

from voicepipe.server.gateways.pass_on import Door, pass_on_request, pass_on_websocket
from voicepipe.server.resume import ON, PARAMETER
from voicepipe.server.service import Service
from voicepipe.server.shared.directory import ticket_name, token_name
from voicepipe.server.shared.state import StateUnavailable
from voicepipe.server.telephony.outbound import CALL

log = logging.getLogger(__name__)

SCHEME = b"x-voicepipe-scheme"
"""By which scheme the client came to the first gateway; believed on a gateway's own door only."""

CLIENT = b"x-voicepipe-client"
"""The client's address, as far as the first gateway knows it; believed there only, too."""

SIBLING = b"x-voicepipe-sibling"
"""Another gateway asks for this one's own part of an answer; believed there only, too."""

_OURS = (SCHEME, CLIENT, SIBLING)

_CALL = re.compile(r"/v1/realtime/calls/([^/]+)(?:/\w+)?$|/whip/([^/]+)$|/v1/calls/([^/]+)/listen$")
_LAST = re.compile(r"/([A-Za-z0-9_-]{16,})$")


class Forwarding:
    """Middleware, before all others."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app, self._service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or self._service.shared.alone:
            await self._app(scope, receive, send)
        elif came_by_own_door(scope):
            await self._app(_as_it_came(scope), receive, send)
        elif (gateway := self._holder(scope)) is None:
            await self._app(scope, receive, send)
        else:
            await self._forward(gateway, scope, receive, send)

    def _holder(self, scope: Scope) -> str | None:
        """The other gateway that holds what this is about."""
        found = map(self._service.directory.elsewhere, names_in(scope))
        try:
            return next((gateway for gateway in found if gateway is not None), None)
        except StateUnavailable as error:  # then it is told that there is no such call
            log.error("%s", error)
            return None

    async def _forward(self, gateway: str, scope: Scope, receive: Receive, send: Send) -> None:
        door = door_of(self._service, gateway, scope)
        if scope["type"] == "http":
            await pass_on_request(door, scope, receive, send)
        else:
            await pass_on_websocket(door, scope, receive, send)


def door_of(service: Service, gateway: str, scope: MutableMapping[str, Any]) -> Door:
    """Of another gateway, for what has come here; it counts as forwarded."""
    service.forwarded += 1
    ours = [(SCHEME, scope["scheme"].encode())]
    if client := scope.get("client"):
        ours.append((CLIENT, client[0].encode("latin-1")))
    told = [(name, value) for name, value in scope["headers"] if name not in _OURS]
    return Door(service.shared.own_door(gateway), (*told, *ours))


def came_by_own_door(scope: MutableMapping[str, Any]) -> bool:
    """From another gateway, by the Unix socket that only they can reach."""
    server = scope.get("server")
    return server is not None and server[1] is None


def names_in(scope: Scope) -> Iterator[str]:
    """Under which the directory may know what a connection is about; mostly none."""
    path: str = scope["path"]
    if found := _CALL.search(path):
        yield next(name for name in found.groups() if name)
    elif scope["type"] == "websocket" and (last := _LAST.search(path)):
        yield ticket_name(last[1])
    if not scope["query_string"]:
        return
    query = parse_qs(scope["query_string"].decode("latin-1"))
    for parameter in ("call_id", CALL):
        yield from query.get(parameter, ())[:1]
    for token in query.get(PARAMETER, ())[:1]:
        if token != ON:
            yield token_name(token)


def _as_it_came(scope: Scope) -> Scope:
    """As it was when it came to the first gateway."""
    told = {name: value.decode("latin-1") for name, value in scope["headers"] if name in _OURS}
    client = (told[CLIENT], 0) if CLIENT in told else scope.get("client")
    return {**scope, "scheme": told.get(SCHEME, scope["scheme"]), "client": client}
