"""The `transformers` engine: what it says where it cannot run, and, in an environment with torch,
its contract (`torch_contract.py`). Nothing is skipped: without torch the last test fails."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.torch_env import ROOT, torch_python
from voicepipe.asr.engines.transformers import TransformersRecognizer
from voicepipe.config import AsrSettings
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import EngineUnavailable

CONTRACT = Path(__file__).with_name("torch_contract.py")
LEAST_TESTS = 18  # fewer would mean that they were not found


async def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    recognizer = TransformersRecognizer(AsrSettings(), tmp_path, MonotonicClock())
    with pytest.raises(EngineUnavailable, match=r"package torch: pip install torch trans"):
        await recognizer.start()


async def test_a_directory_of_another_format_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("torch", "transformers"):
        monkeypatch.setitem(sys.modules, name, sys)  # anything that can be imported
    recognizer = TransformersRecognizer(AsrSettings(), tmp_path, MonotonicClock())
    with pytest.raises(EngineUnavailable, match=r"has no model\.safetensors or .*Hugging Face"):
        await recognizer.start()


def test_the_engine_keeps_its_contract_where_torch_is(tmp_path: Path) -> None:
    written = [
        str(torch_python()),
        str(ROOT / "scripts/training/asr_hf.py"),
        "--out",
        str(tmp_path),
    ]
    subprocess.run(written, check=True, timeout=60)
    done = subprocess.run(
        [torch_python(), "-m", "pytest", "-q", "-p", "no:cacheprovider", str(CONTRACT)],
        cwd=ROOT,
        env={**os.environ, "HF_MODEL": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) >= LEAST_TESTS
    assert "skipped" not in done.stdout
