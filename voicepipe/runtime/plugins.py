"""Engines by name: our own first, then third parties' by entry points."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from voicepipe.runtime.errors import ConfigError


def engine_names(group: str, built_in: Iterable[str]) -> tuple[str, ...]:
    """All that a setting such as `asr.engine` may be, sorted."""
    return tuple(sorted({*built_in, *_found(group)}))


def load_plugin(group: str, name: str, built_in: Iterable[str]) -> Any:
    """What the entry point `name` of `group` ("voicepipe.asr" ...) points to.

    Raises ConfigError for a name that neither we nor an installed package know, naming the
    nearest, and for one that cannot be imported.
    """
    setting = f"{group.removeprefix('voicepipe.')}.engine"
    point = _found(group).get(name)
    if point is None:
        known = engine_names(group, built_in)
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ConfigError(
            f"{setting}: there is no engine {name!r}{hint} Known: {', '.join(known)}."
        )
    try:
        return point.load()
    except Exception as error:  # whatever a foreign package does at import
        raise ConfigError(
            f"{setting} = {name!r} ({point.value}) cannot be loaded: {error}"
        ) from error


def _found(group: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=group)}
