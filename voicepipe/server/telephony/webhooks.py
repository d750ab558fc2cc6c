"""The carriers' webhooks: somebody is calling, what shall be done? The answer is a document that
streams the call here, once the carrier's signature has been checked.
"""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from voicepipe.agents.directory import UnknownAgent
from voicepipe.protocols.telephony import signatures
from voicepipe.server.agent_choice import named
from voicepipe.server.service import Service
from voicepipe.server.telephony import access, documents
from voicepipe.server.telephony.carrier import PLIVO, SIGNALWIRE, TELNYX, TWILIO, VONAGE, Door
from voicepipe.server.telephony.endpoint import busy
from voicepipe.server.telephony.public_url import public_origin, public_url, stream_origin
from voicepipe.server.telephony.state import TelephonyState
from voicepipe.server.telephony.tickets import CallerId

log = logging.getLogger(__name__)

MAX_BODY = 64 * 1024
"""Bytes; carriers' own have below two thousand."""

MAX_NUMBER_CHARS = 64


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """A webhook's request, as far as its signature goes."""

    url: str  # as the carrier wrote it
    headers: Mapping[str, str]
    body: bytes
    form: tuple[tuple[str, str], ...] | None  # of a form POST
    now_s: float  # seconds since 1970

    def header(self, name: str) -> str | None:
        return self.headers.get(name)


@dataclass(frozen=True, slots=True)
class Webhook:
    """What differs between carriers."""

    door: Door
    document: Callable[[str, Mapping[str, str]], str]
    busy: Callable[[str], str]
    is_signed: Callable[[SignedRequest, str], bool]  # by the carrier's secret
    identity: Callable[[SignedRequest], str]  # the same when it is sent again; only signed parts
    media_type: str = documents.XML
    fields: Mapping[str, str] = field(  # parameters of the document by the request's fields
        default_factory=lambda: {"caller": "From", "called": "To"}
    )


def _twilio_signed(request: SignedRequest, secret: str) -> bool:
    signature = request.header("x-twilio-signature")
    return signatures.verify_twilio(request.url, secret, signature, form=request.form or ())


def _signalwire_signed(request: SignedRequest, secret: str) -> bool:
    """Twilio's scheme with SignalWire's key, under either name."""
    signature = request.header("x-signalwire-signature") or request.header("x-twilio-signature")
    return signatures.verify_twilio(request.url, secret, signature, form=request.form or ())


def _telnyx_signed(request: SignedRequest, secret: str) -> bool:
    return signatures.verify_telnyx(
        secret,
        request.header("telnyx-signature-ed25519"),
        request.header("telnyx-timestamp"),
        request.body,
        now_s=request.now_s,
    )


def _plivo_signed(request: SignedRequest, secret: str) -> bool:
    return signatures.verify_plivo(
        request.url,
        secret,
        request.header("x-plivo-signature-v3"),
        request.header("x-plivo-signature-v3-nonce"),
        form=request.form,
    )


def _vonage_signed(request: SignedRequest, secret: str) -> bool:
    body = request.body or None
    claims = signatures.verify_vonage(secret, _bearer(request), now_s=request.now_s, body=body)
    return claims is not None


