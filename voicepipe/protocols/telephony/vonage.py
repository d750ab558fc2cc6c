"""Vonage Voice over WebSocket: binary L16 frames of 20 ms, JSON beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from voicepipe.audio.formats import PCM_8K, PCM_16K, PCM_24K, AudioFormat
from voicepipe.audio.pcm import FRAME_MS
from voicepipe.protocols.json_fields import checks, errors, wire
from voicepipe.protocols.json_fields.checks import Json
from voicepipe.protocols.telephony import messages
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
from voicepipe.protocols.telephony.slicing import Slicer
from voicepipe.runtime.errors import ProtocolError

FORMATS = (PCM_8K, PCM_16K, PCM_24K)
_OWN_FIELDS = {"event", "content-type"}


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
