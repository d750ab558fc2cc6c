"""JSON Schemas of tools: found fit when a tool is declared, and arguments checked before a call.

What is wrong with arguments is said in words that let a model write better ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry

from voicepipe.llm.contract import ToolCall
from voicepipe.runtime.errors import ConfigError
from voicepipe.tools.contract import Arguments, ToolError

MAX_ARGUMENTS_CHARS = 32_768
"""More than a model writes in its right mind."""

MAX_FAULTS = 3
MAX_FAULT_CHARS = 200

_LOCAL: Registry[Any] = Registry()
"""Knows no other document: a schema that points elsewhere is never fetched."""


def object_schema(given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """A tool's `parameters`, ready for a model; `{}` is a tool without any.

    Raises ConfigError, beginning with `where`, for what is no JSON Schema of an object.
    """
    schema = {"type": "object", "properties": {}, **given}
    if schema["type"] != "object":
        raise ConfigError(f'{where}: parameters.type must be "object", not {schema["type"]!r}')
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        at = ".".join(["parameters", *map(str, error.absolute_path)])
        raise ConfigError(f"{where}: {at}: {_short(error.message)}") from None
    except RecursionError:
        raise ConfigError(f"{where}: parameters: nested too deep") from None
    for reference in _references(schema):
        if not reference.startswith("#"):
            raise ConfigError(f"{where}: parameters: $ref {reference!r} points out of the schema")
    return schema


def read_arguments(call: ToolCall, schema: Mapping[str, Any]) -> Arguments:
    """What the model wrote, checked. Raises ToolError in words for the model."""
    arguments = _without_nulls(_parsed(call.arguments), schema)
    faults = []
    try:
        validator = Draft202012Validator(schema, registry=_LOCAL)
        faults = [_fault(error) for error in _first(validator.iter_errors(arguments))]
    except Exception as error:  # a $ref to nowhere or to itself: only using it shows
        kind = type(error).__name__
        raise ToolError(
            "the arguments could not be checked", detail=f"its schema cannot be used ({kind})"
        ) from error
    if faults:
        raise ToolError("wrong arguments: " + "; ".join(faults), fault=False)
    return arguments


def _parsed(text: str) -> Arguments:
    if len(text) > MAX_ARGUMENTS_CHARS:
        raise ToolError(f"the arguments are longer than {MAX_ARGUMENTS_CHARS} chars", fault=False)
    try:
        arguments = json.loads(text or "{}")
    except (ValueError, RecursionError):
        raise ToolError("the arguments are not JSON", fault=False) from None
    if not isinstance(arguments, dict):
        raise ToolError("the arguments are not an object", fault=False)
    return arguments


def _without_nulls(arguments: Arguments, schema: Mapping[str, Any]) -> Arguments:
    """Models write null for what they leave out."""
    required = schema.get("required", ())
    return {
        name: value for name, value in arguments.items() if value is not None or name in required
    }


def _first(errors: Iterator[ValidationError]) -> Iterator[ValidationError]:
    for _, error in zip(range(MAX_FAULTS), errors, strict=False):
        yield error


def _fault(error: ValidationError) -> str:
    at = ".".join(map(str, error.absolute_path))
    words = _short(error.message)
    return f"{at}: {words}" if at else words


def _short(text: str) -> str:
    return text if len(text) <= MAX_FAULT_CHARS else text[: MAX_FAULT_CHARS - 3] + "..."


def _references(node: Any) -> Iterator[str]:
    """Every `$ref` and `$dynamicRef`, wherever it stands."""
    if isinstance(node, Mapping):
        for key, value in node.items():
            if key in ("$ref", "$dynamicRef") and isinstance(value, str):
                yield value
            yield from _references(value)
    elif isinstance(node, list | tuple):
        for value in node:
            yield from _references(value)
