from __future__ import annotations

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from voicepipe.config import Settings, TtsSettings
from voicepipe.runtime.clock import Clock, MonotonicClock
from voicepipe.runtime.errors import ConfigError
from voicepipe.tts.contract import Synthesizer
from voicepipe.tts.engines import create_synthesizer
from voicepipe.tts.engines.espeak import EspeakSynthesizer
from voicepipe.tts.engines.simulated import SimulatedSynthesizer


def create(name: str) -> Synthesizer:
    settings = Settings(tts=TtsSettings(engine=name, workers=3))
    return create_synthesizer(settings, None, MonotonicClock())


@pytest.mark.parametrize("name", ["espeak", "piper", "simulated"])
def test_by_name(name: str) -> None:
    assert create(name).name == name


def test_as_many_workers_as_set() -> None:
    engine = create("espeak")
    assert isinstance(engine, EspeakSynthesizer)
    assert len(engine.pool.workers) == 3


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError) as raised:
        create("pipr")
    assert str(raised.value) == (
        "tts.engine: there is no engine 'pipr'; did you mean 'piper'? "
        "Known: espeak, openai, piper, simulated."
    )


def factory(settings: Settings, model_file: Path | None, clock: Clock) -> Synthesizer:
    return SimulatedSynthesizer(settings.simulated, ["fail"])


def test_third_parties_come_by_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("mine", "tests.tts.test_engines:factory", "voicepipe.tts")
    monkeypatch.setattr("voicepipe.runtime.plugins.entry_points", lambda group: [entry])
    engine = create("mine")
    assert isinstance(engine, SimulatedSynthesizer)
    assert list(engine.script) == ["fail"]
    with pytest.raises(ConfigError, match="Known: espeak, mine, openai, piper, simulated"):
        create("other")
