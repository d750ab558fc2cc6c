"""Detectors by name: the built-in ones, an installed one, and a wrong name."""

from __future__ import annotations

from importlib import metadata

import pytest

from voicepipe.config import BUILTIN_ENGINES, VadSettings
from voicepipe.runtime.errors import ConfigError
from voicepipe.vad import engines
from voicepipe.vad.gated import GatedVad
from voicepipe.vad.silero import SileroVad
from voicepipe.vad.webrtc import WebRtcVad


@pytest.mark.parametrize(
    ("name", "kind"), [("webrtc", WebRtcVad), ("silero", SileroVad), ("gated", GatedVad)]
)
def test_builtin_detector_by_name(name: str, kind: type[object]) -> None:
    assert type(engines.create_detector(VadSettings(engine=name))) is kind


def test_settings_and_folder_agree_on_what_is_built_in() -> None:
    assert BUILTIN_ENGINES["vad"] == engines.BUILTIN


class Installed:
    """Another package's detector."""

    def __init__(self, settings: VadSettings) -> None:
        self.settings = settings


def test_installed_detector_is_found_by_its_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = metadata.EntryPoint("mine", f"{__name__}:Installed", "voicepipe.vad")
    found = metadata.EntryPoints([entry])
    monkeypatch.setattr(
        "voicepipe.runtime.plugins.entry_points", lambda group: found.select(group=group)
    )
    settings = VadSettings(engine="mine")
    detector = engines.create_detector(settings)
    assert isinstance(detector, Installed)
    assert detector.settings is settings
    with pytest.raises(ConfigError, match=r"did you mean 'mine'.*gated, mine, silero, webrtc"):
        engines.create_detector(VadSettings(engine="mime"))


def test_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"no engine 'sylero'; did you mean 'silero'"):
        engines.create_detector(VadSettings(engine="sylero"))
