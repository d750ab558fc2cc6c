"""Twilio: Media Streams both ways (`Connect/Stream`), JSON, mu-law at 8 kHz; TwiML; its signature;
its REST interface. SignalWire has most of it too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import parse_qsl, quote, urlsplit, urlunsplit
from xml.sax.saxutils import escape, quoteattr

from voicepipe.audio.formats import PCMU_8K, AudioFormat
from voicepipe.config import TelephonySettings
from voicepipe.protocols.json_fields.checks import Json
from voicepipe.protocols.telephony import documents, messages
from voicepipe.protocols.telephony.carrier import (
    CallControl,
    CallStatus,
    Carrier,
    Dial,
    Dialing,
    RestRequest,
    SignedRequest,
    Transfer,
    UnansweredReason,
    Webhook,
)
from voicepipe.protocols.telephony.contract import CallEvent, CallStarted
from voicepipe.protocols.telephony.json_stream import JsonStreamCodec
from voicepipe.protocols.telephony.signing import Form, base64_hmac, names_a_field_twice, same

_DEFAULT_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}


class TwilioCodec(JsonStreamCodec):
    """One stream; see `CallCodec`. A mark comes back when it is played or when `clear` drops it."""

    stream_field = "streamSid"
    sequence_field = "sequenceNumber"
    formats: ClassVar[Sequence[AudioFormat]] = (PCMU_8K,)

    def _call_started(self, message: Json) -> CallStarted:
        start = messages.section(message, "start")
        path = "start.mediaFormat"
        described = messages.section(start, "mediaFormat", path)
        fmt = messages.media_format(described, path, allowed=self.formats, rate_field="sampleRate")
        return CallStarted(
            call_id=messages.identifier(start, "callSid", "start.callSid"),
            stream_id=messages.identifier(start, "streamSid", "start.streamSid"),
            input_format=fmt,
            output_format=fmt,
            parameters=messages.parameters(start.get("customParameters"), "start.customParameters"),
        )

    def _on_other(self, kind: str, message: Json) -> Sequence[CallEvent]:
        return self._on_mark(message) if kind == "mark" else ()

    def _address(self) -> dict[str, str]:
        return {"streamSid": self._call().stream_id}


# -- signature -------------------------------------------------------------------------------------


def sign(url: str, secret: str, form: Form = (), *, algorithm: str = "sha1") -> str:
    """X-Twilio-Signature: base64 HMAC of the URL and the sorted form.

    `algorithm`: "sha1" with the account's auth token, "sha256" with a webhook key's secret.
    """
    fields = sorted(set(form))
    signed = url + "".join(name + value for name, value in fields)
    return base64_hmac(secret, signed, algorithm)


def verify(
    url: str,
    secret: str,
    signature: str | None,
    *,
    form: Form = (),
    settings: str | None = None,
) -> bool:
    """Whether Twilio signed a form POST, a GET or an upgrade (`wss` URL, no form).

    `settings`: the header X-Twilio-Webhooks-Signature-Settings, where it came; `secret` then is
    the named key's. Twilio signs the URL with or without its port: both are tried, and an upgrade's
    with and without a slash at the end. A form that names a field twice is nobody's: Twilio signs
    each field once, so a second one would be unsigned.

    A genuine signature has one spelling: it tells a request from another, which the fields do not,
    since they are signed without anything between them.
    """
    algorithm = _algorithm(settings)
    fields = tuple(form)
    if not signature or not secret or algorithm is None or names_a_field_twice(fields):
        return False
    matches = [
        same(sign(variant, secret, fields, algorithm=algorithm), signature)
        for variant in _spellings(url)
    ]
    return any(matches)


def verify_json(
    url: str, secret: str, signature: str | None, body: bytes, *, settings: str | None = None
) -> bool:
    """Whether Twilio signed a JSON POST: the signed URL's query holds the body's SHA-256."""
    wanted = dict(parse_qsl(urlsplit(url).query)).get("bodySHA256", "")
    same_body = same(hashlib.sha256(body).hexdigest(), wanted.lower())
    return verify(url, secret, signature, settings=settings) and same_body


def _algorithm(settings: str | None) -> str | None:
    """Of the header `key=...,algorithm=HMAC_SHA256`; None: not known."""
    if settings is None:
        return "sha1"
    pairs = (part.partition("=") for part in settings.split(","))
    fields = {name.strip(): value.strip() for name, _, value in pairs}
    return "sha256" if fields.get("algorithm") == "HMAC_SHA256" else None


def _spellings(url: str) -> list[str]:
    """With or without the port, and, of an upgrade, with or without a slash at the end."""
    parts = urlsplit(url)
    spellings = [parts]
    try:
        port, default = parts.port, _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:  # no number
        port = default = None
    if port is not None:
        spellings.append(parts._replace(netloc=parts.netloc.rpartition(":")[0]))
    elif default is not None:
        spellings.append(parts._replace(netloc=f"{parts.netloc}:{default}"))
    if parts.scheme in ("ws", "wss"):
        other = parts.path.removesuffix("/") if parts.path.endswith("/") else parts.path + "/"
        spellings += [spelling._replace(path=other) for spelling in spellings]
    return [url, *(urlunsplit(spelling) for spelling in spellings)]


def known_by_signature(request: SignedRequest, secret: str, signature: str | None) -> str | None:
    """See `Webhook.verified`. A request is known by its signature, which has one spelling."""
    if request.form is None and request.body:
        signed = verify_json(request.url, secret, signature, request.body)
    else:
        signed = verify(request.url, secret, signature, form=request.form or ())
    return signature if signed else None


def _verified(request: SignedRequest, secret: str) -> str | None:
    return known_by_signature(request, secret, request.header("x-twilio-signature"))


def _stream_refusal(upgrade: SignedRequest, secret: str) -> str | None:
    if verify(upgrade.url, secret, upgrade.header("x-twilio-signature")):
        return None
    return "X-Twilio-Signature is missing or wrong; is telephony.public_url right?"


# -- document --------------------------------------------------------------------------------------


def _document(stream_url: str, parameters: Mapping[str, str]) -> str:
    return documents.connect(f"url={quoteattr(stream_url)}", parameters)


# -- REST interface --------------------------------------------------------------------------------


_UNANSWERED: Mapping[str, UnansweredReason] = {
    "busy": "busy",
    "no-answer": "not answered",
    "failed": "failed",
    "canceled": "failed",  # at the carrier: we would not wait for it any more
    "completed": "failed",  # picked up, and over: its stream has never come
}


def call_status(said: Mapping[str, Any]) -> CallStatus | None:
    """See `Webhook.status`: of a status callback's form."""
    ended = _UNANSWERED.get(said["CallStatus"])
    return None if ended is None else CallStatus(said["CallSid"], ended)


