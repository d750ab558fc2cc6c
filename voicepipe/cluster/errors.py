"""Errors of engines on their way through a socket, and those that the way itself adds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from voicepipe.llm.contract import ToolCallUnusable
from voicepipe.runtime.errors import EngineError, EngineUnavailable, RequestRefused
from voicepipe.runtime.hedging import BreakerOpen
from voicepipe.workers.process import WorkerDied


class Lost(EngineError):
    """The engine's process went away under the call, or cannot be reached."""


class Refused(EngineError):
    """The engine's process has no room for another call, or takes no new ones any more."""


_KINDS: Mapping[str, type[EngineError]] = {
    kind.__name__: kind
    for kind in (EngineError, EngineUnavailable, RequestRefused, BreakerOpen, WorkerDied, Refused)
}
_ALL = {*_KINDS, ToolCallUnusable.__name__}


def packed_error(error: EngineError) -> dict[str, Any]:
    """An error as a JSON-able object; one of an unknown class goes as what it is at least."""
    kind = next(base for base in type(error).__mro__ if base.__name__ in _ALL)
    header = {
        "kind": kind.__name__,
        "message": str(error),
        "stage": error.stage,
        "retryable": error.retryable,
    }
    if isinstance(error, ToolCallUnusable):
        header["reason"] = error.reason
    return header


def unpacked_error(header: Mapping[str, Any]) -> EngineError:
    """The error, of its own type."""
    if header.get("kind") == "ToolCallUnusable":
        return ToolCallUnusable(str(header.get("reason", "")))
    kind = _KINDS.get(str(header.get("kind")), EngineError)
    return kind(
        str(header.get("message", "")),
        stage=str(header.get("stage", "")),
        retryable=bool(header.get("retryable")),
    )
