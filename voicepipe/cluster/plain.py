"""Contract dataclasses as JSON-able objects, and back. Pure.

Strings are passed as they are (a caller's text may hold half a surrogate pair, which stricter
libraries refuse). A field that is as by default is left out; one that this version does not know is
skipped, so that gateways and engines may be of different versions while an upgrade rolls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

Restore = Callable[[Any], Any]


def plain(value: Any) -> Any:
    """What `json.dumps` takes: dataclasses become objects, tuples lists."""
    if is_dataclass(kind := type(value)):
        return {
            name: plain(found)
            for name, default in _defaults(kind)
            if (found := getattr(value, name)) != default
        }
    if isinstance(value, Mapping):
        return {key: plain(found) for key, found in value.items()}
    if isinstance(value, list | tuple):
        return [plain(found) for found in value]
    return value


def restored(kind: Any, data: Mapping[str, Any]) -> Any:
    """An instance of the dataclass `kind`. Raises TypeError for a field that is missing."""
    made = {name: restore(data[name]) for name, restore in _restorers(kind) if name in data}
    return kind(**made)


@cache
def _defaults(kind: Any) -> tuple[tuple[str, Any], ...]:
    return tuple((field.name, _default(field)) for field in fields(kind))


def _default(field: Field[Any]) -> Any:
    if field.default is not MISSING:
        return field.default
    return MISSING if field.default_factory is MISSING else field.default_factory()


@cache
def _restorers(kind: Any) -> tuple[tuple[str, Restore], ...]:
    hints = get_type_hints(kind)
    return tuple((name, _restorer(hint)) for name, hint in hints.items())


def _restorer(hint: Any) -> Restore:
    if is_dataclass(hint) and isinstance(hint, type):
        kind = hint
        return lambda data: restored(kind, data)
    arguments = get_args(hint)
    if get_origin(hint) is tuple:
        each = _restorer(arguments[0])  # the contracts have tuples of one type only
        return lambda data: tuple(each(item) for item in data)
    if get_origin(hint) in (Union, UnionType) and NoneType in arguments and len(arguments) == 2:
        one = _restorer(next(part for part in arguments if part is not NoneType))
        return lambda data: None if data is None else one(data)
    return lambda data: data
