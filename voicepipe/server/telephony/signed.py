"""A carrier's request whose signature has been checked, and the fields in it."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from voicepipe.protocols.telephony.carrier import Carrier, SignedRequest, Webhook
from voicepipe.runtime.errors import LimitExceeded, ProtocolError
from voicepipe.server import bodies
from voicepipe.server.service import Service
from voicepipe.server.telephony import access
from voicepipe.server.telephony.public_url import public_url
from voicepipe.server.telephony.state import TelephonyState

log = logging.getLogger(__name__)

MAX_BODY = 64 * 1024
"""Bytes; carriers' own have below two thousand."""


@dataclass(frozen=True, slots=True)
class Signed:
    """`verified`: tells this request from others (see `Webhook.verified`); `said`: its body."""

    request: SignedRequest
    verified: str
    said: Mapping[str, Any]

    @property
    def fields(self) -> dict[str, str]:
        """The texts of its body."""
        return {name: text for name, text in self.said.items() if isinstance(text, str)}


async def read_signed(request: Request, carrier: Carrier, webhook: Webhook) -> Signed | Response:
    """The refusal where it is not the carrier's, or too long."""
    service: Service = request.app.state.service
    state: TelephonyState = request.app.state.telephony
    settings = service.settings.telephony
    refusal = access.closed(carrier, webhook, settings)
    if refusal is not None:
        return refusal
    try:
        body = await bodies.read(request, MAX_BODY)
    except (LimitExceeded, ProtocolError) as error:
        return access.denial(413 if isinstance(error, LimitExceeded) else 400, str(error))
    url = public_url(request, settings)
    signed = SignedRequest(url, request.headers, body, _form(request, body), state.wall_s())
    secret = access.secret_of(carrier, webhook, settings)
    anew = secrets.token_hex(8)
    verified = anew if settings.insecure else webhook.verified(signed, secret)
    if verified is None:
        return refused(carrier, webhook, "its signature is missing or wrong")
    said = _json_fields(body) if _is_json(request) else dict(signed.form or ())
    return Signed(signed, verified, said)


def refused(carrier: Carrier, webhook: Webhook, why: str) -> JSONResponse:
    """403."""
    name = carrier.name
    log.warning("a webhook of %s was refused: %s", name, why)
    return access.denial(
        403,
        f"This request is not accepted as {name}'s: {why}. If it is, look at "
        f"{access.secret_setting(carrier, webhook)} and telephony.public_url.",
    )


def _form(request: Request, body: bytes) -> tuple[tuple[str, str], ...] | None:
    """The fields of a form POST, else None."""
    if request.method != "POST" or _is_json(request):
        return None
    return tuple(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


def _is_json(request: Request) -> bool:
    return request.headers.get("content-type", "").startswith("application/json")


def _json_fields(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
