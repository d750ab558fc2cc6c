"""Replays recorded turns: what was heard goes through the real dialog under the changed options,
which prepares, withdraws and commits replies as in life; the engines' recorded times are laid
behind its decisions. Pure.

The user is taken to behave as recorded: the same words with the same pauses, whatever the agent
does. So a prediction holds as long as a change does not alter how people speak.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from voicepipe.audio.pcm import FRAME_MS
from voicepipe.dialog import effects as fx
from voicepipe.dialog.core import Dialog
from voicepipe.dialog.states import Stage as ReplyStage
from voicepipe.dialog.states import User
from voicepipe.ledger.records import SegmentName
from voicepipe.ledger.trace import Judged
from voicepipe.whatif.changes import Changes
from voicepipe.whatif.engines import EngineTimes, StageTimes, typical_stages
from voicepipe.whatif.layout import Begun, TimeLine, lay_out
from voicepipe.whatif.recorded import RecordedTurn, Recording, Stretch
from voicepipe.whatif.texts import AsRecorded, Texts, named, number_of

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
    unnoticed: int = 0  # recorded turns of whose speech none would have been in a turn


def predict(recording: Recording, changes: Changes) -> Prediction:
    """Every session's turns in order, one dialog for each session as in life: its endpointing
    policy may learn."""
    found = Prediction()
    typical = typical_stages(recording.turns)
    for session in recording.sessions:
        dialog: Dialog | None = None
        for stretch in session:
            options = changes.turn_options(stretch[0].trace.options)
            if dialog is None:
                dialog = Dialog(options, AsRecorded())
            dialog.options = options
            _Replay(dialog, stretch, typical, changes, found).run()
    return found


@dataclass(slots=True)
class _Decode:
    """A final transcript in the making."""

    known_ms: float
    speech_end_ms: int


@dataclass(slots=True)
class _Ended:
    """A turn that is over."""

    predicted: PredictedTurn
    recorded: RecordedTurn
    end: fx.EndTurn


@dataclass(slots=True)
class _Answer:
    """A committed reply. Stream times in ms; those of a reply without sound are infinite."""

    turn: PredictedTurn
    audible_ms: float
    finished_ms: float
    audible: bool = False


class _Replay:
    """One stretch of turns. Time is that of the dialog; the audio between stretches, in which the
    agent was heard to its end, is left out."""

    def __init__(
        self,
        dialog: Dialog,
        stretch: Stretch,
        typical: StageTimes,
        changes: Changes,
        found: Prediction,
    ) -> None:
        self._dialog = dialog
        self._stretch = stretch
        self._changes = changes
        self._found = found
        for reply in list(dialog.replies):
            dialog.reply_done(reply.id)
        dialog.clear()
        start_ms = stretch[0].trace.start_ms - dialog.now_ms
        self._offsets = [turn.trace.start_ms - start_ms for turn in stretch]
        self._speech_of = list(_speech_of(stretch, self._offsets))
        self._speech = [run for runs in self._speech_of for run in runs]
        self._engines = EngineTimes(stretch, self._offsets, typical, changes)
        self._texts = Texts(stretch, self._offsets)
        self._at_ms = 0.0  # when the newest input happened
        self._decodes: dict[int, _Decode] = {}  # by turn
        self._replies: dict[int, tuple[Begun, str | None]] = {}  # behind the gate, and their guess
        self._ended: dict[int, _Ended] = {}  # by turn
        self._newest: PredictedTurn | None = None
        self._began_ms = 0  # first frame of the newest turn's speech
        self._noticed: set[int] = set()  # places of the recorded turns whose speech was in a turn
        self._answers: dict[int, _Answer] = {}  # what the agent says, or is about to
        self._judged: dict[int, list[Judged]] = {}  # by the end of the speech that was heard
        for turn, offset in zip(stretch, self._offsets, strict=True):
            for judged in turn.trace.judged:
                self._judged.setdefault(judged.after_ms + offset, []).append(judged)
        self._judgements: list[tuple[int, int, float]] = []  # due, speech end, probability
        self._partials = self._texts.partials()
        self._partial = next(self._partials, None)

    def run(self) -> None:
        """Add what happens to the prediction."""
        frames = _frames(self._speech, self._dialog.now_ms)
        while not self._settled():
            self._catch_up()
            self._at_ms = self._dialog.now_ms + FRAME_MS
            self._perform(self._dialog.frame(1.0 if next(frames, False) else 0.0))
            self._end_as_recorded()
        self._found.unnoticed += len(self._stretch) - len(self._noticed)

    def _settled(self) -> bool:
        now_ms, last_ms = self._dialog.now_ms, self._speech[-1][1]
        if now_ms <= last_ms:
            return False
        waits = any(r.stage is not ReplyStage.AUDIBLE for r in self._dialog.replies)
        return (self._dialog.turn is None and not waits) or now_ms > last_ms + SETTLED_MS

    # -- what is due before the next frame ---------------------------------------------------------

    def _catch_up(self) -> None:
        """Everything that becomes known until the next frame is there."""
        next_ms = self._dialog.now_ms + FRAME_MS
        self._at_ms = self._dialog.now_ms
        while self._partial is not None and self._partial.known_ms < next_ms:
            partial, self._partial = self._partial, next(self._partials, None)
            if (turn := self._dialog.turn) is not None:
                text = named(partial.text, partial.verdict)
                loose = partial.loose_words
                self._perform(self._dialog.hypothesis(turn.id, text, loose_words=loose))
        self._learn_texts(next_ms)
        while self._judgements and self._judgements[0][0] < next_ms:
            _, speech_end_ms, probability = self._judgements.pop(0)
            self._perform(self._dialog.end_judged(speech_end_ms, probability))
        for number, answer in list(self._answers.items()):
            self._hear(number, answer, next_ms)

    def _learn_texts(self, next_ms: int) -> None:
        for number, decode in list(self._decodes.items()):
            if decode.known_ms >= next_ms:
                continue
            del self._decodes[number]
            self._at_ms = decode.known_ms
            final = self._texts.final(decode.speech_end_ms)
            text = named(final.text, final.verdict) if final else self._guess_at(number)
            if text is not None:
                self._perform(self._dialog.transcript(number, text, decode.speech_end_ms))
        self._at_ms = self._dialog.now_ms

    def _guess_at(self, turn: int) -> str | None:
        """A turn whose final transcript was never made was what its reply took it for."""
        waiting = (r for r in self._dialog.replies if r.turn == turn)
        return next((r.guess for r in waiting if r.stage is ReplyStage.UNCONFIRMED), None)

    def _hear(self, number: int, answer: _Answer, next_ms: int) -> None:
        if not answer.audible and answer.audible_ms < next_ms:
            answer.audible = True
            self._perform(self._dialog.reply_audible(number))
        if answer.finished_ms < next_ms:
            self._answers.pop(number, None)
            self._perform(self._dialog.reply_done(number))

    def _end_as_recorded(self) -> None:
        """Turns that the client ended, or its stalled audio, end where they did."""
        for turn, offset_ms in zip(self._stretch, self._offsets, strict=True):
            ended = turn.trace.ended
            if ended is None or ended.reason not in ("commit", "stall"):
                continue
            if self._dialog.now_ms == ended.end_ms + offset_ms and self._dialog.user in (
                User.SPEAKING,
                User.PAUSED,
            ):
                self._perform(self._dialog.commit())

    # -- the dialog's effects ----------------------------------------------------------------------

    def _perform(self, effects: fx.Effects) -> None:
        for effect in effects:
            match effect:
                case fx.SpeechStarted(_, start_ms):
                    self._began_ms = start_ms
                    if self._newest is not None:
                        self._newest.cut_off = True
                case fx.EagerEnd(_, speech_end_ms):
                    self._ask_model(speech_end_ms)
                case fx.Decode(turn, speech_end_ms):
                    self._decode(turn, speech_end_ms)
                case fx.TurnContinued(turn) | fx.DropTurn(turn):
                    self._decodes.pop(turn, None)
                case fx.EndTurn():
                    self._on_end_turn(effect)
                case fx.StartReply(number, turn, guess, committed) if turn is not None:
                    self._begin(number, turn, guess)
                    if committed:
                        self._commit(number, turn)
                case fx.CommitReply(number):
                    turn = next(r.turn for r in self._dialog.replies if r.id == number)
                    assert turn is not None
                    self._commit(number, turn)
                case fx.DropReply(number):
                    self._waste(number)
                case fx.StopReplies(numbers):
                    self._stop(numbers)

    def _ask_model(self, speech_end_ms: int) -> None:
        now_ms = self._dialog.now_ms
        self._judgements = [
            (now_ms + judged.took_ms, speech_end_ms, judged.probability)
            for judged in self._judged.get(speech_end_ms, ())
        ]

    def _decode(self, turn: int, speech_end_ms: int) -> None:
        took_ms = self._engines.asr_us(speech_end_ms) / 1000
        self._decodes[turn] = _Decode(self._at_ms + took_ms, speech_end_ms)

    def _begin(self, number: int, turn: int, guess: str | None) -> None:
        asr_us, at_ms = 0, round(self._at_ms)
        if guess is None:
            at_ms = self._dialog.speech_end_ms
            left_ms = self._decodes[turn].known_ms - self._at_ms if turn in self._decodes else 0.0
            asr_us = max(0, round(left_ms * 1000))
        text = None if guess is None else number_of(guess)
        stages = {"asr": asr_us, **self._engines.stages_us(at_ms, text)}
        self._replies[number] = Begun(self._at_ms, self._at_ms, stages), guess

    def _waste(self, number: int) -> None:
        begun, _ = self._replies.pop(number)
        ran_us = round((self._at_ms - begun.start_ms) * 1000)
        self._found.discards += 1
        self._found.wasted_us += max(0, min(ran_us, begun.before_tool_us))

    def _stop(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            self._replies.pop(number, None)
            answer = self._answers.pop(number, None)
            if answer is not None and not answer.audible:
                answer.turn.critical = None

    def _on_end_turn(self, end: fx.EndTurn) -> None:
        recorded = self._recorded_at(end.speech_end_ms)
        line = TimeLine(end.speech_end_ms, _lag_us(recorded))
        wait_us = line.at_us(end.end_ms)
        self._newest = PredictedTurn(recorded.turn_id, wait_us, recorded.budget, None)
        self._found.turns.append(self._newest)
        self._ended[end.turn] = _Ended(self._newest, recorded, end)
        self._notice(end.speech_end_ms)
        if end.turn not in self._decodes and not self._was_decoded(end):
            self._decode(end.turn, end.speech_end_ms)

    def _notice(self, speech_end_ms: int) -> None:
        """Of each recorded turn, whether there is something of it in the one that has ended."""
        for place, runs in enumerate(self._speech_of):
            if any(begin < speech_end_ms and end > self._began_ms for begin, end in runs):
                self._noticed.add(place)

    def _was_decoded(self, end: fx.EndTurn) -> bool:
        """Its text was known before the endpoint."""
        return self._dialog.options.preemptive_generation != "off"

    def _commit(self, number: int, turn: int) -> None:
        begun, _ = self._replies.pop(number)
        ended = self._ended[turn]
        line = TimeLine(ended.end.speech_end_ms, _lag_us(ended.recorded))
        begun = Begun(begun.start_ms, self._at_ms, begun.stages_us)
        output_us = self._changes.stage_us("output", self._output_us(ended.recorded))
        critical, out_us = lay_out(begun, line, ended.end.end_ms, output_us)
        ended.predicted.critical = critical
        audible_ms = line.stream_ms(out_us)
        self._answers[number] = self._speaks(ended.predicted, ended.recorded, audible_ms)

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


def _speech_of(stretch: Stretch, offsets: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """(start, end) of each run of speech, by turn; what a turn saw of the next one's is left to
    that."""
    for number, (turn, offset) in enumerate(zip(stretch, offsets, strict=True)):
        until = offsets[number + 1] if number + 1 < len(offsets) else None
        runs: list[tuple[int, int]] = []
        at = offset
        for speech_ms, silence_ms in turn.trace.runs_ms:
            if until is None or at < until:
                runs.append((at, at + speech_ms))
            at += speech_ms + silence_ms
        yield runs


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
