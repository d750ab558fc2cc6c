"""Who goes first where there are too few cores."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

AUTOGROUP = Path("/proc/self/autogroup")
_GIVES_WAY = f"""
import os
from pathlib import Path
from voicepipe.runtime.cores import give_way
give_way(5)
group = Path("{AUTOGROUP}")
print(os.nice(0), group.read_text() if group.exists() else "no groups")
"""


def test_a_worker_gives_way_as_a_session_too() -> None:
    """With autogroups the niceness of its threads alone would change nothing."""
    ran = subprocess.run(
        [sys.executable, "-c", _GIVES_WAY],
        start_new_session=True,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.startswith("5 ")
    assert "nice 5" in ran.stdout or not AUTOGROUP.exists()
