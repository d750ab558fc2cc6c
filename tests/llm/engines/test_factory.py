from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from voicepipe.config import LlmSettings, Settings
from voicepipe.llm import engines
from voicepipe.llm.engines import create_language_model
from voicepipe.llm.engines.ctranslate2 import CTranslate2Model
from voicepipe.llm.engines.openai import OpenAICompatibleModel
from voicepipe.llm.engines.simulated import SimulatedModel
from voicepipe.runtime.errors import ConfigError


def settings(**llm: Any) -> Settings:
    return Settings(llm=LlmSettings(**llm))


class Foreign(SimulatedModel):
    """An engine from elsewhere."""


def make_foreign(settings: Settings, model_dir: Path | None) -> Foreign:
    return Foreign(settings.simulated)


def test_engines_by_name(tmp_path: Path) -> None:
    assert isinstance(create_language_model(settings(), tmp_path), CTranslate2Model)
    openai = settings(engine="openai", base_url="http://127.0.0.1:1/v1")
    assert isinstance(create_language_model(openai, None), OpenAICompatibleModel)
    assert isinstance(create_language_model(settings(engine="simulated"), None), SimulatedModel)


def test_weights_that_were_not_found() -> None:
    with pytest.raises(ConfigError, match=r"llm\.model = 'nowhere'.*models list"):
        create_language_model(settings(model="nowhere"), None)


@pytest.fixture
def entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    def point(name: str, value: str) -> EntryPoint:
        return EntryPoint(name, value, engines.ENTRY_POINT_GROUP)

    found = EntryPoints([point("foreign", f"{__name__}:make_foreign"), point("gone", "no_such:x")])
    monkeypatch.setattr(
        "voicepipe.runtime.plugins.entry_points", lambda group: found.select(group=group)
    )


@pytest.mark.usefixtures("entry_points")
def test_third_party_engines_by_entry_point() -> None:
    assert isinstance(create_language_model(settings(engine="foreign"), None), Foreign)
    with pytest.raises(ConfigError, match=r"'gone' \(no_such:x\) cannot be loaded"):
        create_language_model(settings(engine="gone"), None)


@pytest.mark.usefixtures("entry_points")
def test_unknown_engine_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="ctranslate2, foreign, gone, openai, simulated"):
        create_language_model(settings(engine="ctranslate3"), None)
