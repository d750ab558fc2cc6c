"""Telnyx media streaming, from the carrier's side."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from voicepipe.audio.formats import PCMU_8K, AudioFormat
from voicepipe.lab.carriers.dialect import CallDetails, Clear, Order, Play, Ring, SetMark, Stream
from voicepipe.lab.carriers.form_webhook import call_fields, form_body, form_ring, twiml_stream
from voicepipe.lab.carriers.json_dialect import JsonDialect, dumps, payload, played
from voicepipe.protocols.telephony import messages
from voicepipe.protocols.telephony.carriers.telnyx import swapped
from voicepipe.protocols.telephony.contract import Frame

_NAMES = {"pcmu": "PCMU", "pcma": "PCMA", "pcm16": "L16"}


class EmulatedTelnyx(JsonDialect):
    """Each direction in its own codec; L16 big-endian. Marks come back when a clear drops them."""

    name = "telnyx"
    marks_return_on_clear = True

    def __init__(
        self,
        details: CallDetails | None = None,
        *,
        uplink: AudioFormat = PCMU_8K,
        downlink: AudioFormat = PCMU_8K,
        encoding: str | None = None,
    ) -> None:
        super().__init__(uplink, downlink, details, encoding=encoding)

    @classmethod
    def ring(cls, url: str, details: CallDetails, secret: str, now_s: float) -> Ring:
        """See `Dialect`."""
        fields = call_fields(details, CallSid=f"CA{details.call_id}")
        return form_ring(fields, _signature(form_body(fields), secret, now_s))

    @classmethod
    def told(cls, document: str, details: CallDetails, secret: str) -> Stream:
        """See `Dialect`. Nothing on Telnyx's upgrade is signed."""
        return twiml_stream(document, details)

    def opening(self) -> Sequence[Frame]:
        """See `Dialect`."""
        details = self.details
        start = {
            "user_id": "3e6f995f-85f7-4705-9741-53b116d28237",
            "call_control_id": f"v3:{details.call_id}",
            "call_session_id": details.call_id,
            "client_state": "",
            "from": details.caller,
            "to": details.called,
            "custom_parameters": dict(details.parameters),
            "media_format": {
                "encoding": self._lie or _NAMES[self.uplink.encoding],
                "sample_rate": self.uplink.rate,
                "channels": 1,
            },
        }
        connected = {"event": "connected", "version": "1.0.0"}
        return (dumps(connected), self._message("start", start=start))

    def media(self, data: bytes) -> Frame:
        """See `Dialect`."""
        chunk, at_ms = self._next_chunk(data)
        wire = swapped(data) if self.uplink.encoding == "pcm16" else data
        media = {
            "track": "inbound",
            "chunk": str(chunk),
            "timestamp": str(at_ms),
            "payload": payload(wire),
        }
        return self._message("media", media=media)

    def dtmf(self, digit: str) -> Sequence[Frame]:
        """See `Dialect`."""
        return (self._message("dtmf", dtmf={"digit": digit}),)

    def mark_reached(self, name: str) -> Sequence[Frame]:
        """See `Dialect`."""
        return (self._message("mark", mark={"name": name}),)

    def stop(self) -> Sequence[Frame]:
        """See `Dialect`."""
        reason = {"user_id": "", "call_control_id": f"v3:{self.details.call_id}"}
        return (self._message("stop", stop=reason),)

    def _message(self, event: str, **fields: object) -> str:
        head = {
            "event": event,
            "sequence_number": str(self._next_sequence()),
            "stream_id": self.details.stream_id,
        }
        return dumps(head | fields)

    def _orders(self, kind: str, message: dict[str, Any]) -> Sequence[Order]:
        if kind == "media":
            data = played(message, self.downlink).data
            return (Play(swapped(data) if self.downlink.encoding == "pcm16" else data),)
        if kind == "mark":
            name = messages.section(message, "mark").get("name")
            return (SetMark(messages.mark_name(name, "mark.name")),)
        if kind == "clear":
            return (Clear(),)
        raise messages.unexpected(f"event '{kind}'", "media, mark and clear are")


def _signature(body: bytes, secret: str, now_s: float) -> dict[str, str]:
    if not secret:
        return {}
    stamp = str(int(now_s))
    key = Ed25519PrivateKey.from_private_bytes(base64.b64decode(secret))
    signature = base64.b64encode(key.sign(f"{stamp}|".encode() + body)).decode()
    return {"telnyx-signature-ed25519": signature, "telnyx-timestamp": stamp}
