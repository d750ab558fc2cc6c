"""One engine as its stage's settings name it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from voicepipe.asr.contract import Recognizer
from voicepipe.config import Settings, catalogue
from voicepipe.config.engines import Engine, EngineContext, Stage
from voicepipe.llm.contract import LanguageModel
from voicepipe.models.resolve import model_path
from voicepipe.runtime.clock import Clock
from voicepipe.tts.contract import Synthesizer

__all__ = [
    "CreateEngine",
    "create_engine",
    "create_language_model",
    "create_recognizer",
    "create_synthesizer",
]

CreateEngine = Callable[[str, Settings, Clock], Any]
"""Makes the engine of a stage or of a role in it ("asr", "llm.fallback"), as settings name it."""


def create_engine(name: str, settings: Settings, clock: Clock) -> Any:
    """An engine of this process's own, not yet started; raises as the three below."""
    stage: Any = name.partition(".")[0]
    return _create(stage, settings, clock)


def create_recognizer(settings: Settings, clock: Clock) -> Recognizer:
    """The recognizer that `asr.engine` names, not yet started.

    Raises ConfigError for an engine or a model that nobody knows, EngineUnavailable for what is
    missing here, saying how to get it. So do the others below.
    """
    engine: Recognizer = _create("asr", settings, clock)
    return engine


def create_language_model(settings: Settings, clock: Clock) -> LanguageModel:
    """The language model that `llm.engine` names, not yet started."""
    engine: LanguageModel = _create("llm", settings, clock)
    return engine


def create_synthesizer(settings: Settings, clock: Clock) -> Synthesizer:
    """The synthesizer that `tts.engine` names, not yet started."""
    engine: Synthesizer = _create("tts", settings, clock)
    return engine


def _create(stage: Stage, settings: Settings, clock: Clock) -> Any:
    section = getattr(settings, stage)
    engine = catalogue.find(stage, section.engine)
    context = EngineContext(
        name=f"{stage}.{section.engine}",
        stage=section,
        own=_own_settings(engine, section, settings),
        model=_model(engine, section, settings),
        clock=clock,
        limits=settings.limits,
        find_model=partial(model_path, settings=settings),
    )
    return engine.create(context)


def _own_settings(engine: Engine, section: Any, settings: Settings) -> Any:
    if engine.settings_at:
        return getattr(settings, engine.settings_at)
    return catalogue.own_settings(engine, section)


def _model(engine: Engine, section: Any, settings: Settings) -> Path | None:
    return model_path(section.model, settings) if engine.model and section.model else None
