"""What a program decides on a call that comes in: who answers it, or that nobody does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from voicepipe.agents.directory import AgentDirectory, UnknownAgent
from voicepipe.agents.variables import MAX_VALUE_CHARS
from voicepipe.runtime.errors import ProtocolError

MAX_VARIABLES = 50

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_OWN = ("agent", "variables", "reject", "type")


@dataclass(frozen=True, slots=True)
class Decision:
    """`agent`: "" = as the settings say. `session`: fields of a session object, in GA shape, which
    go before what the agent says."""

    accepted: bool
    agent: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    session: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""  # why not, for people


def read_decision(body: Mapping[str, Any], agents: AgentDirectory) -> Decision:
    """Of `{"agent": ..., "variables": {...}}` and the fields of a session object, or of
    `{"reject": true}`. Raises ProtocolError that names the field."""
    if body.get("reject"):
        return rejection(body)
    session = {name: value for name, value in body.items() if name not in _OWN}
    return Decision(
        True,
        read_agent(body.get("agent"), agents),
        read_variables(body.get("variables")),
        session,
    )


def rejection(body: Mapping[str, Any]) -> Decision:
    """Of `{"status_code": 486}`, which carriers' streams cannot tell the caller; for the log."""
    code = body.get("status_code", 603)
    if type(code) is not int or not 300 <= code <= 699:
        raise ProtocolError(
            "status_code must be a whole number from 300 to 699",
            code="invalid_value",
            param="status_code",
        )
    return Decision(False, reason=f"rejected by the program ({code})")


def read_agent(name: object, agents: AgentDirectory) -> str:
    """Raises ProtocolError for one that there is not."""
    if name is None or name == "":
        return ""
    if not isinstance(name, str):
        raise ProtocolError("agent must be a name", code="invalid_type", param="agent")
    try:
        agents.get(name)
    except UnknownAgent as error:
        raise ProtocolError(str(error), code="agent_not_found", param="agent") from None
    return name


def read_variables(given: object) -> dict[str, str]:
    """Raises ProtocolError that names the variable."""
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise _wrong("variables", "must be an object of texts")
    if len(given) > MAX_VARIABLES:
        raise _wrong("variables", f"has {len(given)} names, the limit is {MAX_VARIABLES}")
    return {_name(name): _value(name, value) for name, value in given.items()}


def _name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise _wrong("variables", f"{name[:64]!r}: a name has up to 64 letters, digits and _")
    return name


def _value(name: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _wrong(f"variables.{name}", "must be a text or a number")
    text = str(value)
    if len(text) > MAX_VALUE_CHARS:
        raise _wrong(f"variables.{name}", f"is longer than {MAX_VALUE_CHARS} characters")
    return text


def _wrong(where: str, problem: str) -> ProtocolError:
    return ProtocolError(f"{where} {problem}", code="invalid_value", param=where)
