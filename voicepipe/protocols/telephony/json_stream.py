"""What Twilio's, SignalWire's, Telnyx's and Plivo's streams have in common: JSON messages `start`,
`media`, `dtmf` and `stop`, base64 audio in numbered chunks. Each dialect adds its own spelling."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

from voicepipe.audio.formats import AudioFormat
from voicepipe.protocols.json_fields import audio_field, checks, wire
from voicepipe.protocols.json_fields.checks import Json
from voicepipe.protocols.telephony import messages
from voicepipe.protocols.telephony.chunks import ChunkOrder
from voicepipe.protocols.telephony.contract import (
    Abilities,
    CallCodec,
    CallEnded,
    CallEvent,
    CallStarted,
    DtmfPressed,
    Frame,
    MarkReached,
)

MAX_SENT_MS = 200
"""Audio in one message from here: long ones delay what is sent behind them."""


class JsonStreamCodec(CallCodec):
    """Base of the four dialects; see `CallCodec`."""

    abilities = Abilities(paces=True, flushes=True, marks=True)
    stream_field: ClassVar[str]  # the stream's id, in every message
    sequence_field: ClassVar[str]
    reorder_window: ClassVar[int] = 0  # chunks; see `ChunkOrder`

    def __init__(self) -> None:
        self._started: CallStarted | None = None
        self._ended = False
        self._chunks = ChunkOrder(self.reorder_window)

    # -- from the carrier -------------------------------------------------------------------------

    def receive(self, frame: Frame) -> Sequence[CallEvent]:
        """See `CallCodec`. Events that a dialect does not know, and all after the end, are ()."""
        message = messages.parse(frame)
        kind = messages.kind(message, "event")
        messages.optional_number(message, self.sequence_field, self.sequence_field)
        if self._ended:
            return ()
        if kind == "start":
            return self._on_start(message)
        if kind in ("media", "dtmf", "stop"):
            self._check_stream(message, kind)
        if kind == "media":
            return self._on_media(messages.section(message, "media"))
        if kind == "dtmf":
            key = messages.section(message, "dtmf").get("digit")
            return (DtmfPressed(messages.digit(key, "dtmf.digit")),)
        if kind == "stop":
            return self._on_stop()
        return self._on_other(kind, message)

    @abstractmethod
    def _call_started(self, message: Json) -> CallStarted:
        """What `start` says. Raises ProtocolError."""

    @abstractmethod
    def _on_other(self, kind: str, message: Json) -> Sequence[CallEvent]:
        """A message of the dialect's own: marks and the like."""

    def _decoded(self, data: bytes) -> bytes:
        """The carrier's bytes as `input_format`; most are that already."""
        return data

    def _on_start(self, message: Json) -> Sequence[CallEvent]:
        if self._started is not None:
            raise messages.unexpected("A second 'start'", "this stream has begun")
        self._started = self._call_started(message)
        return (self._started,)

    def _on_media(self, media: Json) -> Sequence[CallEvent]:
        if checks.string(media.get("track", "inbound"), "media.track") != "inbound":
            return ()  # a fork of both sides: what the caller hears is no input
        fmt = self._call().input_format
        chunk = messages.optional_number(media, "chunk", "media.chunk")
        data = messages.payload(media, "media.payload", fmt)
        return self._chunks.push(chunk, self._decoded(data), fmt)

    def _on_stop(self) -> Sequence[CallEvent]:
        self._ended = True
        return (*self._chunks.drain(self._call().input_format), CallEnded("stop"))

    def _on_mark(self, message: Json) -> Sequence[CallEvent]:
        """Twilio's and Telnyx's spelling of a mark that comes back."""
        self._check_stream(message, "mark")
        name = messages.section(message, "mark").get("name")
        return (MarkReached(messages.mark_name(name, "mark.name")),)

    def _check_stream(self, message: Json, kind: str) -> None:
        call = messages.begun(self._started, f"'{kind}'")
        named = messages.optional_text(message, self.stream_field, self.stream_field)
        if named not in ("", call.stream_id):
            raise messages.unexpected(
                f"{self.stream_field} {checks.shown(named)}", "it is another stream's"
            )

    # -- to the carrier, as Twilio and Telnyx spell it --------------------------------------------

    def _address(self) -> dict[str, str]:
        """What every message to the carrier has to name."""
        return {}

    def _encoded(self, data: bytes) -> bytes:
        """Audio in `output_format` as the carrier's bytes; most are that already."""
        return data

    def audio(self, data: bytes) -> Sequence[Frame]:
        """See `CallCodec`."""
        fmt = self._call().output_format
        return [
            self._message("media", **self._address(), media={"payload": base64_text(piece)})
            for piece in pieces(self._encoded(data), fmt)
        ]

    def mark(self, name: str) -> Sequence[Frame]:
        """See `CallCodec`."""
        self._call()
        return (self._message("mark", **self._address(), mark={"name": name}),)

    def flush(self) -> Sequence[Frame]:
        """See `CallCodec`."""
        self._call()
        return (self._message("clear", **self._address()),)

    def _call(self) -> CallStarted:
        return messages.begun(self._started)

    def _message(self, kind: str, **fields: object) -> str:
        return wire.dump({"event": kind, **fields})


def pieces(data: bytes, fmt: AudioFormat) -> Iterator[bytes]:
    """`data` in pieces of at most `MAX_SENT_MS`."""
    size = round(MAX_SENT_MS * fmt.bytes_per_ms)
    for start in range(0, len(data), size):
        yield data[start : start + size]


base64_text = audio_field.encode
"""Audio as the payload of a message."""
