"""Checks of decoded JSON values. Each takes the value and its dotted path, returns the value as
voicepipe uses it, and raises ProtocolError naming the path, the limit and what is allowed."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import Any

from voicepipe.protocols.json_fields import errors

Json = dict[str, Any]
"""A decoded JSON object."""

_SHOWN = 60
"""Characters of a wrong value that an error quotes; long ones are the user's own text."""


def quoted(values: Iterable[str]) -> str:
    """'a', 'b', 'c'."""
    return ", ".join(f"'{value}'" for value in values)


def shown(value: object) -> str:
    """A value for an error message, cut to a length people read."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def obj(value: object, path: str) -> Json:
    if not isinstance(value, dict):
        raise errors.bad_type(path, "an object", value)
    return value


def array(value: object, path: str) -> list[Any]:
    if not isinstance(value, list):
        raise errors.bad_type(path, "an array", value)
    return value


def string(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise errors.bad_type(path, "a string", value)
    return value


def name(value: object, path: str, max_length: int = 512) -> str:
    """A string that names something: not empty, bounded."""
    text = string(value, path)
    if not 1 <= len(text) <= max_length:
        raise errors.bad_value(
            path, f"must have 1 to {max_length} characters, but has {len(text)}."
        )
    return text


def boolean(value: object, path: str) -> bool:
    if not isinstance(value, bool):
        raise errors.bad_type(path, "true or false", value)
    return value


def number(value: object, path: str, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise errors.bad_type(path, f"a number from {low:g} to {high:g}", value)
    if not low <= value <= high:
        raise errors.bad_value(path, f"must be from {low:g} to {high:g}, but is {shown(value)}.")
    return float(value)


def integer(value: object, path: str, low: int, high: int) -> int:
    """A whole number; 300.0 counts, as some clients' JSON writers produce it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise errors.bad_type(path, f"a whole number from {low} to {high}", value)
    if not low <= value <= high or value != math.floor(value):
        raise errors.bad_value(
            path, f"must be a whole number from {low} to {high}, but is {shown(value)}."
        )
    return int(value)


def choice(value: object, path: str, allowed: Collection[str]) -> str:
    if not isinstance(value, str):
        raise errors.bad_type(path, f"one of {quoted(allowed)}", value)
    if value not in allowed:
        raise errors.bad_value(path, f"is {shown(value)}; allowed are {quoted(allowed)}.")
    return value


def required(message: Json, field: str, path: str, wanted: str) -> Any:
    """The field's value. Raises ProtocolError if it is absent or null."""
    value = message.get(field)
    if value is None:
        raise errors.missing(path, wanted)
    return value
