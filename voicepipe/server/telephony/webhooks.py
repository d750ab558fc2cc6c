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

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from voicepipe.protocols.telephony import signatures
from voicepipe.runtime.errors import LimitExceeded, ProtocolError
from voicepipe.server import bodies
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
    verified: Callable[[SignedRequest, str], str | None]  # by the carrier's secret: what tells this
    # request from others, the same however it is spelled when sent again; None: not the carrier's
    media_type: str = documents.XML
    fields: Mapping[str, str] = field(  # parameters of the document by the request's fields
        default_factory=lambda: {"caller": "From", "called": "To"}
    )
    signs_query: bool = True  # else the query's fields count only where there is no body


def _twilio_verified(request: SignedRequest, secret: str) -> str | None:
    return _as_twilio(request, secret, request.header("x-twilio-signature"))


def _signalwire_verified(request: SignedRequest, secret: str) -> str | None:
    """Twilio's scheme with SignalWire's key, under either name."""
    signature = request.header("x-signalwire-signature") or request.header("x-twilio-signature")
    return _as_twilio(request, secret, signature)


def _as_twilio(request: SignedRequest, secret: str, signature: str | None) -> str | None:
    """Known by its signature, which has one spelling."""
    if request.form is None and request.body:
        signed = signatures.verify_twilio_json(request.url, secret, signature, request.body)
    else:
        form = request.form or ()
        signed = signatures.verify_twilio(request.url, secret, signature, form=form)
    return signature if signed else None


def _telnyx_verified(request: SignedRequest, secret: str) -> str | None:
    """Known by what is signed: the time and the body."""
    timestamp = request.header("telnyx-timestamp")
    signed = signatures.verify_telnyx(
        secret,
        request.header("telnyx-signature-ed25519"),
        timestamp,
        request.body,
        now_s=request.now_s,
    )
    return f"{timestamp}\n{request.body!r}" if signed else None


def _plivo_verified(request: SignedRequest, secret: str) -> str | None:
    """Known by the signature that would be right: the header may hold others beside it."""
    if request.form is None and request.body:
        return None  # nothing signs it
    nonce = request.header("x-plivo-signature-v3-nonce") or ""
    signature, form = request.header("x-plivo-signature-v3"), request.form
    signed = signatures.verify_plivo(request.url, secret, signature, nonce, form=form)
    return signatures.sign_plivo(request.url, secret, nonce, form) if signed else None


def _vonage_verified(request: SignedRequest, secret: str) -> str | None:
    """Known by what the token signs: a signature in base64 has many spellings."""
    token = _bearer(request)
    claims = signatures.verify_vonage(secret, token, now_s=request.now_s, body=request.body)
    return None if claims is None else token.rpartition(".")[0]


def _bearer(request: SignedRequest) -> str:
    scheme, _, token = (request.header("authorization") or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


WEBHOOKS = (
    Webhook(TWILIO, documents.twilio, documents.busy_twilio, _twilio_verified),
    Webhook(SIGNALWIRE, documents.signalwire, documents.busy_twilio, _signalwire_verified),
    Webhook(TELNYX, documents.telnyx, documents.busy_twilio, _telnyx_verified, signs_query=False),
    Webhook(PLIVO, documents.plivo, documents.busy_plivo, _plivo_verified),
    Webhook(
        VONAGE,
        documents.vonage,
        documents.busy_vonage,
        _vonage_verified,
        documents.JSON,
        {"caller": "from", "called": "to", "call_id": "uuid"},
        signs_query=False,
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
        try:
            body = await bodies.read(request, MAX_BODY)
        except (LimitExceeded, ProtocolError) as error:
            return access.denial(413 if isinstance(error, LimitExceeded) else 400, str(error))
        url = public_url(request, settings)
        signed = SignedRequest(url, request.headers, body, _form(request, body), state.wall_s())
        secret = access.secret_of(webhook.door, settings)
        anew = secrets.token_hex(8)
        verified = anew if settings.insecure else webhook.verified(signed, secret)
        if verified is None:
            return _refused(webhook, "its signature is missing or wrong")
        reason = busy(service)
        if reason is not None:
            log.warning("a call from %s is refused: %s", webhook.door.name, reason)
            return Response(webhook.busy(settings.busy), media_type=webhook.media_type)
        fields = _fields(request, signed, with_query=webhook.signs_query or not body)
        parameters = {name: _clean(fields.get(key, "")) for name, key in webhook.fields.items()}
        caller_id = CallerId(parameters["caller"], parameters["called"])
        ticket = await _ticket(state, webhook.door, verified, caller_id)
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


async def _ticket(
    state: TelephonyState, door: Door, verified: str, caller_id: CallerId
) -> str | None:
    """None: the request had its call, before a restart perhaps."""
    request = f"{door.name} {verified}"
    if await state.spent.holds(request):
        return None
    return state.tickets.issue(door.name, request, caller_id)


def _form(request: Request, body: bytes) -> tuple[tuple[str, str], ...] | None:
    """The fields of a form POST, else None."""
    if request.method != "POST" or _is_json(request):
        return None
    return tuple(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


def _is_json(request: Request) -> bool:
    return request.headers.get("content-type", "").startswith("application/json")


def _fields(request: Request, signed: SignedRequest, *, with_query: bool) -> dict[str, str]:
    """What the request says; its body before its query."""
    query = request.url.query if with_query else ""
    body = _json_fields(signed.body) if _is_json(request) else dict(signed.form or ())
    return dict(parse_qsl(query, keep_blank_values=True)) | body


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
