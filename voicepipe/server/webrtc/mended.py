"""aiortc and aioice as a server of calls needs them, for the whole process."""

from __future__ import annotations

from voicepipe.server.webrtc import consent, lost_events, lost_handshakes, unfinished


def mend() -> None:
    """Patience with slow networks, no long wait for what was lost on the way, and bounds."""
    consent.be_patient()
    lost_events.be_quick()
    lost_handshakes.be_quick()
    unfinished.be_bounded()
