"""How well the till of the coffee bar hears: typed calls, written by people who had not seen it.

    python -m scripts.bench_till                              # tests/data/till/judge.jsonl
    python -m scripts.bench_till tests/data/till/practice.jsonl -v
    python -m scripts.bench_till --put-right                  # the order, after each mistake

A turn is right if the order after it is what the caller wants, and what was placed, and if what is
said holds what was asked: so a thing that is misheard spoils the turns behind it, too, unless the
order is put right as a caller would (`--put-right`). The practice
calls were read while the till was made; the judge's were not. The till alone, without a model: what
it leaves to one counts as right where the order is as it should be and nothing was asked.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from voicepipe.lab.hearing_score import Rate

ROOT = Path(__file__).parent.parent
BAR = ROOT / "agents" / "coffee_bar"
JUDGE = ROOT / "tests" / "data" / "till" / "judge.jsonl"
NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
).split()
UNSAID = {"a", "an", "and", "with", "of", "the", "some", "bit", "extra"}
"""Words that make no difference."""


def faults(calls: Path, *, put_right: bool = False) -> Iterator[tuple[str, list[str]]]:
    """What each turn was, and what was wrong with it."""
    if str(BAR) not in sys.path:
        sys.path.insert(0, str(BAR))
    from order import Order, new
    from things import things
    from turn import hear

    for line in calls.read_text().splitlines():
        call, order = json.loads(line), Order()
        for turn in call["turns"]:
            placed: list[str] = []

            def place(_words: str, placed: list[str] = placed, order: Order = order) -> int:
                placed += [item.words for item in order.items]
                return 1

            said = hear(order, turn["say"], place)
            items = [item.words for item in order.items]
            yield (
                f"{call['id']} {turn['say']!r} -> {said!r}",
                list(judged(turn, items, placed, said)),
            )
            if put_right and alike(items) != alike(turn["order"]):
                named = [things(_said(thing)) for thing in turn["order"]]
                order.items = [new(one[0]) for one in named if one]
                last = len(order.items) - 1
                order.newest = min(order.newest, last) if order.newest >= 0 else last


def _said(thing: str) -> str:
    """As a caller says it: "two muffin", "a large latte with 2 sugar"."""
    count, _, rest = thing.partition(" ")
    return f"{NUMBERS[int(count)]} {rest}" if count.isdigit() else f"a {thing}"


def judged(
    turn: dict[str, Any], items: Sequence[str], placed: Sequence[str], said: str
) -> Iterator[str]:
    """What is wrong with a turn."""
    if alike(items) != alike(turn["order"]):
        yield f"ordered {items}, wanted {turn['order']}"
    if alike(placed) != alike(turn.get("placed", [])):
        yield f"placed {placed}, wanted {turn.get('placed', [])}"
    if not re.search(turn.get("must", ""), said, re.IGNORECASE):
        yield f"lacks /{turn['must']}/"


def alike(items: Sequence[str]) -> Counter[tuple[str, ...]]:
    """Things and their numbers, however they are said."""
    found: Counter[tuple[str, ...]] = Counter()
    for item in items:
        words = [_plain(word) for word in re.findall(r"[a-z0-9']+", item.lower())]
        words = [word for word in words if word not in UNSAID]
        count = int(words.pop(0)) if words and words[0].isdigit() else 1
        found[tuple(sorted(word for word in words if word != "1"))] += count
    return found


def _plain(word: str) -> str:
    if word in NUMBERS:
        return str(NUMBERS.index(word))
    if word.endswith("ches"):
        return word.removesuffix("es")
    return word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word


def main() -> None:
    """The share of right turns, with its interval."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    options.add_argument("calls", type=Path, nargs="?", default=JUDGE)
    options.add_argument("-v", "--verbose", action="store_true", help="show what was wrong")
    options.add_argument("--put-right", action="store_true", help="the order, after a mistake")
    given = options.parse_args()
    right = turns = 0
    for turn, wrong in faults(given.calls, put_right=given.put_right):
        turns += 1
        right += not wrong
        if wrong and given.verbose:
            print(turn, *wrong, sep="\n    ")
    print(f"turns right: {Rate(right, turns)}")


if __name__ == "__main__":
    main()
