"""JSON Schemas of tools: found fit when a tool is declared, and arguments checked before a call.

What is wrong with arguments is said in words that let a model write better ones.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any

from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry

from voicepipe.llm.contract import ToolCall
from voicepipe.runtime.errors import ConfigError
from voicepipe.tools.contract import Arguments, ToolError

MAX_ARGUMENTS_CHARS = 32_768
"""More than a model writes in its right mind."""

MAX_STEPS = 5_000
"""Of checking arguments. A short schema can ask for millions, and all sessions would wait."""

MAX_FAULTS = 3
MAX_FAULT_CHARS = 200

Check = Callable[[Any, Any, Any, Any], Iterator[Any] | None]
"""Of one keyword: the validator, the keyword's value, what is checked, the schema around it."""

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
    try:
        _check_writable(schema)
    except (ValueError, TypeError):
        raise ConfigError(f"{where}: parameters: hold what no JSON text can hold") from None
    for reference in _references(schema):
        if not reference.startswith("#"):
            raise ConfigError(f"{where}: parameters: $ref {reference!r} points out of the schema")
    return schema


def read_arguments(
    call: ToolCall, schema: Mapping[str, Any], *, regexes: bool = False
) -> Arguments:
    """What the model wrote, checked. `regexes`: those of the schema, too, which are the operator's
    then: a client's could keep the process for hours. Raises ToolError in words for the model."""
    arguments = _without_nulls(_parsed(call.arguments), schema)
    faults = []
    _STEPS.set(itertools.count())
    try:
        validator = (_Checked if regexes else _CheckedButRegexes)(schema, registry=_LOCAL)
        faults = [_fault(error) for error in _first(validator.iter_errors(arguments))]
    except Exception as error:  # a $ref to nowhere or to itself: only using it shows
        kind = type(error).__name__
        raise ToolError(
            "the arguments could not be checked", detail=f"its schema cannot be used ({kind})"
        ) from error
    if faults:
        raise ToolError("wrong arguments: " + "; ".join(faults), fault=False)
    return arguments


class _TooMuch(Exception):
    """Checking takes more steps than a schema in its right mind."""


def _counted(check: Check) -> Check:
    def counted(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        if next(_STEPS.get()) > MAX_STEPS:
            raise _TooMuch
        yield from check(validator, value, instance, schema) or ()

    return counted


def _unchecked(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
    return iter(())


def _without_patterns(check: Check) -> Check:
    """Where it does not look at the patterns beside it."""

    def run(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        patterned = "patternProperties" in schema
        return iter(()) if patterned else check(validator, value, instance, schema) or iter(())

    return run


_STEPS: ContextVar[Iterator[int]] = ContextVar("steps of a check")
_CHECKS: dict[str, Check] = {
    name: _counted(check) for name, check in Draft202012Validator.VALIDATORS.items()
}
_extended: Any = validators.extend
_Checked = _extended(Draft202012Validator, _CHECKS)
_CheckedButRegexes = _extended(
    _Checked,
    {
        "pattern": _unchecked,
        "patternProperties": _unchecked,
        "unevaluatedProperties": _unchecked,
        "additionalProperties": _without_patterns(_CHECKS["additionalProperties"]),
    },
)


def _parsed(text: str) -> Arguments:
    if len(text) > MAX_ARGUMENTS_CHARS:
        raise ToolError(f"the arguments are longer than {MAX_ARGUMENTS_CHARS} chars", fault=False)
    try:
        arguments = json.loads(text or "{}")
        _check_writable(arguments)
    except (ValueError, RecursionError):
        raise ToolError("the arguments are not JSON", fault=False) from None
    if not isinstance(arguments, dict):
        raise ToolError("the arguments are not an object", fault=False)
    return arguments


def _check_writable(value: object) -> None:
    """Raises ValueError for NaN and halves of surrogate pairs, which Python reads and no request or
    program takes; TypeError for what is no JSON at all."""
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


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
