"""What is to be different: `--set` of `voicepipe whatif`. Pure."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, Literal

from voicepipe.config.loading import parse_assignments
from voicepipe.config.schema import Rule, rules
from voicepipe.dialog.options import TurnOptions
from voicepipe.runtime.errors import ConfigError

ChangedStage = Literal["asr", "llm", "clause", "tts", "output"]

ENGINE_KEYS: dict[str, ChangedStage] = {
    "asr.work_ms": "asr",
    "llm.first_token_ms": "llm",
    "llm.clause_ms": "clause",
    "tts.first_audio_ms": "tts",
    "output_ms": "output",
}
"""What may be said of an engine, and the stage of a reply that it changes."""

UNSEEN: dict[str, str] = {
    "speech_threshold": "speech and silence, not probabilities",
    "release_threshold": "speech and silence, not probabilities",
    "interrupt_words": "no words",
    "backchannels": "no words",
    "echo_guard": "no words",
    "idle_timeout_ms": "what was said, not what a prompt would have brought about",
    "stall_ms": "the user's audio, not the time in which none came",
    "smart_turn_model": "no audio",
}
"""Turn options that cannot be replayed, since a trace holds ..."""


@cache
def _options() -> dict[str, Rule]:
    return {path[1]: rule for path, rule in rules().items() if path[0] == "turns"}


@dataclass(frozen=True, slots=True)
class Shift:
    """`=120` sets, `=+40` and `=-20` add, `=*1.5` multiplies."""

    how: Literal["=", "+", "*"]
    by: float

    def of(self, before: float) -> float:
        """The value after the change; a time never falls below 0."""
        after = {"=": self.by, "+": before + self.by, "*": before * self.by}[self.how]
        return max(0.0, after)


@dataclass(frozen=True, slots=True)
class Changes:
    """All of them. Empty: replay what was recorded."""

    stages: Mapping[ChangedStage, Shift] = field(default_factory=dict)  # in ms
    options: Mapping[str, Shift | bool | str | None] = field(default_factory=dict)

    def stage_us(self, stage: ChangedStage, us: int) -> int:
        """Microseconds of a stage that took `us` when it was recorded."""
        shift = self.stages.get(stage)
        return us if shift is None else round(shift.of(us / 1000) * 1000)

    def turn_options(self, recorded: Mapping[str, Any]) -> TurnOptions:
        """The options a turn was recorded under, changed. Names of another version are ignored."""
        known = {f.name for f in fields(TurnOptions)}
        base = TurnOptions(**{name: v for name, v in recorded.items() if name in known})
        return replace(
            base,
            idle_timeout_ms=None,  # the time between turns is not replayed
            **{
                name: _shifted(getattr(base, name), change) for name, change in self.options.items()
            },
        )


def parse_changes(pairs: Iterable[str]) -> Changes:
    """`["turns.eager_end_ms=80", "llm.first_token_ms=+40"]` of `--set` options.

    Raises ConfigError that lists every unknown key, with the nearest right one, and every value
    that does not fit.
    """
    stages: dict[ChangedStage, Shift] = {}
    options: dict[str, Shift | bool | str | None] = {}
    problems = []
    for key, value in parse_assignments(pairs).items():
        name = key.removeprefix("turns.")
        try:
            if key in ENGINE_KEYS:
                stages[ENGINE_KEYS[key]] = _stage_shift(value)
            elif name != key and name in _options():
                options[name] = _option(name, value)
            else:
                problems.append(f"--set {key}={value}: {_unknown(key)}")
        except ValueError as wrong:
            problems.append(f"--set {key}={value}: {wrong}")
    if problems:
        raise ConfigError("\n".join(problems))
    return Changes(stages, options)


def _unknown(key: str) -> str:
    keys = [*ENGINE_KEYS, *(f"turns.{name}" for name in _options() if name not in UNSEEN)]
    close = difflib.get_close_matches(key, keys, 1, cutoff=0.5)
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"{key} cannot be changed in a replay{hint} Known: {', '.join(ENGINE_KEYS)}, turns.*"


def _stage_shift(text: str) -> Shift:
    shift = _shift(text)
    if shift is None:
        raise ValueError("must be ms as 120, or a change as +40, -20 or *1.5")
    return shift


def _option(name: str, text: str) -> Shift | bool | str | None:
    """Raises ValueError with the rule that `text` breaks."""
    if name in UNSEEN:
        raise ValueError(f"cannot be replayed: a trace holds {UNSEEN[name]}")
    rule, lowered = _options()[name], text.strip().lower()
    if name == "endpointing" and lowered == "smart_turn":
        raise ValueError(f"cannot be replayed: a trace holds {UNSEEN['smart_turn_model']}")
    if rule.optional and lowered in {"", "none", "null"}:
        return None
    if rule.kind == "boolean" and lowered in {"true", "false"}:
        return lowered == "true"
    if rule.choices and lowered in rule.choices:
        return lowered
    shift = _shift(text) if rule.kind in {"integer", "number"} and not rule.choices else None
    if shift is None or not _fits(shift, rule):
        relative = "" if rule.kind != "integer" else ", or a change as +40, -20 or *1.5"
        close = difflib.get_close_matches(lowered, [str(c) for c in rule.choices], 1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise ValueError(f"must be {rule.expected()}{relative}{hint}")
    return shift


def _fits(shift: Shift, rule: Rule) -> bool:
    """An absolute value must lie in the setting's range; a relative one depends on the turn."""
    if shift.how != "=":
        return True
    low = -math.inf if rule.least is None else rule.least
    high = math.inf if rule.most is None else rule.most
    return low <= shift.by <= high and (rule.kind != "integer" or shift.by == int(shift.by))


def _shift(text: str) -> Shift | None:
    text = text.strip()
    how: Literal["=", "+", "*"] = "="
    if text[:1] in {"+", "-"}:
        how = "+"
    elif text[:1] == "*":
        how, text = "*", text[1:]
    try:
        by = float(text)
    except ValueError:
        return None
    return Shift(how, by) if math.isfinite(by) and (how != "*" or by >= 0) else None


def _shifted(before: Any, change: Shift | bool | str | None) -> Any:
    if not isinstance(change, Shift):
        return change
    if before is None and change.how != "=":
        return None  # there is nothing to add to
    return round(change.of(float(before or 0)))
