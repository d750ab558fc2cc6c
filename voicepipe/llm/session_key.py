"""What tells a router in front of several servers that requests belong together."""

from __future__ import annotations

from hashlib import sha256


def session_key(session_id: str) -> str:
    """The same for all requests of one session, on every gateway. Session ids are random but open
    doors here (call pages, resuming), so that a router, and its log, is given a hash: 128 bits."""
    return sha256(b"voicepipe llm session " + session_id.encode()).hexdigest()[:32]
