"""Who listens in on a session, beside its own client."""

from __future__ import annotations

from typing import Protocol

from voicepipe.session.events import SessionEvent


class Listener(Protocol):
    """Called on the event loop, on the turn's path: it takes note, and does its work elsewhere."""

    def told(self, event: SessionEvent) -> None:
        """What the session tells its client. Errors of a message that could not be carried out are
        told to its sender alone."""
        ...

    def heard(self, audio: bytes) -> None:
        """What the user says, in the session's input format."""
        ...
