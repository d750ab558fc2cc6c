"""What other installed packages offer by entry points."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from voicepipe.runtime.errors import ConfigError

T = TypeVar("T")


def installed(group: str) -> Mapping[str, EntryPoint]:
    """Entry points of a group ("voicepipe.asr" ...), by name."""
    return {point.name: point for point in entry_points(group=group)}


def load_plugin(group: str, name: str, kind: type[T], setting: str) -> T:
    """The object of type `kind` that the entry point `name` of `group` names.

    Raises ConfigError, which begins with `setting`, where it cannot be imported or is of another
    type.
    """
    point = installed(group)[name]
    try:
        found = point.load()
    except Exception as error:  # whatever a foreign package does at import
        raise ConfigError(
            f"{setting} = {name!r} ({point.value}) cannot be loaded: {error}"
        ) from error
    if not isinstance(found, kind):
        raise ConfigError(
            f"{setting} = {name!r} ({point.value}) is a {type(found).__name__}, not "
            f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}"
        )
    return found
