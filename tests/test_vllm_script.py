"""scripts/test-vllm and .ci/run: what cannot be tested here is said, and fails nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/usr/bin/env bash\n{text}\n")
    path.chmod(0o755)


def run(folder: Path, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    return subprocess.run(
        [str(folder / script)],
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[^\w.-]", line)[0].lower() for line in requirements}


def test_it_installs_all_that_voicepipe_needs() -> None:
    """It installs without dependencies, so one that is not pinned there is not there."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pins = (ROOT / "tests/vllm_cpu/requirements.txt").read_text().splitlines()
    pinned = [pin for pin in pins if not pin.startswith("#")]
    assert names(project["dependencies"]) - names(pinned) == set()


@pytest.mark.parametrize(
    ("tool", "says", "reason"),
    [
        ("uname", 'echo "Linux aarch64"', "for Linux on x86-64"),
        (
            "df",
            'printf "Filesystem MB Used Available\\n/dev/x 100 90 10 90%% /\\n"',
            "10 MB are free, 6000 are needed",
        ),
    ],
)
def test_where_vllm_cannot_be_installed_it_is_said(
    tmp_path: Path, tool: str, says: str, reason: str
) -> None:
    for name in ("scripts/_env.sh", "scripts/test-vllm", "tests/vllm_cpu/requirements.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    write(tmp_path / "bin" / tool, says)
    done = run(tmp_path, "scripts/test-vllm")
    assert done.returncode == 77
    assert "not run: " in done.stderr
    assert reason in done.stderr
    assert not (tmp_path / ".venv-vllm").exists()


@pytest.mark.parametrize(
    ("status", "passed", "told"),
    [
        (0, True, "=== test-vllm: ok"),
        (77, True, "NOT RUN: test-vllm"),
        (1, False, "failed: test-vllm;"),
    ],
)
def test_ci_tells_a_test_that_did_not_run_from_one_that_failed(
    tmp_path: Path, status: int, passed: bool, told: str
) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci" / "run")
    for name, result in (("lint", 0), ("test", 0), ("fuzz", 0), ("test-vllm", status)):
        write(tmp_path / "scripts" / name, f"exit {result}")
    done = run(tmp_path, ".ci/run", CI_SKIP_FRESH="1")
    assert (done.returncode == 0) is passed
    assert told in done.stdout
