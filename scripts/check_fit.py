"""Is `voicepipe fit` right? Predicts, then has callers talk to a server with these models.

    python -m scripts.check_fit MIRROR [--llm NAME] [--callers N ...] [--turns N] [--speeds FILE]

MIRROR: as `scripts/make_full_size_models.py` writes it. Prints predicted and measured voice to
voice for each number of callers, and their ratio. Let nothing else run meanwhile.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from voicepipe.cli.fit import VOICE
from voicepipe.fit.choose import Choice, best, choices
from voicepipe.fit.predict import Prediction, predict
from voicepipe.fit.settings_file import as_toml
from voicepipe.fit.speeds import Speeds
from voicepipe.fit.table import read_speeds
from voicepipe.models.registry import load_registry
from voicepipe.models.resolve import place_of

BOUNDS = {"p50": 0.15, "p95": 0.25}
"""How far a prediction may be off, as a share of what was measured."""


def main() -> None:
    """Parse the command line; status 1 if a prediction was too far off."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("mirror", type=Path)
    parser.add_argument("--llm", help="a language model of the mirror; default: the one chosen")
    parser.add_argument("--callers", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--turns", type=int, default=20, help="questions of each caller")
    parser.add_argument("--speeds", type=Path, help="what `voicepipe fit --json` wrote before")
    parser.add_argument("--json", type=Path, metavar="DIR", help="keep the ledgers there")
    args = parser.parse_args()
    speeds = _speeds(args.speeds, args.mirror)
    choice = _choice(speeds, args.llm)
    setup = choice.setup
    print(f"{setup.llm.model}, {setup.asr.model}, partial_ms {setup.partial_ms}", flush=True)
    wrong = 0
    for callers in args.callers:
        found = predict(speeds, setup, callers, turns=args.turns)
        run = _run(choice, args.mirror, callers, args.turns, args.json)
        wrong += _compared(found, run["summary"])
    sys.exit(1 if wrong else 0)


def _speeds(file: Path | None, mirror: Path) -> Speeds:
    with tempfile.TemporaryDirectory() as folder:
        out = file or Path(folder) / "speeds.json"
        if file is None:
            _voicepipe("fit", "--models", str(mirror), "--json", str(out))
        return read_speeds(json.loads(out.read_text("utf-8"))["speeds"])


def _choice(speeds: Speeds, llm: str | None) -> Choice:
    """What fit chooses, among the language models or with this one."""
    kept = [one for one in speeds.llm if llm in (None, one.model)]
    if not kept:
        sys.exit(f"--llm: there is no {llm}; there are {[one.model for one in speeds.llm]}")
    return best(choices(replace(speeds, llm=tuple(kept))))


def _run(
    choice: Choice, mirror: Path, callers: int, turns: int, keep: Path | None
) -> dict[str, Any]:
    """`voicepipe bench turns` with the chosen settings and the mirror's models."""
    registry, setup = load_registry(), choice.setup
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "voicepipe.toml"
        place = keep or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        out = place / f"{setup.llm.model}-{callers}.json"
        config.write_text(as_toml(choice, VOICE, date.today()), "utf-8")
        places = {
            "asr.model": place_of(registry.get(setup.asr.model), mirror),
            "llm.model": place_of(registry.get(setup.llm.model), mirror),
            "tts.model": place_of(registry.get(VOICE), mirror),
        }
        options = [f"{key}={place}" for key, place in places.items()]
        options += [f"llm.llama_cpp.slots={callers + 1}", "llm.tools=[]"]
        arguments = [part for option in options for part in ("--set", option)]
        load = ("-n", str(callers), "-t", str(turns), "--json", str(out), "--config", str(config))
        _voicepipe("bench", "turns", *load, *arguments)
        found: dict[str, Any] = json.loads(out.read_text("utf-8"))
        return found


def _compared(found: Prediction, summary: dict[str, Any]) -> int:
    """Print one load; how many figures are out of bounds."""
    wrong = 0
    for name, said in (("p50", found.p50_ms), ("p95", found.p95_ms)):
        was = float(summary[f"{name}_v2v_ms"])
        off = said / was - 1
        late = abs(off) > BOUNDS[name]
        wrong += late
        print(
            f"{found.callers:3} callers, {summary['answered_turns']} turns, {name}: {said:6.0f} "
            f"said, {was:6.0f} ms, {off:+.0%} {'OUT OF BOUNDS' if late else 'ok'}",
            flush=True,
        )
    return wrong


def _voicepipe(*args: str) -> None:
    subprocess.run([sys.executable, "-m", "voicepipe", *args], check=True, stdout=sys.stderr)


if __name__ == "__main__":
    main()
