"""What each step that spares a caller time brings, by `voicepipe fit`'s model of one caller.

    python -m scripts.fit_steps [--llm NAME] [--asr NAME] [--speeds FILE]

Speeds are those of `voicepipe/fit/reference.json`, or of what `voicepipe fit --json FILE` wrote.
Prints p50 and p95 of voice to voice with all steps, and without each.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

from voicepipe.fit.caller import Caller
from voicepipe.fit.predict import predict
from voicepipe.fit.speeds import Setup
from voicepipe.fit.table import REFERENCE, read_speeds
from voicepipe.fit.talk import Talk

HISTORY_TOKENS = 267  # of a mean prompt of 278, in conversations of ten turns
PARTIAL_MS = 240
Said = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Forgetful(Talk):
    """Nothing of the history is in the cache."""

    def new_tokens(self, question: str, known_words: int) -> int:
        """The whole prompt's."""
        return HISTORY_TOKENS + Talk.new_tokens(self, question, known_words)


class Mute(Caller):
    """No clause's sound is kept."""

    def _begin(self, now: float) -> None:
        self.world.said.clear()
        super()._begin(now)


class Unprepared(Caller):
    """No word is put into the cache before the caller has ended."""

    def _warm_up(self) -> None:
        pass


def main() -> None:
    """Parse the command line and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--llm", default="qwen2.5-0.5b-instruct-q4_k_m")
    parser.add_argument("--asr", default="whisper-base.en")
    parser.add_argument("--speeds", type=Path, help="what `voicepipe fit --json` wrote")
    args = parser.parse_args()
    reference = files("voicepipe.fit").joinpath(REFERENCE)
    found = json.loads((args.speeds or reference).read_text("utf-8"))
    speeds, talk = read_speeds(found["speeds"]), Talk()
    llm = next(one for one in speeds.llm if one.model == args.llm)
    asr = next(one for one in speeds.asr if one.model == args.asr)
    setup = Setup(asr, llm, PARTIAL_MS)

    def said(talk: Talk = talk, setup: Setup = setup, caller: type[Caller] = Caller) -> Said:
        prediction = predict(speeds, setup, 1, talk, caller=caller)
        return prediction.p50_ms, prediction.p95_ms

    late = replace(talk, turns=replace(talk.turns, eager_end_ms=talk.turns.endpoint_complete_ms))
    whole = replace(talk, budget=talk.budget.model_copy(update={"act": False}))
    rows: dict[str, Callable[[], Said]] = {
        "all of it": said,
        "without the history in the cache": lambda: said(Forgetful()),
        "without partial decodes": lambda: said(setup=replace(setup, partial_ms=0)),
        "without words prefilled while they speak": lambda: said(caller=Unprepared),
        "prepared at the endpoint, not at the eager end": lambda: said(late),
        "without clauses kept": lambda: said(caller=Mute),
        "without first clauses cut by the budget": lambda: said(whole),
    }
    print(f"{args.llm}, {args.asr}, one caller: voice to voice p50 / p95, ms")
    for name, ask in rows.items():
        p50, p95 = ask()
        print(f"  {name:48} {p50:5.0f} / {p95:5.0f}")


if __name__ == "__main__":
    main()
