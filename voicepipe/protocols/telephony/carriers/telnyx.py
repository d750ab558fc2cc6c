"""Telnyx: media streaming, bidirectional in RTP mode, JSON in snake case, chunks out of order;
TeXML; its signature; its Call Control.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import quoteattr

import numpy as np
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from voicepipe.audio.formats import (
    PCM_8K,
    PCM_16K,
    PCM_24K,
    PCMA_8K,
    PCMU_8K,
    AudioFormat,
)
from voicepipe.audio.pcm import FRAME_MS
from voicepipe.config import TelephonySettings
from voicepipe.protocols.json_fields import checks
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
    UnansweredReason,
    Webhook,
)
from voicepipe.protocols.telephony.contract import CallEvent, CallStarted
from voicepipe.protocols.telephony.json_stream import JsonStreamCodec
from voicepipe.protocols.telephony.signing import same
from voicepipe.runtime.errors import ConfigError, ProtocolError

CARRIER_ERROR = "carrier_error"
"""Code of the ProtocolError for a complaint of the carrier's; the call goes on."""

CALL_IS_OVER = "90018"
"""Telnyx's code of "Call has already ended"."""

FORMATS = (PCMU_8K, PCMA_8K, PCM_8K, PCM_16K, PCM_24K)


class TelnyxCodec(JsonStreamCodec):
    """One stream; see `CallCodec`.

    What comes in is the sink's own codec, as `start` announces it; what goes out is what the stream
    was asked for (`stream_bidirectional_codec`), which nothing on the wire repeats.
    """

    stream_field = "stream_id"
    sequence_field = "sequence_number"
    reorder_window = 3

    def __init__(self, output: AudioFormat = PCMU_8K, *, l16_big_endian: bool = True) -> None:
        """`output`: the codec asked for. Raises ConfigError for one that is not supported.

        `l16_big_endian`: byte order of L16 on the wire. RFC 3551 says big-endian; reports differ.
        """
        super().__init__()
        if output not in FORMATS:
            raise ConfigError(
                f"Telnyx output {output.encoding} at {output.rate} Hz is not supported; use PCMU "
                "or PCMA at 8000 Hz, or L16 at 8000, 16000 or 24000 Hz."
            )
        self._output, self._big_endian = output, l16_big_endian

    def _call_started(self, message: Json) -> CallStarted:
        start = messages.section(message, "start")
        path = "start.media_format"
        described = messages.section(start, "media_format", path)
        return CallStarted(
            call_id=messages.identifier(start, "call_control_id", "start.call_control_id"),
            stream_id=messages.identifier(message, "stream_id", "stream_id"),
            input_format=messages.media_format(
                described, path, allowed=FORMATS, rate_field="sample_rate"
            ),
            output_format=self._output,
            caller=messages.optional_text(start, "from", "start.from"),
            called=messages.optional_text(start, "to", "start.to"),
            parameters=messages.parameters(
                start.get("custom_parameters"), "start.custom_parameters"
            ),
        )

    def _decoded(self, data: bytes) -> bytes:
        return self._ordered(data, self._call().input_format)

    def _ordered(self, data: bytes, fmt: AudioFormat) -> bytes:
        """From the wire's byte order to the house's, or back."""
        return swapped(data) if fmt.encoding == "pcm16" and self._big_endian else data

    def _on_other(self, kind: str, message: Json) -> Sequence[CallEvent]:
        if kind == "error":
            raise _complaint(messages.section(message, "payload"))
        return self._on_mark(message) if kind == "mark" else ()

    def _encoded(self, data: bytes) -> bytes:
        """In whole frames: Telnyx takes no message of less than 20 ms."""
        missing = -len(data) % round(FRAME_MS * self._output.bytes_per_ms)
        filled = data + self._output.silence(self._output.ms(missing))
        return self._ordered(filled, self._output)


def swapped(data: bytes) -> bytes:
    """Each 16-bit sample's two bytes exchanged: RTP's L16 is big-endian, inside the house PCM is
    little-endian. Raises ValueError for an odd number of bytes."""
    return np.frombuffer(data, dtype="<i2").byteswap().tobytes()


def _complaint(payload: Json) -> ProtocolError:
    """Telnyx found something wrong with what it was sent."""
    code, title = (checks.shown(payload.get(field)) for field in ("code", "title"))
    return ProtocolError(f"Telnyx reports error {code}: {title}.", code=CARRIER_ERROR)


# -- signature -------------------------------------------------------------------------------------


