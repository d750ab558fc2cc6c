"""Speech recognition engines by name; third parties add theirs by entry points."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from voicepipe.asr.contract import Recognizer
from voicepipe.clock import Clock
from voicepipe.config import Settings
from voicepipe.errors import ConfigError, EngineUnavailable

ENTRY_POINT_GROUP = "voicepipe.asr"
"""An entry point names a callable like `create_recognizer`."""

Factory = Callable[[Settings, Path | None, Clock], Recognizer]


def create_recognizer(settings: Settings, model_dir: Path | None, clock: Clock) -> Recognizer:
    """The recognizer that `settings.asr.engine` names, not yet started. `model_dir` is where
    `settings.asr.model` was found (None: nowhere, or the engine needs none). Raises ConfigError for
    an unknown engine, EngineUnavailable when the engine cannot be made here."""
    name = settings.asr.engine
    if name in _BUILT_IN:
        return _BUILT_IN[name](settings, model_dir, clock)
    plugins = _plugins()
    if name not in plugins:
        known = ", ".join(engine_names())
        raise ConfigError(f"asr.engine: there is no engine {name!r}; known are: {known}")
    try:
        factory: Factory = plugins[name].load()
    except Exception as error:
        raise EngineUnavailable(
            f"the ASR engine {name!r} ({plugins[name].value}) cannot be imported: {error}",
            stage="asr",
        ) from error
    return factory(settings, model_dir, clock)


def engine_names() -> tuple[str, ...]:
    """All known engines, built in and from entry points, sorted."""
    return tuple(sorted({*_BUILT_IN, *_plugins()}))


def _plugins() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINT_GROUP)}


def _faster_whisper(settings: Settings, model_dir: Path | None, clock: Clock) -> Recognizer:
    from voicepipe.asr.engines.faster_whisper import FasterWhisperRecognizer

    if model_dir is None:
        raise EngineUnavailable(
            f"asr.model: there is no model {settings.asr.model!r} here. `voicepipe models list` "
            "shows what can be had, `voicepipe models pull NAME` gets it",
            stage="asr",
        )
    limit_s = settings.limits.max_audio_backlog_s
    return FasterWhisperRecognizer(settings.asr, model_dir, clock, max_utterance_s=limit_s)


def _simulated(settings: Settings, model_dir: Path | None, clock: Clock) -> Recognizer:
    from voicepipe.asr.engines.simulated import SimulatedRecognizer

    return SimulatedRecognizer(settings.simulated, clock=clock)


_BUILT_IN: dict[str, Factory] = {"faster_whisper": _faster_whisper, "simulated": _simulated}