def rest_control(
    base_url: str,
    account: str,
    token: str,
    path: str,
    document: Callable[[str, Mapping[str, str]], str],
) -> CallControl:
    """Twilio's interface, below `path` of `base_url`; `document`: as in `Webhook`."""
    calls = f"{base_url.rstrip('/')}{path}/Accounts/{quote(account, safe='')}/Calls"

    def update(call_id: str, form: Mapping[str, str]) -> RestRequest:
        url = f"{calls}/{quote(call_id, safe='')}.json"
        return RestRequest("POST", url, form=form, basic=(account, token))

    def hang_up(call_id: str) -> RestRequest:
        return update(call_id, {"Status": "completed"})

    def transfer(wanted: Transfer) -> RestRequest:
        twiml = f"<Response><Dial>{escape(wanted.to)}</Dial></Response>"
        return update(wanted.call_id, {"Twiml": twiml})

    def dial(wanted: Dial) -> RestRequest:
        form = {
            "To": wanted.to,
            "From": wanted.caller,
            "Twiml": document(wanted.stream_url, {}),
            "Timeout": str(wanted.ring_s),
            "StatusCallback": wanted.status_url,  # asked once, when the call is over
        }
        return RestRequest("POST", f"{calls}.json", form=form, basic=(account, token))

    return CallControl(hang_up, transfer, Dialing(dial, lambda answer: answer["sid"]))


def _control(settings: TelephonySettings) -> CallControl | None:
    own = settings.twilio
    if not own.account_sid or own.auth_token is None:
        return None
    token = own.auth_token.get_secret_value()
    return rest_control(own.api_url, own.account_sid, token, "/2010-04-01", _document)


TWILIO = Carrier(
    "twilio",
    TwilioCodec,
    Webhook(
        "auth_token",
        _verified,
        _document,
        documents.reject,
        stream_refusal=_stream_refusal,
        status=call_status,
    ),
    _control,
)
