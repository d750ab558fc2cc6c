"""`/v1/realtime/calls`: an offer comes, an answer goes, and a call has begun."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from voicepipe.runtime.errors import LimitExceeded, ProtocolError
from voicepipe.server import auth, authorization, bodies
from voicepipe.server.client_call import CallRejected
from voicepipe.server.live_calls import CallNotFound
from voicepipe.server.resume import NOT_KEPT, PARAMETER, Lines, resuming
from voicepipe.server.service import Service
from voicepipe.server.webrtc import ice, sdp
from voicepipe.server.webrtc.switchboard import Switchboard

SDP_TYPE = "application/sdp"
MAX_SDP = 64 * 1024
"""Bytes; a browser's offer with everything in it has 10,000."""

LATE = "No answer could be made in time; is a server of webrtc.ice_servers silent?"

MAX_FORM = 512 * 1024
"""Bytes; the session object's instructions and tools are the bulk."""


def routes() -> list[BaseRoute]:
    """What belongs to calls, WHIP (`whip.py`) not counted."""
    return [
        Route("/v1/realtime/calls", create, methods=["POST"]),
        Route("/v1/realtime/calls/{call_id}", hang_up, methods=["DELETE"]),
        Route("/v1/realtime/ice_servers", ice_servers, methods=["GET"]),
    ]


async def create(request: Request) -> Response:
    """201 with the answer and the call's `Location`. The body is the offer, or a form of `sdp` and
    `session` (JSON), which wins over what a client secret was minted with."""
    if resuming(request):
        return await go_on(request)
    entry = authorization.enter(request)
    if isinstance(entry, Response):
        return entry
    media_type = media_type_of(request)
    wanted: Mapping[str, Any] = {}
    try:
        if media_type == SDP_TYPE:
            text = sdp_text(await bodies.read(request, MAX_SDP))
        elif media_type == "multipart/form-data":
            text, wanted = await _form(request)
        else:
            return wrong_type(f"{SDP_TYPE} or multipart/form-data", media_type)
        sessions = [entry.session, wanted]
        return await answer(request, text, sessions, "/v1/realtime/calls")
    except LimitExceeded as error:
        return authorization.refusal(413, str(error), "request_too_large")
    except ProtocolError as error:
        return authorization.refusal(400, str(error), error.code, error.param)


async def go_on(request: Request) -> Response:
    """201 with the answer, for the call whose token the request names: it goes on by this offer."""
    lines: Lines = request.app.state.lines
    switchboard: Switchboard = request.app.state.switchboard
    if (refused := authorization.out_of_place(request)) is not None:
        return refused
    gone = authorization.refusal(404, NOT_KEPT, "session_not_found", PARAMETER)
    line, media_type = lines.find(request), media_type_of(request)
    if line is None:
        return gone
    if media_type != SDP_TYPE:
        return wrong_type(SDP_TYPE, media_type)
    try:
        offer = sdp.read_offer(sdp_text(await bodies.read(request, MAX_SDP)))
        placed = await switchboard.place_again(request, offer, line)
    except sdp.Unusable as error:
        return authorization.refusal(422, str(error), error.code, error.param)
    except LimitExceeded as error:
        return authorization.refusal(413, str(error), "request_too_large")
    except ProtocolError as error:
        return authorization.refusal(400, str(error), error.code, error.param)
    except TimeoutError:
        return authorization.refusal(503, LATE, "answer_timeout")
    if placed is None:
        return gone
    call_id, reply = placed
    place = f"/v1/realtime/calls/{call_id}"
    return Response(reply, 201, {"Location": place}, media_type=SDP_TYPE)


async def answer(
    request: Request,
    text: str,
    sessions: Sequence[Mapping[str, Any]],
    place: str,
    busy: int = 429,
) -> Response:
    """The answer to an offer, or the refusal of a server without room (status `busy`). Raises
    ProtocolError."""
    switchboard: Switchboard = request.app.state.switchboard
    service: Service = request.app.state.service
    try:
        call_id, reply = await switchboard.place(request, sdp.read_offer(text), sessions)
    except sdp.Unusable as error:
        return authorization.refusal(422, str(error), error.code, error.param)
    except LimitExceeded as error:
        return authorization.no_room(error, service, busy)
    except CallRejected as error:
        return authorization.refusal(403, str(error), "call_rejected")
    except TimeoutError:
        return authorization.refusal(503, LATE, "answer_timeout")
    return Response(reply, 201, {"Location": f"{place}/{call_id}"}, media_type=SDP_TYPE)


async def hang_up(request: Request) -> Response:
    """200 when the call has ended."""
    entry = authorization.enter(request, to_running_call=True)
    if isinstance(entry, Response):
        return entry
    switchboard: Switchboard = request.app.state.switchboard
    call_id = request.path_params["call_id"]
    if _is_anothers(request, call_id) or not await switchboard.hang_up(call_id):
        return authorization.refusal(404, str(CallNotFound()), "call_not_found")
    return Response(status_code=200)


def _is_anothers(request: Request, call_id: str) -> bool:
    """A named key hangs up what it has opened; whoever has none was told the id by their answer."""
    service: Service = request.app.state.service
    holder = service.keys.holder(auth.offered_key(request))
    if holder is None:
        return False
    try:
        return service.live_calls.find(call_id).key != holder.name
    except CallNotFound:
        return False


async def ice_servers(request: Request) -> Response:
    """What a page gives its `RTCPeerConnection`."""
    entry = authorization.enter(request)
    if isinstance(entry, Response):
        return entry
    service: Service = request.app.state.service
    servers = ice.for_browsers(service.settings.webrtc.ice_servers)
    return JSONResponse({"iceServers": servers}, headers={"Cache-Control": "no-store"})


def wrong_type(wanted: str, got: str) -> Response:
    """415."""
    shown = f"'{got[:100]}'" if got else "missing"
    return authorization.refusal(
        415, f"Content-Type must be {wanted}, but is {shown}.", "unsupported_media_type"
    )


async def _form(request: Request) -> tuple[str, Mapping[str, Any]]:
    parts = await bodies.read_form(request, MAX_FORM)
    if "sdp" not in parts:
        raise ProtocolError("The form has no part 'sdp'.", code="missing_required_parameter")
    if len(parts["sdp"]) > MAX_SDP:
        raise LimitExceeded(f"sdp is longer than {MAX_SDP} bytes, the limit here")
    text = parts.get("session", "").strip()
    return parts["sdp"], bodies.json_object(text, "session") if text else {}


def sdp_text(body: bytes) -> str:
    """What is no UTF-8 is no session description either, as the parser will find."""
    return body.decode("utf-8", "replace")


def media_type_of(request: Request) -> str:
    """Of the request's body, without parameters; "" where it is not said."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()
