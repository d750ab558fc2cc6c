"""A bridge that speaks our own dialect (`/v1/pcm`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from voicepipe.audio.formats import PCM_16K, AudioFormat
from voicepipe.lab.carriers.dialect import (
    CallDetails,
    Clear,
    Dialect,
    HangUp,
    Order,
    Other,
    Play,
    Problem,
    SetMark,
)
from voicepipe.lab.carriers.json_dialect import dumps
from voicepipe.protocols.telephony import messages
from voicepipe.protocols.telephony.contract import Frame
from voicepipe.runtime.errors import ProtocolError


class EmulatedBridge(Dialect):
    """`announces`: whether it opens with `start`; without, both ways are 16 kHz and unmarked."""

    name = "plain"
    marks_return_on_clear = True

    def __init__(
        self,
        details: CallDetails | None = None,
        *,
        uplink: AudioFormat = PCM_16K,
        downlink: AudioFormat = PCM_16K,
        announces: bool = True,
        buffers: bool = True,
        encoding: str | None = None,
    ) -> None:
        super().__init__(uplink, downlink, details, encoding=encoding)
        self._announces, self._buffers = announces, buffers

    def opening(self) -> Sequence[Frame]:
        """See `Dialect`."""
        if not self._announces:
            return ()
        details = self.details
        start = {
            "type": "start",
            "call_id": details.call_id,
            "stream_id": details.stream_id,
            "caller": details.caller,
            "called": details.called,
            "input": self._described(self.uplink),
            "output": self._described(self.downlink),
            "parameters": dict(details.parameters),
            "buffers": self._buffers,
            "marks": self._buffers,
        }
        return (dumps(start),)

    def media(self, data: bytes) -> Frame:
        """See `Dialect`."""
        return data

    def dtmf(self, digit: str) -> Sequence[Frame]:
        """See `Dialect`."""
        return (dumps({"type": "dtmf", "digit": digit}),)

    def mark_reached(self, name: str) -> Sequence[Frame]:
        """See `Dialect`."""
        return (dumps({"type": "mark", "name": name}),)

    def stop(self) -> Sequence[Frame]:
        """See `Dialect`."""
        return (dumps({"type": "stop"}),)

    def receive(self, frame: Frame) -> Sequence[Order]:
        """See `Dialect`."""
        try:
            if isinstance(frame, bytes):
                return (Play(messages.binary_audio(frame, self.downlink)),)
            return (self._order(messages.parse(frame)),)
        except ProtocolError as error:
            return (Problem(str(error)),)

    def _order(self, message: dict[str, Any]) -> Order:
        match messages.kind(message, "type"):
            case "clear":
                return Clear()
            case "mark":
                return SetMark(messages.mark_name(message.get("name"), "name"))
            case "hangup":
                return HangUp()
        return Other(message)

    def _described(self, fmt: AudioFormat) -> dict[str, object]:
        return {"encoding": self._lie or fmt.encoding, "rate": fmt.rate}
