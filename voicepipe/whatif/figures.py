"""From turns, recorded or predicted, to the figures that are compared. Pure; all of it is JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voicepipe.ledger.percentiles import summarize
from voicepipe.ledger.records import SEGMENTS
from voicepipe.whatif.recorded import RecordedTurn, Recording
from voicepipe.whatif.replay import Prediction

PROMISE_MS = 800.0
"""Voice to voice, always."""


@dataclass(frozen=True, slots=True)
class Heard:
    """One answered turn."""

    critical: Mapping[Any, int]  # microseconds by segment
    budget: Mapping[str, int]

    @property
    def ms(self) -> float:
        return sum(self.critical.values()) / 1000

    @property
    def over_budget(self) -> bool:
        return any(us > self.budget.get(name, us) for name, us in self.critical.items())


def recorded_figures(recording: Recording) -> dict[str, Any]:
    """Of the turns as they were."""
    turns = recording.turns
    cut_offs = sum(len(stretch) - 1 for session in recording.sessions for stretch in session)
    wasted_us = sum(_wasted_us(turn) for turn in turns)
    heard = [Heard(t.critical, t.budget) for t in turns if t.critical is not None]
    return _figures(heard, len(turns), cut_offs, sum(t.discards for t in turns), wasted_us)


def predicted_figures(prediction: Prediction) -> dict[str, Any]:
    """Of the turns as they would have been."""
    turns = prediction.turns
    heard = [Heard(t.critical, t.budget) for t in turns if t.critical is not None]
    cut_offs = sum(turn.cut_off for turn in turns)
    found = _figures(heard, len(turns), cut_offs, prediction.discards, prediction.wasted_us)
    return {**found, "unnoticed_turns": prediction.unnoticed}


def voice_to_voice_ms(turns: Iterable[Any]) -> list[float]:
    """Of recorded or predicted turns, those that were answered aloud."""
    return [t.voice_to_voice_us / 1000 for t in turns if t.voice_to_voice_us is not None]


def _figures(
    heard: Sequence[Heard], turns: int, cut_offs: int, discards: int, wasted_us: int
) -> dict[str, Any]:
    return {
        "turns": turns,
        "answered_turns": len(heard),
        "v2v_ms": _summary(one.ms for one in heard),
        "critical_ms": {
            name: _summary(one.critical[name] / 1000 for one in heard) for name, _ in SEGMENTS
        },
        "over_budget_share": _share(sum(one.over_budget for one in heard), len(heard)),
        "over_promise_share": _share(sum(one.ms > PROMISE_MS for one in heard), len(heard)),
        "false_cut_offs": cut_offs,
        "false_cut_off_share": _share(cut_offs, turns),
        "discards": discards,
        "wasted_engine_ms": round(wasted_us / 1000, 3),
    }


def _wasted_us(turn: RecordedTurn) -> int:
    """Engine time of the replies that were thrown away, up to their first sound."""
    wasted = 0
    for attempt in turn.trace.attempts:
        if attempt.end == "discarded":
            stages = attempt.stages_us
            whole = sum(stages.values()) if "tts" in stages else attempt.ran_us
            wasted += min(attempt.ran_us, whole)
    return wasted


def _summary(values: Iterable[float]) -> dict[str, float]:
    known = list(values)
    if not known:
        return {"n": 0}
    return {name: round(value, 3) for name, value in summarize(known).items()}


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
