"""What callers will wait for, by the ledger's own model of a turn. Pure, and the same every time.

As in the server: partial decodes while the caller speaks; at the eager end the final decode, then
the prepared reply; the caller waits until the endpoint or until the first sound, whichever comes
later. What the prepared reply takes within that wait costs nothing.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import quantiles

from voicepipe.fit.machine import Job, Machine
from voicepipe.fit.speeds import AsrSpeed, LlmSpeed, Speeds
from voicepipe.fit.turn import PARTS, Talk, Turn

STEP_MS = 4.0
TURNS = 4  # of each caller; more with few callers, so that a percentile means something
LEAST_TURNS = 60
HOPELESS_MS = 4000.0
"""A caller who has waited so long shows that the machine falls ever further behind."""


@dataclass(frozen=True, slots=True)
class Setup:
    """One way to set a server up."""

    asr: AsrSpeed
    llm: LlmSpeed
    partial_ms: int


@dataclass(frozen=True, slots=True)
class Prediction:
    """Voice to voice, ms; `parts`: the median turn's, by the ledger's segments."""

    callers: int
    p50_ms: float
    p95_ms: float
    parts: dict[str, float]


@dataclass(slots=True)
class _Caller:
    """One who asks, hears the answer and asks again."""

    machine: Machine
    setup: Setup
    speeds: Speeds
    talk: Talk
    chance: random.Random
    turns_left: int
    speaks_until: float = -1.0
    next_partial: float = 0.0
    eager_at: float | None = None
    speaks_at: float = 0.0
    decoding: bool = False
    turn: Turn | None = None
    done: list[Turn] = field(default_factory=list)

    @property
    def busy(self) -> bool:
        """Has a turn under way or to come."""
        return bool(self.turns_left or self.turn or self.eager_at is not None)

    def due(self, now: float) -> float:
        """When something falls due by itself, at the earliest."""
        if self.eager_at is not None:
            speaks = self.next_partial <= self.speaks_until
            return min(self.eager_at, self.next_partial if speaks else self.eager_at)
        idle = self.turn is None and self.turns_left
        return max(self.speaks_at, now) if idle else math.inf

    def waits_since(self, now: float) -> float:
        """Ms for which the caller has been waiting for this turn's answer."""
        return now - self.turn.end if self.turn else 0.0

    def tick(self, now: float) -> None:
        """What falls due at `now`."""
        if self.turn is None and self.eager_at is None and now >= self.speaks_at:
            self._begin(now)
        if self.speaks_until >= now >= self.next_partial:
            self.next_partial += max(self.setup.partial_ms, STEP_MS)
            if self.setup.partial_ms and not self.decoding:
                self._decode(urgent=False)
        if self.eager_at is not None and now >= self.eager_at:
            self.eager_at = None
            self._reply()

    def _begin(self, now: float) -> None:
        if not self.turns_left:
            return
        self.turns_left -= 1
        self.speaks_until = now + self.chance.uniform(*self.talk.speech_ms)
        self.next_partial = now + self.setup.partial_ms
        self.eager_at = self.speaks_until + self.talk.eager_end_ms + self.talk.vad_ms

    def _decode(self, *, urgent: bool) -> None:
        self.decoding = not urgent
        then = self._decoded if urgent else self._partial_done
        self.machine.asr_jobs.append(Job(self._about(self.setup.asr.decode_ms), then, urgent))

    def _partial_done(self, _now: float) -> None:
        self.decoding = False

    def _reply(self) -> None:
        finished = self.chance.random() < self.talk.finished
        wait = self.talk.endpoint_ms[0 if finished else 1] + self.talk.vad_ms
        self.turn = Turn(self.speaks_until, self.speaks_until + wait)
        self._decode(urgent=True)

    def _decoded(self, now: float) -> None:
        llm, talk = self.setup.llm, self.talk
        assert self.turn is not None
        self.turn.asr = now
        work = llm.request_ms + talk.new_tokens * llm.prefill_ms
        self._think(work, self._first_token)

    def _first_token(self, now: float) -> None:
        assert self.turn is not None
        self.turn.first_token = now
        self._think(self.talk.clause_tokens * self.setup.llm.step_ms, self._clause)

    def _clause(self, now: float) -> None:
        assert self.turn is not None
        self.turn.clause = now
        self._speak(self.speeds.tts.first_ms, self._audible)
        rest = self.talk.answer_tokens - self.talk.clause_tokens
        self._think(rest * self.setup.llm.step_ms, lambda _now: None)

    def _audible(self, now: float) -> None:
        turn, talk = self.turn, self.talk
        assert turn is not None
        turn.ready = now + talk.output_ms
        rest = talk.answer_s * self.speeds.tts.ms_per_s - self.speeds.tts.first_ms
        self._speak(max(rest, 0.0), lambda _now: None)
        self.speaks_at = max(turn.ready, turn.endpoint) + talk.answer_s * 1000 + talk.pause_ms
        self.done.append(turn)
        self.turn = None

    def _think(self, work_ms: float, then: object) -> None:
        self.machine.llm_jobs.append(Job(self._about(work_ms), then))  # type: ignore[arg-type]

    def _speak(self, work_ms: float, then: object) -> None:
        self.machine.tts_jobs.append(Job(self._about(work_ms), then))  # type: ignore[arg-type]

    def _about(self, work_ms: float) -> float:
        return work_ms * self.chance.lognormvariate(0.0, self.talk.spread)


def predict(speeds: Speeds, setup: Setup, callers: int, talk: Talk | None = None) -> Prediction:
    """What `callers` at once wait for on a machine of these speeds."""
    talk = talk or Talk()
    chance = random.Random(callers)
    machine = Machine(speeds.cores, setup.asr, setup.llm)
    turns = max(TURNS, -(-LEAST_TURNS // callers))
    make = partial(_Caller, machine, setup, speeds, talk, chance, turns)
    people = [make(speaks_at=chance.uniform(0, 8000)) for _ in range(callers)]
    now = 0.0
    while any(one.busy for one in people):
        for one in people:
            one.tick(now)
        if machine.idle:
            now = max(now + STEP_MS, min(one.due(now) for one in people))
            continue
        machine.advance(now, STEP_MS)
        now += STEP_MS
        if any(one.waits_since(now) > HOPELESS_MS for one in people):
            return Prediction(callers, HOPELESS_MS, HOPELESS_MS, dict.fromkeys(PARTS, 0.0))
    return _summed(callers, [turn for one in people for turn in one.done])


def _summed(callers: int, turns: Sequence[Turn]) -> Prediction:
    waits = sorted(turn.voice_to_voice for turn in turns)
    cuts = quantiles(waits, n=100, method="inclusive")
    median = min(turns, key=lambda turn: abs(turn.voice_to_voice - cuts[49]))
    return Prediction(callers, cuts[49], cuts[94], median.parts())
