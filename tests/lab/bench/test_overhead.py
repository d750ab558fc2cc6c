"""What the server adds: on hand-made ledgers, and in virtual time, where it must be nothing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Literal

import pytest

from tests.virtual_time import LoopClock
from voicepipe.asr.contract import Transcript
from voicepipe.asr.engines.simulated import SimulatedRecognizer, SimulatedUtterance
from voicepipe.config import LatencySettings, Settings, SimulatedSettings, VadSettings
from voicepipe.config.loading import load_settings
from voicepipe.dialog.options import TurnOptions
from voicepipe.lab.bench.load import Outcome, Plan, in_process_load
from voicepipe.lab.bench.recordings import buzz, load
from voicepipe.lab.bench.results import added_ms, rows
from voicepipe.ledger.accounting import ShareName, accounted_us
from voicepipe.ledger.records import TurnRecord
from voicepipe.server.service import Service

PLAIN: dict[ShareName, int] = {
    "endpoint": 300_000,
    "start": 300_000,
    "asr": 100_000,
    "llm": 100_000,
    "clause": 40_000,
    "tts": 60_000,
}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, 600_000),  # nothing is hidden
        ({"start": 120_000}, 420_000),  # begun at the eager end: the engines are the slower chain
        ({"start": -200_000}, 300_000),  # begun while the user spoke: the wait is the slower one
        ({"start": -200_000, "confirmed": 350_000}, 350_000),  # ... but the text is known later
        ({"asr_queue": 25_000}, 625_000),  # waiting for an engine is not the server's doing
        ({"start": 120_000, "after_tool": 80_000}, 420_000),  # ready before the tool: at 340
        ({"start": 0, "after_tool": 80_000}, 380_000),  # the tool had to wait for the endpoint
    ],
)
def test_accounted_time_is_the_slower_of_wait_and_answer(
    changes: dict[ShareName, int], expected: int
) -> None:
    assert accounted_us({**PLAIN, **changes}) == expected


def test_without_shares_there_is_no_figure() -> None:
    assert accounted_us({}) is None


def record(shares: dict[ShareName, int], preemption: Literal["none", "hit"] = "hit") -> TurnRecord:
    """Voice to voice 437 ms: each step 1 to 4 ms later than planned."""
    return TurnRecord(
        turn_id="turn_1",
        session_id="sess_1",
        origin="speech",
        end="completed",
        marks={
            "speech_end": 0,
            "eager_end": 121_000,
            "asr_final": 223_000,
            "llm_request": 224_000,
            "endpoint": 301_000,
            "llm_first_token": 328_000,
            "first_clause": 371_000,
            "tts_first_audio": 435_000,
            "audio_out": 437_000,
        },
        critical={
            "endpoint": 301_000,
            "asr": 0,
            "llm": 27_000,
            "clause": 43_000,
            "tts": 64_000,
            "output": 2_000,
        },
        work={},
        budget={},
        preemption=preemption,
        shares=shares,
    )


def test_overhead_is_voice_to_voice_less_what_is_accounted_for() -> None:
    hit = record({**PLAIN, "start": 120_000})
    assert hit.voice_to_voice_us == 437_000
    assert hit.overhead_us == 17_000
    assert hit.as_dict()["overhead_ms"] == 17.0
    assert record({}).overhead_us is None
    assert replace(hit, critical=None).overhead_us is None


def test_added_time_is_told_step_by_step() -> None:
    assert added_ms(record({**PLAIN, "start": 120_000}).as_dict()) == {
        "endpoint": 1.0,
        "asr": 2.0,
        "prompt": 1.0,
        "llm": 4.0,
        "clause": 3.0,
        "tts": 4.0,
        "output": 2.0,
    }
    assert added_ms(record({}).as_dict()) == {}
    tool = added_ms(record({**PLAIN, "start": 120_000, "after_tool": 80_000}).as_dict())
    assert list(tool) == ["endpoint", "asr", "tts", "output"]


@asynccontextmanager
async def started(service: Service) -> AsyncIterator[Service]:
    await service.start()
    try:
        yield service
    finally:
        await service.aclose()


def simulated(**changes: Any) -> Settings:
    settings = load_settings("simulated", environ={})
    return settings.model_copy(update=changes)


async def outcome_of(settings: Settings, plan: Plan, recognizer: Any = None) -> Outcome:
    service = Service(settings, clock=LoopClock())
    if recognizer is not None:
        service.engines.recognizer = recognizer
    async with started(service):
        return await in_process_load(plan, service)


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("preemption", "asr_ms"), [("off", 100), ("eager_end", 100), ("stable_text", 300)]
)
async def test_in_virtual_time_the_engines_account_for_every_microsecond(
    preemption: Literal["off", "eager_end", "stable_text"], asr_ms: int
) -> None:
    """Time passes only in timers there, so whatever were left would be an error of the account.

    At 300 ms the final text comes after the endpoint, and a reply to partial text waits for it."""
    plan = Plan(load()[:4], sessions=5, turns=2)
    engines = load_settings("simulated", environ={}).simulated
    asr = LatencySettings(mean_ms=asr_ms, sd_ms=20, kind="normal")
    settings = simulated(
        simulated=engines.model_copy(update={"asr": asr}),
        turns=TurnOptions(preemptive_generation=preemption),
    )
    outcome = await outcome_of(settings, plan)
    found = rows(outcome.turns)
    assert len(found) == 10
    assert [row["lost"] for row in found] == [None] * 10
    assert {row["ledger"]["preemption"] for row in found} == {
        "none" if preemption == "off" else "hit"
    }
    assert len({row["v2v_ms"] for row in found}) > 5  # the engines' delays do vary
    confirmed = ["confirmed" in row["ledger"]["shares_ms"] for row in found]
    assert any(confirmed) is (preemption == "stable_text")
    for row in found:
        assert row["overhead_ms"] == pytest.approx(0, abs=0.02)  # roundings to microseconds
        assert all(abs(ms) < 0.02 for ms in row["added_ms"].values())


class _SlowUtterance(SimulatedUtterance):
    async def final(self) -> Transcript:
        transcript = await super().final()
        await asyncio.sleep(0.03)
        return transcript


class SlowRecognizer(SimulatedRecognizer):
    """Takes 30 ms longer than it says: time that nothing accounts for."""

    def open(self, options: Any) -> SimulatedUtterance:
        super().open(options)
        return _SlowUtterance("what time is it", options, self._wait)


@pytest.mark.virtual_time
async def test_time_that_no_engine_accounts_for_is_overhead() -> None:
    each = {"asr": 100, "llm_first_token": 100, "llm_per_token": 10, "tts": 60}
    delays = {name: LatencySettings(mean_ms=ms) for name, ms in each.items()}
    engines = SimulatedSettings(**delays)
    settings = simulated(
        simulated=engines,
        turns=TurnOptions(preemptive_generation="off"),
        vad=VadSettings(engine="webrtc"),
    )
    plan = Plan((buzz(),), sessions=1, turns=2)
    outcome = await outcome_of(settings, plan, SlowRecognizer(engines, clock=LoopClock()))
    for row in rows(outcome.turns):
        marks = row["ledger"]["marks_ms"]
        after_ms = marks["asr_final"] - marks["endpoint"]
        assert after_ms == pytest.approx(130, abs=0.02)  # the decode begins at the endpoint
        late_ms = row["client_v2v_ms"] - row["v2v_ms"]  # the detector's, and the caller's beat
        assert row["final_text_ms"] == pytest.approx(marks["asr_final"] + late_ms, abs=0.02)
        assert row["overhead_ms"] == pytest.approx(30, abs=0.02)
        assert row["added_ms"]["asr"] == pytest.approx(30, abs=0.02)
        assert row["added_ms"]["tts"] == pytest.approx(0, abs=0.02)
