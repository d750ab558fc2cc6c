"""Plivo audio streaming, bidirectional: JSON in camel case, with verbs of its own."""

from __future__ import annotations

from collections.abc import Sequence

from voicepipe.audio.formats import PCM_8K, PCM_16K, PCMU_8K
from voicepipe.protocols.json_fields import errors
from voicepipe.protocols.json_fields.checks import Json
from voicepipe.protocols.telephony import messages
from voicepipe.protocols.telephony.contract import CallEvent, CallStarted, Frame, MarkReached
from voicepipe.protocols.telephony.json_stream import JsonStreamCodec, base64_text, pieces

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
