"""Garbage at every door for a little while (two minutes in .ci/run), and what was found before."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from voicepipe.lab.fuzz.doors import DOORS, Case, Door
from voicepipe.lab.fuzz.mutation import mutated_bytes, mutated_json
from voicepipe.lab.fuzz.run import fuzz

KEPT = Path(__file__).parent / "kept"
SECONDS = 5.0
"""For all doors together; with the same seed `.ci/run` goes on from there for two minutes."""


async def test_no_door_breaks() -> None:
    outcome = await fuzz(list(DOORS), SECONDS, seed=7)
    assert not [(finding.door, finding.what) for finding in outcome.findings]
    assert set(outcome.cases) == set(DOORS)
    assert min(outcome.cases.values()) > 0


@pytest.mark.parametrize("door", sorted(folder.name for folder in KEPT.iterdir()))
async def test_what_broke_a_door_once_does_not_again(door: str) -> None:
    outcome = await fuzz([door], 0.2, seed=1, kept=KEPT)
    assert not [finding.what for finding in outcome.findings]


async def test_a_fault_is_found_and_kept_and_comes_first_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    met: list[Case] = []

    async def deliver(port: int, case: Case) -> None:
        met.append(case)
        if "bad" in case:
            raise AssertionError("the server answered 500")

    door = Door(lambda rng: ["bad", b"\\xff"] if len(met) == 3 else ["good"], deliver)
    monkeypatch.setitem(DOORS, "http", door)
    outcome = await fuzz(["http"], 0.3, seed=1, kept=tmp_path)
    assert outcome.findings[0].what == "AssertionError: the server answered 500"
    met.clear()
    await fuzz(["http"], 0.1, seed=1, kept=tmp_path)
    assert met[0] == ["bad", b"\\xff"]
    assert len(list((tmp_path / "http").iterdir())) == 1, "however often it is met"


def test_the_same_seed_makes_the_same_garbage() -> None:
    for door in DOORS.values():
        first, second = (str(door.make(random.Random(5)))[:200] for _ in range(2))
        assert len(first) == len(second)
    message = {"type": "a", "list": [1, {"b": "c"}]}
    made = [mutated_json(message, random.Random(n), [message]) for n in (1, 1, 2)]
    assert repr(made[0]) == repr(made[1]) != repr(made[2])
    assert message == {"type": "a", "list": [1, {"b": "c"}]}, "the good one stays good"
    assert mutated_bytes(b"abc" * 9, random.Random(1)) == mutated_bytes(
        b"abc" * 9, random.Random(1)
    )
