"""What each setting is for: the comments that stand beside the settings, read from their source."""

from __future__ import annotations

import dataclasses
import inspect
import io
import tokenize
from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import BaseModel

from voicepipe.config.extended import settings_type
from voicepipe.config.schema import Path


@cache
def explanations() -> dict[Path, str]:
    """By setting; "" where its name says it all."""
    return {
        (*at, name): _comments(section.__class__).get(name, "")
        for at, section in _sections(settings_type()(), ())
        for name, value in _fields(section)
        if not _is_section(value)
    }


@cache
def section_docs() -> dict[Path, str]:
    """What sections say of themselves, by place; "" where they say nothing."""
    return {at: _doc(type(section)) for at, section in _sections(settings_type()(), ()) if at}


@cache
def defaults() -> dict[Path, Any]:
    """What is so where nobody sets anything."""
    return {
        (*at, name): value
        for at, section in _sections(settings_type()(), ())
        for name, value in _fields(section)
        if not _is_section(value)
    }


def values(settings: BaseModel) -> dict[Path, Any]:
    """Every setting's value."""
    return {
        (*at, name): value
        for at, section in _sections(settings, ())
        for name, value in _fields(section)
        if not _is_section(value)
    }


def _sections(section: Any, at: Path) -> Iterator[tuple[Path, Any]]:
    """It and all below it."""
    yield at, section
    for name, value in _fields(section):
        if _is_section(value):
            yield from _sections(value, (*at, name))


def _fields(section: Any) -> list[tuple[str, Any]]:
    names = (
        list(type(section).model_fields)
        if isinstance(section, BaseModel)
        else [field.name for field in dataclasses.fields(section)]
    )
    return [(name, getattr(section, name)) for name in names]


def _is_section(value: object) -> bool:
    return isinstance(value, BaseModel) or dataclasses.is_dataclass(value)


def _doc(cls: type) -> str:
    text = inspect.cleandoc(cls.__dict__.get("__doc__") or "")
    return "" if text.startswith(f"{cls.__name__}(") else text  # a dataclass's own making


@cache
def _comments(cls: type) -> dict[str, str]:
    """By field: the comment behind it and those on lines of their own below; a base's too."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if base.__module__.startswith("voicepipe."):
            found |= _own_comments(base)
    return found


def _own_comments(cls: type) -> dict[str, str]:
    try:
        source = inspect.getsource(cls)
    except (OSError, TypeError):  # made at run time
        return {}
    names = set(cls.__annotations__)
    found: dict[str, list[str]] = {}
    name, fresh = "", True
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.NEWLINE, tokenize.INDENT):
            fresh = True
        elif token.type == tokenize.NAME and fresh:
            fresh, name = False, token.string if token.string in names else ""
        elif token.type == tokenize.COMMENT and name:
            found.setdefault(name, []).append(token.string.lstrip("# ").strip())
    return {field: " ".join(parts) for field, parts in found.items()}
