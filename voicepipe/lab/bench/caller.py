"""One caller: speaks a recording in real time, listens until the answer has been played, pauses,
speaks again. Knows neither socket nor session; a `Line` carries what it says.

Frames leave by an absolute schedule: a late one is followed at once by those that are due
meanwhile, so nothing drifts. A callback does it, without a task and without a timer of its own,
since the caller must cost little on the machine that it measures.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar

from voicepipe.audio import pcm
from voicepipe.audio.pcm import FRAME_MS
from voicepipe.lab.bench.pacer import Pacer
from voicepipe.lab.bench.recordings import WIRE, Recording, loud
from voicepipe.runtime.clock import Clock

FRAME_S = FRAME_MS / 1000
PAUSE_FRAMES = (10, 35)
"""Silence before a question: 200 to 700 ms, drawn at random."""

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)


class Line(Protocol[T_contra]):
    """Takes frames to the server, at once and without waiting."""

    def send(self, frame: T_contra) -> None: ...

    async def aclose(self) -> None:
        """Hang up."""
        ...


@dataclass(frozen=True, slots=True)
class Question(Generic[T]):
    """A recording, ready to be sent."""

    name: str
    frames: tuple[T, ...]
    last_voiced: int
    answer: str = ""

    @staticmethod
    def of(recording: Recording, encode: Callable[[bytes], T]) -> Question[T]:
        frames = tuple(encode(frame) for frame in recording.frames)
        return Question(recording.name, frames, recording.last_voiced, recording.answer)


@dataclass(slots=True)
class CallerTurn:
    """One question and what came of it. Times: seconds of the caller's clock."""

    caller: int
    number: int
    question: str
    spoken_at: float | None = None  # the frame with the last voiced sample was sent
    late_ms: float = 0.0  # ... so long after it was due
    heard_at: float | None = None  # the answer's first audible sample arrived
    ledger: str | None = None  # the server's, `TurnRecord.as_dict` as JSON: as objects they would
    # be most of what the garbage collector walks in a load test, and be measured
    extra: int = 0  # further replies: cut off, reopened, or to a part of the question
    lost: str | None = None  # why there was no answer
    wanted: str = ""  # words that a right answer has; "": any will do
    said: str = ""  # the answer, as far as the line tells

    @property
    def is_right(self) -> bool | None:
        """The answer has the words that were wanted; None: nobody asked for any."""
        if not self.wanted or self.lost:
            return None
        return f" {_words(self.wanted)} " in f" {_words(self.said)} "

    @property
    def record(self) -> Mapping[str, Any] | None:
        """The server's ledger of this turn."""
        found: Mapping[str, Any] | None = json.loads(self.ledger) if self.ledger else None
        return found

    @property
    def voice_to_voice_ms(self) -> float | None:
        """As the caller heard it."""
        if self.spoken_at is None or self.heard_at is None:
            return None
        return (self.heard_at - self.spoken_at) * 1000


@dataclass(slots=True)
class _Answer:
    """Audio of one response: when it was first audible, until when it plays."""

    heard_at: float | None = None
    until: float = 0.0


@dataclass(slots=True)
class _Exchange:
    """What arrived since the question began."""

    turn: CallerTurn
    answers: dict[str, _Answer] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)  # by response
    done: list[Mapping[str, Any]] = field(default_factory=list)  # ledger records


