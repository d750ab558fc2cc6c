"""What a transport asks of a protocol: the whole contract of a sans-I/O codec."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from voicepipe.runtime.errors import VoicepipeError
from voicepipe.session.commands import Command
from voicepipe.session.events import SessionError, SessionEvent
from voicepipe.session.settings import SessionSettings


class Codec(Protocol):
    """One connection's frames to commands and events to frames; text is str, binary is bytes."""

    @property
    def settings(self) -> SessionSettings:
        """What the session is set to, updates that `receive` has returned included."""
        ...

    def opening(self) -> Sequence[str | bytes]:
        """Frames to send before anything else."""
        ...

    def receive(self, frame: str | bytes) -> list[Command]:
        """The commands of one frame. Raises ProtocolError, with nothing changed, and nothing
        else, whatever the frame holds."""
        ...

    def send(self, event: SessionEvent) -> Sequence[str | bytes]:
        """The frames of one event; none where the protocol has no word for it."""
        ...

    def error(self, exc: VoicepipeError | SessionError) -> str | bytes | None:
        """The frame that reports an error; None where the protocol has none."""
        ...
