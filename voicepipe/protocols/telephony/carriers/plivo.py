"""Plivo: audio streaming, bidirectional, JSON in camel case with verbs of its own; Plivo XML; its
signature; its REST interface, which fetches a document to put a call through.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, quote
from xml.sax.saxutils import escape, quoteattr

from voicepipe.audio.formats import PCM_8K, PCM_16K, PCMU_8K
from voicepipe.config import TelephonySettings
from voicepipe.protocols.json_fields import errors
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
from voicepipe.protocols.telephony.contract import CallEvent, CallStarted, Frame, MarkReached
from voicepipe.protocols.telephony.json_stream import JsonStreamCodec, base64_text, pieces
from voicepipe.protocols.telephony.signing import Form, base64_hmac, names_a_field_twice, same

FORMATS = (PCMU_8K, PCM_8K, PCM_16K)
_CONTENT_TYPES = {"pcmu": "audio/x-mulaw", "pcm16": "audio/x-l16"}


class PlivoCodec(JsonStreamCodec):
    """One stream; see `CallCodec`. The format is the stream's `contentType`, both ways; L16 is
    little-endian. A checkpoint that `clearAudio` drops need not come back."""

    stream_field = "streamId"
    sequence_field = "sequenceNumber"

    def _call_started(self, message: Json) -> CallStarted:
        start = messages.section(message, "start")
        path = "start.mediaFormat"
        described = messages.section(start, "mediaFormat", path)
        fmt = messages.media_format(described, path, allowed=FORMATS, rate_field="sampleRate")
        return CallStarted(
            call_id=messages.identifier(start, "callId", "start.callId"),
            stream_id=messages.identifier(start, "streamId", "start.streamId"),
            input_format=fmt,
            output_format=fmt,
            parameters=messages.parameters(_headers(message.get("extra_headers")), "extra_headers"),
        )

    def _on_other(self, kind: str, message: Json) -> Sequence[CallEvent]:
        if kind != "playedStream":
            return ()
        self._check_stream(message, kind)
        return (MarkReached(messages.mark_name(message.get("name"), "name")),)

    def audio(self, data: bytes) -> Sequence[Frame]:
        """See `CallCodec`."""
        fmt = self._call().output_format
        head = {"contentType": _CONTENT_TYPES[fmt.encoding], "sampleRate": fmt.rate}
        return [
            self._message("playAudio", media={**head, "payload": base64_text(piece)})
            for piece in pieces(data, fmt)
        ]

    def mark(self, name: str) -> Sequence[Frame]:
        """See `CallCodec`."""
        return (self._message("checkpoint", streamId=self._call().stream_id, name=name),)

    def flush(self) -> Sequence[Frame]:
        """See `CallCodec`."""
        return (self._message("clearAudio", streamId=self._call().stream_id),)


def _headers(value: object) -> object:
    """Plivo writes them as `a=1;b=2`, or with commas as in the XML attribute."""
    if not isinstance(value, str):
        return value
    if len(value) > messages.MAX_PARAMETER_CHARS:
        raise errors.bad_value(
            "extra_headers",
            f"has {len(value)} characters, more than the limit of {messages.MAX_PARAMETER_CHARS}.",
        )
    pairs = (pair.partition("=") for pair in value.strip("{} ").replace(";", ",").split(","))
    return {name.strip(): text.strip() for name, _, text in pairs if name.strip()}


# -- signature -------------------------------------------------------------------------------------


def sign(url: str, secret: str, nonce: str, form: Form | None = None) -> str:
    """X-Plivo-Signature-V3. `form`: of a POST; None for a GET or an upgrade."""
    base, _, query = url.partition("?")
    sorted_query = "&".join(f"{n}={v}" for n, v in sorted(parse_qsl(query, True)))
    fields = "".join(name + value for name, value in sorted(form or ()))
    signed = base
    if sorted_query or fields:
        signed += "?" + sorted_query
    if sorted_query and fields:
        signed += "."
    return base64_hmac(secret, f"{signed}{fields}.{nonce}", "sha256")


def verify(
    url: str,
    secret: str,
    signature: str | None,
    nonce: str | None,
    *,
    form: Form | None = None,
) -> bool:
    """Whether Plivo signed this request. The header may hold several signatures.

    The nonce is joined to the fields by a dot, so one with a dot in it may be a piece of a field;
    a form that names a field twice is refused as Twilio's is.
    """
    fields = None if form is None else tuple(form)
    if not signature or not nonce or not secret or "." in nonce:
        return False
    if names_a_field_twice(fields or ()):
        return False
    wanted = sign(url, secret, nonce, fields)
    matches = [same(wanted, part.strip()) for part in signature.split(",")]
    return any(matches)


def _verified(request: SignedRequest, secret: str) -> str | None:
    """Known by the signature that would be right: the header may hold others beside it."""
    if request.form is None and request.body:
        return None  # nothing signs it
    nonce = request.header("x-plivo-signature-v3-nonce") or ""
    signature = request.header("x-plivo-signature-v3")
    signed = verify(request.url, secret, signature, nonce, form=request.form)
    return sign(request.url, secret, nonce, request.form) if signed else None


# -- document --------------------------------------------------------------------------------------


def _document(stream_url: str, parameters: Mapping[str, str]) -> str:
    headers = ",".join(f"{name}={_plain(value)}" for name, value in parameters.items() if value)
    return documents.xml(
        '<Stream bidirectional="true" keepCallAlive="true" '
        f'contentType="audio/x-mulaw;rate=8000" extraHeaders={quoteattr(headers)}>'
        f"{escape(stream_url)}</Stream>"
    )


def _busy(text: str) -> str:
    return documents.xml('<Hangup reason="busy"/>')


def _put_through(number: str) -> str:
    return documents.xml(f"<Dial><Number>{escape(number)}</Number></Dial>")


def _plain(value: str) -> str:
    """What may stand in the list of headers."""
    kept = "".join(c for c in value if c.isalnum() or c in "+-_.")
    return kept[: documents.MAX_PARAMETER_CHARS]


# -- REST interface --------------------------------------------------------------------------------


_UNANSWERED: Mapping[str, UnansweredReason] = {
    "busy": "busy",
    "cancel": "rejected",
    "no-answer": "not answered",
    "timeout": "failed",  # of a carrier on the way; not of the ringing
    "failed": "failed",
    "completed": "failed",  # picked up, and over: its stream has never come
}


def _status(said: Mapping[str, Any]) -> CallStatus | None:
    """Of the form that comes to `hangup_url`."""
    ended = _UNANSWERED.get(said["CallStatus"])
    return None if ended is None else CallStatus(said["CallUUID"], ended)


def _control(settings: TelephonySettings) -> CallControl | None:
    own = settings.plivo
    if not own.auth_id or own.auth_token is None:
        return None
    account, token = own.auth_id, own.auth_token.get_secret_value()
    account_url = f"{own.api_url.rstrip('/')}/v1/Account/{quote(account, safe='')}"
    calls = f"{account_url}/Call"

    def hang_up(call_id: str) -> RestRequest:
        url = f"{calls}/{quote(call_id, safe='')}/"
        return RestRequest("DELETE", url, basic=(account, token))

    def give_up(request_id: str) -> RestRequest:
        url = f"{account_url}/Request/{quote(request_id, safe='')}/"
        return RestRequest("DELETE", url, basic=(account, token))

    def dial(wanted: Dial) -> RestRequest:
        json = {
            "from": wanted.caller,
            "to": wanted.to,
            "answer_url": wanted.answer_url,
            "answer_method": "POST",
            "hangup_on_ring": wanted.ring_s,
            "hangup_url": wanted.status_url,
            "hangup_method": "POST",
        }
        return RestRequest("POST", f"{calls}/", json=json, basic=(account, token))

    def transfer(wanted: Transfer) -> RestRequest:
        url = f"{calls}/{quote(wanted.call_id, safe='')}/"
        json = {"legs": "aleg", "aleg_url": wanted.document_url, "aleg_method": "POST"}
        return RestRequest("POST", url, json=json, basic=(account, token))

    dialing = Dialing(dial, lambda answer: answer["request_uuid"], give_up)
    return CallControl(hang_up, transfer, dialing)


PLIVO = Carrier(
    "plivo",
    PlivoCodec,
    Webhook(
        "auth_token",
        _verified,
        _document,
        _busy,
        call_id="CallUUID",
        status=_status,
        put_through=_put_through,
    ),
    _control,
)
