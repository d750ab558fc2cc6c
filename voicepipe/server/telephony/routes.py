"""Every path by which calls come in."""

from __future__ import annotations

from starlette.routing import BaseRoute, Route, WebSocketRoute

from voicepipe.server.telephony.carrier import ASTERISK, PCM
from voicepipe.server.telephony.endpoint import stream_endpoint
from voicepipe.server.telephony.webhooks import WEBHOOKS, webhook_endpoint

ANSWER = {"vonage": "answer"}
"""What a carrier calls its webhook; the others say voice."""


def routes() -> list[BaseRoute]:
    """`/telephony/<carrier>/voice`, `/telephony/<carrier>[/<ticket>]`, and the bridges' own."""
    found: list[BaseRoute] = [
        WebSocketRoute("/telephony/asterisk", stream_endpoint(ASTERISK)),
        WebSocketRoute("/v1/pcm", stream_endpoint(PCM)),
    ]
    for webhook in WEBHOOKS:
        base, stream = f"/telephony/{webhook.door.name}", stream_endpoint(webhook.door)
        path = f"{base}/{ANSWER.get(webhook.door.name, 'voice')}"
        found += [
            Route(path, webhook_endpoint(webhook), methods=["GET", "POST"]),
            WebSocketRoute(base, stream),
            WebSocketRoute(base + "/{ticket}", stream),
        ]
    return found
