"""Our own part of the session object, `voicepipe`: turn events asked for, and the turn options and
budgets of this session, changed while it runs. Stock clients never see it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, get_args

from voicepipe.config import BudgetSettings
from voicepipe.dialog.options import RANGES, Endpointing, PreemptiveGeneration, TurnOptions
from voicepipe.protocols.json_fields import checks, errors
from voicepipe.protocols.json_fields.checks import Json
from voicepipe.session.settings import SessionSettings

TURN_OPTIONS = (
    "min_speech_ms",
    "eager_end_ms",
    "endpoint_complete_ms",
    "endpoint_unknown_ms",
    "endpoint_incomplete_ms",
    "endpoint_min_ms",
    "endpoint_max_ms",
    "reopen_ms",
    "endpointing",
    "cut_off_cost_ms",
    "interrupt_ms",
    "interrupt_words",
    "interrupt_thinking_ms",
    "resume_ms",
    "max_turn_ms",
    "preemptive_generation",
)
"""What a client may set of `TurnOptions`: whatever can change between two frames."""

WISHES = ("turn_events", "provisional_turns")
"""What goes on for as long as anybody in the session has asked for it."""

BUDGETS = tuple(name for name in BudgetSettings.model_fields if name.endswith("_ms"))


Check = Callable[[object, str, Any], Any]
"""(value, path, current value) -> new value; raises ProtocolError."""


def _turn_option(name: str) -> Check:
    limits = RANGES.get(name)
    if limits is None:
        modes = get_args(Endpointing if name == "endpointing" else PreemptiveGeneration)
        return lambda value, path, _: checks.choice(value, path, modes)
    low, high = round(limits[0]), round(limits[1])
    return lambda value, path, _: checks.integer(value, path, low, high)


CHECKS: Mapping[str, Check | Mapping[str, Check]] = {
    "turn_events": lambda value, path, _: checks.boolean(value, path),
    "provisional_turns": lambda value, path, _: checks.boolean(value, path),
    "model": lambda value, path, _: checks.string(value, path),
    "turns": {name: _turn_option(name) for name in TURN_OPTIONS},
    "budget": {
        name: lambda value, path, _: checks.integer(value, path, 0, 600_000) for name in BUDGETS
    },
}
"""As the object is nested."""


def of_settings(settings: SessionSettings) -> Json:
    """The extension's object: all values in effect."""
    options, limits = settings.turns or TurnOptions(), settings.budget or BudgetSettings()
    return {
        "turn_events": settings.turn_events,
        "provisional_turns": settings.provisional_turns,
        "model": settings.model,
        "turns": {name: getattr(options, name) for name in TURN_OPTIONS},
        "budget": {name: getattr(limits, name) for name in BUDGETS},
    }


def to_settings(config: Json, server: SessionSettings) -> dict[str, Any]:
    """The settings that the object stands for; `server`: what the session began with."""
    own = of_settings(server)
    same = ("turn_events", "provisional_turns", "model")
    changed: dict[str, Any] = {name: config[name] for name in same}
    changed["turns"] = server.turns
    if config["turns"] != own["turns"]:
        base = server.turns or TurnOptions()
        changed["turns"] = _consistent(replace(base, **config["turns"]))
        _check_policy(config["turns"]["endpointing"], base)
    changed["budget"] = server.budget
    if config["budget"] != own["budget"]:
        limits = server.budget or BudgetSettings()
        changed["budget"] = limits.model_copy(update=config["budget"])
    return changed


def policies(begun: TurnOptions) -> tuple[str, ...]:
    """Which endpointing policies a session may change to: one audio model is loaded, ours or
    smart-turn."""
    absent = "fused" if begun.endpointing == "smart_turn" else "smart_turn"
    return tuple(name for name in get_args(Endpointing) if name != absent)


def _check_policy(name: str, begun: TurnOptions) -> None:
    if name not in policies(begun):
        loaded = checks.quoted(policies(begun))
        path = "session.voicepipe.turns.endpointing"
        raise errors.bad_value(
            path, f"{name!r} needs a model that is not loaded; there are {loaded}."
        )


def _consistent(options: TurnOptions) -> TurnOptions:
    for name, rule in options.contradictions():
        path = f"session.voicepipe.turns.{name}"
        raise errors.bad_value(path, f"must be {rule}, but is {getattr(options, name)}.")
    return options
