"""What has to be fetched before a server starts."""

from __future__ import annotations

import errno
import os
import pty
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import SecretStr

from voicepipe.cli import first_fit, first_start, serve
from voicepipe.cli.first_start import missing_models
from voicepipe.config import Settings
from voicepipe.config.loading import load_settings
from voicepipe.server.second_engine import second_engines


def test_models_are_fetched_where_they_are_opened(tmp_path: Path) -> None:
    overrides = {"models_dir": str(tmp_path)}
    here = load_settings("cpu", None, {}, overrides)
    assert {model.kind for model in missing_models(here)} == {"asr", "llm", "tts"}
    elsewhere = {"cluster.address": "http://127.0.0.1:8000", "cluster.key": "k"}
    pooled = load_settings("cpu", None, {}, overrides | elsewhere)
    assert missing_models(pooled) == []


def test_a_resolver_that_is_away_does_not_hold_up_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gone = threading.Event()

    def look_up(*_: object) -> None:
        gone.wait(30)
        raise OSError

    monkeypatch.setattr(first_start, "ANSWER_S", 0.05)
    monkeypatch.setattr(socket, "create_connection", look_up)
    began = time.monotonic()
    assert not first_start.hub_answers()
    assert time.monotonic() - began < 20
    gone.set()


@pytest.mark.parametrize("variable", ["https_proxy", "HTTPS_PROXY", "ALL_PROXY"])
@pytest.mark.parametrize("written", ["http://127.0.0.1:{}", "127.0.0.1:{}"])
def test_a_proxy_is_asked_however_the_environment_names_it(
    variable: str, written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the client that fetches the models takes it."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("HF_ENDPOINT", "https://hub.invalid")
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        monkeypatch.setenv(variable, written.format(proxy.getsockname()[1]))
        assert first_start.hub_answers()
        monkeypatch.setenv("no_proxy", "hub.invalid")
        assert not first_start.hub_answers()


@pytest.mark.slow
def test_at_a_terminal_the_built_in_models_are_offered(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    nowhere = {"HF_ENDPOINT": "http://127.0.0.1:9", "NO_PROXY": "*"}
    own = {"XDG_DATA_HOME": str(tmp_path), "HF_HOME": str(tmp_path / "hf")}
    server = subprocess.Popen(
        [sys.executable, "-m", "voicepipe", "serve", "--profile", "cpu", "--port", "0"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=tmp_path,
        env={**os.environ, **nowhere, **own},
    )
    os.close(theirs)
    try:
        said = _read_until(ours, "Start the built-in models now? [Y/n]")
        assert "cannot be reached from here" in said
        for way in ("--mirror DIR|URL", "HF_HOME=DIR", "asr.model=DIR"):
            assert way in said
        os.write(ours, b"n\n")
        assert server.wait(60) == 2
    finally:
        server.kill()
        server.wait()
        os.close(ours)


def _read_until(terminal: int, words: str) -> str:
    said = ""
    while words not in said:
        ready, _, _ = select.select([terminal], [], [], 60)
        assert ready, said
        said += os.read(terminal, 4096).decode()
    return said


def test_the_built_in_models_are_started_with_all_else_that_was_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key in that file is asked for by this server too."""
    file = tmp_path / "mine.toml"
    file.write_text(
        '[server]\napi_key = "for the owner"\n[agents.bar]\ninstructions = "You are the bar."\n'
        '[llm]\nmodel = "qwen2.5-1.5b-instruct-q4_k_m"\n[llm.others.big]\nengine = "openai"\n'
        '[llm.fallback]\nengine = "llama_cpp"\n[tts]\nvoice = "of Piper"\n'
    )

    def nobody(*_: object) -> None:
        raise first_start.HubUnreachable("away", stage="llm")

    ran: list[tuple[Settings, Settings]] = []

    def run(settings: Settings, _: object, again: Callable[[], Settings]) -> None:
        ran.append((settings, again()))

    monkeypatch.setattr(serve, "fetch_missing", nobody)
    monkeypatch.setattr(serve, "offers_builtin", lambda _: True)
    monkeypatch.setattr(serve, "_log_to", lambda *_: None)
    monkeypatch.setattr(serve, "_run", run)
    serve.serve(profile="cpu", config=file, assignments=["turns.eager_end_ms=140"], port=1)
    ((settings, again),) = ran
    assert settings.server.api_key == SecretStr("for the owner")
    assert (settings.server.port, settings.turns.eager_end_ms) == (1, 140)
    assert list(settings.agents) == list(again.agents) == ["bar"]
    plain = load_settings("builtin", tmp_path / "mine.toml", {}).asr
    assert (settings.profile, settings.asr) == ("builtin", plain)
    assert (settings.llm.engine, settings.llm.model) == ("ctranslate2", "builtin/llm")
    assert (settings.tts.engine, settings.tts.voice) == ("espeak", "")
    assert not [*missing_models(settings), *second_engines(settings)][1:], "asr.second alone"


def test_a_disk_that_is_full_leaves_no_half_of_a_choice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be read at each start from then on."""
    write = Path.write_text

    def half(file: Path, text: str, encoding: str) -> None:
        write(file, text[:50], encoding)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Path, "write_text", half)
    monkeypatch.setattr(first_fit, "hub_answers", lambda: True)
    settings = load_settings("cpu", environ={}, overrides={"models_dir": str(tmp_path / "models")})
    with pytest.raises(OSError, match="No space left"):
        first_fit.fitted(settings, None, None)
    assert not (tmp_path / "models" / first_fit.FITTED).exists()
