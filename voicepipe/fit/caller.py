"""One simulated caller, and what the server does for them. Pure.

While they speak the words that are sure are put into the language model's cache. At the eager end
the final decode, unless a partial has heard all; then the prepared reply: the rest of the prompt,
the first clause, its sound, unless it was said before. They wait for that or for the endpoint,
whichever comes later.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from voicepipe.audio.pcm import FRAME_MS
from voicepipe.dialog.core import WARM_EVERY_WORDS
from voicepipe.fit.machine import Job, Machine
from voicepipe.fit.speeds import Setup, Speeds
from voicepipe.fit.talk import Exchange, Talk, steps_to, tokens
from voicepipe.fit.turn import Turn

ROUNDING_MS = 1e-6  # of sums of times


@dataclass(slots=True)
class World:
    """What the callers share; `said`: clauses whose sound is kept."""

    machine: Machine
    setup: Setup
    speeds: Speeds
    talk: Talk
    chance: random.Random
    said: set[str] = field(default_factory=set)

    def about(self, work_ms: float) -> float:
        """What an engine takes for it this time."""
        return work_ms * self.chance.lognormvariate(0.0, self.talk.spread)


@dataclass(slots=True, eq=False)
class _Partial:
    """A decode of what was said until `until`."""

    until: float
    job: Job


@dataclass(slots=True, eq=False)
class Caller:
    """Asks, hears the answer and asks again. `at`: the exchange that comes next."""

    world: World
    at: int
    turns_left: int
    speaks_at: float
    began: float = 0.0
    turn: Turn | None = None
    done: list[Turn] = field(default_factory=list)
    _asked_at: float = -math.inf  # the newest partial was asked for
    _partial: _Partial | None = None  # one that waits or runs
    _decoded_until: float = -math.inf
    _eager: bool = False  # the eager end is past
    _heard: bool = False  # the whole text is known
    _stable: int = 0  # words
    _shown: int = 0  # words of the newest partial
    _warm_asked: int = 0  # words that are to be in the language model's cache, ...
    _warming: int = 0  # ... that it has begun with, ...
    _warm: int = 0  # ... that are in it

    @property
    def busy(self) -> bool:
        """Has a turn under way or to come."""
        return bool(self.turns_left or self.turn)

    @property
    def _exchange(self) -> Exchange:
        exchanges = self.world.talk.exchanges
        return exchanges[self.at % len(exchanges)]

    def waits_since(self, now: float) -> float:
        """Ms for which the caller has been waiting for this turn's answer."""
        return now - self.turn.end if self.turn else 0.0

    def due(self, now: float) -> float:
        """When something falls due by itself, at the earliest."""
        if self.turn is None:
            return max(self.speaks_at, now) if self.turns_left else math.inf
        return min(self._partial_due(), self._frame_due(now), self._answered_at(now))

    def _frame_due(self, now: float) -> float:
        """The next frame of silence that may be the eager end or the endpoint."""
        assert self.turn is not None
        if self.turn.endpoint < math.inf:
            return math.inf
        least = 0 if self._eager else math.ceil(self.world.talk.turns.eager_end_ms / FRAME_MS)
        frames = max(least, (now - self.turn.end + ROUNDING_MS) // FRAME_MS + 1)
        return self.turn.end + frames * FRAME_MS

    def _answered_at(self, now: float) -> float:
        assert self.turn is not None
        return max(self.turn.endpoint, self.turn.ready, now)

    def tick(self, now: float) -> None:
        """What falls due at `now`."""
        if self.turn is None:
            if self.turns_left and now >= self.speaks_at:
                self._begin(now)
            return
        if now >= self._partial_due():
            self._ask_partial(now)
        self._warm_up()
        silence = (now - self.turn.end + ROUNDING_MS) // FRAME_MS * FRAME_MS
        if not self._eager and silence >= self.world.talk.turns.eager_end_ms:
            self._eager = True
            self._decode_whole(now)
        if self._eager and self.turn.endpoint == math.inf and silence >= self._wait_ms():
            self.turn.endpoint = now
        if max(self.turn.endpoint, self.turn.ready) <= now:
            self._finish()

    # -- hearing -----------------------------------------------------------------------------------

    def _begin(self, now: float) -> None:
        self.turns_left -= 1
        self.began = now
        self.turn = Turn(now + self._exchange.speech_ms)
        self._asked_at = self._decoded_until = -math.inf
        self._partial = None
        self._eager = self._heard = False
        self._stable = self._shown = self._warm_asked = self._warming = self._warm = 0

    def _words(self, until: float) -> int:
        """Of the question, said by then."""
        count, length = len(self._exchange.question.split()), self._exchange.speech_ms
        return min(count, int(count * (until - self.began) / length))

    def _partial_due(self) -> float:
        """The next one hears new speech, and none runs."""
        every, turn = self.world.setup.partial_ms, self.turn
        running = self._partial is not None and self._partial.job.begun
        if not every or running or self._eager or turn is None or self._asked_at >= turn.end:
            return math.inf
        return max(self.began + self.world.talk.first_partial_ms, self._asked_at + every)

    def _ask_partial(self, now: float) -> None:
        self._asked_at = now
        if self._partial is not None:  # it waits still: the newer one takes its place
            self._partial.until = now
            self._partial.job.left_ms = self._decode_ms(self._words(now))
            return
        job = self._decode(self._words(now), self._partial_done, urgent=False)
        self._partial = _Partial(now, job)

    def _partial_done(self, now: float) -> None:
        assert self._partial is not None
        self._decoded_until, self._partial = self._partial.until, None
        self._stable, self._shown = self._shown, self._words(self._decoded_until)
        if self._eager:
            self._hear_all(now)
        elif self._stable - self._warm_asked >= WARM_EVERY_WORDS:
            self._warm_asked = self._stable

    def _warm_up(self) -> None:
        """When words are sure, and while nobody is being answered."""
        words, answers = self._warm_asked, self.world.machine.llm_jobs
        if self._heard or words == self._warming or any(job.urgent for job in answers):
            return
        self._warming = words
        work = self.world.talk.warm_tokens(self._exchange.question, self._warm, words)
        turn = self.turn

        def warmed(_now: float) -> None:
            if self.turn is turn:
                self._warm = words

        work_ms = self.world.about(self.world.setup.llm.prompt_ms(work))
        answers.append(Job(work_ms, warmed, urgent=False))

    def _decode_whole(self, now: float) -> None:
        """Nothing is decoded twice."""
        assert self.turn is not None
        if self._partial is not None:
            if self._partial.job.begun and self._partial.until >= self.turn.end:
                return
            if not self._partial.job.begun:
                self.world.machine.asr_jobs.remove(self._partial.job)
            self._partial = None
        if self._decoded_until >= self.turn.end:
            self._hear_all(now)
        else:
            self._decode(len(self._exchange.question.split()), self._hear_all, urgent=True)

    def _decode(self, words: int, then: Callable[[float], None], *, urgent: bool) -> Job:
        turn = self.turn
        job = Job(self._decode_ms(words), lambda now: None, urgent)

        def decoded(now: float) -> None:
            mine = urgent or (self._partial is not None and self._partial.job is job)
            if self.turn is turn and mine:
                then(now)

        job.then = decoded
        self.world.machine.asr_jobs.append(job)
        return job

    def _decode_ms(self, words: int) -> float:
        return self.world.about(self.world.setup.asr.ms_of(words))

    def _wait_ms(self) -> float:
        question = self._exchange.question
        heard = question if self._heard else " ".join(question.split()[: self._shown])
        return self.world.talk.wait_ms(heard)

    # -- answering ---------------------------------------------------------------------------------

    def _hear_all(self, now: float) -> None:
        assert self.turn is not None
        self._heard = True
        self.turn.asr = now
        work = self.world.talk.new_tokens(self._exchange.question, self._warm)
        self._think(self.world.setup.llm.prompt_ms(work), self._first_token)

    def _first_token(self, now: float) -> None:
        assert self.turn is not None
        self.turn.first_token = now
        answer, over = self._exchange.answer, self.turn.endpoint <= now
        clause = self.world.talk.first_clause(answer, now - self.turn.end, over)
        steps = steps_to(clause)
        step_ms = self.world.setup.llm.step_ms
        rest = max(tokens(answer) - steps, 0)

        def whole(now: float) -> None:
            self._clause(now, clause)
            self._say(rest * step_ms, lambda _now: None)

        self._say(steps * step_ms, whole)

    def _clause(self, now: float, clause: str) -> None:
        turn, tts, said = self.turn, self.world.speeds.tts, self.world.said
        assert turn is not None
        turn.clause = now
        left_ms = tts.ms_of(self._exchange.answer.removeprefix(clause))
        if clause in said:
            self._audible(now, left_ms)
            return
        said.add(clause)
        left_ms += max(0.0, tts.ms_of(clause) - tts.first_ms)
        self._speak(tts.first_ms, lambda now: self._audible(now, left_ms))

    def _audible(self, now: float, left_ms: float) -> None:
        """The rest is made while it is heard, or was said before."""
        assert self.turn is not None
        self.turn.ready = now + self.world.talk.output_ms
        rest = self._exchange.answer
        if rest not in self.world.said:
            self.world.said.add(rest)
            self._speak(left_ms, lambda _now: None)

    def _finish(self) -> None:
        assert self.turn is not None
        heard = self.turn.end + self.turn.voice_to_voice
        heard_s = self.world.speeds.tts.seconds_of(self._exchange.answer)
        self.speaks_at = heard + heard_s * 1000 + self.world.talk.pause_ms
        self.done.append(self.turn)
        self.turn = None
        self.at += 1

    def _say(self, work_ms: float, then: Callable[[float], None]) -> None:
        self.world.machine.llm_jobs.append(Job(self.world.about(work_ms), then, steps=True))

    def _think(self, work_ms: float, then: Callable[[float], None]) -> None:
        self.world.machine.llm_jobs.append(Job(self.world.about(work_ms), then))

    def _speak(self, work_ms: float, then: Callable[[float], None]) -> None:
        self.world.machine.tts_jobs.append(Job(self.world.about(work_ms), then))
