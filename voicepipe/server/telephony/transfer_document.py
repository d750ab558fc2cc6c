"""The document by which a carrier puts a call through that has no request for it: its REST
interface is told our address, and fetches the document there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from voicepipe.protocols.telephony.carrier import Carrier, Webhook
from voicepipe.server.telephony.signed import read_signed

TRANSFER = "transfer"
"""Where below the carrier's own path it is."""


def transfer_document(
    carrier: Carrier, webhook: Webhook, document: Callable[[str], str]
) -> Callable[[Request], Awaitable[Response]]:
    """POST: the number is in the query, which the carrier's signature covers."""

    async def endpoint(request: Request) -> Response:
        signed = await read_signed(request, carrier, webhook)
        if isinstance(signed, Response):
            return signed
        number = request.query_params.get("to", "")
        return Response(document(number), media_type=webhook.media_type)

    return endpoint
