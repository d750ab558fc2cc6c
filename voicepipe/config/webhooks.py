"""Webhooks: addresses of your own programs that are told what happens in calls; see
docs/guides/your-program-in-charge.md."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Literal

from pydantic import Field, SecretStr, field_validator

from voicepipe.config.section import Section

WebhookName = Annotated[str, Field(max_length=64)]
"""As long as its column in the calls' database."""

WebhookEvent = Literal["call.incoming", "call.answered", "turn.completed", "call.ended"]
EVENTS: tuple[WebhookEvent, ...] = (
    "call.incoming",
    "call.answered",
    "turn.completed",
    "call.ended",
)


class WebhookSettings(Section):
    """One address. Its requests are signed by Standard Webhooks. All events but `call.incoming`
    wait in the calls' database, so `calls.enabled` must be on for them."""

    url: str = Field(pattern=r"^https?://[^\s/]+\S*$")
    secret: SecretStr  # whsec_ and the base64 of 24 to 64 random bytes
    events: tuple[WebhookEvent, ...] = Field(EVENTS, min_length=1)  # that it is told of
    deadline_ms: int = Field(5000, ge=100, le=30_000)  # of one delivery
    attempts: int = Field(15, ge=1, le=50)  # then an event is a dead letter; the pauses between
    # them grow from a second to an hour, so that 15 take about three hours

    @field_validator("secret")
    @classmethod
    def _secret(cls, secret: SecretStr) -> SecretStr:
        text = secret.get_secret_value()
        try:
            key = base64.b64decode(text.removeprefix("whsec_"), validate=True)
        except (binascii.Error, ValueError):
            key = b""
        if not text.startswith("whsec_") or not 24 <= len(key) <= 64:
            raise ValueError("must be whsec_ and the base64 of 24 to 64 random bytes")
        return secret
