"""`POST /v1/realtime/client_secrets`: a short-lived key that a browser may hold, and the session
settings that go with it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from voicepipe.runtime.errors import LimitExceeded, ProtocolError
from voicepipe.server import authorization, bodies
from voicepipe.server.realtime_setup import described
from voicepipe.server.secret_store import ClientSecrets
from voicepipe.server.shared.state import StateUnavailable

MIN_TTL_S, DEFAULT_TTL_S, MAX_TTL_S = 10, 600, 7200
"""As upstream."""

MAX_BODY = 256 * 1024
"""Bytes; instructions and tools are the bulk, and each secret keeps them."""


async def client_secrets(request: Request) -> Response:
    """200 with `value`, `expires_at` (unix seconds) and the effective `session`."""
    entry = authorization.enter(request, with_secret=False)
    if isinstance(entry, Response):
        return entry
    store: ClientSecrets = request.app.state.client_secrets
    try:
        body = await bodies.read(request, MAX_BODY)
        wanted = bodies.json_object(body, "The request") if body.strip() else {}
        ttl_s = _ttl_s(wanted.get("expires_after"))
        session = wanted.get("session") or {}
        if not isinstance(session, dict):
            raise ProtocolError("session must be an object", code="invalid_type", param="session")
        shown = described(request, session)
    except ProtocolError as error:
        return authorization.refusal(400, str(error), error.code, error.param)
    except LimitExceeded as error:
        return authorization.refusal(413, str(error), "request_too_large")
    try:
        value = store.mint(session, ttl_s)
    except StateUnavailable:
        raise  # a limit that it has is not what stands in the way
    except LimitExceeded as error:
        return authorization.refusal(429, str(error), "limit_exceeded")
    expires_at = int(time.time() + ttl_s)
    return JSONResponse({"value": value, "expires_at": expires_at, "session": shown})


def _ttl_s(expires_after: object) -> int:
    if expires_after is None:
        return DEFAULT_TTL_S
    given: Mapping[str, Any] = expires_after if isinstance(expires_after, dict) else {}
    if given.get("anchor", "created_at") != "created_at" or not given:
        raise ProtocolError(
            "expires_after must be {'anchor': 'created_at', 'seconds': ...}",
            code="invalid_value",
            param="expires_after",
        )
    seconds = given.get("seconds", DEFAULT_TTL_S)
    if type(seconds) is not int or not MIN_TTL_S <= seconds <= MAX_TTL_S:
        raise ProtocolError(
            f"expires_after.seconds must be a whole number from {MIN_TTL_S} to {MAX_TTL_S}",
            code="invalid_value",
            param="expires_after.seconds",
        )
    return seconds
