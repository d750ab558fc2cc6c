"""Speech recognition engines by name; third parties add theirs by entry points."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from voicepipe.asr.contract import Recognizer
from voicepipe.config import Settings
from voicepipe.runtime import plugins
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import EngineUnavailable

if TYPE_CHECKING:
    from voicepipe.asr.engines.whisper_recognizer import WhisperRecognizer

ENTRY_POINT_GROUP = "voicepipe.asr"
"""An entry point names a callable like `create_recognizer`."""

Factory = Callable[[Settings, Path | None, Clock], Recognizer]


def create_recognizer(settings: Settings, model_dir: Path | None, clock: Clock) -> Recognizer:
    """The recognizer that `settings.asr.engine` names, not yet started.

    `model_dir` is where `settings.asr.model` was found (None: nowhere, or the engine needs none).
    Raises ConfigError for an unknown engine, EngineUnavailable when it cannot be made here.
    """
    name = settings.asr.engine
    factory = _BUILT_IN.get(name)
    if factory is None:
        factory = plugins.load_plugin(ENTRY_POINT_GROUP, name, _BUILT_IN)
    return factory(settings, model_dir, clock)


def engine_names() -> tuple[str, ...]:
    """All known engines, built in and from entry points, sorted."""
    return plugins.engine_names(ENTRY_POINT_GROUP, _BUILT_IN)


def _faster_whisper(settings: Settings, model_dir: Path | None, clock: Clock) -> Recognizer:
    from voicepipe.asr.engines.faster_whisper import FasterWhisperRecognizer

    return _whisper(FasterWhisperRecognizer, settings, model_dir, clock)


def _transformers(settings: Settings, model_dir: Path | None, clock: Clock) -> Recognizer:
    from voicepipe.asr.engines.transformers import TransformersRecognizer

    return _whisper(TransformersRecognizer, settings, model_dir, clock)


def _whisper(
    kind: type[WhisperRecognizer], settings: Settings, model_dir: Path | None, clock: Clock
) -> Recognizer:
    if model_dir is None:
        raise EngineUnavailable(
            f"asr.model: there is no model {settings.asr.model!r} here. `voicepipe models list` "
            "shows what can be had, `voicepipe models pull NAME` gets it",
            stage="asr",
        )
    limit_s = settings.limits.max_audio_backlog_s
    return kind(settings.asr, model_dir, clock, max_utterance_s=limit_s)


def _pocketsphinx(settings: Settings, model_dir: Path | None, clock: Clock) -> Recognizer:
    from voicepipe.asr.engines.pocketsphinx import PocketsphinxRecognizer

    limit_s = settings.limits.max_audio_backlog_s
    return PocketsphinxRecognizer(settings.asr, model_dir, max_utterance_s=limit_s)


def _simulated(settings: Settings, model_dir: Path | None, clock: Clock) -> Recognizer:
    from voicepipe.asr.engines.simulated import SimulatedRecognizer

    return SimulatedRecognizer(settings.simulated, clock=clock)


_BUILT_IN: dict[str, Factory] = {
    "faster_whisper": _faster_whisper,
    "pocketsphinx": _pocketsphinx,
    "simulated": _simulated,
    "transformers": _transformers,
}
