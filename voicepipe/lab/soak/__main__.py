"""The command line of `scripts/soak`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from voicepipe.lab.bench import recordings
from voicepipe.lab.relay import Weather
from voicepipe.lab.soak.callers import Crowd
from voicepipe.lab.soak.faults import FAULTS
from voicepipe.lab.soak.picture import picture
from voicepipe.lab.soak.run import Result, soak
from voicepipe.runtime import event_loop

SERVER = ["--profile", "simulated", "--set", "tts.engine=espeak"]
"""Simulated recognizer and model; a real engine in worker processes, which can be killed."""

MAX_GROWN_MB = 20.0
"""Above the noise of the collector's sawtooth. In an hour at 50 callers that is a leak of 8 KB a
call; four minutes cannot see one below some 100 KB."""

MAX_GROWN_DESCRIPTORS = 10
MUST_BE_KEPT = ("lost", "lost_turns")
"""Of the call log, whatever happens to its database. Sound that a full disk has no room for is
lost, and said."""


def main() -> int:
    """1: a clean caller lost a turn, or something grew."""
    options = _options()
    websocket, webrtc, phone = options.callers
    crowd = Crowd(
        websocket,
        webrtc,
        phone,
        Weather(options.loss / 100, options.delay, options.jitter),
        recordings.load(None),
    )
    began = time.monotonic()

    def say(what: str) -> None:
        print(f"{(time.monotonic() - began) / 60:6.1f} min  {what}", flush=True)

    faults = [] if options.no_faults else options.fault or list(FAULTS)
    result = event_loop.run(
        soak(crowd, options.minutes * 60, SERVER, faults, options.every, options.seed, say)
    )
    _show(result)
    if options.json:
        options.json.write_text(json.dumps(result.as_dict(), indent=1) + "\n")
    if options.svg:
        options.svg.write_text(picture(result))
    return 1 if wrong(result) else 0


def wrong(result: Result) -> list[str]:
    """What must not be, in words."""
    found = [] if result.alive else ["the server did not answer at the end"]
    if result.lost:
        found.append(f"{result.lost} turns of clean callers were lost")
    if result.growth.rss_mb > MAX_GROWN_MB:
        found.append(f"memory grew by {result.growth.rss_mb:.0f} MB")
    if result.growth.workers_mb > MAX_GROWN_MB:
        found.append(f"the workers' memory grew by {result.growth.workers_mb:.0f} MB")
    if result.growth.descriptors > MAX_GROWN_DESCRIPTORS:
        found.append(f"{result.growth.descriptors:.0f} more descriptors are open")
    lost = sum(result.server.get(f"voicepipe_calls_{what}_total", 0) for what in MUST_BE_KEPT)
    if lost:
        found.append(f"the call log lost {lost:g} calls or turns")
    return found


def _show(result: Result) -> None:
    told = result.as_dict()
    for name, door in told["doors"].items():
        wait = door["wait_ms"]
        waits = f"wait p50 {wait['p50']:.0f}, p99 {wait['p99']:.0f} ms" if wait["n"] else ""
        print(
            f"{name:10} {door['callers']:3} callers {door['turns']:6} turns {door['lost']:4} lost"
            f"  {waits}"
        )
        for problem, count in door["problems"].items():
            print(f"           {count} x {problem}")
    print("faults:", ", ".join(f"{n} x {name}" for name, n in told["faults"].items()) or "none")
    for one in result.struck:
        if one.problem:
            print(f"           not done at {one.at_s:.0f} s: {one.fault}: {one.problem}")
    grown = result.growth
    print(
        f"from the second quarter to the last: memory {grown.rss_mb:+.1f} MB "
        f"({result.grown_kb_a_call:+.1f} KB a call), workers {grown.workers_mb:+.1f} MB, "
        f"descriptors {grown.descriptors:+.0f}, threads {grown.threads:+.0f}"
    )
    silent = result.server.get("voicepipe_calls_lost_sound_seconds_total", 0)
    print(f"call log: {silent:.0f} s of sound found no room")
    print("\n".join(f"WRONG: {what}" for what in wrong(result)) or "nothing lost, nothing grew")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/soak", description="Clean callers for long, beside faults of every kind."
    )
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument(
        "--callers",
        type=int,
        nargs=3,
        default=(20, 10, 20),
        metavar=("WEBSOCKET", "WEBRTC", "PHONE"),
        help="at once through each door",
    )
    parser.add_argument("--fault", action="append", choices=list(FAULTS), help="only these")
    parser.add_argument("--no-faults", action="store_true")
    parser.add_argument("--every", type=float, default=5.0, help="seconds between two faults")
    parser.add_argument("--loss", type=float, default=3.0, help="per cent of WebRTC's packets")
    parser.add_argument("--delay", type=float, default=20.0, help="ms, each way")
    parser.add_argument("--jitter", type=float, default=20.0, help="ms")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--svg", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