def _bearer(request: SignedRequest) -> str:
    scheme, _, token = (request.header("authorization") or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _form_identity(request: SignedRequest) -> str:
    """Twilio signs the parameters sorted, so their order may not make a request another."""
    return f"{request.url}\n{sorted(request.form or ())}"


WEBHOOKS = (
    Webhook(
        TWILIO,
        documents.twilio,
        documents.busy_twilio,
        _twilio_signed,
        _form_identity,
    ),
    Webhook(
        SIGNALWIRE,
        documents.signalwire,
        documents.busy_twilio,
        _signalwire_signed,
        _form_identity,
    ),
    Webhook(
        TELNYX,
        documents.telnyx,
        documents.busy_twilio,
        _telnyx_signed,
        lambda request: f"{request.header('telnyx-timestamp')}\n{request.body!r}",
    ),
    Webhook(
        PLIVO,
        documents.plivo,
        documents.busy_plivo,
        _plivo_signed,
        lambda request: request.header("x-plivo-signature-v3-nonce") or "",
    ),
    Webhook(
        VONAGE,
        documents.vonage,
        documents.busy_vonage,
        _vonage_signed,
        lambda request: _bearer(request).rpartition(".")[0],  # a signature has many spellings
        documents.JSON,
        {"caller": "from", "called": "to", "call_id": "uuid"},
    ),
)


def webhook_endpoint(webhook: Webhook) -> Callable[[Request], Awaitable[Response]]:
    """GET or POST: the document for this call."""

    async def endpoint(request: Request) -> Response:
        service: Service = request.app.state.service
        state: TelephonyState = request.app.state.telephony
        settings = service.settings.telephony
        refusal = access.closed(webhook.door, settings)
        if refusal is not None:
            return refusal
        body = await _body(request)
        if body is None:
            return access.denial(413, f"the body has more than {MAX_BODY} bytes")
        signed, fields = _read(request, body, public_url(request, settings), state.wall_s())
        secret = access.secret_of(webhook.door, settings)
        if not settings.insecure and not webhook.is_signed(signed, secret):
            return _refused(webhook, "its signature is missing or wrong")
        reason = busy(service)
        if reason is not None:
            log.warning("a call from %s is refused: %s", webhook.door.name, reason)
            return Response(webhook.busy(settings.busy), media_type=webhook.media_type)
        parameters = {name: _clean(fields.get(key, "")) for name, key in webhook.fields.items()}
        try:
            agent = named(request)
        except UnknownAgent as error:
            log.warning("a call from %s is refused: %s", webhook.door.name, error)
            return access.denial(404, str(error))
        caller_id = CallerId(parameters["caller"], parameters["called"], agent)
        identity = (
            secrets.token_hex(8)
            if settings.insecure
            else f"{webhook.door.name} {webhook.identity(signed)}"
        )
        ticket = state.tickets.issue(webhook.door.name, identity, caller_id)
        if ticket is None:
            return _refused(webhook, "it was answered before, and its call has begun")
        origin = stream_origin(public_origin(request, settings))
        url = f"{origin}/telephony/{webhook.door.name}/{ticket}"
        return Response(webhook.document(url, parameters), media_type=webhook.media_type)

    return endpoint


def _refused(webhook: Webhook, why: str) -> JSONResponse:
    name = webhook.door.name
    log.warning("a webhook of %s was refused: %s", name, why)
    return access.denial(
        403,
        f"This request is not accepted as {name}'s: {why}. If it is, look at "
        f"{access.SECRETS[name]} and telephony.public_url.",
    )


async def _body(request: Request) -> bytes | None:
    """None: it is too long."""
    body = bytearray()
    try:
        async for piece in request.stream():
            body += piece
            if len(body) > MAX_BODY:
                return None
    except ClientDisconnect:
        pass  # nobody reads the answer
    return bytes(body)


def _read(
    request: Request, body: bytes, url: str, now_s: float
) -> tuple[SignedRequest, dict[str, str]]:
    """The request, and its fields wherever they stand."""
    fields = dict(parse_qsl(request.url.query, keep_blank_values=True))
    form = None
    if request.headers.get("content-type", "").startswith("application/json"):
        fields |= _json_fields(body)
    elif request.method == "POST":
        form = tuple(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
        fields |= dict(form)
    return SignedRequest(url, request.headers, body, form, now_s), fields


def _json_fields(body: bytes) -> dict[str, str]:
    try:
        value = json.loads(body or b"{}")
    except (ValueError, RecursionError):
        return {}
    if not isinstance(value, dict):
        return {}
    return {name: text for name, text in value.items() if isinstance(text, str)}


def _clean(number: str) -> str:
    """What may stand in a document: no control characters, not long."""
    return "".join(c for c in number if c.isprintable())[:MAX_NUMBER_CHARS]
