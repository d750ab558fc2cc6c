"""`POST /v1/realtime/calls/{id}/accept|reject|refer|hangup`: what a program does with a call. A
call goes by its id, its session's, or its carrier's.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voicepipe.runtime.errors import LimitExceeded, ProtocolError, VoicepipeError
from voicepipe.server import auth, authorization, bodies
from voicepipe.server.agent_choice import may_name
from voicepipe.server.decision import Decision, read_decision, rejection
from voicepipe.server.live_calls import CallNotFound, LiveCall, State
from voicepipe.server.realtime_setup import described
from voicepipe.server.service import Service

MAX_BODY = 256 * 1024
"""Bytes; instructions and tools are the bulk."""

_NUMBER = re.compile(r"\+?[0-9]{3,15}")

Action = Callable[[Request, LiveCall, dict[str, Any]], Awaitable[Response]]


def routes() -> list[BaseRoute]:
    """All of them."""
    actions = {"accept": accept, "reject": reject, "refer": refer, "hangup": hang_up}
    return [
        Route(f"/v1/realtime/calls/{{call_id}}/{name}", _endpoint(action), methods=["POST"])
        for name, action in actions.items()
    ]


def _endpoint(action: Action) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        entry = authorization.enter(request, to_running_call=True)
        if isinstance(entry, Response):
            return entry
        service: Service = request.app.state.service
        try:
            call = service.live_calls.find(request.path_params["call_id"])
            authorization.check_charge(request, call)
            text = await bodies.read(request, MAX_BODY)
            body = bodies.json_object(text, "The request") if text.strip() else {}
            return await action(request, call, body)
        except CallNotFound as error:
            return authorization.refusal(404, str(error), "call_not_found")
        except ProtocolError as error:
            return authorization.refusal(400, str(error), error.code, error.param)
        except LimitExceeded as error:
            return authorization.refusal(413, str(error), "request_too_large")

    return endpoint


async def accept(request: Request, call: LiveCall, body: dict[str, Any]) -> Response:
    """200: a call that rings is answered. The body may say by which `agent`, with what `variables`,
    and how its session is set: the fields of a session object."""
    service: Service = request.app.state.service
    decision = read_decision(body, service.agents)
    may_name(service.keys.holder(auth.offered_key(request)), decision.agent)
    described(request, decision.session)  # what is wrong in it is told now
    return _decided(call, decision)


async def reject(request: Request, call: LiveCall, body: dict[str, Any]) -> Response:
    """200: a call that rings is not answered."""
    return _decided(call, rejection(body))


async def refer(request: Request, call: LiveCall, body: dict[str, Any]) -> Response:
    """200: the carrier has put the call through to `target_uri`."""
    number = _number(body.get("target_uri"))
    try:
        await call.refer(number)
    except VoicepipeError as error:
        return authorization.refusal(502, str(error), "call_not_referred")
    return Response(status_code=200)


async def hang_up(request: Request, call: LiveCall, body: dict[str, Any]) -> Response:
    """200 when the call has ended."""
    if not await call.hang_up():
        return authorization.refusal(504, "The call has not ended in time.", "call_not_ended")
    return Response(status_code=200)


def _decided(call: LiveCall, decision: Decision) -> Response:
    """Raises CallNotFound where it has ended while the request came."""
    if call.decide(decision):
        return Response(status_code=200)
    if call.state is State.ENDED:
        raise CallNotFound
    message = "The call does not ring any more: it was accepted or rejected before."
    return authorization.refusal(409, message, "call_not_ringing")


def _number(target: object) -> str:
    """Of `tel:+14155550123`. Raises ProtocolError."""
    number = target.removeprefix("tel:") if isinstance(target, str) else ""
    if not _NUMBER.fullmatch(number):
        raise ProtocolError(
            "target_uri must be a telephone number of 3 to 15 digits: tel:+14155550123",
            code="invalid_value",
            param="target_uri",
        )
    return number
