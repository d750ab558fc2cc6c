"""One caller in virtual time, against a line that records what it is given."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.virtual_time import LoopClock
from voicepipe.audio import pcm
from voicepipe.lab.bench.caller import Caller, CallerTurn, Question
from voicepipe.lab.bench.recordings import WIRE

SILENCE = -1
QUESTION = Question("question", tuple(range(10)), last_voiced=7)
LOUD = pcm.to_bytes((8000 * np.sin(np.arange(2400) * 0.1)).astype(np.int16))  # 100 ms
QUIET = bytes(len(LOUD))


class RecordingLine:
    """Keeps each frame with the time at which it was sent; `stall` blocks once, as a busy loop."""

    def __init__(self) -> None:
        self.sent: list[tuple[float, int]] = []
        self.clock = LoopClock()
        self.closed = False

    def send(self, frame: int) -> None:
        self.sent.append((self.clock.now(), frame))

    async def aclose(self) -> None:
        self.closed = True


def make(**changes: Any) -> tuple[Caller[int], RecordingLine]:
    given: dict[str, Any] = {"turns": 1, "answer_timeout_s": 5.0, **changes}
    caller = Caller(0, [QUESTION], SILENCE, LoopClock(), **given)
    caller.line = RecordingLine()
    return caller, caller.line


def ledger(turn_id: str, response_id: str, end: str = "completed") -> dict[str, Any]:
    return {"turn_id": turn_id, "response_id": response_id, "end": end}


async def until_spoken(line: RecordingLine, times: int = 1) -> None:
    """Until the question was said to its end so often."""
    while [frame for _, frame in line.sent].count(9) < times:
        await asyncio.sleep(0.005)


@pytest.mark.virtual_time
async def test_frames_leave_by_an_absolute_schedule() -> None:
    caller, line = make()
    running = asyncio.create_task(caller.run(0.5))
    began = LoopClock().now() + 0.5
    await until_spoken(line)
    caller.on_audio("resp_1", LOUD)
    caller.on_record(ledger("turn_1", "resp_1"))
    await running
    times = [at for at, _ in line.sent]
    assert times == pytest.approx([began + 0.02 * n for n in range(len(times))], abs=1e-6)
    spoken = [frame for _, frame in line.sent if frame != SILENCE]
    assert spoken == list(range(10))
    (turn,) = caller.finished
    assert turn.spoken_at == pytest.approx(times[[f for _, f in line.sent].index(7)])
    assert turn.late_ms == pytest.approx(0, abs=1e-6)


@pytest.mark.virtual_time
async def test_a_caller_that_was_held_up_catches_up_and_says_how_late_it_was() -> None:
    caller, line = make()
    running = asyncio.create_task(caller.run(0.0))
    while line.sent[-1:] == [] or line.sent[-1][1] != 6:
        await asyncio.sleep(0.001)
    loop: Any = asyncio.get_running_loop()
    loop._jumping.now_s += 0.07  # the loop was busy for so long
    await until_spoken(line)
    caller.on_audio("resp_1", LOUD)
    caller.on_record(ledger("turn_1", "resp_1"))
    await running
    frames = [frame for _, frame in line.sent if frame != SILENCE]
    assert frames == list(range(10))  # none was dropped
    assert 50 < caller.finished[0].late_ms <= 70
    times = [at for at, _ in line.sent]
    assert times[-1] - times[0] == pytest.approx(0.02 * (len(times) - 1), abs=0.001)


@pytest.mark.virtual_time
async def test_the_answer_counts_from_its_first_audible_sample_and_must_be_played() -> None:
    caller, line = make()
    running = asyncio.create_task(caller.run(0.0))
    await until_spoken(line)
    caller.on_audio("resp_1", QUIET)
    await asyncio.sleep(0.3)
    heard_at = LoopClock().now()
    for _ in range(10):
        caller.on_audio("resp_1", LOUD)  # a second, faster than it plays
    caller.on_record(ledger("turn_1", "resp_1"))
    await asyncio.sleep(0.9)
    assert caller.finished == []  # it is still playing
    await running
    (turn,) = caller.finished
    assert turn.heard_at == pytest.approx(heard_at)
    assert turn.voice_to_voice_ms == pytest.approx(340, abs=21)  # 2 frames after the voiced one
    assert turn.lost is None
    assert len(LOUD) == WIRE.bytes_per_ms * 100


@pytest.mark.virtual_time
async def test_the_ledger_is_joined_by_response_and_other_replies_are_counted() -> None:
    caller, line = make()
    running = asyncio.create_task(caller.run(0.0))
    await until_spoken(line)
    caller.on_audio("resp_1", LOUD)
    caller.on_record(ledger("turn_1", "resp_1", "reopened"))
    await asyncio.sleep(0.2)
    caller.on_audio("resp_2", LOUD)
    caller.on_record(ledger("turn_x", "resp_of_nobody"))
    caller.on_record(ledger("turn_2", "resp_2"))
    await running
    (turn,) = caller.finished
    assert turn.record is not None
    assert turn.record["turn_id"] == "turn_2"
    assert turn.extra == 2


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("audio", "ends", "why"),
    [
        (False, [], "no answer"),
        (False, ["failed"], "no answer; the ledger says failed"),
        (True, [], "an answer, but no ledger record"),
        (True, ["interrupted"], "no answered turn; the ledger says interrupted"),
    ],
)
async def test_a_turn_without_an_answer_is_lost_and_the_next_one_comes(
    audio: bool, ends: list[str], why: str
) -> None:
    seen: list[CallerTurn] = []
    caller, line = make(turns=2, answer_timeout_s=2.0, on_turn=seen.append)
    running = asyncio.create_task(caller.run(0.0))
    await until_spoken(line)
    if audio:
        caller.on_audio("resp_1", LOUD)
    for end in ends:
        caller.on_record(ledger("turn_1", "resp_1", end))
    await until_spoken(line, times=2)
    caller.on_audio("resp_2", LOUD)
    caller.on_record(ledger("turn_2", "resp_2"))
    await running
    assert [turn.lost for turn in caller.finished] == [why, None]
    assert seen == caller.finished


@pytest.mark.virtual_time
async def test_a_dead_line_loses_what_was_to_come_and_ends_the_run() -> None:
    caller, line = make(turns=3)
    running = asyncio.create_task(caller.run(0.0))
    await until_spoken(line)
    caller.on_closed("the connection closed (1011)")
    await asyncio.wait_for(running, 0.1)
    assert [turn.lost for turn in caller.finished] == ["the connection closed (1011)"] * 3
    sent = len(line.sent)
    await asyncio.sleep(0.1)
    assert len(line.sent) == sent
    caller.on_closed("again")
    assert len(caller.finished) == 3
    late, _ = make(turns=2)
    late.on_closed("before it began")
    await late.run(1.0)
    assert len(late.finished) == 2


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("wanted", "is_right"), [("half past", True), ("half pas", False), ("seven", False), ("", None)]
)
async def test_an_answer_is_held_against_the_words_that_were_wanted(
    wanted: str, is_right: bool | None
) -> None:
    caller, line = make()
    caller._questions = [replace(QUESTION, answer=wanted)]
    running = asyncio.create_task(caller.run(0.0))
    await until_spoken(line)
    caller.on_words("resp_0", "It is seven.")  # of a reply that was cut off
    for piece in ("It's ha", "lf", " PAST", ", six."):
        caller.on_words("resp_1", piece)
    caller.on_audio("resp_1", LOUD)
    caller.on_record(ledger("turn_1", "resp_1"))
    await running
    assert caller.finished[0].is_right is is_right
