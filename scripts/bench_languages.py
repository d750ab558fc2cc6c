"""What the rules of each language cost: microseconds a call, median of many.

    python scripts/bench_languages.py [--json FILE]

The rules run on every partial transcript (`judge`), on every frame of an overlap (`overlap`) and on
every character of a reply (`clauses`, per 100 characters). The texts are the golden cases of
tests/languages. English beside what it cost before there were tables is in docs/languages.md.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from voicepipe.dialog.machine import State, TurnMachine

from voicepipe.dialog.completeness import TextRules
from voicepipe.dialog.options import TurnOptions
from voicepipe.dialog.overlap import judge_overlap
from voicepipe.languages.known import LANGUAGES
from voicepipe.languages.language import Language
from voicepipe.tts.clauses import ClauseSplitter
from voicepipe.tts.speakable import speakable

CASES = Path(__file__).parents[1] / "tests" / "languages"
ROUNDS = 30


def median_us(work: Callable[[], object], calls: int) -> float:
    """Of `ROUNDS` rounds; `work` makes `calls` calls."""
    times = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return statistics.median(times) / calls * 1e6


def measure(language: Language) -> dict[str, float]:
    """Microseconds by rule."""
    lines = (CASES / "golden" / f"{language.code}.txt").read_text(encoding="utf-8").splitlines()
    texts = [line.replace(" | ", " ") for line in lines]
    replies = [
        line.split(" ", 1)[1].replace("|", "")
        for line in (CASES / "clauses.txt").read_text(encoding="utf-8").splitlines()
        if line.startswith(f"{language.code} ")
    ]
    rules, options = TextRules(language), TurnOptions()
    agent_text = " ".join(replies)

    def judge() -> None:
        for text in texts:
            rules.judge(text)

    def overlap() -> None:
        for text in texts:
            judge_overlap(
                options, speech_ms=100, text=text, agent_text=agent_text, language=language
            )

    def clauses() -> None:
        splitter = ClauseSplitter(None, language)
        for reply in replies:
            splitter.push(reply)
            splitter.flush()

    def said() -> None:
        for reply in replies:
            speakable(reply, language)

    return {
        "judge": median_us(judge, len(texts)),
        "overlap": median_us(overlap, len(texts)),
        "clauses/100": median_us(clauses, 1) / sum(map(len, replies)) * 100,
        "speakable": median_us(said, len(replies)),
        "hypothesis": _hypothesis(texts, rules),
    }


def _hypothesis(texts: list[str], rules: TextRules) -> float:
    """`TurnMachine.hypothesis` while the user speaks, text new each time."""
    machine = TurnMachine(completeness=rules)
    for _ in range(10):
        machine.frame(0.9)
    assert machine.state is State.HEARING

    def work() -> None:
        for text in texts:
            machine.hypothesis(text)

    return median_us(work, len(texts))


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    found = {language.name: measure(language) for language in LANGUAGES.values()}
    table = Table(box=box.SIMPLE_HEAD, title="microseconds a call, median")
    table.add_column("language")
    for name in next(iter(found.values())):
        table.add_column(name, justify="right")
    for language, costs in found.items():
        table.add_row(language, *(f"{cost:.1f}" for cost in costs.values()))
    Console().print(table)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
