"""Engines by name: the built-in ones, installed ones, and wrong names. What an installed package
looks like from end to end is in `test_example_engine.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from voicepipe.asr.engines.faster_whisper import FasterWhisperRecognizer
from voicepipe.asr.engines.simulated import SimulatedRecognizer
from voicepipe.asr.engines.transformers import TransformersRecognizer
from voicepipe.config import (
    AsrSettings,
    LlmSettings,
    Settings,
    SimulatedSettings,
    TtsSettings,
    catalogue,
)
from voicepipe.config.catalogue import BUILT_IN, STAGES
from voicepipe.config.engines import Engine, EngineContext, Stage
from voicepipe.config.extended import settings_type
from voicepipe.config.loading import load_settings
from voicepipe.config.schema import rules
from voicepipe.config.section import Section
from voicepipe.llm.engines.ctranslate2 import CTranslate2Model
from voicepipe.llm.engines.openai import OpenAICompatibleModel
from voicepipe.llm.engines.simulated import SimulatedModel
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import ConfigError, EngineUnavailable
from voicepipe.server.engine_factory import (
    create_language_model,
    create_recognizer,
    create_synthesizer,
)
from voicepipe.server.second_engine import second_settings
from voicepipe.tts.engines.espeak import EspeakSynthesizer
from voicepipe.vad.engines import create_detector
from voicepipe.vad.gated import GatedVad
from voicepipe.vad.silero import SileroVad
from voicepipe.vad.webrtc import WebRtcVad

MAKERS: dict[Stage, Callable[[Settings], object]] = {
    "asr": lambda settings: create_recognizer(settings, MonotonicClock()),
    "llm": lambda settings: create_language_model(settings, MonotonicClock()),
    "tts": lambda settings: create_synthesizer(settings, MonotonicClock()),
    "vad": lambda settings: create_detector(settings.vad),
}


def create(stage: Stage, engine: str, **options: object) -> object:
    plain = Settings()
    section = getattr(plain, stage).model_copy(update={"engine": engine, **options})
    return MAKERS[stage](plain.model_copy(update={stage: section}))


@pytest.mark.parametrize(
    ("stage", "name", "kind"),
    [
        ("asr", "faster_whisper", FasterWhisperRecognizer),
        ("asr", "simulated", SimulatedRecognizer),
        ("llm", "ctranslate2", CTranslate2Model),
        ("llm", "simulated", SimulatedModel),
        ("tts", "espeak", EspeakSynthesizer),
        ("vad", "gated", GatedVad),
        ("vad", "silero", SileroVad),
        ("vad", "webrtc", WebRtcVad),
    ],
)
def test_a_built_in_engine_by_its_name(stage: Stage, name: str, kind: type[object]) -> None:
    assert type(create(stage, name)) is kind


def test_engines_with_a_model_or_a_server_of_their_own(tmp_path: Path) -> None:
    recognizer = create("asr", "transformers", model=str(tmp_path))
    assert isinstance(recognizer, TransformersRecognizer)
    hosted = create("llm", "openai", base_url="http://127.0.0.1:1/v1", model="whatever-2")
    assert isinstance(hosted, OpenAICompatibleModel)


def test_as_many_workers_as_set() -> None:
    engine = create("tts", "espeak", workers=3)
    assert isinstance(engine, EspeakSynthesizer)
    assert len(engine.pool.workers) == 3


@pytest.mark.parametrize("stage", STAGES)
def test_a_wrong_name_is_answered_with_the_nearest_and_all_known(stage: Stage) -> None:
    name = next(iter(BUILT_IN[stage]))
    with pytest.raises(ConfigError) as raised:
        create(stage, name + "x")
    known = ", ".join(sorted(BUILT_IN[stage]))
    assert str(raised.value) == (
        f"{stage}.engine: there is no engine '{name}x'; did you mean '{name}'? Known: {known}."
    )


def test_a_missing_model_says_how_to_get_it(tmp_path: Path) -> None:
    settings = Settings(models_dir=tmp_path, asr=AsrSettings(model="whisper-base.en"))
    with pytest.raises(EngineUnavailable, match=r"models pull whisper-base\.en") as missing:
        create_recognizer(settings, MonotonicClock())
    assert missing.value.stage == "asr"
    with pytest.raises(ConfigError, match=r"no model 'nowhere'.*models list|not an existing path"):
        create("llm", "ctranslate2", model="nowhere")
    with pytest.raises(ConfigError, match=r"llm\.ctranslate2 needs a model.*models list"):
        create("llm", "ctranslate2", model="")


# --- engines of other packages --------------------------------------------------------------------


class CloudSettings(Section):
    """What our imaginary service wants to know."""

    region: str = "eu"
    retries: int = 2


class Made:
    """Whatever `make` was given."""

    def __init__(self, context: EngineContext[Any, CloudSettings | None]) -> None:
        self.context = context


CLOUD = Engine(Made, settings=CloudSettings)
WITH_MODEL = Engine(Made, model=True)
NOT_AN_ENGINE = 3


class NeedsAKey(Section):
    """No default: it cannot stand in the settings of somebody who does not use it."""

    key: str


KEYED = Engine(Made, settings=NeedsAKey)


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """`install(acme="CLOUD")` offers that name of this module as an engine, in every stage."""

    def offer(**engines: str) -> None:
        points = EntryPoints(
            EntryPoint(name, where if ":" in where else f"{__name__}:{where}", f"voicepipe.{stage}")
            for name, where in engines.items()
            for stage in STAGES
        )
        monkeypatch.setattr(
            "voicepipe.runtime.plugins.entry_points", lambda group: points.select(group=group)
        )
        _forget()

    yield offer
    monkeypatch.undo()
    _forget()


def _forget() -> None:
    """What is read once per process is read again."""
    for cached in (catalogue.plugged_in, settings_type, rules):
        cached.cache_clear()


@pytest.mark.parametrize("stage", STAGES)
def test_an_installed_engine_needs_no_model_file_and_has_settings_of_its_own(
    stage: Stage, install: Callable[..., None]
) -> None:
    install(acme="CLOUD")
    own = {f"{stage}.engine": "acme", f"{stage}.acme.region": "us"}
    model = {} if stage == "vad" else {f"{stage}.model": "acme-large-2"}
    settings = load_settings("simulated", environ={}, overrides={**own, **model})
    made = MAKERS[stage](settings)
    assert isinstance(made, Made)
    assert made.context.own == CloudSettings(region="us")
    assert made.context.model is None
    assert made.context.name == f"{stage}.acme"
    assert made.context.stage == getattr(settings, stage)
    if model:
        assert made.context.stage.model == "acme-large-2"


def test_its_settings_are_layered_and_explained_as_ours_are(
    install: Callable[..., None], tmp_path: Path
) -> None:
    install(acme="CLOUD")
    file = tmp_path / "voicepipe.toml"
    file.write_text('[llm]\nengine = "acme"\n[llm.acme]\nregion = "us"\nretries = 5\n')
    environ = {"VOICEPIPE_LLM__ACME__RETRIES": "7"}
    settings = load_settings("simulated", file, environ)
    made = create_language_model(settings, MonotonicClock())
    assert isinstance(made, Made)
    assert made.context.own == CloudSettings(region="us", retries=7)
    with pytest.raises(ConfigError) as raised:
        load_settings(
            "simulated",
            environ={"VOICEPIPE_LLM__ACME__RETRIES": "many"},
            overrides={"llm.acme.regio": "x"},
        )
    assert str(raised.value).splitlines() == [
        "--set llm.acme.regio: llm.acme.regio is not a setting; did you mean llm.acme.region?",
        "VOICEPIPE_LLM__ACME__RETRIES=many: must be a whole number",
    ]


def test_one_that_opens_a_model_gets_its_path(install: Callable[..., None], tmp_path: Path) -> None:
    install(heavy="WITH_MODEL")
    made = create("tts", "heavy", model=str(tmp_path))
    assert isinstance(made, Made)
    assert made.context.model == tmp_path
    with pytest.raises(ConfigError, match="no model 'nowhere'"):
        create("asr", "heavy", model="nowhere")


def test_it_stands_in_for_another(install: Callable[..., None]) -> None:
    install(acme="CLOUD")
    overrides = {"tts.fallback.engine": "acme", "tts.acme.region": "us"}
    settings = load_settings("simulated", environ={}, overrides=overrides)
    made = create_synthesizer(second_settings(settings, "tts", "fallback"), MonotonicClock())
    assert isinstance(made, Made)
    assert made.context.own == CloudSettings(region="us")
    fallback = settings.tts.fallback.model_copy(update={"engine": "acne"})
    tts = settings.tts.model_copy(update={"fallback": fallback})
    wrong = settings.model_copy(update={"tts": tts})
    with pytest.raises(ConfigError, match=r"tts\.fallback\.engine: there is no engine 'acne'"):
        second_settings(wrong, "tts", "fallback")


def test_a_broken_package_harms_only_who_asks_for_it(
    install: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    install(broken="no_such_module:ENGINE", odd="NOT_AN_ENGINE")
    load_settings("simulated", environ={})
    assert "llm.engine = 'broken' (no_such_module:ENGINE) cannot be loaded" in caplog.text
    with pytest.raises(ConfigError, match=r"'broken' \(no_such_module:ENGINE\) cannot be loaded"):
        create("llm", "broken")
    with pytest.raises(ConfigError, match=r"'odd' .* is a int, not an Engine"):
        create("asr", "odd")


def test_settings_that_cannot_stand_there_are_refused(install: Callable[..., None]) -> None:
    install(keyed="KEYED")
    with pytest.raises(ConfigError, match=r"vad\.keyed: .*needs a default: key"):
        load_settings("simulated", environ={})
    install(engine="CLOUD")
    with pytest.raises(ConfigError, match=r"vad\.engine is a setting; no engine can have that"):
        load_settings("simulated", environ={})


def test_simulated_engines_get_the_settings_they_share() -> None:
    settings = Settings(
        simulated=SimulatedSettings(answer="Aye."),
        llm=LlmSettings(engine="simulated"),
        tts=TtsSettings(engine="simulated"),
    )
    model = create_language_model(settings, MonotonicClock())
    assert isinstance(model, SimulatedModel)
    assert model._answers == ("Aye.",)
