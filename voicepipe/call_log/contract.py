"""What a transport says of a call, and what it may read back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Lock

from voicepipe.audio.formats import PCM_24K, AudioFormat
from voicepipe.runtime.errors import VoicepipeError

WallClock = Callable[[], datetime]
"""Now, with a time zone: only what people read is stamped with it, nothing is measured by it."""


def utc_now() -> datetime:
    return datetime.now(UTC)


class CallStoreError(VoicepipeError):
    """The calls' database or recordings cannot be used; the message names the place."""


@dataclass(frozen=True, slots=True)
class CallInfo:
    """Who calls whom, by which transport. `input_format` and `output_format` are those of the bytes
    that the transport reports; they matter only where sound is kept."""

    transport: str  # "twilio", "webrtc", "realtime" ...
    session_id: str
    carrier_call_id: str = ""
    caller: str = ""
    called: str = ""
    input_format: AudioFormat = PCM_24K
    output_format: AudioFormat = PCM_24K
    answered: bool = True  # False: it was refused or never picked up
    live_id: str = ""  # as the client knows the call while it is up
    agent: str = ""  # who answers it
    key: str = ""  # name of the key it was opened with; "" for the owner's
    traceparent: str = ""  # of the trace that it belongs to, as W3C writes it
    sound: bool = True  # False: the transport reports none, so there is nothing to record


@dataclass(slots=True)
class Counts:
    """Since the process began. What was lost was logged as an error too."""

    calls: int = 0  # begun, committed
    turns: int = 0  # committed
    lost_calls: int = 0
    lost_turns: int = 0
    lost_sound_s: float = 0.0
    retries: int = 0  # commits that had to be tried again
    deleted_calls: int = 0  # by retention
    _lock: Lock = field(default_factory=Lock, repr=False)

    def add(self, **more: float) -> None:
        """Add to some of them; the loop and the writer's thread both count."""
        with self._lock:
            for name, count in more.items():
                setattr(self, name, getattr(self, name) + count)
