"""Many emulated calls at once: what their callers wait, and what the server's ledger says of it."""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from voicepipe.audio import pcm
from voicepipe.audio.pcm import FRAME_MS, Int16
from voicepipe.lab.bench.recordings import WIRE, Recording
from voicepipe.lab.bench.usage import usage
from voicepipe.lab.carriers.call import EmulatedCall, ring
from voicepipe.lab.carriers.carriers import carrier
from voicepipe.ledger.percentiles import summarize
from voicepipe.runtime.errors import VoicepipeError

ANSWER_S = 15.0
"""From the end of a question to its answer, and from there to the answer's end."""

QUIET_MS = 700.0
"""An answer is over when nothing was heard for so long: clauses are closer together."""

_PERCENTILES = ("p50", "p99", "max")
FIGURES = (
    *(f"{p}_{name}_ms" for name in ("v2v", "overhead", "ear") for p in _PERCENTILES),
    *("turns", "answered_turns", "lost_turns", "ledger_turns", "problems"),
    *("load_before", "cpu_percent_per_call"),
)
"""Every name that a summary may hold."""


@dataclass(frozen=True, slots=True)
class CallPlan:
    """How many callers say what how often."""

    recordings: Sequence[Recording]
    calls: int
    turns: int  # of each call
    spread_s: float = 6.0  # from the first ring to the last


@dataclass(slots=True)
class CallsHeard:
    """What the callers noticed, ms."""

    ear_ms: list[float] = field(default_factory=list)  # end of speech to first sound
    call_s: float = 0.0  # summed over the calls
    cpu_s: float = 0.0  # of the server meanwhile
    lost: int = 0
    problems: Counter[str] = field(default_factory=Counter)


async def phone_load(
    plan: CallPlan,
    name: str,
    url: str,
    server_pid: int,
    on_turn: Callable[[], None] = lambda: None,
    *,
    key: str | None = None,
) -> CallsHeard:
    """Hold `plan.calls` calls of carrier `name` at `url`; `key`: the server's."""
    heard = CallsHeard()
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    before = usage(server_pid)
    async with asyncio.TaskGroup() as group:
        for number in range(plan.calls):
            delay_s = plan.spread_s * number / plan.calls
            group.create_task(_caller(plan, name, url, number, delay_s, heard, on_turn, headers))
    after = usage(server_pid)
    if before is not None and after is not None:
        heard.cpu_s = after.cpu_s - before.cpu_s
    return heard


async def _caller(
    plan: CallPlan,
    name: str,
    url: str,
    number: int,
    delay_s: float,
    heard: CallsHeard,
    on_turn: Callable[[], None],
    headers: Mapping[str, str],
) -> None:
    pauses = random.Random(number)  # the same in every run
    await asyncio.sleep(delay_s)
    done = 0
    try:
        async with ring(carrier(name), url, headers=headers) as call:
            for turn in range(plan.turns):
                await asyncio.sleep(pauses.uniform(0.2, 0.7))
                question = plan.recordings[(number + turn) % len(plan.recordings)]
                await _ask(call, question, heard)
                done += 1
                on_turn()
            heard.problems.update(call.problems)
            heard.call_s += call.clock.now() - call.heard.began_at
    except VoicepipeError as error:
        heard.problems[str(error)] += 1
    heard.lost += plan.turns - done


async def _ask(call: EmulatedCall, question: Recording, heard: CallsHeard) -> None:
    if call.ended.is_set():  # nobody hears the question: what sounded last is no answer to it
        heard.lost += 1
        return
    samples: Int16 = np.concatenate([pcm.from_bytes(frame) for frame in question.frames])
    sent_at = await call.say(samples, WIRE.rate)
    behind = len(question.frames) - 1 - question.last_voiced  # frames behind the last voiced one
    spoken_at = sent_at - behind * FRAME_MS / 1000
    try:
        sound_at = await call.sound(spoken_at, ANSWER_S)
        await call.silence(sound_at, QUIET_MS, ANSWER_S)
        heard.ear_ms.append((sound_at - spoken_at) * 1000)
    except TimeoutError:
        heard.lost += 1


def summary(
    plan: CallPlan, heard: CallsHeard, ledger: Sequence[Mapping[str, Any]], load_before: float
) -> dict[str, float]:
    """Flat figures, named as in `FIGURES`. `ledger`: the server's turns; `load_before`: the
    machine's load average when the run began."""
    answered = [turn for turn in ledger if turn["voice_to_voice_ms"] is not None]
    columns = {
        "v2v": [turn["voice_to_voice_ms"] for turn in answered],
        "overhead": [t["overhead_ms"] for t in answered if t.get("overhead_ms") is not None],
        "ear": heard.ear_ms,
    }
    flat: dict[str, float] = {
        "turns": plan.calls * plan.turns,
        "answered_turns": len(heard.ear_ms),
        "lost_turns": heard.lost,
        "ledger_turns": len(answered),
        "problems": sum(heard.problems.values()),
        "load_before": round(load_before, 2),
    }
    for name, values in columns.items():
        if values:
            found = summarize(values)
            flat |= {f"{p}_{name}_ms": round(found[p], 3) for p in _PERCENTILES}
    if heard.call_s:
        flat["cpu_percent_per_call"] = round(100 * heard.cpu_s / heard.call_s, 3)
    return flat


def load_average() -> float:
    """Of the last minute."""
    return os.getloadavg()[0]
