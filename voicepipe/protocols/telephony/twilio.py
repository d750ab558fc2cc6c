"""Twilio Media Streams, both ways (`Connect/Stream`): JSON, mu-law at 8 kHz."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from voicepipe.audio.formats import PCMU_8K, AudioFormat
from voicepipe.protocols.json_fields.checks import Json
from voicepipe.protocols.telephony import messages
from voicepipe.protocols.telephony.contract import CallEvent, CallStarted, Frame, MarkReached
from voicepipe.protocols.telephony.json_stream import JsonStreamCodec, base64_text, pieces


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
        if kind != "mark":
            return ()
        self._check_stream(message, kind)
        name = messages.section(message, "mark").get("name")
        return (MarkReached(messages.mark_name(name, "mark.name")),)

    def audio(self, data: bytes) -> Sequence[Frame]:
        """See `CallCodec`."""
        call = self._call()
        return [
            self._message("media", streamSid=call.stream_id, media={"payload": base64_text(piece)})
            for piece in pieces(data, call.output_format)
        ]

    def mark(self, name: str) -> Sequence[Frame]:
        """See `CallCodec`."""
        return (self._message("mark", streamSid=self._call().stream_id, mark={"name": name}),)

    def flush(self) -> Sequence[Frame]:
        """See `CallCodec`."""
        return (self._message("clear", streamSid=self._call().stream_id),)
