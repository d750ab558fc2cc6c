"""A loop that stands still is a finding, a machine on which too much runs is none."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from voicepipe.lab.fuzz.doors import DOORS, Case, Door
from voicepipe.lab.fuzz.run import fuzz


@contextmanager
def busy_machine() -> Iterator[None]:
    """More wants to run than there are cores."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(16)]
    try:
        yield
    finally:
        for one in busy:
            one.kill()
            one.wait()


async def test_what_holds_the_loop_up_is_a_stall_and_a_busy_machine_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("voicepipe.lab.fuzz.run.STALL_S", 0.3)

    async def deliver(port: int, case: Case) -> None:
        if case == ["held up"]:
            time.sleep(0.5)  # noqa: ASYNC251 - it is what is to be found

    for case, stalls in (("held up", ["stood still"]), ("good", [])):
        monkeypatch.setitem(DOORS, "http", Door(partial(_always, [case]), deliver))
        with busy_machine():
            outcome = await fuzz(["http"], 0.6, seed=1)
        assert len(outcome.findings) == len(stalls), outcome
        assert all(words in outcome.findings[0].what for words in stalls)


def _always(case: Case, rng: random.Random) -> Case:
    return case
