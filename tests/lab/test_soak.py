"""A short soak on a real server: the harness counts what is lost, and notices what grows."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.serving import free_port
from voicepipe.lab.bench import recordings
from voicepipe.lab.relay import FAIR, Weather
from voicepipe.lab.soak.__main__ import SERVER, wrong
from voicepipe.lab.soak.callers import TURNS, Crowd, Tally, call_until
from voicepipe.lab.soak.faults import FAULTS, Target
from voicepipe.lab.soak.picture import picture
from voicepipe.lab.soak.run import Result, Struck, one_fault, soak
from voicepipe.lab.soak.watch import Growth, Sample, growth

QUIET = Result(
    seconds=60,
    callers={"websocket": 1},
    tallies={"websocket": Tally(turns=4, waits_ms=[400.0, 500.0])},
    struck=[Struck(20, "kill_worker")],
    samples=[Sample(float(at), 100.0, 30.0, 40, 9) for at in range(20)],
    growth=Growth(0, 0, 0, 0),
    server={"voicepipe_calls_lost_total": 0.0},
    alive=True,
)


@pytest.mark.slow
@pytest.mark.deadline(300)
async def test_faults_of_every_kind_cost_clean_callers_no_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("voicepipe.lab.soak.run.CALM_S", 1.0)
    weather = Weather(loss=0.1, delay_ms=10, jitter_ms=20)
    crowd = Crowd(2, 1, 1, weather, (recordings.buzz(),))
    told: list[str] = []
    result = await soak(crowd, 20, SERVER, list(FAULTS), 0.2, 1, told.append)
    assert wrong(replace(result, growth=Growth(0, 0, 0, 0))) == [], told
    assert {one.fault for one in result.struck} == set(FAULTS)
    assert set(result.tallies) == {"websocket", "webrtc", "phone"}
    assert all(tally.turns >= 4 for tally in result.tallies.values())
    assert result.server["voicepipe_calls_written_total"] > 0
    assert len(result.samples) > 5


async def test_a_server_that_is_gone_is_called_again_now_and_then() -> None:
    crowd, until = Crowd(1, 0, 0, FAIR, (recordings.buzz(),)), time.monotonic() + 0.5
    rounds: list[Tally] = []
    tallies = await call_until(
        crowd,
        f"ws://127.0.0.1:{free_port()}/v1",
        0,
        lambda: time.monotonic() > until,
        lambda _door, heard: rounds.append(heard),
    )
    assert len(rounds) <= 2
    assert tallies["websocket"].lost == len(rounds) * TURNS


async def test_a_fault_that_cannot_reach_the_server_says_so() -> None:
    target = Target(f"ws://127.0.0.1:{free_port()}/v1", 0, Path("none"), random.Random(1))
    assert "ConnectionRefusedError" in (await one_fault("cut_connections", target, 0.0)).problem


async def test_a_caller_who_cannot_connect_leaves_no_other_behind_in_the_next_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    began, ended = [0], [0]

    @contextlib.asynccontextmanager
    async def connected(_target: Target) -> AsyncIterator[Any]:
        began[0] += 1
        if began[0] == 1:
            raise ConnectionRefusedError
        await asyncio.sleep(0.05)
        ended[0] += 1
        raise TimeoutError
        yield

    monkeypatch.setattr("voicepipe.lab.soak.faults._connected", connected)
    target = Target("", 0, Path("none"), random.Random(1))
    assert "ConnectionRefusedError" in (await one_fault("cut_connections", target, 0.0)).problem
    assert began[0] - 1 == ended[0] > 0


def test_what_is_wrong_is_said() -> None:
    assert wrong(QUIET) == []
    cases = {
        "did not answer": replace(QUIET, alive=False),
        "turns of clean callers were lost": replace(QUIET, tallies={"phone": Tally(4, 1)}),
        "memory grew": replace(QUIET, growth=Growth(21, 0, 0, 0)),
        "the workers' memory": replace(QUIET, growth=Growth(0, 21, 0, 0)),
        "more descriptors": replace(QUIET, growth=Growth(0, 0, 11, 0)),
        "the call log lost": replace(QUIET, server={"voicepipe_calls_lost_turns_total": 2.0}),
    }
    for words, result in cases.items():
        (said,) = wrong(result)
        assert words in said


def test_growth_is_between_the_second_quarter_and_the_last() -> None:
    rising = [Sample(float(at), 100.0 + at, 30.0, 40 + at // 10, 9) for at in range(40)]
    assert growth(rising).rss_mb == 20
    assert growth(rising[:3]) == Growth(0, 0, 0, 0)
    warm_up = [Sample(float(at), 50.0 if at < 10 else 100.0, 30.0, 40, 9) for at in range(40)]
    assert growth(warm_up) == Growth(0, 0, 0, 0)


@pytest.mark.parametrize(("kb_a_call", "seen"), [(0, False), (4, False), (12, True), (40, True)])
def test_a_leak_is_seen_through_the_collectors_sawtooth(kb_a_call: float, seen: bool) -> None:
    """An hour at 50 callers who have 90 calls a minute; garbage is freed every 100 calls."""
    samples = []
    for at in range(0, 3600, 2):
        calls = at * 1.5
        sawtooth_mb = calls % 100 * 0.15
        leaked_mb = kb_a_call * calls / 1000
        samples.append(Sample(float(at), 250 + sawtooth_mb + leaked_mb, 30.0, 200, 30))
    result = replace(QUIET, seconds=3600, samples=samples, growth=growth(samples))
    assert bool(wrong(result)) is seen


async def test_a_fault_that_cannot_be_done_does_not_end_the_soak(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def refused(target: Target) -> None:
        raise TimeoutError("no answer")

    monkeypatch.setitem(FAULTS, "offers_without_calls", refused)
    nobody = Target("", 0, Path(), random.Random(0))
    struck = await one_fault("offers_without_calls", nobody, 0.0)
    assert struck.problem == "TimeoutError: no answer"
    shown = replace(QUIET, struck=[struck]).as_dict()["undone_faults"]
    assert shown[0]["problem"] == struck.problem


def test_figures_and_picture_are_whole() -> None:
    told = replace(QUIET, tallies={"websocket": Tally(4, 1, [400.0], Counter({"late": 1}))})
    figures = told.as_dict()
    assert figures["doors"]["websocket"]["wait_ms"]["p50"] == 400
    assert figures["faults"] == {"kill_worker": 1}
    drawn = ElementTree.fromstring(picture(QUIET))
    assert drawn.get("aria-label") == "1 callers for 1 minutes, 1 faults, 0 turns lost"
    assert len(drawn.findall(".//{*}polyline")) == 2
