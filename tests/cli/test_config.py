"""`voicepipe config`, and the page that is made from the same settings."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.forked import voicepipe
from voicepipe.config import Settings
from voicepipe.config.explanations import defaults, explanations, values
from voicepipe.config.loading import load_settings, profile_names
from voicepipe.config.schema import rules
from voicepipe.config.shown import as_toml, page, starting_file

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"


def test_what_is_set_is_shown_with_who_set_it_and_no_secret(tmp_path: Path) -> None:
    (tmp_path / "voicepipe.toml").write_text("[server]\nport = 9000\n")
    env = {"VOICEPIPE_SERVER__API_KEY": "k3y", "VOICEPIPE_ASR__THREADS": "2"}
    done = voicepipe("config", "show", "--set", "tts.speed=1.1", cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "server.port = 9000  # voicepipe.toml: server.port" in lines
    assert 'server.api_key = "***"  # VOICEPIPE_SERVER__API_KEY' in lines
    assert "asr.threads = 2  # VOICEPIPE_ASR__THREADS" in lines
    assert "tts.speed = 1.1  # --set tts.speed" in lines
    assert any(line.endswith("# profile builtin: llm.engine") for line in lines)
    assert "k3y" not in done.stdout
    assert not any(line.startswith("server.host") for line in lines)
    everything = voicepipe("config", "show", "--all", cwd=tmp_path)
    assert 'server.host = "127.0.0.1"' in everything.stdout


def test_a_setting_is_explained(tmp_path: Path) -> None:
    done = voicepipe("config", "explain", "server.drain_s", cwd=tmp_path)
    assert done.returncode == 0
    for text in (
        "server.drain_s = 0.0",
        "calls may end by themselves",
        "a number from 0 to 86400",
        "nobody",
        "VOICEPIPE_SERVER__DRAIN_S",
    ):
        assert text in done.stdout


def test_unknown_setting_is_one_line_with_the_nearest(tmp_path: Path) -> None:
    done = voicepipe("config", "explain", "server.prot", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == (
        "voicepipe: error: server.prot is not a setting; did you mean server.port?\n"
    )


def test_a_new_file_changes_nothing_and_is_never_written_over(tmp_path: Path) -> None:
    assert voicepipe("config", "init", "--profile", "cpu", cwd=tmp_path).returncode == 0
    file = tmp_path / "voicepipe.toml"
    assert load_settings(file=file, environ={}) == load_settings("cpu", environ={})
    again = voicepipe("config", "init", cwd=tmp_path)
    assert again.returncode == 2
    assert "there already" in again.stderr


def test_comments_of_a_new_file_show_what_its_profile_has(tmp_path: Path) -> None:
    """They say "what is so anyway"; the defaults beneath the profile are not."""
    for profile in profile_names():
        in_force = values(load_settings(profile, environ={}, file=_empty(tmp_path)))
        section, wrong = "", []
        for line in starting_file(profile).splitlines():
            if line.startswith("["):
                section = line.strip("[]")
            path = (*section.split("."), line.removeprefix("# ").partition(" = ")[0])
            if line.startswith("# ") and " = " in line and path in in_force:
                shown, so = (
                    tomllib.loads(f"it = {text}")["it"]
                    for text in (line.partition(" = ")[2], as_toml(in_force[path]))
                )
                if shown != so:
                    wrong.append(f"{'.'.join(path)}: {shown}")
        assert not wrong, profile


def _empty(folder: Path) -> Path:
    file = folder / "empty.toml"
    file.write_text("")
    return file


@pytest.mark.parametrize("profile", ["builtin", "simulated"])
def test_every_line_of_the_new_file_can_be_taken_in(profile: str, tmp_path: Path) -> None:
    lines = [
        line.removeprefix("# ") if line.startswith("# ") and " = " in line else line
        for line in starting_file(profile).splitlines()
    ]
    settings = [line for line in lines if line.startswith("[") or _is_setting(line)]
    assert sum(" = " in line for line in settings) == len(rules())
    tomllib.loads("\n".join(settings))


def _is_setting(line: str) -> bool:
    try:
        return bool(tomllib.loads(line))
    except tomllib.TOMLDecodeError:
        return False


def test_every_setting_has_a_place() -> None:
    assert set(explanations()) == set(defaults()) == set(rules())
    assert defaults()[("server", "port")] == Settings().server.port
    assert explanations()[("server", "shutdown_s")] == "running turns may finish for so long"


def test_the_page_of_settings_is_of_today() -> None:
    assert PAGE.read_text() == page(), "python -m voicepipe.config.shown > docs/settings.md"
