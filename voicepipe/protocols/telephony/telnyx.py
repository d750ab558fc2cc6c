"""Telnyx media streaming, bidirectional in RTP mode: JSON in snake case, chunks out of order."""

from __future__ import annotations

from collections.abc import Sequence

from voicepipe.audio.formats import (
    PCM_8K,
    PCM_16K,
    PCM_24K,
    PCMA_8K,
    PCMU_8K,
    AudioFormat,
)
from voicepipe.protocols.json_fields import checks
from voicepipe.protocols.json_fields.checks import Json
from voicepipe.protocols.telephony import messages
from voicepipe.protocols.telephony.byte_order import swapped
from voicepipe.protocols.telephony.contract import CallEvent, CallStarted, Frame, MarkReached
from voicepipe.protocols.telephony.json_stream import JsonStreamCodec, base64_text, pieces
from voicepipe.runtime.errors import ConfigError, ProtocolError

CARRIER_ERROR = "carrier_error"
"""Code of the ProtocolError for a complaint of the carrier's; the call goes on."""

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
        if kind != "mark":
            return ()
        self._check_stream(message, kind)
        name = messages.section(message, "mark").get("name")
        return (MarkReached(messages.mark_name(name, "mark.name")),)

    def audio(self, data: bytes) -> Sequence[Frame]:
        """See `CallCodec`."""
        self._call()
        ordered = self._ordered(data, self._output)
        return [
            self._message("media", media={"payload": base64_text(piece)})
            for piece in pieces(ordered, self._output)
        ]

    def mark(self, name: str) -> Sequence[Frame]:
        """See `CallCodec`."""
        self._call()
        return (self._message("mark", mark={"name": name}),)

    def flush(self) -> Sequence[Frame]:
        """See `CallCodec`."""
        self._call()
        return (self._message("clear"),)


def _complaint(payload: Json) -> ProtocolError:
    """Telnyx found something wrong with what it was sent."""
    code, title = (checks.shown(payload.get(field)) for field in ("code", "title"))
    return ProtocolError(f"Telnyx reports error {code}: {title}.", code=CARRIER_ERROR)
