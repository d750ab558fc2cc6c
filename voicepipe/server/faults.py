"""What a client is told when its session fails through no fault of its own."""

from __future__ import annotations

from voicepipe.runtime.errors import VoicepipeError
from voicepipe.session.events import SessionError

CLOSED = "a fault of the server; its log says why"
"""The reason with which a socket is closed by one."""


def told(fault: BaseException) -> VoicepipeError | SessionError:
    """Ours is for people; anything else is a bug, and the server's log has it."""
    if isinstance(fault, VoicepipeError):
        return fault
    return SessionError(
        "The session has failed; the server's log says why.",
        "server_error",
        kind="server_error",
    )
