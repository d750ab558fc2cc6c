"""Nobody is told to install by a name that is somebody else's, or may become so."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAME = r"[\s'\"]voicepipe(?:[-_]server)?(?:\[|[\s'\"`=<>]|$)"
BY_NAME = re.compile(rf"pip3? install[^\n`]*{NAME}")
TOLD = ("voicepipe", "'voicepipe[llama]'", "-U voicepipe-server[a]", "-q voicepipe==1")
NOT_TOLD = ("'./voicepipe_server-1.whl[a]'", "./examples/voicepipe-acme", "-e '.[a]'")


def test_the_pattern_knows_them() -> None:
    assert all(BY_NAME.search(f"pip install {what}") for what in TOLD)
    assert not any(BY_NAME.search(f"pip install {what}") for what in NOT_TOLD)


def test_no_page_and_no_message_installs_by_name() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    told = []
    for name in listed:
        path = ROOT / name
        if name == "tests/test_names.py" or not path.is_file() or path.stat().st_size > 2_000_000:
            continue
        lines = path.read_bytes().decode(errors="ignore").splitlines()
        told += [f"{name}: {line.strip()}" for line in lines if BY_NAME.search(line)]
    assert told == []
