"""Asterisk's chan_websocket: binary media in the channel's codec, control as text or JSON."""

from __future__ import annotations

from collections.abc import Sequence

from voicepipe.audio.formats import PCM_8K, PCMA_8K, PCMU_8K, AudioFormat
from voicepipe.protocols.json_fields import checks, errors, wire
from voicepipe.protocols.json_fields.checks import Json
from voicepipe.protocols.telephony import messages
from voicepipe.protocols.telephony.carrier import Carrier
from voicepipe.protocols.telephony.contract import (
    Abilities,
    CallAudio,
    CallCodec,
    CallEvent,
    CallStarted,
    DtmfPressed,
    Frame,
    MarkReached,
    QueueFree,
    QueueFull,
)
from voicepipe.protocols.telephony.slicing import Slicer

FORMATS = {
    "ulaw": PCMU_8K,
    "alaw": PCMA_8K,
    "slin": PCM_8K,
    **{
        f"slin{name}": AudioFormat("pcm16", rate)
        for name, rate in (
            ("12", 12_000), ("16", 16_000), ("24", 24_000), ("32", 32_000), ("44", 44_100),
            ("48", 48_000), ("96", 96_000), ("192", 192_000),
        )
    },
}  # fmt: skip
"""By Asterisk's names."""

MAX_SENT_BYTES = 65_500
"""One message to Asterisk; a larger one kills the call."""


class AsteriskWebSocketCodec(CallCodec):
    """One channel; see `CallCodec`. It ends by the socket's close.

    Control is in the form in which `MEDIA_START` came. Marks exist in the JSON form only, so
    `abilities` are final from `CallStarted` on. Audio goes out in multiples of
    `optimal_frame_size` (`Slicer`).
    """

    def __init__(self) -> None:
        self.abilities = Abilities(paces=True, flushes=True, marks=False)
        self._started: CallStarted | None = None
        self._json = False
        self._slicer = Slicer(PCMU_8K, 160)

    # -- from Asterisk ----------------------------------------------------------------------------

    def receive(self, frame: Frame) -> Sequence[CallEvent]:
        """See `CallCodec`."""
        if isinstance(frame, bytes):
            data = messages.binary_audio(frame, self._begun("Audio").input_format)
            return (CallAudio(data),) if data else ()
        is_json = messages.text(frame).lstrip().startswith("{")
        message = messages.parse(frame) if is_json else _parse_text(frame)
        kind = messages.kind(message, "event")
        if kind == "MEDIA_START":
            return (self._on_start(message, is_json),)
        if kind in ("DTMF_END", "MEDIA_XOFF", "MEDIA_XON", "MEDIA_MARK_PROCESSED"):
            self._begun(f"'{kind}'")
        match kind:
            case "DTMF_END":
                return (DtmfPressed(messages.digit(message.get("digit"), "digit")),)
            case "MEDIA_XOFF":
                return (QueueFull(),)
            case "MEDIA_XON":
                return (QueueFree(),)
            case "MEDIA_MARK_PROCESSED":
                name = messages.mark_name(message.get("correlation_id"), "correlation_id")
                return (MarkReached(name),)
        return ()

    def _on_start(self, message: Json, is_json: bool) -> CallStarted:
        if self._started is not None:
            raise messages.unexpected("A second 'MEDIA_START'", "this stream has begun")
        name = messages.identifier(message, "format", "format")
        fmt = FORMATS.get(name)
        if fmt is None:
            raise errors.bad_value(
                "format",
                f"is {checks.shown(name)}; allowed are {checks.quoted(FORMATS)}. Choose one in the "
                "dial string, such as c(slin16).",
            )
        size = _frame_size(message, fmt)
        channel_id = messages.optional_text(message, "channel_id", "channel_id")
        started = CallStarted(
            call_id=channel_id or messages.identifier(message, "channel", "channel"),
            stream_id=messages.identifier(message, "connection_id", "connection_id"),
            input_format=fmt,
            output_format=fmt,
            parameters=messages.parameters(message.get("channel_variables"), "channel_variables"),
        )
        self.abilities = Abilities(paces=True, flushes=True, marks=is_json)
        self._json, self._slicer, self._started = is_json, Slicer(fmt, size), started
        return started

    # -- to Asterisk ------------------------------------------------------------------------------

    def audio(self, data: bytes) -> Sequence[Frame]:
        """See `CallCodec`."""
        messages.begun(self._started)
        return self._frames(self._slicer.push(data))

    def mark(self, name: str) -> Sequence[Frame]:
        """See `CallCodec`. In the text form only the rest of the audio."""
        messages.begun(self._started)
        rest = self._frames(self._slicer.drain())
        return [*rest, self._command("MARK_MEDIA", correlation_id=name)] if self._json else rest

    def flush(self) -> Sequence[Frame]:
        """See `CallCodec`."""
        messages.begun(self._started)
        self._slicer.clear()
        return (self._command("FLUSH_MEDIA"),)

    def hang_up(self) -> Sequence[Frame]:
        """See `CallCodec`."""
        messages.begun(self._started)
        return (self._command("HANGUP"),)

    def _command(self, name: str, **fields: str) -> str:
        return wire.dump({"command": name, **fields}) if self._json else name

    def _frames(self, data: bytes) -> list[Frame]:
        size = MAX_SENT_BYTES - MAX_SENT_BYTES % self._slicer.frame_bytes
        return [data[start : start + size] for start in range(0, len(data), size)]

    def _begun(self, what: str) -> CallStarted:
        return messages.begun(self._started, what, "'MEDIA_START'")


def _parse_text(line: str) -> Json:
    """`EVENT key:value key:value`; values may hold colons but no spaces."""
    event, *pairs = line.split()[:100] or [""]
    fields = (pair.partition(":") for pair in pairs)
    return {"event": event, **{name: value for name, colon, value in fields if colon}}


def _frame_size(message: Json, fmt: AudioFormat) -> int:
    """`optimal_frame_size`: whole samples, within one message. 20 ms where it is absent."""
    field = "optimal_frame_size"
    value = message.get(field, round(20 * fmt.bytes_per_ms))
    size = messages.whole_number(value, field, 1, MAX_SENT_BYTES)
    if size % fmt.bytes_per_sample:
        raise errors.bad_value(field, f"must hold whole samples of 2 bytes, but is {size}.")
    return size


ASTERISK = Carrier("asterisk", AsteriskWebSocketCodec)
