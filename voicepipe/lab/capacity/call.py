"""One simulated call: speaks, waits, listens, speaks again. The turn is the ledger's, as in
`voicepipe/fit`; here the engines are pools. Pure.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from voicepipe.fit.turn import Turn
from voicepipe.lab.capacity.events import Timeline
from voicepipe.lab.capacity.plan import Plan
from voicepipe.lab.capacity.pool import NOWHERE, SimulatedPool, Work
from voicepipe.runtime.sampling import DelaySampler

LONGEST_HISTORY = 30
"""Turns; what is older is not in the prompt."""


@dataclass(frozen=True, slots=True)
class Times:
    """Draws what the engines take, in ms."""

    decode: DelaySampler
    first_token: DelaySampler
    token: DelaySampler
    first_audio: DelaySampler

    @staticmethod
    def of(plan: Plan) -> Times:
        return Times(
            DelaySampler(plan.asr.decode, 0, "asr"),
            DelaySampler(plan.llm.first_token, 0, "llm"),
            DelaySampler(plan.llm.token, 0),
            DelaySampler(plan.tts.first_audio, 0, "tts"),
        )


@dataclass(slots=True)
class World:
    """What all calls share."""

    plan: Plan
    timeline: Timeline
    asr: SimulatedPool
    llm: SimulatedPool
    tts: SimulatedPool
    llm_replicas: int
    times: Times
    added_ms: Callable[[random.Random], float]  # by the gateway, to a turn
    measured: Callable[[Measured], None]


@dataclass(frozen=True, slots=True)
class Measured:
    """One turn. `queued`: ms that its works waited for a slot, by pool."""

    ended: float  # when it was heard
    turn: Turn
    added: float
    queued: dict[str, float]

    @property
    def voice_to_voice(self) -> float:
        return self.turn.voice_to_voice + self.added


@dataclass(slots=True, eq=False)
class _Reply:
    """One attempt to answer: prepared at an eager end, perhaps thrown away."""

    begun: list[tuple[SimulatedPool, Work]] = field(default_factory=list)
    queued: dict[str, float] = field(default_factory=dict)
    turn: Turn | None = None  # None: it will be thrown away


class SimulatedCall:
    """`start` it; it goes on until `hangs_up`, ms of simulated time."""

    def __init__(self, world: World, chance: random.Random, hangs_up: float) -> None:
        self._world, self._chance, self._hangs_up = world, chance, hangs_up
        self._turns = 0
        self._home = NOWHERE

    def start(self, wait_ms: float, turns_before: int = 0) -> None:
        """It speaks after that long; its history has so many turns."""
        self._turns = turns_before
        self._home = self._chance.randrange(self._world.llm_replicas)  # as a hash would have it
        self._world.timeline.after(wait_ms, self._speak)

    # -- the caller ------------------------------------------------------------------------------

    def _speak(self) -> None:
        world, talk, chance = self._world, self._world.plan.talk, self._chance
        now = world.timeline.now
        if now >= self._hangs_up:
            return
        length = chance.uniform(*talk.speech_ms)
        goes_on = chance.random() < talk.goes_on
        paused = chance.uniform(0.3, 0.8) * length
        pause = chance.uniform(talk.eager_end_ms + talk.vad_ms, talk.endpoint_ms[0])
        finished = chance.random() < talk.finished
        if goes_on and talk.preemptive:
            begins = now + paused + talk.eager_end_ms + talk.vad_ms
            world.timeline.at(begins, lambda: self._prepare_in_vain(now + paused + pause))
        end = now + length + pause * goes_on
        self._partials(now, end)
        wait = talk.endpoint_ms[0 if finished else 1] + talk.vad_ms
        turn = Turn(end, end + wait)
        eager = end + talk.eager_end_ms + talk.vad_ms
        begins = eager if talk.preemptive else turn.endpoint
        world.timeline.at(begins, lambda: self._answer(_Reply(turn=turn)))

    def _partials(self, begin: float, end: float) -> None:
        pool = self._world.plan.asr
        if not pool.partial_ms:
            return
        at = begin + pool.partial_ms
        while at < end:
            ms = self._world.times.decode.next_s(self._chance) * 1000 * pool.partial
            work = Work(lambda _replica, ms=ms: (ms, ms), lambda: None, urgent=False)  # type: ignore[misc]
            self._world.timeline.at(at, lambda work=work: self._world.asr.submit(work))  # type: ignore[misc]
            at += pool.partial_ms

    def _prepare_in_vain(self, until: float) -> None:
        reply = _Reply()
        self._answer(reply)
        self._world.timeline.at(until, lambda: self._throw_away(reply))

    def _throw_away(self, reply: _Reply) -> None:
        for pool, work in reply.begun:
            pool.cancel(work)
        reply.begun.clear()

    # -- the answer ------------------------------------------------------------------------------

    def _answer(self, reply: _Reply) -> None:
        ms = self._world.times.decode.next_s(self._chance) * 1000
        work = Work(lambda _replica: (ms, ms), lambda: self._heard(reply, work))
        self._submit(reply, self._world.asr, work)

    def _heard(self, reply: _Reply, decode: Work) -> None:
        world, times, talk, chance = (
            *(self._world, self._world.times, self._world.plan.talk),
            self._chance,
        )
        now = world.timeline.now
        reply.queued["asr"] = decode.waited
        if reply.turn is not None:
            reply.turn.asr = now
        first = times.first_token.next_s(chance) * 1000
        clause = self._tokens_ms(talk.clause_tokens)
        rest = self._tokens_ms(talk.answer_tokens - talk.clause_tokens)
        home, history = self._home, min(self._turns, LONGEST_HISTORY)
        missing = history * world.plan.llm.history_tokens * world.plan.llm.prefill_ms

        def ms(replica: int) -> tuple[float, float]:
            computed = first + (0.0 if home in (NOWHERE, replica) else missing)
            return computed + clause, computed + clause + rest

        patience = missing * world.plan.llm.patience
        work = Work(ms, lambda: self._clause(reply, work, clause), home, patience)
        self._submit(reply, world.llm, work)

    def _tokens_ms(self, count: int) -> float:
        """Of `count` tokens: their chances even out."""
        mean = self._world.plan.llm.token.mean_ms
        one = self._world.times.token.next_s(self._chance) * 1000
        return max(0.0, count * mean + math.sqrt(max(count, 0)) * (one - mean))

    def _clause(self, reply: _Reply, generation: Work, clause_ms: float) -> None:
        world, talk, now = self._world, self._world.plan.talk, self._world.timeline.now
        reply.queued["llm"] = generation.waited
        self._home = generation.replica
        if reply.turn is not None:
            reply.turn.first_token = max(reply.turn.asr, now - clause_ms)
            reply.turn.clause = now
        first = world.times.first_audio.next_s(self._chance) * 1000
        ms = (first, first + talk.first_clause_s * world.plan.tts.ms_per_s)
        work = Work(lambda _replica: ms, lambda: self._audible(reply, work, ms[1] - first))
        self._submit(reply, world.tts, work)

    def _audible(self, reply: _Reply, speech: Work, rest_ms: float) -> None:
        """The first clause begins; the second is made when it is done, `rest_ms` from now."""
        world, talk, turn = self._world, self._world.plan.talk, reply.turn
        reply.queued["tts"] = speech.waited
        if turn is None:
            return
        turn.ready = world.timeline.now + talk.output_ms
        added = world.added_ms(self._chance)
        heard = max(turn.ready, turn.endpoint) + added
        world.measured(Measured(heard, turn, added, reply.queued))
        self._turns += 1
        world.timeline.after(rest_ms, lambda: self._speak_the_rest(reply))
        until = heard + talk.answer_s * 1000 + talk.pause_ms
        world.timeline.at(max(until, world.timeline.now), self._speak)

    def _speak_the_rest(self, reply: _Reply) -> None:
        talk, world = self._world.plan.talk, self._world
        seconds = talk.answer_s - talk.first_clause_s
        if seconds <= 0:
            return
        first = world.times.first_audio.next_s(self._chance) * 1000
        ms = first + seconds * world.plan.tts.ms_per_s
        self._submit(reply, world.tts, Work(lambda _replica: (ms, ms), lambda: None))

    def _submit(self, reply: _Reply, pool: SimulatedPool, work: Work) -> None:
        hop = self._world.plan.hop_ms
        if hop:  # there and back, both before its result is of use
            inner = work.ms
            work.ms = lambda replica: _later(inner(replica), hop)
        reply.begun.append((pool, work))
        pool.submit(work)


def _later(ms: tuple[float, float], hop: float) -> tuple[float, float]:
    return ms[0] + hop, ms[1] + hop
