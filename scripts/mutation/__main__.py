"""scripts/mutate [ROOM_OR_FILE...]: break the code in small ways and see whether the tests notice.

Prints every mutant that survived, and the share of dead ones, by file too. Works in temporary
copies of the tree, several at a time; ends when its time is up, and says how many mutants it then
had tried.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

from scripts.mutation.mutants import mutants
from scripts.mutation.trial import Job, baseline, copy_tree, verdicts

ROOT = Path(__file__).resolve().parent.parent.parent
DEFAULT_ROOM = "voicepipe/dialog"
SLACK = 5.0  # a mutant whose tests take so many times as long has hung
LEAST_LIMIT_S = 20.0


def main() -> int:
    """0, or 1 if fewer mutants died than asked for."""
    args = arguments()
    jobs = sampled(all_jobs(args.code), args.sample, args.seed)
    until = time.monotonic() + 60 * args.minutes
    counts: Counter[str] = Counter()
    by_file: Counter[tuple[str, bool]] = Counter()
    with tempfile.TemporaryDirectory(prefix="voicepipe-mutants-") as folder:
        trees = [copy_tree(ROOT, Path(folder) / str(n)) for n in range(args.jobs)]
        took_s = baseline(trees[0], args.tests)
        print(
            f"{len(jobs)} mutants; the tests take {took_s:.1f} s on the code as it is", flush=True
        )
        limit_s = max(LEAST_LIMIT_S, SLACK * took_s)
        with closing(verdicts(jobs, trees, args.tests, limit_s)) as tried:
            for verdict in tried:
                counts[verdict.how] += 1
                by_file[verdict.job.module, verdict.dead] += 1
                if not verdict.dead:
                    print(f"survived: {verdict.job.label}", flush=True)
                if time.monotonic() > until:
                    print(f"time is up: {args.minutes:g} minutes")
                    break
    for name in sorted({name for name, _ in by_file}):
        dead = by_file[name, True]
        print(f"{name}: {dead} of {dead + by_file[name, False]} dead")
    return summary(counts, len(jobs), args.at_least)


def summary(counts: Counter[str], planned: int, at_least: float) -> int:
    """Print the share; the exit status."""
    done = counts.total()
    share = 1 - counts["survived"] / done if done else 0.0
    print(
        f"{done} of {planned} mutants tried: {counts['failed']} failed a test, "
        f"{counts['hung']} hung, {counts['survived']} survived; {share:.1%} dead"
    )
    return int(share < at_least)


def all_jobs(places: list[str]) -> list[Job]:
    """The mutants of all modules in these rooms or files."""
    files = [file for place in places for file in modules(ROOT / place)]
    if not files:
        raise SystemExit(f"no Python files in {' '.join(places)}")
    found = []
    for file in files:
        name = str(file.relative_to(ROOT))
        for mutant in mutants(file.read_text("utf-8")):
            found.append(Job(name, mutant.source, f"{name}, {mutant}"))
    return found


def modules(place: Path) -> list[Path]:
    if place.is_dir():
        return sorted(place.rglob("*.py"))
    return [place] if place.is_file() else []


def sampled(jobs: list[Job], count: int, seed: int) -> list[Job]:
    """`count` of them (0: all), in an order that is random: an early end is a fair sample."""
    order = random.Random(seed)
    return order.sample(jobs, min(count, len(jobs)) if count else len(jobs))


def arguments() -> argparse.Namespace:
    """Of the command line."""
    parser = argparse.ArgumentParser(prog="scripts/mutate", description=__doc__)
    parser.add_argument("code", nargs="*", default=[DEFAULT_ROOM], metavar="ROOM_OR_FILE")
    parser.add_argument("--tests", nargs="+", help="default: the folder in tests/ of the same name")
    parser.add_argument("--sample", type=int, default=0, help="only so many, drawn by chance")
    parser.add_argument("--seed", type=int, default=1, help="of that chance")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="at a time")
    parser.add_argument("--minutes", type=float, default=30.0, help="then it ends")
    parser.add_argument("--at-least", type=float, default=0.0, help="share that must die, 0 to 1")
    args = parser.parse_args()
    args.code = [str((Path.cwd() / place).resolve().relative_to(ROOT)) for place in args.code]
    rooms = sorted({f"tests/{Path(place).parts[1]}" for place in args.code})
    args.tests = args.tests or [test for room in rooms for test in quickest_first(ROOT / room)]
    return args


def quickest_first(room: Path) -> list[str]:
    """Its test files, those that tell random stories last: most mutants die before them."""
    files = [str(file.relative_to(ROOT)) for file in sorted(room.rglob("test_*.py"))]
    return sorted(files, key=lambda file: "random_cases" in (ROOT / file).read_text("utf-8"))


if __name__ == "__main__":
    sys.exit(main())
