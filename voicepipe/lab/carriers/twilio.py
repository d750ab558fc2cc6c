"""Twilio Media Streams and SignalWire, from the carrier's side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from voicepipe.audio.formats import PCMU_8K, AudioFormat
from voicepipe.lab.carriers.dialect import CallDetails, Clear, Order, Ring, SetMark, Stream
from voicepipe.lab.carriers.form_webhook import call_fields, form_ring, twiml_stream
from voicepipe.lab.carriers.json_dialect import JsonDialect, dumps, payload, played
from voicepipe.protocols.telephony import messages
from voicepipe.protocols.telephony.carriers.twilio import sign
from voicepipe.protocols.telephony.contract import Frame


class EmulatedTwilio(JsonDialect):
    """mu-law both ways; numbers are strings; marks come back, also when a clear drops them."""

    name = "twilio"
    marks_return_on_clear = True
    account: ClassVar[str] = "AC00000000000000000000000000000000"

    def __init__(self, details: CallDetails | None = None, *, encoding: str | None = None) -> None:
        super().__init__(PCMU_8K, PCMU_8K, details, encoding=encoding)

    @property
    def call_sid(self) -> str:
        return f"CA{self.details.call_id}"

    @property
    def stream_sid(self) -> str:
        return f"MZ{self.details.stream_id}"

    @classmethod
    def ring(cls, url: str, details: CallDetails, secret: str, now_s: float) -> Ring:
        """See `Dialect`."""
        fields = call_fields(details, CallSid=f"CA{details.call_id}")
        return form_ring(fields, cls._signature(url, secret, fields))

    @classmethod
    def told(cls, document: str, details: CallDetails, secret: str) -> Stream:
        """See `Dialect`."""
        stream = twiml_stream(document, details)
        return replace(stream, headers=cls._signature(stream.url, secret, {}))

    @staticmethod
    def _signature(url: str, secret: str, fields: Mapping[str, str]) -> dict[str, str]:
        return {"X-Twilio-Signature": sign(url, secret, fields.items())} if secret else {}

    def opening(self) -> Sequence[Frame]:
        """See `Dialect`."""
        start = {
            "accountSid": self.account,
            "streamSid": self.stream_sid,
            "callSid": self.call_sid,
            "tracks": ["inbound"],
            "mediaFormat": {
                "encoding": self._announced(self.uplink),
                "sampleRate": self.uplink.rate,
                "channels": 1,
            },
            "customParameters": dict(self.details.parameters),
        }
        connected = {"event": "connected", "protocol": "Call", "version": "1.0.0"}
        return (dumps(connected), self._message("start", start=start))

    def media(self, data: bytes) -> Frame:
        """See `Dialect`."""
        chunk, at_ms = self._next_chunk(data)
        media = {
            "track": "inbound",
            "chunk": str(chunk),
            "timestamp": str(at_ms),
            "payload": payload(data),
        }
        return self._message("media", media=media)

    def dtmf(self, digit: str) -> Sequence[Frame]:
        """See `Dialect`."""
        return (self._message("dtmf", dtmf={"track": "inbound_track", "digit": digit}),)

    def mark_reached(self, name: str) -> Sequence[Frame]:
        """See `Dialect`."""
        return (self._message("mark", mark={"name": name}),)

    def stop(self) -> Sequence[Frame]:
        """See `Dialect`."""
        return (self._message("stop", stop={"accountSid": self.account, "callSid": self.call_sid}),)

    def _message(self, event: str, **fields: object) -> str:
        number = str(self._next_sequence())
        head = {"event": event, "sequenceNumber": number, "streamSid": self.stream_sid}
        return dumps(head | fields)

    def _orders(self, kind: str, message: dict[str, Any]) -> Sequence[Order]:
        if messages.identifier(message, "streamSid", "streamSid") != self.stream_sid:
            raise messages.unexpected("streamSid", "it is another stream's")
        if kind == "media":
            return (played(message, self.downlink),)
        if kind == "mark":
            name = messages.section(message, "mark").get("name")
            return (SetMark(messages.mark_name(name, "mark.name")),)
        if kind == "clear":
            return (Clear(),)
        raise messages.unexpected(f"event '{kind}'", "media, mark and clear are")


class EmulatedSignalWire(EmulatedTwilio):
    """Twilio's messages in a codec of choice."""

    name = "signalwire"

    def __init__(
        self,
        details: CallDetails | None = None,
        *,
        fmt: AudioFormat = PCMU_8K,
        encoding: str | None = None,
    ) -> None:
        super().__init__(details, encoding=encoding)
        self.uplink = self.downlink = fmt
