"""Libraries that would tell their makers that and how they are used are kept from it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CODE = """
from pathlib import Path
from voicepipe.runtime.onnx import open_network
open_network(Path("models/builtin/turns/model.onnx"))
"""


def test_onnxruntime_neither_marks_the_machine_nor_reports(tmp_path: Path) -> None:
    """Since 1.29 it writes an identifier of the machine and a cache of events to be uploaded; not
    where `CI` is set, so the environment is almost empty."""
    plain = {"HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
    subprocess.run([sys.executable, "-c", CODE], cwd=ROOT, env=plain, check=True, timeout=280)
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == []


def test_whoever_wants_to_report_may(tmp_path: Path) -> None:
    told = {**os.environ, "PYTHONPATH": str(ROOT), "DO_NOT_TRACK": "0"}
    code = "import os, voicepipe; print(os.environ['DO_NOT_TRACK'])"
    said = subprocess.check_output(
        [sys.executable, "-c", code], cwd=tmp_path, env=told, text=True, timeout=60
    )
    assert said.strip() == "0"
