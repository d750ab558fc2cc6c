"""Vonage Voice over WebSocket, from the carrier's side."""

from __future__ import annotations

import hashlib
import itertools
import json
import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from voicepipe.audio.formats import PCM_16K, AudioFormat
from voicepipe.audio.pcm import FRAME_MS
from voicepipe.lab.carriers.dialect import (
    CallDetails,
    Clear,
    Dialect,
    Order,
    Play,
    Problem,
    Ring,
    SetMark,
    Stream,
)
from voicepipe.lab.carriers.json_dialect import dumps
from voicepipe.protocols.json_fields import checks, errors
from voicepipe.protocols.telephony import messages
from voicepipe.protocols.telephony.carriers.vonage import sign
from voicepipe.protocols.telephony.contract import Frame
from voicepipe.runtime.errors import ProtocolError


class EmulatedVonage(Dialect):
    """L16 little-endian in binary frames of 20 ms, 3072 of them at most."""

    name = "vonage"
    max_queued_ms = 3072 * FRAME_MS

    def __init__(
        self,
        details: CallDetails | None = None,
        *,
        fmt: AudioFormat = PCM_16K,
        encoding: str | None = None,
    ) -> None:
        super().__init__(fmt, fmt, details, encoding=encoding)
        self._notes: dict[str, dict[str, object]] = {}  # payloads as they came
        self._numbers = itertools.count(1)

    @classmethod
    def ring(cls, url: str, details: CallDetails, secret: str, now_s: float) -> Ring:
        """See `Dialect`."""
        fields = {"uuid": details.call_id, "from": details.caller, "to": details.called}
        body = json.dumps(fields).encode()
        return Ring(body, {"Content-Type": "application/json", **_signature(body, secret, now_s)})

    @classmethod
    def told(cls, document: str, details: CallDetails, secret: str) -> Stream:
        """See `Dialect`."""
        (endpoint,) = json.loads(document)[0]["endpoint"]
        return Stream(str(endpoint["uri"]), replace(details, parameters=endpoint["headers"]))

    def opening(self) -> Sequence[Frame]:
        """See `Dialect`."""
        details = self.details
        message = {
            "event": "websocket:connected",
            "content-type": self._lie or f"audio/l16;rate={self.uplink.rate}",
            "call_id": details.call_id,
            "caller": details.caller,
            "called": details.called,
            **details.parameters,
        }
        return (dumps(message),)

    def media(self, data: bytes) -> Frame:
        """See `Dialect`."""
        return data

    def dtmf(self, digit: str) -> Sequence[Frame]:
        """See `Dialect`."""
        return (dumps({"event": "websocket:dtmf", "digit": digit, "duration": 260}),)

    def mark_reached(self, name: str) -> Sequence[Frame]:
        """See `Dialect`."""
        payload = self._notes.pop(name)
        return (dumps({"event": "websocket:notify", "payload": payload}),)

    def cleared(self) -> Sequence[Frame]:
        """See `Dialect`."""
        self._notes.clear()
        return (dumps({"event": "websocket:cleared"}),)

    def receive(self, frame: Frame) -> Sequence[Order]:
        """See `Dialect`."""
        if isinstance(frame, bytes):
            wanted = round(FRAME_MS * self.downlink.bytes_per_ms)
            if len(frame) != wanted:
                return (Problem(f"a frame has {len(frame)} bytes, not {wanted}"),)
            return (Play(frame),)
        try:
            message = messages.parse(frame)
            action = messages.kind(message, "action")
            if action == "clear":
                return (Clear(),)
            if action != "notify":
                raise errors.bad_value("action", f"is {checks.shown(action)}.")
            name = f"notify {next(self._numbers)}"
            self._notes[name] = messages.section(message, "payload")
            return (SetMark(name),)
        except ProtocolError as error:
            return (Problem(str(error)),)


def _signature(body: bytes, secret: str, now_s: float) -> dict[str, str]:
    if not secret:
        return {}
    claims: dict[str, Any] = {
        "iat": int(now_s),
        "jti": secrets.token_hex(8),
        "payload_hash": hashlib.sha256(body).hexdigest(),
    }
    return {"Authorization": f"Bearer {sign(secret, claims)}"}
