"""Columns that are written under a key where the database was opened with one."""

from __future__ import annotations

import json
from weakref import WeakKeyDictionary

from sqlalchemy import Column, ColumnElement, Dialect, Text, type_coerce
from sqlalchemy.types import TypeDecorator

from voicepipe.privacy.seal import UNREADABLE, Seal, without_keys

_SEALS: WeakKeyDictionary[Dialect, Seal] = WeakKeyDictionary()
"""By the dialect object, which each database has of its own."""


def seal_with(dialect: Dialect, seal: Seal) -> None:
    """From now on, for the database that `dialect` belongs to."""
    _SEALS[dialect] = seal


def seal_of(dialect: Dialect) -> Seal | None:
    """None: it is written plainly."""
    return _SEALS.get(dialect)


class SealedText(TypeDecorator[str]):
    """`context` keeps a value from being put elsewhere. `findable`: the same is the same sealed."""

    impl = Text
    cache_ok = True

    def __init__(self, context: str, *, findable: bool = False) -> None:
        super().__init__()
        self.context, self.findable = context, findable

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        seal = _SEALS.get(dialect)
        if not value or seal is None:  # that nothing was said is no secret
            return value
        if self.findable:
            return seal.numbers(value, self.context)[0]
        return seal.text(value, self.context)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        seal = _SEALS.get(dialect)
        return without_keys(value) if seal is None else seal.opened(value, self.context)


Texts = list[dict[str, str]]


class SealedJson(TypeDecorator[Texts]):
    """A list, likewise; NULL is an empty one. What cannot be opened is one entry whose name says
    so."""

    impl = Text
    cache_ok = True

    def __init__(self, context: str) -> None:
        super().__init__()
        self.context, self._text = context, SealedText(context)

    def process_bind_param(
        self, value: list[dict[str, str]] | None, dialect: Dialect
    ) -> str | None:
        return self._text.process_bind_param(json.dumps(value), dialect) if value else None

    def process_result_value(self, value: str | None, dialect: Dialect) -> list[dict[str, str]]:
        text = self._text.process_result_value(value, dialect)
        if text == UNREADABLE:
            return [{"name": UNREADABLE, "arguments": "", "result": ""}]
        found: list[dict[str, str]] = json.loads(text) if text else []
        return found


def equals(column: Column[str], value: str, seal: Seal | None) -> ColumnElement[bool]:
    """Where a findable column holds `value`, sealed by any of the keys, or plainly."""
    kind = column.type
    assert isinstance(kind, SealedText)
    stored = [value, *([] if seal is None else seal.numbers(value, kind.context))]
    return type_coerce(column, Text).in_(stored)
