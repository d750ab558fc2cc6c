"""A what-if in a process of its own, for the server, whose calls it must not hold up: a request's
body comes by stdin, as `POST /v1/whatif` takes it, its answer goes to stdout."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from voicepipe.runtime.errors import ProtocolError, VoicepipeError
from voicepipe.whatif.comparison import compare, without_prediction
from voicepipe.whatif.recorded import read_recording

NICE = 10
"""Callers come first."""

REFUSED = 3
"""Exit status of a request that is wrong: stdout says why."""


def answer(body: bytes) -> dict[str, Any]:
    """Without a prediction where the unchanged replay is off. Raises VoicepipeError."""
    given = _object(body)
    changes = _list(given, "set", str, "texts as turns.eager_end_ms=80")
    turns = _list(given, "turns", dict, "turns as /v1/turns gives them")
    text = "\n".join(json.dumps(turn) for turn in turns)
    recording = read_recording(text, "turns")
    try:
        found = compare(recording, changes)
    except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError) as error:
        raise _wrong(f"turns: they cannot be replayed ({type(error).__name__})", "turns") from None
    if not found["trust"]["given"]:
        return without_prediction(found)
    return found


def _object(body: bytes) -> dict[str, Any]:
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise _wrong("The request is not JSON") from None
    if not isinstance(given, dict):
        raise _wrong("The request must be a JSON object")
    return given


def _list(given: dict[str, Any], name: str, kind: type, what: str) -> list[Any]:
    values = given.get(name)
    if not isinstance(values, list) or not all(isinstance(value, kind) for value in values):
        raise _wrong(f"{name} must be a list of {what}", name)
    return values


def _wrong(message: str, param: str | None = None) -> ProtocolError:
    return ProtocolError(message, code="invalid_value", param=param)


def main() -> int:
    """The process."""
    os.nice(NICE)
    try:
        told, status = answer(sys.stdin.buffer.read()), 0
    except VoicepipeError as error:
        told, status = {"message": str(error), "param": getattr(error, "param", None)}, REFUSED
    sys.stdout.write(json.dumps(told))
    return status


if __name__ == "__main__":
    sys.exit(main())