class Caller(Generic[T]):
    """Holds `turns` exchanges over `line`, which is set before `start`."""

    line: Line[T]

    def __init__(
        self,
        number: int,
        questions: Sequence[Question[T]],
        silence: T,
        clock: Clock,
        *,
        turns: int,
        answer_timeout_s: float,
        on_turn: Callable[[CallerTurn], None] = lambda turn: None,
        pacer: Pacer | None = None,
    ) -> None:
        """`pacer`: the one of all callers."""
        self._number, self._questions, self._silence = number, questions, silence
        self._clock, self._turns = clock, turns
        self._pacer = pacer or Pacer(clock)
        self._answer_timeout_s = answer_timeout_s
        self._on_turn = on_turn
        self._random = random.Random(number)  # the same pauses in every run
        self.finished: list[CallerTurn] = []
        self.problems: list[str] = []
        self.active_s = 0.0  # from its first frame to its last
        self._phase: Literal["pausing", "speaking", "listening"] = "pausing"
        self._left = self._pause()
        self._at = 0  # next frame of the question
        self._exchange: _Exchange | None = None
        self._over = asyncio.Event()
        self._hung_up = False  # as `_over`, without a call for each frame
        self._began = 0.0
        self._sent = 0

    # -- the caller's own life -------------------------------------------------------------------

    async def run(self, delay_s: float) -> None:
        """Begin `delay_s` from now; returns when all turns are over, each by its own deadline."""
        self._began = self._clock.now() + delay_s
        self._pacer.call_at(self._began, self._tick)
        try:
            await self._over.wait()
        finally:
            self._hung_up = True  # whoever stops waiting for it has it hang up
        self.active_s = max(0.0, self._clock.now() - self._began)

    def _tick(self) -> float | None:
        """Send the frames that are due; returns when the next one is."""
        now = self._clock.now()
        due = self._began + self._sent * FRAME_S
        while due <= now and not self._hung_up:
            self.line.send(self._next_frame(now, due))
            self._sent += 1
            due = self._began + self._sent * FRAME_S
        return None if self._hung_up else due

    def _next_frame(self, now: float, due: float) -> T:
        if self._phase == "speaking":
            return self._speak(now, due)
        if self._phase == "listening":
            self._listen(now)
        else:
            self._left -= 1
            if self._left <= 0:
                self._begin_question()
        return self._silence

    def _begin_question(self) -> None:
        number = len(self.finished)
        self._question = self._questions[(self._number + number) % len(self._questions)]
        question = self._question
        turn = CallerTurn(self._number, number, question.name, wanted=question.answer)
        self._exchange = _Exchange(turn)
        self._phase, self._at = "speaking", 0

    def _speak(self, now: float, due: float) -> T:
        assert self._exchange is not None
        frame = self._question.frames[self._at]
        if self._at == self._question.last_voiced:
            turn = self._exchange.turn
            turn.spoken_at, turn.late_ms = now, (now - due) * 1000
        self._at += 1
        if self._at == len(self._question.frames):
            self._phase = "listening"
        return frame

    def _listen(self, now: float) -> None:
        exchange = self._exchange
        assert exchange is not None
        assert exchange.turn.spoken_at is not None
        if self._answered(exchange, now):
            self._finish(exchange.turn)
        elif now - exchange.turn.spoken_at > self._answer_timeout_s:
            exchange.turn.lost = _why_lost(exchange)
            self._finish(exchange.turn)

    def _answered(self, exchange: _Exchange, now: float) -> bool:
        """The ledger has an answered turn whose audio has been played here."""
        for record in exchange.done:
            response_id = record.get("response_id") or next(reversed(exchange.answers), "")
            answer = exchange.answers.get(response_id)
            if record["end"] != "completed" or answer is None or answer.heard_at is None:
                continue
            exchange.turn.heard_at, exchange.turn.ledger = answer.heard_at, json.dumps(record)
            exchange.turn.said = exchange.said.get(response_id, "")
            return now >= answer.until
        return False

    def _finish(self, turn: CallerTurn) -> None:
        assert self._exchange is not None
        turn.extra = len(self._exchange.done) - (turn.ledger is not None)
        self._exchange = None
        self.finished.append(turn)
        self._on_turn(turn)
        self._phase, self._left = "pausing", self._pause()
        if len(self.finished) == self._turns:
            self._hang_up()

    def _hang_up(self) -> None:
        self._hung_up = True
        self._over.set()

    def _pause(self) -> int:
        return self._random.randint(*PAUSE_FRAMES)

    # -- what arrives -----------------------------------------------------------------------------

    def on_audio(self, response_id: str, audio: bytes) -> None:
        """Answer audio in `WIRE`."""
        if self._exchange is None:
            return
        now = self._clock.now()
        answer = self._exchange.answers.setdefault(response_id, _Answer())
        if answer.heard_at is None and loud(pcm.from_bytes(audio)):
            answer.heard_at = now
        answer.until = max(answer.until, now) + WIRE.ms(len(audio)) / 1000

    def on_words(self, response_id: str, words: str) -> None:
        """A piece of what an answer says."""
        if self._exchange is not None:
            said = self._exchange.said
            said[response_id] = said.get(response_id, "") + words

    def on_record(self, record: Mapping[str, Any]) -> None:
        """The server's ledger of a turn."""
        if self._exchange is not None:
            self._exchange.done.append(record)

    def on_problem(self, message: str) -> None:
        """The server says that something went wrong; the conversation goes on."""
        self.problems.append(message)

    def on_closed(self, reason: str) -> None:
        """The line is dead: what was still to come is lost."""
        if self._hung_up:
            return
        self.problems.append(reason)
        if self._exchange is not None:
            self._exchange.turn.lost = reason
            self._finish(self._exchange.turn)
        while len(self.finished) < self._turns:
            turn = CallerTurn(self._number, len(self.finished), "", lost=reason)
            self.finished.append(turn)
            self._on_turn(turn)
        self._hang_up()


def _words(text: str) -> str:
    """In small letters, one space between, nothing else."""
    return " ".join(re.findall(r"\w+", text.lower()))


def _why_lost(exchange: _Exchange) -> str:
    ends = [str(record["end"]) for record in exchange.done]
    if not exchange.answers:
        return f"no answer; the ledger says {', '.join(ends)}" if ends else "no answer"
    if not ends:
        return "an answer, but no ledger record"
    return f"no answered turn; the ledger says {', '.join(ends)}"
