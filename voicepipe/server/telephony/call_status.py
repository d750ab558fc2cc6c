"""What a carrier tells of a call that we have made: the line was busy, nobody has picked up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from voicepipe.protocols.telephony.carrier import CallStatus, Carrier, Webhook
from voicepipe.server.telephony import access
from voicepipe.server.telephony.outbound import CALL
from voicepipe.server.telephony.signed import read_signed
from voicepipe.server.telephony.state import TelephonyState

ReadStatus = Callable[[Mapping[str, Any]], CallStatus | None]


def status_endpoint(
    carrier: Carrier, webhook: Webhook, read: ReadStatus
) -> Callable[[Request], Awaitable[Response]]:
    """POST: 200, whatever the call is by now."""

    async def endpoint(request: Request) -> Response:
        signed = await read_signed(request, carrier, webhook)
        if isinstance(signed, Response):
            return signed
        try:
            status = read(signed.said)
        except (KeyError, TypeError):
            return _no_status(carrier)
        if status is not None:
            if not isinstance(status.call_id, str):  # it came as JSON
                return _no_status(carrier)
            state: TelephonyState = request.app.state.telephony
            ours = request.query_params.get(CALL) if webhook.signs_query else None
            state.outbound.unanswered(ours or status.call_id, status.ended)
        return Response(status_code=200)

    return endpoint


def _no_status(carrier: Carrier) -> Response:
    return access.denial(400, f"This is no call status of {carrier.name}'s.")
