"""Vonage: Voice over WebSocket, binary L16 frames of 20 ms, JSON beside them; NCCO; its
signature; its REST interface.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from voicepipe.audio.formats import PCM_8K, PCM_16K, PCM_24K, AudioFormat
from voicepipe.audio.pcm import FRAME_MS
from voicepipe.config import TelephonySettings
from voicepipe.protocols.json_fields import checks, errors, wire
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
from voicepipe.protocols.telephony.contract import (
    Abilities,
    CallAudio,
    CallCodec,
    CallEvent,
    CallStarted,
    DtmfPressed,
    Frame,
    MarkReached,
)
from voicepipe.protocols.telephony.signing import base64url, hmac_of, same
from voicepipe.protocols.telephony.slicing import Slicer
from voicepipe.runtime.errors import ConfigError, ProtocolError

FORMATS = (PCM_8K, PCM_16K, PCM_24K)
_OWN_FIELDS = {"event", "content-type"}
TOKEN_S = 300
_MAX_TOKEN_CHARS = 8192  # no carrier's JWT comes near


class VonageCodec(CallCodec):
    """One sink; see `CallCodec`. It ends by the socket's close.

    Vonage names no call: the NCCO's `headers` must bring `call_id` (and may bring `caller` and
    `called`), which the answer webhook knows; they come back in the first message. Audio goes out
    in whole frames of 20 ms.
    """

    abilities = Abilities(paces=True, flushes=True, marks=True)

    def __init__(self) -> None:
        self._started: CallStarted | None = None
        self._slicer = Slicer(PCM_16K, 640)

    def receive(self, frame: Frame) -> Sequence[CallEvent]:
        """See `CallCodec`."""
        if isinstance(frame, bytes):
            data = messages.binary_audio(frame, self._begun("Audio").input_format)
            return (CallAudio(data),) if data else ()
        message = messages.parse(frame)
        kind = messages.kind(message, "event")
        if kind == "websocket:connected":
            return (self._on_connected(message),)
        if kind == "websocket:dtmf":
            self._begun("'websocket:dtmf'")
            return (DtmfPressed(messages.digit(message.get("digit"), "digit")),)
        if kind == "websocket:notify":
            self._begun("'websocket:notify'")
            name = messages.section(message, "payload").get("mark")
            return (MarkReached(messages.mark_name(name, "payload.mark")),)
        return ()  # websocket:cleared among them: it says nothing of what was queued since

    def _on_connected(self, message: Json) -> CallStarted:
        if self._started is not None:
            raise messages.unexpected("A second 'websocket:connected'", "this stream has begun")
        fmt = _format(message)
        headers = {name: value for name, value in message.items() if name not in _OWN_FIELDS}
        texts = {name: v for name, v in headers.items() if isinstance(v, str | int | float)}
        call_id = messages.optional_text(message, "call_id", "call_id")
        self._started = CallStarted(
            call_id=call_id,
            stream_id=call_id,
            input_format=fmt,
            output_format=fmt,
            caller=messages.optional_text(message, "caller", "caller"),
            called=messages.optional_text(message, "called", "called"),
            parameters=messages.parameters(texts, "headers"),
        )
        self._slicer = Slicer(fmt, round(FRAME_MS * fmt.bytes_per_ms))
        return self._started

    def audio(self, data: bytes) -> Sequence[Frame]:
        """See `CallCodec`."""
        messages.begun(self._started)
        return list(self._frames(self._slicer.push(data)))

    def mark(self, name: str) -> Sequence[Frame]:
        """See `CallCodec`."""
        messages.begun(self._started)
        notify = wire.dump({"action": "notify", "payload": {"mark": name}})
        return [*self._frames(self._slicer.drain()), notify]

    def flush(self) -> Sequence[Frame]:
        """See `CallCodec`."""
        messages.begun(self._started)
        self._slicer.clear()
        return (wire.dump({"action": "clear"}),)

    def _frames(self, data: bytes) -> Iterator[bytes]:
        size = self._slicer.frame_bytes
        return (data[start : start + size] for start in range(0, len(data), size))

    def _begun(self, what: str) -> CallStarted:
        return messages.begun(self._started, what, "'websocket:connected'")


def _format(message: Json) -> AudioFormat:
    content_type = messages.identifier(message, "content-type", "content-type")
    described = {"encoding": content_type}
    try:
        return messages.media_format(described, "content-type", allowed=FORMATS, rate_field="rate")
    except ProtocolError:
        raise errors.bad_value(
            "content-type",
            f"is {checks.shown(content_type)}; allowed is audio/l16;rate= 8000, 16000 or 24000.",
        ) from None


# -- signature -------------------------------------------------------------------------------------


def sign(secret: str, claims: Mapping[str, Any]) -> str:
    """A JWT as Vonage sends it in `Authorization: Bearer`: HS256 with the signature secret."""
    head = base64url(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
    signed = f"{head}.{base64url(json.dumps(dict(claims)).encode())}"
    return f"{signed}.{base64url(hmac_of(secret, signed, 'sha256'))}"


def verify(
    secret: str,
    token: str | None,
    *,
    now_s: float,
    body: bytes = b"",
    tolerance_s: float = 300.0,
) -> Mapping[str, Any] | None:
    """The claims of a valid JWT, else None.

    Its age (`iat`, `exp`, `nbf`; seconds since 1970, like `now_s`) is checked, and where the token
    has `payload_hash`, the body, be it empty.
    """
    if not secret or not token or len(token) > _MAX_TOKEN_CHARS or token.count(".") != 2:
        return None
    signed, _, signature = token.rpartition(".")
    head, claims = (_json_part(part) for part in signed.split("."))
    if head is None or claims is None or head.get("alg") != "HS256":
        return None
    if not same(base64url(hmac_of(secret, signed, "sha256")), signature):
        return None
    if not _is_timely(claims, now_s, tolerance_s):
        return None
    if "payload_hash" in claims:
        wanted = claims["payload_hash"]
        if not isinstance(wanted, str) or not same(hashlib.sha256(body).hexdigest(), wanted):
            return None
    return claims


def _is_timely(claims: Mapping[str, Any], now_s: float, tolerance_s: float) -> bool:
    """A token says when it was made; it is neither old nor of the future."""
    times = {name: claims[name] for name in ("iat", "exp", "nbf") if name in claims}
    if any(isinstance(t, bool) or not isinstance(t, int | float) for t in times.values()):
        return False
    return (
        "iat" in times
        and abs(now_s - times["iat"]) <= tolerance_s
        and now_s <= times.get("exp", now_s)
        and now_s + tolerance_s >= times.get("nbf", now_s)
    )


def _json_part(part: str) -> dict[str, Any] | None:
    try:
        value = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _verified(request: SignedRequest, secret: str) -> str | None:
    """Known by what the token signs: a signature in base64 has many spellings."""
    scheme, _, token = (request.header("authorization") or "").partition(" ")
    token = token.strip() if scheme.lower() == "bearer" else ""
    claims = verify(secret, token, now_s=request.now_s, body=request.body)
    return None if claims is None else token.rpartition(".")[0]


# -- document --------------------------------------------------------------------------------------


def _document(stream_url: str, parameters: Mapping[str, str]) -> str:
    """NCCO. 16 kHz: Vonage resamples, and the recognizer works at that rate."""
    limit = documents.MAX_PARAMETER_CHARS
    endpoint = {
        "type": "websocket",
        "uri": stream_url,
        "content-type": "audio/l16;rate=16000",
        "headers": {name: value[:limit] for name, value in parameters.items()},
    }
    connect: dict[str, Any] = {"action": "connect", "endpoint": [endpoint]}
    if called := parameters.get("called"):
        connect["from"] = called  # Vonage's own library insists on it
    return json.dumps([connect])


def _busy(text: str) -> str:
    """An NCCO cannot refuse a call: it says why."""
    return json.dumps([{"action": "talk", "text": text}])


# -- REST interface --------------------------------------------------------------------------------


def application_token(application_id: str, private_key: str, now_s: int) -> str:
    """A JWT of an application: RS256 by its private key (PEM), good for some minutes. Raises
    ConfigError."""
    try:
        key = load_pem_private_key(private_key.encode(), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, RSAPrivateKey):
        raise ConfigError("telephony.vonage.private_key must be an RSA key in PEM, unencrypted")
    claims = {
        "application_id": application_id,
        "iat": now_s,
        "exp": now_s + TOKEN_S,
        "jti": secrets.token_hex(16),
    }
    head = base64url(json.dumps({"alg": "RS256", "typ": "JWT"}).encode())
    signed = f"{head}.{base64url(json.dumps(claims).encode())}"
    return f"{signed}.{base64url(key.sign(signed.encode(), PKCS1v15(), SHA256()))}"


_UNANSWERED: Mapping[str, UnansweredReason] = {
    "busy": "busy",
    "rejected": "rejected",
    "unanswered": "not answered",
    "timeout": "not answered",
    "failed": "failed",
    "cancelled": "failed",  # at the carrier: we would not wait for it any more
    "completed": "failed",  # picked up, and over: its stream has never come
}


def _status(said: Mapping[str, Any]) -> CallStatus | None:
    """Of an event of a call's."""
    ended = _UNANSWERED.get(said["status"])
    return None if ended is None else CallStatus(said["uuid"], ended)


