"""Replays recorded turns: the user's side goes through the real turn machine under the changed
options, and the engines' times are laid behind its decisions as the session lays them. Pure.

The user is taken to behave as recorded: the same words with the same pauses, whatever the agent
does. So a prediction holds as long as a change does not alter how people speak.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from voicepipe.audio.pcm import FRAME_MS
from voicepipe.dialog import effects as tc
from voicepipe.dialog.completeness import Verdict
from voicepipe.dialog.machine import State, TurnMachine
from voicepipe.lab.whatif.changes import Changes
from voicepipe.lab.whatif.engines import EngineTimes, StageTimes, typical_stages
from voicepipe.lab.whatif.layout import TimeLine, lay_out
from voicepipe.lab.whatif.preemption import Preparation
from voicepipe.lab.whatif.recorded import RecordedTurn, Recording, Stretch
from voicepipe.lab.whatif.texts import Texts
from voicepipe.ledger.records import SegmentName

SETTLED_MS = 120_000
"""After the last word a stretch is over by then at the latest."""


@dataclass(slots=True)
class PredictedTurn:
    """One endpoint and what came of it. Microseconds after the end of speech."""

    turn_id: str  # of the recorded turn whose words it ends
    wait_us: int  # silence before the endpoint
    budget: Mapping[str, int]
    critical: Mapping[SegmentName, int] | None  # None: nothing was heard of its answer
    cut_off: bool = False  # the user went on: they had not finished

    @property
    def voice_to_voice_us(self) -> int | None:
        return None if self.critical is None else sum(self.critical.values())


@dataclass(slots=True)
class Prediction:
    """Of a whole recording."""

    turns: list[PredictedTurn] = field(default_factory=list)
    discards: int = 0
    wasted_us: int = 0  # engine time of discarded replies, up to their first sound
    unnoticed: int = 0  # recorded turns in whose place there would have been none


def predict(recording: Recording, changes: Changes) -> Prediction:
    """Every session's turns in order, one machine for each session as in life: its endpointing
    policy may learn."""
    found = Prediction()
    typical = typical_stages(recording.turns)
    for session in recording.sessions:
        machine: TurnMachine | None = None
        for stretch in session:
            options = changes.turn_options(stretch[0].trace.options)
            if machine is None:
                machine = TurnMachine(options, _ByName())
            machine.options = options
            _Replay(machine, stretch, typical, changes, found).run()
    return found


class _ByName:
    """Completeness of a "text" that is the name of its own verdict."""

    def judge(self, text: str) -> Verdict:
        """`unknown` before anything was heard, as the rules have it."""
        return Verdict(text) if text else Verdict.UNKNOWN


@dataclass(slots=True)
class _Answer:
    """A committed reply. Stream times in ms; those of a reply without sound are infinite."""

    turn: PredictedTurn
    audible_ms: float
    finished_ms: float
    audible: bool = False


class _Replay:
    """One stretch of turns. Time is that of the machine; the audio between stretches, in which
    the agent was heard to its end, is left out."""

    def __init__(
        self,
        machine: TurnMachine,
        stretch: Stretch,
        typical: StageTimes,
        changes: Changes,
        found: Prediction,
    ) -> None:
        self._machine = machine
        self._stretch = stretch
        self._changes = changes
        self._found = found
        machine.reply_finished()
        machine.reset()
        start_ms = stretch[0].trace.start_ms - machine.now_ms
        self._offsets = [turn.trace.start_ms - start_ms for turn in stretch]
        self._speech = list(_speech(stretch, self._offsets))
        self._engines = EngineTimes(stretch, self._offsets, typical, changes)
        self._texts = Texts(stretch, self._offsets)
        self._open: Preparation | None = None  # the user's turn under way
        self._answer: _Answer | None = None  # what the agent says, or is about to
        self._ended: PredictedTurn | None = None  # the newest endpoint
        self._judged = {
            judged.after_ms + offset: judged
            for turn, offset in zip(stretch, self._offsets, strict=True)
            for judged in turn.trace.judged
        }
        self._judgement: tuple[int, int, float] | None = None  # due, speech end, probability
        self._partials = self._texts.partials()
        self._partial = next(self._partials, None)

    def run(self) -> None:
        """Add what happens to the prediction."""
        before = len(self._found.turns)
        frames = _frames(self._speech, self._machine.now_ms)
        while not self._settled():
            self._catch_up()
            self._obey(self._machine.frame(1.0 if next(frames, False) else 0.0))
            self._end_as_recorded()
        here = len(self._found.turns) - before
        self._found.unnoticed += here == 0

    def _settled(self) -> bool:
        now_ms, last_ms = self._machine.now_ms, self._speech[-1][1]
        if now_ms <= last_ms:
            return False
        waits = self._answer is not None and not self._answer.audible
        return (self._open is None and not waits) or now_ms > last_ms + SETTLED_MS

    # -- what is due before the next frame ---------------------------------------------------------

    def _catch_up(self) -> None:
        """Everything that becomes known until the next frame is there."""
        next_ms = self._machine.now_ms + FRAME_MS
        while self._partial is not None and self._partial.known_ms < next_ms:
            partial, self._partial = self._partial, next(self._partials, None)
            if self._open is not None:
                self._open.on_partial(partial, self._machine.now_ms, busy=self._busy)
                self._obey(self._machine.hypothesis(partial.verdict))
        if self._open is not None:
            final = self._open.final_due(next_ms, in_speech=self._machine.in_speech)
            if final is not None:
                self._obey(self._machine.hypothesis(final.verdict))
        if self._judgement is not None and self._judgement[0] < next_ms:
            (_, speech_end_ms, probability), self._judgement = self._judgement, None
            self._obey(self._machine.end_judged(speech_end_ms, probability))
        answer = self._answer
        if answer is not None and not answer.audible and answer.audible_ms < next_ms:
            answer.audible = True
            self._machine.reply_audible()
        if answer is not None and answer.finished_ms < next_ms:
            self._answer = None
            self._obey(self._machine.reply_finished())

    def _end_as_recorded(self) -> None:
        """Turns that the client ended, or its stalled audio, end where they did."""
        for turn, offset_ms in zip(self._stretch, self._offsets, strict=True):
            ended = turn.trace.ended
            if ended is None or ended.reason not in ("commit", "stall"):
                continue
            if self._machine.now_ms == ended.end_ms + offset_ms and self._machine.state in (
                State.HEARING,
                State.SOFT_END,
            ):
                self._obey(self._machine.force_end("commit"))

    # -- the machine's commands, carried out as `session/turn_taking.py` does ----------------------

    def _obey(self, commands: tuple[tc.TurnCommand, ...]) -> None:
        for command in commands:
            match command:
                case tc.SpeechStarted():
                    self._on_speech_started()
                case tc.PauseOutput():
                    self._open = self._new_turn()
                case tc.ResumeOutput():
                    self._open = None
                case tc.EagerEnd(speech_end_ms):
                    self._on_eager_end(speech_end_ms)
                case tc.TurnContinued() if self._open is not None:
                    self._open.on_resumed(self._machine.now_ms)
                case tc.EndTurn():
                    self._on_end_turn(command)
                case tc.Interrupt():
                    self._on_interrupt()

    def _on_eager_end(self, speech_end_ms: int) -> None:
        now_ms = self._machine.now_ms
        judged = self._judged.get(speech_end_ms)
        if judged is not None:
            self._judgement = (now_ms + judged.took_ms, speech_end_ms, judged.probability)
        if self._open is not None:
            self._open.on_eager_end(speech_end_ms, now_ms, busy=self._busy)

    @property
    def _busy(self) -> bool:
        """The answer before is not over: nothing is prepared beside it."""
        return self._answer is not None

    def _new_turn(self) -> Preparation:
        return Preparation(self._machine.options, self._engines, self._texts, self._found)

    def _on_speech_started(self) -> None:
        if self._ended is not None:
            self._ended.cut_off = True
        if self._open is None:
            self._open = self._new_turn()

    def _on_interrupt(self) -> None:
        if self._answer is not None and not self._answer.audible:
            self._answer.turn.critical = None
        self._answer = None

    def _on_end_turn(self, end: tc.EndTurn) -> None:
        opened, self._open = self._open, None
        if opened is None:
            return
        self._on_interrupt()  # a reply that could not be interrupted until now
        recorded = self._recorded_at(end.speech_end_ms)
        line = TimeLine(end.speech_end_ms, _lag_us(recorded))
        reply = opened.commit(end.speech_end_ms, end.end_ms)
        output_us = self._changes.stage_us("output", self._output_us(recorded))
        critical, out_us = lay_out(reply, line, end.end_ms, output_us)
        wait_us = line.at_us(end.end_ms)
        self._ended = PredictedTurn(recorded.turn_id, wait_us, recorded.budget, critical)
        self._found.turns.append(self._ended)
        self._answer = self._speaks(self._ended, recorded, line.stream_ms(out_us))

    def _speaks(self, turn: PredictedTurn, recorded: RecordedTurn, audible_ms: float) -> _Answer:
        if recorded.end == "no_speech":  # its transcript was empty: nobody answers it
            turn.critical = None
            return _Answer(turn, float("inf"), audible_ms)
        marks = recorded.marks
        writing_us = max(0, marks.get("reply_end", 0) - marks.get("audio_out", 0))
        playing_ms = max(recorded.audio_ms, writing_us / 1000)
        return _Answer(turn, audible_ms, audible_ms + playing_ms)

    def _recorded_at(self, speech_end_ms: int) -> RecordedTurn:
        """The recorded turn to which this speech belongs."""
        pairs = zip(self._stretch, self._offsets, strict=True)
        return next(turn for turn, offset in reversed(list(pairs)) if offset < speech_end_ms)

    def _output_us(self, recorded: RecordedTurn) -> int:
        for turn in (recorded, *reversed(self._stretch)):
            if turn.output_us is not None:
                return turn.output_us
        return 0


def _speech(stretch: Stretch, offsets: Sequence[int]) -> Iterator[tuple[int, int]]:
    """(start, end) of each run of speech; what a turn saw of the next one's is left to that."""
    for number, (turn, offset) in enumerate(zip(stretch, offsets, strict=True)):
        until = offsets[number + 1] if number + 1 < len(offsets) else None
        at = offset
        for speech_ms, silence_ms in turn.trace.runs_ms:
            if until is None or at < until:
                yield at, at + speech_ms
            at += speech_ms + silence_ms


def _frames(speech: Sequence[tuple[int, int]], at: int) -> Iterator[bool]:
    """True for each frame of speech from `at` on."""
    for start, end in speech:
        for _ in range(at, start, FRAME_MS):
            yield False
        for _ in range(max(at, start), end, FRAME_MS):
            yield True
        at = max(at, end)


def _lag_us(recorded: RecordedTurn) -> int:
    """How much later than the user's audio says the endpoint came: packets, stalls, load."""
    ended, endpoint_us = recorded.trace.ended, recorded.marks.get("endpoint")
    if ended is None or endpoint_us is None:
        return 0
    return endpoint_us - (ended.end_ms - ended.speech_end_ms) * 1000
