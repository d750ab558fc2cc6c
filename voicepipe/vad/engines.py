"""Voice detectors and end-of-turn models, as the settings name them."""

from __future__ import annotations

from pathlib import Path

from voicepipe.config import VadSettings, catalogue
from voicepipe.config.engines import EngineContext
from voicepipe.dialog.options import TurnOptions
from voicepipe.runtime.clock import Clock, MonotonicClock
from voicepipe.runtime.errors import ConfigError
from voicepipe.vad.contract import EndOfTurnModel, VoiceDetector


def create_detector(settings: VadSettings, clock: Clock | None = None) -> VoiceDetector:
    """A new detector, for one session. Raises ConfigError for an unknown name."""
    engine = catalogue.find("vad", settings.engine)
    context = EngineContext(
        name=f"vad.{settings.engine}",
        stage=settings,
        own=catalogue.own_settings(engine, settings),
        model=None,
        clock=clock or MonotonicClock(),
    )
    detector: VoiceDetector = engine.create(context)
    return detector


def create_end_of_turn(options: TurnOptions) -> EndOfTurnModel:
    """smart-turn where `turns.endpointing` asks for it; else our own model, which is loaded in a
    moment, since an agent or a running call may ask for `fused`.

    Raises ConfigError or EngineUnavailable, saying what is missing.
    """
    if options.endpointing != "smart_turn":
        from voicepipe.vad.prosody import Prosody

        return Prosody()
    if options.smart_turn_model is None:
        raise ConfigError(
            'turns.endpointing is "smart_turn", but turns.smart_turn_model names no file; '
            "docs/endpointing.md says where to get one"
        )
    from voicepipe.vad.smart_turn import SmartTurn

    return SmartTurn(Path(options.smart_turn_model).expanduser())
