"""Who may come in, and how the others are told: one rule for all transports of the Realtime API."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response

from voicepipe.runtime.errors import LimitExceeded
from voicepipe.server import auth
from voicepipe.server.live_calls import CallNotFound, LiveCall
from voicepipe.server.regions import page_origins
from voicepipe.server.secret_store import ClientSecrets
from voicepipe.server.service import Overloaded, Service

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Entry:
    """Somebody who may come in. `session`: the session object (GA shape, perhaps partial) that
    their client secret was minted with."""

    session: Mapping[str, Any] = field(default_factory=dict)


def enter(
    connection: HTTPConnection, *, with_secret: bool = True, to_running_call: bool = False
) -> Entry | JSONResponse:
    """Their entry, or the refusal. `with_secret` False: only the server's own key will do.
    `to_running_call`: nothing new begins, so a server that stops lets them in."""
    service: Service = connection.app.state.service
    secrets: ClientSecrets = connection.app.state.client_secrets
    server, offered = service.settings.server, auth.offered_key(connection)
    session = secrets.session_of(offered) if with_secret and offered else None
    named = with_secret and service.keys.holder(offered) is not None
    if session is None and not named and not auth.key_is_right(server.api_key, offered):
        return refusal(
            401,
            "Wrong or missing API key, or a client secret that has expired: send 'Authorization: "
            f"Bearer KEY', or from a browser's WebSocket the subprotocol "
            f"'{auth.KEY_SUBPROTOCOL}KEY'.",
            "invalid_api_key",
        )
    refused = strange_page(connection) if to_running_call else out_of_place(connection)
    return refused or Entry(session or {})


def out_of_place(connection: HTTPConnection) -> JSONResponse | None:
    """The refusal of somebody who comes from the wrong page or at the wrong time, whoever it is."""
    service: Service = connection.app.state.service
    refused = strange_page(connection)
    if refused is None and service.closing:
        return refusal(503, "The server is stopping; try again later.", "not_ready")
    if refused is None and not service.ready:
        return refusal(503, "The engines are still starting; see /readyz.", "not_ready")
    return refused


def strange_page(connection: HTTPConnection) -> JSONResponse | None:
    """The refusal of a browser's page that may not use this server."""
    service: Service = connection.app.state.service
    if auth.origin_is_allowed(connection, page_origins(service.settings.server)):
        return None
    message = "This page's origin may not connect (server.allowed_origins)."
    return refusal(403, message, "origin_not_allowed")


def owner_only(connection: HTTPConnection) -> JSONResponse | None:
    """The refusal of whoever has not the server's own key, or comes from a strange page. What was
    said in a call is for the owner alone, also while the engines start."""
    service: Service = connection.app.state.service
    server = service.settings.server
    if not auth.key_is_right(server.api_key, auth.offered_key(connection)):
        return refusal(401, "Wrong or missing API key.", "invalid_api_key")
    return strange_page(connection)


def no_room(error: LimitExceeded, service: Service, status: int = 429) -> JSONResponse:
    """The refusal of a server that is full or late, with when to come back."""
    code = "server_overloaded" if isinstance(error, Overloaded) else "session_limit_exceeded"
    response = refusal(status, str(error), code)
    response.headers["Retry-After"] = str(service.settings.admission.retry_after_s)
    return response


async def no_state(connection: HTTPConnection, error: Exception) -> Response:
    """For the framework: what gateways share does not answer, so nobody can be let in."""
    log.error("%s", error)
    return refusal(503, "The server cannot look it up just now.", "state_unavailable")


def refusal(status: int, message: str, code: str, param: str | None = None) -> JSONResponse:
    """An error in the API's shape. 429 and 5xx are the server's doing and say when to try again."""
    ours = status == 429 or status >= 500
    kind = "server_error" if ours else "invalid_request_error"
    body = {"error": {"message": message, "type": kind, "param": param, "code": code}}
    return JSONResponse(body, status, {"Retry-After": "5"} if ours else None)


OPENED_BY_CLIENTS = ("realtime", "webrtc")
"""Transports whose calls a named key may open, and so be in charge of."""


def check_charge(connection: HTTPConnection, call: LiveCall) -> None:
    """Whether who has come in may be in charge of a call: the owner of every one, a named key of
    what it has opened, a client secret of none. Raises CallNotFound: what is not theirs is not
    there for them."""
    service: Service = connection.app.state.service
    offered = auth.offered_key(connection)
    wanted = service.settings.server.api_key
    if wanted is None or auth.key_is_right(wanted, offered):
        return
    holder = service.keys.holder(offered)
    theirs = holder is not None and call.key == holder.name
    if call.parties.transport not in OPENED_BY_CLIENTS or not theirs:
        raise CallNotFound
