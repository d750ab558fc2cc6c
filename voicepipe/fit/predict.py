"""What callers will wait for: their turns are played on a simulated machine (`caller.py`,
`machine.py`), the ledger adds up. Pure, and the same every time.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import quantiles

from voicepipe.fit.caller import Caller, World
from voicepipe.fit.machine import Machine
from voicepipe.fit.speeds import Setup, Speeds
from voicepipe.fit.talk import Talk
from voicepipe.fit.turn import PARTS, Turn

LEAST_TURNS = 60  # so that a percentile means something
LEAST_OF_EACH = 4
HOPELESS_MS = 4000.0
"""A caller who has waited so long shows that the machine falls ever further behind."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """Voice to voice, ms; `parts`: the median turn's, by the ledger's segments."""

    callers: int
    p50_ms: float
    p95_ms: float
    parts: dict[str, float]


def predict(
    speeds: Speeds,
    setup: Setup,
    callers: int,
    talk: Talk | None = None,
    turns: int | None = None,
    caller: type[Caller] = Caller,
) -> Prediction:
    """What `callers` at once wait for on a machine of these speeds, in calls of so many `turns`
    (None: each exchange once, fewer of many callers). As many such runs as a percentile needs, each
    begun anew. `caller`: what the server does for one.
    """
    talk = talk or Talk()
    turns = turns or min(len(talk.exchanges), max(LEAST_OF_EACH, LEAST_TURNS // callers))
    chance = random.Random(callers)
    done: list[Turn] = []
    while len(done) < LEAST_TURNS:
        machine = Machine(speeds.cores, setup.asr, setup.llm)
        world = World(machine, setup, speeds, talk, chance)
        people = [caller(world, one, turns, chance.uniform(0, 8000)) for one in range(callers)]
        found = _run(machine, people)
        if found is None:
            return Prediction(callers, HOPELESS_MS, HOPELESS_MS, dict.fromkeys(PARTS, 0.0))
        done += found
    return _summed(callers, done)


def _run(machine: Machine, people: Sequence[Caller]) -> list[Turn] | None:
    """None: somebody waited for ever."""
    now = 0.0
    while any(one.busy for one in people):
        for one in people:
            one.tick(now)
        step = min(min(one.due(now) for one in people) - now, machine.next_end())
        if step == math.inf:
            break
        machine.advance(now, step)
        now += step
        if any(one.waits_since(now) > HOPELESS_MS for one in people):
            return None
    return [turn for one in people for turn in one.done]


def _summed(callers: int, turns: Sequence[Turn]) -> Prediction:
    waits = sorted(turn.voice_to_voice for turn in turns)
    cuts = quantiles(waits, n=100, method="inclusive")
    median = min(turns, key=lambda turn: abs(turn.voice_to_voice - cuts[49]))
    return Prediction(callers, cuts[49], cuts[94], median.parts())
