"""Voice detectors by name."""

from __future__ import annotations

from voicepipe.config import VadSettings
from voicepipe.plugins import load_plugin
from voicepipe.vad.contract import VoiceDetector
from voicepipe.vad.gated import GatedVad
from voicepipe.vad.silero import SileroVad
from voicepipe.vad.webrtc import WebRtcVad

BUILTIN = ("webrtc", "silero", "gated")


def create_detector(settings: VadSettings) -> VoiceDetector:
    """A new detector, for one session. Raises ConfigError for an unknown name."""
    if settings.engine == "webrtc":
        return WebRtcVad(settings.webrtc_mode)
    if settings.engine == "silero":
        return SileroVad()
    if settings.engine == "gated":
        return GatedVad(WebRtcVad(settings.webrtc_mode), SileroVad())
    detector: VoiceDetector = load_plugin("voicepipe.vad", settings.engine, BUILTIN)(settings)
    return detector
