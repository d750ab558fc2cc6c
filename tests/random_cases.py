"""How many random cases a test takes: all of them in `.ci/run`, else a fifth or less."""

from __future__ import annotations

import os

ALL = os.environ.get("RANDOM_CASES") == "all"


def cases(count: int) -> int:
    return count if ALL else count // 5