def verify(
    public_key: str,
    signature: str | None,
    timestamp: str | None,
    body: bytes,
    *,
    now_s: float,
    tolerance_s: float = 300.0,
) -> bool:
    """Whether Telnyx signed a webhook: Ed25519 over `timestamp|body`, not longer ago than allowed.

    `public_key`, `signature` (telnyx-signature-ed25519): base64. `timestamp` (telnyx-timestamp) and
    `now_s`: seconds since 1970.
    """
    if not signature or not timestamp or not (timestamp.isascii() and timestamp.isdigit()):
        return False
    if len(timestamp) > 12 or abs(now_s - int(timestamp)) > tolerance_s:
        return False
    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key, validate=True))
        raw = base64.b64decode(signature, validate=True)
        key.verify(raw, timestamp.encode() + b"|" + body)
    except (ValueError, InvalidSignature):  # binascii.Error is a ValueError
        return False
    # Base64 has several spellings of some bytes; only one is good, so that a replay is known by it.
    return same(base64.b64encode(raw).decode("ascii"), signature)


def _verified(request: SignedRequest, secret: str) -> str | None:
    """Known by what is signed: the time and the body."""
    if not request.body:
        return None  # a GET: nothing signs its query, and all of one second would be one request
    timestamp = request.header("telnyx-timestamp")
    signature = request.header("telnyx-signature-ed25519")
    signed = verify(secret, signature, timestamp, request.body, now_s=request.now_s)
    return f"{timestamp}\n{request.body!r}" if signed else None


# -- document --------------------------------------------------------------------------------------


def _document(stream_url: str, parameters: Mapping[str, str]) -> str:
    """TeXML. Without the mode `rtp` the caller would hear nothing; what comes in is transcoded to
    mu-law where Telnyx can, else `start` says what it is."""
    attributes = (
        f'url={quoteattr(stream_url)} track="inbound_track" codec="PCMU" '
        'bidirectionalMode="rtp" bidirectionalCodec="PCMU" bidirectionalSamplingRate="8000"'
    )
    return documents.connect(attributes, parameters)


# -- REST interface --------------------------------------------------------------------------------


_UNANSWERED: Mapping[str, UnansweredReason] = {
    "user_busy": "busy",
    "call_rejected": "rejected",
    "timeout": "not answered",
    "no_answer": "not answered",
    "not_found": "failed",
    "unspecified": "failed",
    "originator_cancel": "failed",  # at the carrier: we would not wait for it any more
    "time_limit": "failed",  # as the next
    "normal_clearing": "failed",  # picked up, and over: its stream has never come
}


def _status(said: Mapping[str, Any]) -> CallStatus | None:
    """Of the event `call.hangup`; the others tell of what is seen here anyway."""
    event = said["data"]
    if event["event_type"] != "call.hangup":
        return None
    payload = event["payload"]
    ended = _UNANSWERED.get(payload["hangup_cause"])
    return None if ended is None else CallStatus(payload["call_control_id"], ended)


def _is_over(status: int, text: str) -> bool:
    """Whoever was called has hung up first: 422, and `CALL_IS_OVER` among its errors."""
    return status == 422 and f'"{CALL_IS_OVER}"' in text


def _control(settings: TelephonySettings) -> CallControl | None:
    own = settings.telnyx
    if own.api_key is None:
        return None
    calls, key = f"{own.api_url.rstrip('/')}/v2/calls", own.api_key.get_secret_value()

    def action(call_id: str, name: str, json: Mapping[str, str]) -> RestRequest:
        url = f"{calls}/{quote(call_id, safe='')}/actions/{name}"
        return RestRequest("POST", url, json=json, bearer=key)

    def dial(wanted: Dial) -> RestRequest:
        json = {
            "connection_id": own.connection_id,
            "to": wanted.to,
            "from": wanted.caller,
            "timeout_secs": wanted.ring_s,
            "stream_url": wanted.stream_url,
            "stream_track": "inbound_track",
            "stream_bidirectional_mode": "rtp",
            "stream_bidirectional_codec": "PCMU",
            "stream_bidirectional_sampling_rate": 8000,
            "webhook_url": wanted.status_url,
        }
        return RestRequest("POST", calls, json=json, bearer=key)

    return CallControl(
        lambda call_id: action(call_id, "hangup", {}),
        lambda wanted: action(wanted.call_id, "transfer", {"to": wanted.to}),
        Dialing(dial, lambda answer: answer["data"]["call_control_id"])
        if own.connection_id
        else None,
        _is_over,
    )


TELNYX = Carrier(
    "telnyx",
    TelnyxCodec,
    Webhook(
        "public_key", _verified, _document, documents.reject, signs_query=False, status=_status
    ),
    _control,
)
