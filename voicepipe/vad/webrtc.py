"""WebRTC's voice detector: Gaussian mixtures on sub-band energies, 2 us a frame, yes or no."""

from __future__ import annotations

import webrtcvad

from voicepipe.audio.pcm import SAMPLE_RATE, Int16
from voicepipe.config import VadSettings
from voicepipe.config.engines import EngineContext


class WebRtcVad:
    """`mode` 0..3: the higher, the fewer false alarms and the more clipped soft tails."""

    def __init__(self, mode: int = 2) -> None:
        self._mode = mode
        self._vad = webrtcvad.Vad(mode)

    def probability(self, frame: Int16) -> float:
        return 1.0 if self._vad.is_speech(frame.tobytes(), SAMPLE_RATE) else 0.0

    def reset(self) -> None:
        self._vad = webrtcvad.Vad(self._mode)


def make(context: EngineContext[VadSettings, None]) -> WebRtcVad:
    """See `Engine.make`."""
    return WebRtcVad(context.stage.webrtc_mode)
