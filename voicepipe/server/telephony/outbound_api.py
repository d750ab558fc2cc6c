"""`POST /v1/calls`: a program has somebody called."""

from __future__ import annotations

import re
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from voicepipe.runtime.errors import ConfigError, LimitExceeded, ProtocolError
from voicepipe.server import authorization, bodies
from voicepipe.server.decision import read_agent, read_variables
from voicepipe.server.live_calls import LiveCall
from voicepipe.server.realtime_setup import described
from voicepipe.server.service import Service
from voicepipe.server.telephony.outbound import Wanted
from voicepipe.server.telephony.public_url import public_origin
from voicepipe.server.telephony.rest import CarrierError
from voicepipe.server.telephony.state import TelephonyState

MAX_BODY = 256 * 1024
"""Bytes; a session's instructions are the bulk."""

_NUMBER = re.compile(r"\+[1-9][0-9]{6,14}")
_FIELDS = ("to", "agent", "variables", "session")


def routes() -> list[BaseRoute]:
    """The one."""
    return [Route("/v1/calls", create, methods=["POST"])]


async def create(request: Request) -> Response:
    """201 with the call, which rings. The body: `to` (E.164), and perhaps `agent`, `variables`,
    `session` (fields of a session object, which go before the agent's)."""
    entry = authorization.enter(request, with_secret=False)
    if isinstance(entry, Response):
        return entry
    service: Service = request.app.state.service
    try:
        body = bodies.json_object(await bodies.read(request, MAX_BODY), "The request")
        wanted = _wanted(body, service)
        described(request, wanted.session or {})  # what is wrong in it is told now
    except LimitExceeded as error:
        return authorization.refusal(413, str(error), "request_too_large")
    except ProtocolError as error:
        return authorization.refusal(400, str(error), error.code, error.param)
    try:
        call = await _dialed(request, wanted)
    except ConfigError as error:
        return authorization.refusal(403, str(error), "call_not_allowed")
    except LimitExceeded as error:
        return authorization.no_room(error, service, 503)
    except CarrierError as error:
        return authorization.refusal(502, str(error), "carrier_error")
    place = {"Location": f"/v1/calls/{call.id}"}
    return JSONResponse(_shown(call, wanted), status_code=201, headers=place)


async def _dialed(request: Request, wanted: Wanted) -> LiveCall:
    state: TelephonyState = request.app.state.telephony
    service: Service = request.app.state.service
    settings = service.settings.telephony
    if not (settings.public_url or settings.trust_forwarded or settings.insecure):
        raise ConfigError(
            "the carrier must know where to stream the call: set telephony.public_url"
        )
    return await state.outbound.dial(wanted, public_origin(request, settings))


def _wanted(body: dict[str, Any], service: Service) -> Wanted:
    for name in body:
        if name not in _FIELDS:
            raise _wrong(name[:64], f"is none of {', '.join(_FIELDS)}")
    to, session = body.get("to"), body.get("session") or {}
    if not isinstance(to, str) or not _NUMBER.fullmatch(to):
        raise _wrong("to", "must be a telephone number with + and 7 to 15 digits: +15550100")
    if not isinstance(session, dict):
        raise _wrong("session", "must be an object")
    agent = read_agent(body.get("agent"), service.agents)
    return Wanted(to, agent, read_variables(body.get("variables")), session)


def _wrong(name: str, problem: str) -> ProtocolError:
    return ProtocolError(f"{name} {problem}", code="invalid_value", param=name)


def _shown(call: LiveCall, wanted: Wanted) -> dict[str, str]:
    parties = call.parties
    return {
        "id": call.id,
        "object": "call",
        "state": call.state.value,
        "transport": parties.transport,
        "carrier_call_id": parties.carrier_call_id,
        "caller": parties.caller,
        "called": parties.called,
        "agent": call.agent or wanted.agent,
        "since": call.since.isoformat(),
    }
