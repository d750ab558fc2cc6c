"""Every path by which calls come in."""

from __future__ import annotations

from starlette.routing import BaseRoute, Route, WebSocketRoute

from voicepipe.protocols.telephony.carrier import Carrier
from voicepipe.protocols.telephony.carriers import CARRIERS
from voicepipe.server.telephony.endpoint import stream_endpoint
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
    return found
