"""Voice detectors by name."""

from __future__ import annotations

from importlib.metadata import entry_points

from voicepipe.config import VadSettings
from voicepipe.errors import ConfigError
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
    found = entry_points(group="voicepipe.vad")
    for entry in found:
        if entry.name == settings.engine:
            detector: VoiceDetector = entry.load()(settings)
            return detector
    known = ", ".join([*BUILTIN, *sorted(entry.name for entry in found)])
    raise ConfigError(f"vad.engine: there is no {settings.engine!r}; known: {known}")
