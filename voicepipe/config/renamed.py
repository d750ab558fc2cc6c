"""Settings that have been given other names. The old ones work for one release, with a warning."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

log = logging.getLogger(__name__)

KEYS: Mapping[str, str] = {
    "turns.soft_end_ms": "turns.eager_end_ms",
    "turns.speculation": "turns.preemptive_generation",
}
"""Old dotted name to new; since 0.2."""

VALUES: Mapping[tuple[str, str], str] = {
    ("turns.preemptive_generation", "soft_end"): "eager_end",
}
"""(new dotted name, old value) to new value; since 0.2."""


def current(path: tuple[str, ...], value: Any, source: str) -> tuple[tuple[str, ...], Any]:
    """What a setting is called today, and its value; a warning names both where that differs."""
    name = ".".join(path)
    new_name = KEYS.get(name, name)
    new_value = VALUES.get((new_name, value), value) if isinstance(value, str) else value
    if (new_name, new_value) != (name, value):
        shown = new_name if new_value == value else f'{new_name} = "{new_value}"'
        log.warning("%s: %s is now called %s; the old name goes with 0.3", source, name, shown)
    return tuple(new_name.split(".")), new_value
