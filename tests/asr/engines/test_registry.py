"""Engines by name."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import ModuleType

import pytest

from voicepipe.asr import engines
from voicepipe.asr.contract import Recognizer
from voicepipe.asr.engines.faster_whisper import FasterWhisperRecognizer
from voicepipe.asr.engines.simulated import SimulatedRecognizer
from voicepipe.asr.engines.transformers import TransformersRecognizer
from voicepipe.config import BUILTIN_ENGINES, AsrSettings, Settings
from voicepipe.runtime.clock import Clock, MonotonicClock
from voicepipe.runtime.errors import ConfigError, EngineUnavailable


def named(engine: str) -> Settings:
    return Settings(asr=AsrSettings(engine=engine))


def test_built_in_engines(tmp_path: Path) -> None:
    clock = MonotonicClock()
    assert isinstance(
        engines.create_recognizer(named("simulated"), None, clock), SimulatedRecognizer
    )
    assert isinstance(
        engines.create_recognizer(named("faster_whisper"), tmp_path, clock), FasterWhisperRecognizer
    )
    assert isinstance(
        engines.create_recognizer(named("transformers"), tmp_path, clock), TransformersRecognizer
    )
    assert set(engines.engine_names()) >= set(BUILTIN_ENGINES["asr"])


def test_an_unknown_name_lists_the_known_ones() -> None:
    known = r"no engine 'wisper'.*faster_whisper, pocketsphinx, simulated"
    with pytest.raises(ConfigError, match=known):
        engines.create_recognizer(named("wisper"), None, MonotonicClock())


def test_a_missing_model_says_how_to_get_it() -> None:
    with pytest.raises(EngineUnavailable, match=r"'builtin/asr'.*models pull") as missing:
        engines.create_recognizer(named("faster_whisper"), None, MonotonicClock())
    assert missing.value.stage == "asr"


def test_entry_points_add_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(settings: Settings, model_dir: Path | None, clock: Clock) -> Recognizer:
        return SimulatedRecognizer(settings.simulated, ["from a plugin"], clock)

    plugin = ModuleType("a_plugin")
    plugin.make = make  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "a_plugin", plugin)
    points = EntryPoints(
        [
            EntryPoint("mine", "a_plugin:make", engines.ENTRY_POINT_GROUP),
            EntryPoint("broken", "no_such_plugin:make", engines.ENTRY_POINT_GROUP),
        ]
    )
    monkeypatch.setattr(
        "voicepipe.runtime.plugins.entry_points", lambda group: points.select(group=group)
    )
    assert set(engines.engine_names()) == {"broken", "mine", *BUILTIN_ENGINES["asr"]}
    assert list(engines.engine_names()) == sorted(engines.engine_names())
    assert engines.create_recognizer(named("mine"), None, MonotonicClock()).name == "simulated"
    with pytest.raises(ConfigError, match=r"'broken' \(no_such_plugin:make\)"):
        engines.create_recognizer(named("broken"), None, MonotonicClock())
