"""The real command in real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def voicepipe(
    *args: str, cwd: Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    environ = {k: v for k, v in os.environ.items() if not k.startswith("VOICEPIPE_")}
    environ |= {"PYTHONPATH": str(ROOT), "COLUMNS": "120", "XDG_DATA_HOME": str(cwd), **(env or {})}
    return subprocess.run(
        [sys.executable, "-m", "voicepipe", *args],
        cwd=cwd,
        env=environ,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


def test_help_lists_every_command_and_imports_no_engine(tmp_path: Path) -> None:
    done = voicepipe("--help", cwd=tmp_path)
    assert done.returncode == 0
    for name in ("serve", "talk", "bench", "models", "doctor"):
        assert name in done.stdout
    probe = (
        "import sys\n"
        "from voicepipe.cli.main import app\n"
        "try: app(['--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'pydantic', 'httpx', 'ctranslate2', 'starlette'} & set(sys.modules)\n"
        "sys.exit(f'--help imported {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", probe],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_version_and_unknown_command(tmp_path: Path) -> None:
    assert voicepipe("--version", cwd=tmp_path).stdout == "voicepipe 0.1.0\n"
    done = voicepipe("modls", cwd=tmp_path)
    assert done.returncode == 2
    assert "Did you mean models?" in done.stderr


def test_a_wrong_setting_is_one_message_without_a_traceback(tmp_path: Path) -> None:
    done = voicepipe("doctor", cwd=tmp_path, env={"VOICEPIPE_ASR__MODLE": "x"})
    assert done.returncode == 2
    assert done.stderr == (
        "voicepipe: error: VOICEPIPE_ASR__MODLE: asr.modle is not a setting; "
        "did you mean VOICEPIPE_ASR__MODEL?\n"
    )


def test_models_list_shows_licence_checksum_and_size(tmp_path: Path) -> None:
    done = voicepipe("models", "list", cwd=tmp_path)
    assert done.returncode == 0
    for text in ("whisper-base.en", "licence: MIT", "recorded at first pull", "about 148 MB"):
        assert text in done.stdout
    rows = json.loads(voicepipe("models", "list", "--json", cwd=tmp_path).stdout)
    assert {row["name"] for row in rows} >= {"builtin/asr", "builtin/llm", "whisper-base.en"}


def test_models_pull_verify_and_path_from_a_folder(tmp_path: Path) -> None:
    """The voice's checksum is known, so a fake voice must be refused; the whole is then tried
    with a model whose checksums are recorded at first pull."""
    mirror = tmp_path / "mirror"
    voice = mirror / "piper-en_US-ljspeech-medium"
    voice.mkdir(parents=True)
    for name in ("en_US-ljspeech-medium.onnx", "en_US-ljspeech-medium.onnx.json"):
        (voice / name).write_bytes(b"not a voice")
    args = ("--mirror", str(mirror))
    done = voicepipe("models", "pull", "piper-en_US-ljspeech-medium", *args, cwd=tmp_path)
    assert done.returncode == 2
    assert "11 bytes arrived, 63531379 were expected" in done.stderr

    llm = mirror / "qwen2.5-7b-instruct-awq"
    llm.mkdir()
    for name in ("config.json", "merges.txt", "model-00001-of-00001.safetensors", "README.md"):
        (llm / name).write_bytes(name.encode() * 1000)
    done = voicepipe("models", "pull", "qwen2.5-7b-instruct-awq", *args, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "licence: Apache-2.0" in done.stdout
    place = Path(
        voicepipe("models", "path", "qwen2.5-7b-instruct-awq", cwd=tmp_path).stdout.strip()
    )
    assert place == tmp_path / "voicepipe" / "models" / "qwen2.5-7b-instruct-awq"
    assert sorted(p.name for p in place.iterdir()) == [
        "config.json",
        "merges.txt",
        "model-00001-of-00001.safetensors",
    ]

    done = voicepipe("models", "verify", cwd=tmp_path)
    assert (done.returncode, done.stdout.count("ok ")) == (0, 3)
    (place / "merges.txt").write_bytes(b"other bytes".ljust(10_000))
    done = voicepipe("models", "verify", cwd=tmp_path)
    assert done.returncode == 1
    assert "changed" in done.stdout


def test_models_path_of_a_model_that_is_not_here_says_how_to_get_it(tmp_path: Path) -> None:
    done = voicepipe("models", "path", "whisper-base.en", cwd=tmp_path)
    assert done.returncode == 2
    assert "get it: voicepipe models pull whisper-base.en" in done.stderr


def test_doctor_tells_what_runs_and_what_is_missing(tmp_path: Path) -> None:
    done = voicepipe("doctor", "--profile", "simulated", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "simulated (chosen): can run" in done.stdout
    assert "get: voicepipe models pull whisper-base.en" in done.stdout

    done = voicepipe("doctor", "--profile", "cpu", "--json", cwd=tmp_path)
    assert done.returncode == 1
    report = json.loads(done.stdout)
    cpu = report["profiles"]["cpu"]
    assert cpu["can_run"] is False
    assert any("whisper-base.en" in missing["what"] for missing in cpu["missing"])
    assert set(report["profiles"]) == {"builtin", "cpu", "gpu", "simulated"}
    assert report["packages"]["ctranslate2"]


@pytest.mark.parametrize("command", ["models", "doctor"])
def test_every_command_has_help(command: str, tmp_path: Path) -> None:
    done = voicepipe(command, "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert "Usage:" in done.stdout
