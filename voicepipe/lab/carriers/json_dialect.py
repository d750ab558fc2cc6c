"""Carriers that speak JSON: what Twilio, SignalWire, Telnyx and Plivo have in common."""

from __future__ import annotations

import base64
import json
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from voicepipe.audio.formats import AudioFormat
from voicepipe.lab.carriers.dialect import Dialect, Order, Play, Problem
from voicepipe.protocols.telephony import messages
from voicepipe.protocols.telephony.contract import Frame
from voicepipe.runtime.errors import ProtocolError

WIRE_NAMES = {"pcmu": "audio/x-mulaw", "pcma": "audio/x-alaw", "pcm16": "audio/x-l16"}


class JsonDialect(Dialect):
    """Counts messages and chunks; turns the server's mistakes into `Problem`s."""

    _sequence = 0
    _chunk = 0
    _sent_ms = 0.0

    def receive(self, frame: Frame) -> Sequence[Order]:
        """See `Dialect`."""
        try:
            message = messages.parse(frame)
            return self._orders(messages.kind(message, "event"), message)
        except ProtocolError as error:
            return (Problem(str(error)),)

    @abstractmethod
    def _orders(self, kind: str, message: dict[str, Any]) -> Sequence[Order]:
        """The orders in one message. Raises ProtocolError."""

    def _announced(self, fmt: AudioFormat) -> str:
        return self._lie or WIRE_NAMES[fmt.encoding]

    def _next_sequence(self) -> int:
        self._sequence += 1
        return self._sequence

    def _next_chunk(self, data: bytes) -> tuple[int, int]:
        """Its number and its time in ms since the stream began."""
        self._chunk += 1
        at_ms = round(self._sent_ms)
        self._sent_ms += self.uplink.ms(len(data))
        return self._chunk, at_ms


def payload(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def played(message: dict[str, Any], fmt: AudioFormat) -> Play:
    """The audio of a message `media`. Raises ProtocolError."""
    media = messages.section(message, "media")
    return Play(messages.payload(media, "media.payload", fmt))


def dumps(message: dict[str, Any]) -> str:
    return json.dumps(message, separators=(",", ":"))
