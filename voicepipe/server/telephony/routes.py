"""Every path by which calls come in."""

from __future__ import annotations

from starlette.routing import BaseRoute, Route, WebSocketRoute

from voicepipe.protocols.telephony.carrier import Carrier
from voicepipe.protocols.telephony.carriers import CARRIERS
from voicepipe.server.telephony.call_status import status_endpoint
from voicepipe.server.telephony.endpoint import stream_endpoint
from voicepipe.server.telephony.outbound import STATUS
from voicepipe.server.telephony.transfer_document import TRANSFER, transfer_document
from voicepipe.server.telephony.webhooks import webhook_endpoint


def routes() -> list[BaseRoute]:
    """Of each carrier its streams; of those that have webhooks these too, and streams that bring a
    ticket."""
    return [route for carrier in CARRIERS for route in _routes(carrier)]


def _routes(carrier: Carrier) -> list[BaseRoute]:
    stream = stream_endpoint(carrier)
    found: list[BaseRoute] = [WebSocketRoute(carrier.path, stream)]
    webhook = carrier.webhook
    if webhook is not None:
        path = f"{carrier.path}/{webhook.path}"
        found += [
            Route(path, webhook_endpoint(carrier, webhook), methods=["GET", "POST"]),
            WebSocketRoute(carrier.path + "/{ticket}", stream),
        ]
        if webhook.status is not None:
            status = status_endpoint(carrier, webhook, webhook.status)
            found.append(Route(f"{carrier.path}/{STATUS}", status, methods=["POST"]))
        if webhook.put_through is not None:
            document = transfer_document(carrier, webhook, webhook.put_through)
            found.append(Route(f"{carrier.path}/{TRANSFER}", document, methods=["POST"]))
    return found
