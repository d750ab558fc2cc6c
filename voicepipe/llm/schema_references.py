"""References of a JSON Schema that becomes a part of another. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

_DATA = frozenset(("const", "enum", "default", "examples"))
"""What stands there is no schema."""

_NAMED = frozenset(("properties", "patternProperties", "dependentSchemas", "$defs", "definitions"))
"""What stands there are schemas by names, which are no keywords."""


def schema_at(schema: Mapping[str, Any], place: str) -> dict[str, Any] | None:
    """`schema` as it must be written where it stands at `place` ("#/a/b") of another one; None if
    it refers to what is not in it. One with an `$id` is a place of its own, and stays as it is."""
    if "$id" in schema:
        return dict(schema)
    try:
        moved: dict[str, Any] = _moved(schema, schema, place)
    except (LookupError, ValueError):  # the latter: an index of thousands of digits
        return None
    return moved


def _moved(node: Any, root: Mapping[str, Any], place: str, *, names: bool = False) -> Any:
    """Raises LookupError. `names`: the node's keys are names."""
    if isinstance(node, list):
        return [_moved(one, root, place) for one in node]
    if not isinstance(node, Mapping):
        return node
    moved = {}
    for key, value in node.items():
        if names:
            moved[key] = _moved(value, root, place)
        elif key == "$ref" and isinstance(value, str):
            moved[key] = _reference(value, root, place)
        else:
            kept = key in _DATA
            moved[key] = value if kept else _moved(value, root, place, names=key in _NAMED)
    return moved


def _reference(reference: str, root: Mapping[str, Any], place: str) -> str:
    if reference != "#" and not reference.startswith("#/"):
        raise LookupError(reference)  # elsewhere, or an anchor, of which others may have the same
    parts = (part.replace("~1", "/").replace("~0", "~") for part in reference.split("/")[1:])
    reduce(_child, parts, root)
    return place + reference[1:]


def _child(node: Any, part: str) -> Any:
    if isinstance(node, list) and part.isdecimal():
        return node[int(part)]
    if isinstance(node, Mapping):
        return node[part]
    raise LookupError(part)
