"""Plivo audio streaming, from the carrier's side."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from voicepipe.audio.formats import PCMU_8K, AudioFormat
from voicepipe.lab.carriers.dialect import CallDetails, Clear, Order, Ring, SetMark, Stream
from voicepipe.lab.carriers.form_webhook import call_fields, form_ring, stream_element
from voicepipe.lab.carriers.json_dialect import WIRE_NAMES, JsonDialect, dumps, payload, played
from voicepipe.protocols.json_fields import errors
from voicepipe.protocols.telephony import messages
from voicepipe.protocols.telephony.carriers.plivo import sign
from voicepipe.protocols.telephony.contract import Frame
from voicepipe.protocols.telephony.signing import Form


class EmulatedPlivo(JsonDialect):
    """Numbers are numbers; a checkpoint that `clearAudio` drops is gone."""

    name = "plivo"

    def __init__(
        self,
        details: CallDetails | None = None,
        *,
        fmt: AudioFormat = PCMU_8K,
        encoding: str | None = None,
    ) -> None:
        super().__init__(fmt, fmt, details, encoding=encoding)

    @classmethod
    def ring(cls, url: str, details: CallDetails, secret: str, now_s: float) -> Ring:
        """See `Dialect`."""
        fields = call_fields(details, CallUUID=details.call_id, Direction="inbound")
        return form_ring(fields, _signature(url, secret, tuple(fields.items())))

    @classmethod
    def told(cls, document: str, details: CallDetails, secret: str) -> Stream:
        """See `Dialect`."""
        element = stream_element(document)
        url = (element.text or "").strip()
        pairs = (pair.partition("=") for pair in element.get("extraHeaders", "").split(","))
        parameters = {key: value for key, _, value in pairs if key}
        return Stream(url, replace(details, parameters=parameters), _signature(url, secret, None))

    def opening(self) -> Sequence[Frame]:
        """See `Dialect`."""
        start = {
            "callId": self.details.call_id,
            "streamId": self.details.stream_id,
            "accountId": "MA000000000000000000",
            "tracks": ["inbound"],
            "mediaFormat": {
                "encoding": self._announced(self.uplink),
                "sampleRate": self.uplink.rate,
            },
        }
        headers = ";".join(f"{name}={text}" for name, text in self.details.parameters.items())
        message = {"sequenceNumber": self._next_sequence(), "event": "start", "start": start}
        return (dumps({**message, "extra_headers": headers}),)

    def media(self, data: bytes) -> Frame:
        """See `Dialect`."""
        chunk, at_ms = self._next_chunk(data)
        media = {
            "track": "inbound",
            "timestamp": str(at_ms),
            "chunk": chunk,
            "payload": payload(data),
        }
        return self._message("media", sequenceNumber=self._next_sequence(), media=media)

    def dtmf(self, digit: str) -> Sequence[Frame]:
        """See `Dialect`."""
        dtmf = {"track": "inbound", "digit": digit}
        return (self._message("dtmf", sequenceNumber=self._next_sequence(), dtmf=dtmf),)

    def mark_reached(self, name: str) -> Sequence[Frame]:
        """See `Dialect`."""
        return (self._message("playedStream", name=name),)

    def cleared(self) -> Sequence[Frame]:
        """See `Dialect`."""
        return (self._message("clearedAudio"),)

    def stop(self) -> Sequence[Frame]:
        """See `Dialect`."""
        return (self._message("stop", sequenceNumber=self._next_sequence()),)

    def _message(self, event: str, **fields: object) -> str:
        return dumps({"event": event, "streamId": self.details.stream_id, **fields})

    def _orders(self, kind: str, message: dict[str, Any]) -> Sequence[Order]:
        if kind == "playAudio":
            media = messages.section(message, "media")
            said = (media.get("contentType"), media.get("sampleRate"))
            if said != (WIRE_NAMES[self.downlink.encoding], self.downlink.rate):
                raise errors.bad_value("media.contentType, media.sampleRate", f"are {said}.")
            return (played(message, self.downlink),)
        if kind not in ("checkpoint", "clearAudio"):
            raise messages.unexpected(f"event '{kind}'", "playAudio, checkpoint and clearAudio are")
        if messages.identifier(message, "streamId", "streamId") != self.details.stream_id:
            raise messages.unexpected("streamId", "it is another stream's")
        if kind == "checkpoint":
            return (SetMark(messages.mark_name(message.get("name"), "name")),)
        return (Clear(),)


def _signature(url: str, secret: str, form: Form | None) -> dict[str, str]:
    if not secret:
        return {}
    nonce = secrets.token_hex(10)
    signature = sign(url, secret, nonce, form)
    return {"X-Plivo-Signature-V3": signature, "X-Plivo-Signature-V3-Nonce": nonce}
