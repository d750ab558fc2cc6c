"""What predictions are checked on: recordings of many users, and the truth under other settings.

`python -m tests.whatif.cases` prints the table of docs/whatif.md.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from tests.virtual_time import run_virtual
from tests.whatif.users import run, steady_engines, users
from voicepipe.dialog.options import PreemptiveGeneration, TurnOptions
from voicepipe.ledger.percentiles import percentile
from voicepipe.whatif.changes import parse_changes
from voicepipe.whatif.figures import recorded_figures, voice_to_voice_ms
from voicepipe.whatif.recorded import Recording, read_recording
from voicepipe.whatif.replay import Prediction, predict

PEOPLE, TURNS_EACH = 60, 3
"""180 turns, and those that were cut off and reopened. Of a third as many, p95 is the fourth
slowest: the luck of long-tailed engines alone moves it by up to 10 %."""

SEEDS = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class Case:
    """A change, and the same as the settings of a run."""

    assignments: tuple[str, ...]
    options: TurnOptions
    first_token_ms: float = 100


CASES = (
    Case(
        ("turns.eager_end_ms=200", "llm.first_token_ms=+40"),
        TurnOptions(eager_end_ms=200),
        first_token_ms=140,
    ),
    Case(("turns.eager_end_ms=80",), TurnOptions(eager_end_ms=80)),
    Case(("turns.endpoint_complete_ms=+150",), TurnOptions(endpoint_complete_ms=450)),
    Case(("turns.endpoint_fixed_ms=700",), TurnOptions(endpoint_fixed_ms=700)),
    Case(("turns.endpointing=learned",), TurnOptions(endpointing="learned")),
)
"""On recordings under the default settings."""

MODES: tuple[PreemptiveGeneration, ...] = ("off", "eager_end", "stable_text")


def options_of(mode: PreemptiveGeneration) -> TurnOptions:
    return TurnOptions(preemptive_generation=mode)


def change_to(mode: PreemptiveGeneration) -> tuple[str, ...]:
    return (f"turns.preemptive_generation={mode}",)


@cache
def recorded(options: TurnOptions, seed: int, first_token_ms: float = 100) -> Recording:
    """By way of the file's format."""
    people = users(PEOPLE, TURNS_EACH, seed)
    return recording(run_virtual(run(people, options, first_token_ms=first_token_ms)))


@cache
def recorded_steady(options: TurnOptions, seed: int, asr_ms: float) -> Recording:
    """With engines that always take the same time: no luck, so a few users will do."""
    people = users(PEOPLE // 3, TURNS_EACH, seed)
    return recording(run_virtual(run(people, options, steady=steady_engines(asr_ms))))


def recording(rows: Sequence[dict[str, Any]]) -> Recording:
    """`rows`: of the ledger."""
    return read_recording("".join(json.dumps(row) + "\n" for row in rows), "TURNS.jsonl")


def _row(name: str, told: Prediction, truth: Recording) -> str:
    cells = []
    for q in (0.50, 0.95):
        at, real = (percentile(voice_to_voice_ms(x.turns), q) for x in (told, truth))
        cells.append(f"{at:.0f} / {real:.0f} ({at / real - 1:+.1%})")
    cut_offs = sum(turn.cut_off for turn in told.turns)
    cells.append(f"{cut_offs} / {recorded_figures(truth)['false_cut_offs']}")
    return f"| {name} | {' | '.join(cells)} |"


def _print_table(seed: int) -> None:
    default = recorded(TurnOptions(), seed)
    print(f"{len(default.turns)} turns recorded, seed {seed}")
    print(_row("none", predict(default, parse_changes([])), default))
    for case in CASES:
        told = predict(default, parse_changes(case.assignments))
        truth = recorded(case.options, seed, case.first_token_ms)
        print(_row(", ".join(f"`{a}`" for a in case.assignments), told, truth))
    for before in MODES:
        for after in MODES:
            if before != after:
                told = predict(recorded(options_of(before), seed), parse_changes(change_to(after)))
                truth = recorded(options_of(after), seed)
                print(
                    _row(
                        f"`turns.preemptive_generation={after}`, recorded under `{before}`",
                        told,
                        truth,
                    )
                )


if __name__ == "__main__":
    for each in SEEDS:
        _print_table(each)
