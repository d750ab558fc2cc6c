"""The command line of `scripts/fuzz`."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
import time
from pathlib import Path

from voicepipe.lab.fuzz.doors import DOORS
from voicepipe.lab.fuzz.run import fuzz

KEPT = Path("tests/lab/fuzz/kept")


def main() -> int:
    """1: something was found."""
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description="Feed a door with garbage.")
    parser.add_argument("door", choices=["all", *DOORS])
    parser.add_argument("--seconds", type=float, default=120, help="over all doors together")
    parser.add_argument("--seed", type=int, default=None, help="default: the time")
    parser.add_argument("--kept", type=Path, default=KEPT, help="where cases are kept")
    options = parser.parse_args()
    logging.basicConfig(level=logging.CRITICAL)
    seed = int(time.time()) if options.seed is None else options.seed
    doors = list(DOORS) if options.door == "all" else [options.door]
    outcome = asyncio.run(fuzz(doors, options.seconds, seed, options.kept))
    for door, count in outcome.cases.items():
        print(f"{door:16} {count:7} cases")
    print(f"longest stall {outcome.longest_stall_s * 1000:.0f} ms; seed {seed}")
    for finding in outcome.findings:
        print(f"\nFOUND at {finding.door}: {finding.what}")
    return 1 if outcome.findings else 0


if __name__ == "__main__":
    sys.exit(main())
