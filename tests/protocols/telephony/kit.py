"""What the tests of the dialects share."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from voicepipe.protocols.telephony.contract import CallCodec, Frame
from voicepipe.runtime.errors import ProtocolError


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def text(**message: Any) -> str:
    return json.dumps(message)


def sent(frames: Any) -> list[Any]:
    """Frames of a codec, JSON decoded."""
    return [json.loads(frame) if isinstance(frame, str) else frame for frame in frames]


def refused(codec: CallCodec, frame: Frame, match: str) -> ProtocolError:
    """The frame is refused with such a message."""
    with pytest.raises(ProtocolError, match=match) as caught:
        codec.receive(frame)
    return caught.value
