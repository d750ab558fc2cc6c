"""The WebSocket paths that carriers stream calls to: accept or refuse, then hold the call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from starlette.responses import JSONResponse
from starlette.websockets import WebSocket

from voicepipe.agents.directory import UnknownAgent
from voicepipe.protocols.telephony.carrier import Carrier
from voicepipe.server import auth
from voicepipe.server.agent_choice import named
from voicepipe.server.service import Service
from voicepipe.server.telephony import access
from voicepipe.server.telephony.call import Call
from voicepipe.server.telephony.line import WebSocketLine
from voicepipe.server.telephony.public_url import public_origin
from voicepipe.server.telephony.room import busy
from voicepipe.server.telephony.state import TelephonyState
from voicepipe.server.telephony.tickets import CallerId

MEDIA = "media"
"""The subprotocol that Asterisk asks for (`protocols` in websocket_client.conf)."""


def stream_endpoint(carrier: Carrier) -> Callable[[WebSocket], Awaitable[None]]:
    """The endpoint of a carrier's streams."""

    async def endpoint(websocket: WebSocket) -> None:
        service: Service = websocket.app.state.service
        state: TelephonyState = websocket.app.state.telephony
        admitted = access.admit_stream(websocket, carrier, service.settings, state.tickets)
        refusal = admitted if isinstance(admitted, JSONResponse) else _full(service)
        if isinstance(admitted, CallerId):
            try:
                admitted = replace(admitted, agent=admitted.agent or named(websocket))
            except UnknownAgent as error:
                refusal = access.denial(404, str(error))
        if refusal is not None:
            await websocket.send_denial_response(refusal)
            if isinstance(admitted, CallerId) and admitted.live is not None:
                await admitted.live.hang_up("refused")  # its ticket is spent: nobody else comes
            return
        assert isinstance(admitted, CallerId)
        offered = auth.subprotocols(websocket)
        await websocket.accept(MEDIA if MEDIA in offered else None)
        origin = public_origin(websocket, service.settings.telephony)
        await Call(service, carrier, WebSocketLine(websocket), admitted, origin).run()

    return endpoint


def _full(service: Service) -> JSONResponse | None:
    """Before the upgrade, so that the carrier's own error handling sees it."""
    reason = busy(service)
    if reason is None:
        return None
    denial = access.denial(503, reason)
    denial.headers["Retry-After"] = str(service.settings.admission.retry_after_s)
    return denial
