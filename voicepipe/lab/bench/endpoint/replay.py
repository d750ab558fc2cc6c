"""Replays marked recordings through the real voice detector and dialog. No engines: the text
comes from the manifest, late by a settable delay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from voicepipe.audio.frames import Framer
from voicepipe.audio.pcm import FRAME_MS, SAMPLE_RATE, Int16
from voicepipe.dialog import effects as fx
from voicepipe.dialog.core import Dialog
from voicepipe.dialog.options import TurnOptions
from voicepipe.lab.bench.endpoint.turns import MarkedTurn
from voicepipe.languages.known import language_of
from voicepipe.languages.transcript import join_words
from voicepipe.vad.contract import EndOfTurnModel, VoiceDetector

REPLY_MS = 100  # after an endpoint the agent is audible: mostly the reply is there already
MODEL_MS = 40  # what smart-turn takes after the eager end; our own model answers within a frame
FELT_MS = 200  # an agent that is silent again by then was hardly noticed
PREROLL_MS = 400  # audio before the detected start that such a model is given too


@dataclass(frozen=True, slots=True)
class Heard:
    """A recording and the detector's probability for each of its 20 ms frames."""

    turn: MarkedTurn
    probabilities: tuple[float, ...]


Session = tuple[Heard, ...]
"""One speaker's turns, in order."""


@dataclass(slots=True)
class Outcome:
    """What became of one marked turn."""

    pauses: int
    cut_offs: int = 0  # times it was ended although the user went on
    felt: int = 0  # ... and heard the agent for longer than FELT_MS before it was silent again
    wait_ms: float | None = None  # from its true end to the endpoint; None: taken for a backchannel
    eager_ends: int = 0  # replies prepared
    discards: int = 0  # ... and thrown away since the user went on before the endpoint


def hear(
    turns: Iterable[MarkedTurn],
    new_detector: Callable[[], VoiceDetector],
    on_turn: Callable[[], None] = lambda: None,
) -> tuple[Session, ...]:
    """Run the detector once over everything; the policies share what it said."""
    sessions = []
    ordered = sorted(turns, key=lambda turn: turn.speaker)  # stable: a speaker's order is kept
    for _, of_speaker in groupby(ordered, key=lambda turn: turn.speaker):
        detector, heard = new_detector(), []
        for turn in of_speaker:
            frames = Framer().push(turn.samples)
            heard.append(Heard(turn, tuple(detector.probability(frame) for frame in frames)))
            on_turn()
        sessions.append(tuple(heard))
    return tuple(sessions)


