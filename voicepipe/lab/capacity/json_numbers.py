"""JSON knows no infinity: a wait without end is null. Pure."""

from __future__ import annotations

import math
from typing import Any


def finite(found: Any) -> Any:
    """`found`, of dictionaries and lists, with None for each number that has no end."""
    if isinstance(found, dict):
        return {name: finite(value) for name, value in found.items()}
    if isinstance(found, list | tuple):
        return [finite(value) for value in found]
    return None if isinstance(found, float) and not math.isfinite(found) else found
