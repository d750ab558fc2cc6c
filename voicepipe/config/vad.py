"""Voice detection."""

from __future__ import annotations

from typing import Literal

from voicepipe.config.section import Section


class VadSettings(Section):
    engine: str = "gated"  # webrtc, silero, gated, or an entry point's name
    # Aggressiveness of the gate. Only behind 3 do turns end in a murmur 20 dB below the caller;
    # elsewhere it starts as rarely and ends as soon as the others, but it loses very soft
    # voices, under -38 dBFS (docs/vad.md).
    webrtc_mode: Literal[0, 1, 2, 3] = 3