class EndJudge:
    """An end-of-turn model that hears each stretch only once, however many policies ask."""

    def __init__(self, model: EndOfTurnModel, took_ms: int = MODEL_MS) -> None:
        self._model, self.took_ms = model, took_ms
        self._known: dict[tuple[str, str | None, int, int], float] = {}

    def probability(self, turn: MarkedTurn, start_ms: int, end_ms: int) -> float:
        """For the audio from `start_ms` to `end_ms` of the recording."""
        key = (turn.name, turn.language, start_ms, end_ms)  # ids may begin anew in each language
        if key not in self._known:
            start = max(0, start_ms - PREROLL_MS) * SAMPLE_RATE // 1000
            speech: Int16 = turn.samples[start : end_ms * SAMPLE_RATE // 1000]
            self._known[key] = self._model.probability(np.ascontiguousarray(speech))
        return self._known[key]


def replay(
    session: Session, options: TurnOptions, asr_delay_ms: int, judge: EndJudge | None = None
) -> list[Outcome]:
    """One speaker's turns through one dialog, so that its policy may learn from turn to turn."""
    dialog = Dialog(options)
    longest_ms = max(
        options.endpoint_incomplete_ms, options.endpoint_unknown_ms, options.endpoint_max_ms
    )
    outcomes = []
    for heard in session:
        if heard.turn.language is not None:
            dialog.speak(heard.turn.language)
        one = _Replay(dialog, heard.turn, asr_delay_ms, judge)
        silence = (0.0,) * (longest_ms // FRAME_MS + 1)  # a recording may end before a long wait
        one.run((*heard.probabilities, *silence))
        outcomes.append(one.outcome)
        for reply in list(dialog.replies):
            dialog.reply_done(reply.id)
        dialog.clear()
    return outcomes


@dataclass(slots=True)
class _Replay:
    """One turn under way; times in ms of the recording."""

    dialog: Dialog
    turn: MarkedTurn
    asr_delay_ms: int
    judge: EndJudge | None
    outcome: Outcome = field(init=False)
    _base_ms: int = field(init=False)
    _words: Sequence[tuple[float, str]] = field(init=False)
    _next_word: int = 0
    _text: list[str] = field(default_factory=list)
    _start_ms: int = 0  # of the utterance that is open
    _judge_at: tuple[int, int] | None = None  # (when, speech end) of the model's next answer
    _judged: float = 0.0
    _decode_at: tuple[float, int] | None = None  # (when, speech end) of the next transcript
    _audible_at: int | None = None
    _heard_from: int | None = None  # the agent is audible since

    def __post_init__(self) -> None:
        self.outcome = Outcome(len(self.turn.pauses))
        self._base_ms = self.dialog.now_ms
        self._words = self.turn.words()

    def run(self, probabilities: Sequence[float]) -> None:
        """Until the turn was ended after its true end, or the recording is over."""
        for probability in probabilities:
            self._what_is_due(self.dialog.now_ms - self._base_ms)
            self._note(self.dialog.frame(probability))
            if self.outcome.wait_ms is not None:
                return

    def _what_is_due(self, now_ms: int) -> None:
        """Text, the model's answer and the agent's voice, as they arrive at the machine."""
        heard_until = now_ms - self.asr_delay_ms
        news = False
        while self._next_word < len(self._words) and self._words[self._next_word][0] <= heard_until:
            end_ms, word = self._words[self._next_word]
            self._next_word += 1
            if end_ms > self._start_ms:
                self._text.append(word)
                news = True
        if news and self.dialog.turn is not None:
            self._note(self.dialog.hypothesis(self.dialog.turn.id, self._said()))
        if self._decode_at is not None and now_ms >= self._decode_at[0]:
            self._transcribe(self._decode_at[1])
        if self._judge_at is not None and now_ms >= self._judge_at[0]:
            self._note(self.dialog.end_judged(self._judge_at[1], self._judged))
            self._judge_at = None
        if self._audible_at is not None and now_ms >= self._audible_at:
            for reply in self.dialog.replies:
                self.dialog.reply_audible(reply.id)
                self._heard_from = now_ms
            self._audible_at = None

    def _transcribe(self, speech_end_ms: int) -> None:
        """All words up to the silence are known by now."""
        self._decode_at = None
        if (turn := self.dialog.turn) is not None:
            self._note(self.dialog.transcript(turn.id, self._said(), speech_end_ms))

    def _last_word_ms(self, now_ms: int) -> float:
        """When the newest word that was said by now ended."""
        return max((end_ms for end_ms, _ in self._words if end_ms <= now_ms), default=0.0)

    def _said(self) -> str:
        return join_words(self._text, language_of(self.turn.language or "en"))

    def _note(self, effects: fx.Effects) -> None:
        now_ms = self.dialog.now_ms - self._base_ms
        for effect in effects:
            match effect:
                case fx.OpenUtterance(_, start_ms) if start_ms is not None:
                    if start_ms - self._base_ms != self._start_ms:
                        self._start_ms = start_ms - self._base_ms
                        self._text.clear()
                    self._audible_at = None
                case fx.EagerEnd():
                    self.outcome.eager_ends += 1
                case fx.JudgeEnd(_, speech_end_ms) if self.judge is not None:
                    self._judge_at = (now_ms + self.judge.took_ms, speech_end_ms)
                    start_ms = self._start_ms
                    self._judged = self.judge.probability(self.turn, start_ms, now_ms)
                case fx.Decode(_, speech_end_ms):
                    self._decode_at = (
                        self._last_word_ms(now_ms) + self.asr_delay_ms,
                        speech_end_ms,
                    )
                case fx.TurnContinued():
                    self.outcome.discards += 1
                case fx.HoldOutput() | fx.StopReplies():
                    if self._heard_from is not None:
                        self.outcome.felt += now_ms - self._heard_from > FELT_MS
                    self._heard_from = None
                case fx.EndTurn():
                    self._audible_at = now_ms + REPLY_MS
                    if now_ms >= self.turn.end_ms:
                        self.outcome.wait_ms = now_ms - self.turn.end_ms
                    else:
                        self.outcome.cut_offs += 1
