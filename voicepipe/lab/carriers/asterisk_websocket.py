"""chan_websocket, from Asterisk's side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from voicepipe.audio.formats import PCMU_8K, AudioFormat
from voicepipe.audio.pcm import FRAME_MS
from voicepipe.lab.carriers.dialect import (
    CallDetails,
    Clear,
    Dialect,
    HangUp,
    Order,
    Play,
    Problem,
    SetMark,
)
from voicepipe.lab.carriers.json_dialect import dumps
from voicepipe.protocols.json_fields import checks, errors
from voicepipe.protocols.telephony import messages
from voicepipe.protocols.telephony.carriers.asterisk import FORMATS, MAX_SENT_BYTES
from voicepipe.protocols.telephony.contract import Frame
from voicepipe.runtime.errors import ProtocolError

XOFF_MS, XON_MS, QUEUE_MS = 900 * FRAME_MS, 800 * FRAME_MS, 1000 * FRAME_MS


class EmulatedAsterisk(Dialect):
    """Binary media in one codec both ways. `json_control`: the newer form; marks need it."""

    name = "asterisk"
    max_queued_ms = QUEUE_MS

    def __init__(
        self,
        details: CallDetails | None = None,
        *,
        fmt: AudioFormat = PCMU_8K,
        json_control: bool = True,
        encoding: str | None = None,
    ) -> None:
        super().__init__(fmt, fmt, details, encoding=encoding)
        self._json = json_control
        self._full = False

    def opening(self) -> Sequence[Frame]:
        """See `Dialect`."""
        names = {fmt: name for name, fmt in FORMATS.items()}
        details = self.details
        fields: dict[str, Any] = {
            "connection_id": details.stream_id,
            "channel": "WebSocket/voicepipe-0000001",
            "channel_id": details.call_id,
            "format": self._lie or names[self.uplink],
            "optimal_frame_size": self._frame_bytes,
            "ptime": FRAME_MS,
        }
        if self._json:
            fields["channel_variables"] = dict(details.parameters)
        return (self._event("MEDIA_START", fields),)

    def media(self, data: bytes) -> Frame:
        """See `Dialect`."""
        return data

    def dtmf(self, digit: str) -> Sequence[Frame]:
        """See `Dialect`."""
        return (self._event("DTMF_END", {"channel_id": self.details.call_id, "digit": digit}),)

    def mark_reached(self, name: str) -> Sequence[Frame]:
        """See `Dialect`."""
        return (self._event("MEDIA_MARK_PROCESSED", {"correlation_id": name}),)

    def queued(self, queued_ms: float) -> Sequence[Frame]:
        """See `Dialect`."""
        if not self._full and queued_ms >= XOFF_MS:
            self._full = True
            return (self._event("MEDIA_XOFF", {}),)
        if self._full and queued_ms < XON_MS:
            self._full = False
            return (self._event("MEDIA_XON", {}),)
        return ()

    def receive(self, frame: Frame) -> Sequence[Order]:
        """See `Dialect`."""
        if len(frame) > MAX_SENT_BYTES:
            return (Problem(f"a message has {len(frame)} bytes"), HangUp())
        if isinstance(frame, bytes):
            return self._on_media(frame)
        try:
            return self._on_command(frame)
        except ProtocolError as error:
            return (Problem(str(error)),)

    def _on_media(self, data: bytes) -> Sequence[Order]:
        tail = len(data) % self._frame_bytes
        play = Play(data[: len(data) - tail])
        problems = [Problem(f"{tail} bytes behind the last whole frame are lost")] if tail else []
        if self._full:
            problems.append(Problem("audio came after MEDIA_XOFF"))
        return (play, *problems)

    def _on_command(self, frame: str) -> Sequence[Order]:
        if self._json:
            message = messages.parse(frame)
            command = messages.kind(message, "command")
        else:
            message, command = {}, frame
        if command == "FLUSH_MEDIA":
            return (Clear(),)
        if command == "HANGUP":
            return (HangUp(),)
        if command == "MARK_MEDIA" and self._json:
            return (SetMark(messages.mark_name(message.get("correlation_id"), "correlation_id")),)
        raise errors.bad_value("command", f"is {checks.shown(command)}.")

    @property
    def _frame_bytes(self) -> int:
        return round(FRAME_MS * self.downlink.bytes_per_ms)

    def _event(self, name: str, fields: dict[str, Any]) -> str:
        if self._json:
            return dumps({"event": name, **fields})
        return " ".join((name, *(f"{key}:{value}" for key, value in fields.items())))
