"""The page's pure modules, tested by Node's own runner: one pytest per file of tests."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.mark.parametrize("path", sorted(HERE.glob("*.test.mjs")), ids=lambda path: path.name)
def test_modules(path: Path) -> None:
    node = shutil.which("node")
    assert node, "node (18 or newer) is not installed. As root: apt-get install nodejs"
    command = [node, "--test", str(path)]
    run = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert "# pass 0" not in run.stdout, run.stdout