def _control(settings: TelephonySettings) -> CallControl | None:
    own = settings.vonage
    if not own.application_id or own.private_key is None:
        return None
    key = own.private_key.get_secret_value()
    calls = f"{own.api_url.rstrip('/')}/v1/calls"

    def ask(method: str, url: str, json: Mapping[str, Any]) -> RestRequest:
        token = application_token(own.application_id, key, int(time.time()))
        return RestRequest(method, url, json=json, bearer=token)

    def hang_up(call_id: str) -> RestRequest:
        return ask("PUT", f"{calls}/{quote(call_id, safe='')}", {"action": "hangup"})

    def dial(wanted: Dial) -> RestRequest:
        caller = wanted.caller.removeprefix("+")
        ncco = json.loads(_document(wanted.stream_url, {"called": caller}))
        wishes = {
            "to": [{"type": "phone", "number": wanted.to.removeprefix("+")}],
            "from": {"type": "phone", "number": caller},
            "ncco": ncco,
            "ringing_timer": wanted.ring_s,
            "event_url": [wanted.status_url],
            "event_method": "POST",
        }
        return ask("POST", calls, wishes)

    def transfer(wanted: Transfer) -> RestRequest:
        phone = {"type": "phone", "number": wanted.to.removeprefix("+")}
        connect: dict[str, Any] = {"action": "connect", "endpoint": [phone]}
        if wanted.ours:  # it must be one of ours, and Vonage has no other to show
            connect["from"] = wanted.ours.removeprefix("+")
        destination = {"type": "ncco", "ncco": [connect]}
        url = f"{calls}/{quote(wanted.call_id, safe='')}"
        return ask("PUT", url, {"action": "transfer", "destination": destination})

    return CallControl(hang_up, transfer, Dialing(dial, lambda answer: answer["uuid"]))


VONAGE = Carrier(
    "vonage",
    VonageCodec,
    Webhook(
        "signature_secret",
        _verified,
        _document,
        _busy,
        documents.JSON,
        {"caller": "from", "called": "to", "call_id": "uuid"},
        signs_query=False,
        call_id="uuid",
        path="answer",
        status=_status,
    ),
    _control,
)
