"""`/whip`: encoders that speak WHIP (RFC 9725) call in. One that only sends is only heard."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from voicepipe.runtime.errors import LimitExceeded, ProtocolError
from voicepipe.server import authorization, bodies
from voicepipe.server.service import Service
from voicepipe.server.webrtc import calls, ice


def routes() -> list[BaseRoute]:
    """The endpoint, and its sessions. Candidates come with the offer, so there is no PATCH: the
    framework answers 405."""
    return [
        Route("/whip", offer, methods=["POST"]),
        Route("/whip", options, methods=["OPTIONS"]),
        Route("/whip/{call_id}", calls.hang_up, methods=["DELETE"]),
    ]


async def offer(request: Request) -> Response:
    """201 with the answer, the session's `Location`, and `Link`s to the ICE servers."""
    entry = authorization.enter(request)
    if isinstance(entry, Response):
        return entry
    media_type = calls.media_type_of(request)
    if media_type != calls.SDP_TYPE:
        return calls.wrong_type(calls.SDP_TYPE, media_type)
    try:
        text = calls.sdp_text(await bodies.read(request, calls.MAX_SDP))
        response = await calls.answer(request, text, [entry.session], "/whip", busy=503)
    except LimitExceeded as error:
        return authorization.refusal(413, str(error), "request_too_large")
    except ProtocolError as error:
        return authorization.refusal(400, str(error), error.code, error.param)
    service: Service = request.app.state.service
    if response.status_code == 201:
        for link in ice.link_headers(service.settings.webrtc.ice_servers):
            response.headers.append("Link", link)
    return response


async def options(request: Request) -> Response:
    """What may be posted."""
    headers = {"Accept-Post": calls.SDP_TYPE, "Allow": "POST, OPTIONS"}
    return Response(status_code=204, headers=headers)
