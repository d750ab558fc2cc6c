"""Voice detectors by name."""

from __future__ import annotations

from pathlib import Path

from voicepipe.config import VadSettings
from voicepipe.dialog.options import TurnOptions
from voicepipe.runtime.errors import ConfigError
from voicepipe.runtime.plugins import load_plugin
from voicepipe.vad.contract import EndOfTurnModel, VoiceDetector
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


def create_end_of_turn(options: TurnOptions) -> EndOfTurnModel | None:
    """The audio model that `turns.endpointing` asks for, loaded; None: it asks for none.

    Raises ConfigError or EngineUnavailable, saying what is missing.
    """
    if options.endpointing != "smart_turn":
        return None
    if options.smart_turn_model is None:
        raise ConfigError(
            'turns.endpointing is "smart_turn", but turns.smart_turn_model names no file; '
            "docs/endpointing.md says where to get one"
        )
    from voicepipe.vad.smart_turn import SmartTurn

    return SmartTurn(Path(options.smart_turn_model).expanduser())
