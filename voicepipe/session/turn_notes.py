"""What is noted of a turn while it happens: its trace (`ledger/trace.py`), and the times of each
reply to it. Nothing here runs per frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal

from voicepipe.asr.contract import Hypothesis, Transcript
from voicepipe.dialog.core import Dialog
from voicepipe.dialog.effects import EndTurn
from voicepipe.dialog.options import TurnOptions
from voicepipe.languages.known import language_of
from voicepipe.languages.overheard import count, units
from voicepipe.ledger.accounting import EngineStage, ShareName
from voicepipe.ledger.marks import MarkName, Marks
from voicepipe.ledger.trace import Attempt, AttemptEnd, Ended, Final, Judged, Partial, Stage, Trace
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.text import what_is_said

if TYPE_CHECKING:
    from voicepipe.session.reply import Reply

MAX_NOTES = 256
"""Of each kind and turn; a turn of a minute has fewer unless something flickers. The rest is lost
to the replay only."""

_STEPS: tuple[tuple[Stage, MarkName, MarkName], ...] = (
    ("prompt", "asr_final", "llm_request"),
    ("llm", "llm_request", "llm_first_token"),
    ("clause", "llm_first_token", "first_clause"),
    ("tts", "first_clause", "tts_first_audio"),
)


class TurnTrace:
    """One per spoken turn. `start_ms`: stream time of its first frame of speech."""

    def __init__(self, start_ms: int, dialog: Dialog) -> None:
        self._start_ms = start_ms
        self._dialog = dialog
        self._options = dialog.options
        self._partials: list[Partial] = []
        self._finals: list[Final] = []
        self._judged: list[Judged] = []
        self._attempts: list[Attempt] = []
        self._begun: dict[Reply, tuple[int, int, int]] = {}  # when: ms, after ms, us of the clock
        self._ended: Ended | None = None
        self._numbers: dict[str, int] = {}  # texts, for as long as the turn is under way

    def partial(self, hypothesis: Hypothesis) -> None:
        """The recognizer's newest guess; kept if it says something new."""
        language = language_of(self._dialog.spoken)
        text, loose_words = hypothesis.text, count(units(hypothesis.tentative, language))
        number = self._number(text)
        last = self._partials[-1] if self._partials else None
        if last is not None and (last.text, last.loose_words) == (number, loose_words):
            return
        if len(self._partials) < MAX_NOTES:
            verdict = self._dialog.completeness.judge(text).value
            self._partials.append(Partial(self._now_ms, verdict, number, loose_words))

    def final(self, transcript: Transcript) -> None:
        """The transcript of the speech up to the present silence; once for each silence."""
        after_ms = self._speech_end_ms
        if self._finals and self._finals[-1].after_ms == after_ms:
            return
        if len(self._finals) < MAX_NOTES:
            asr_us = round((transcript.work_s + transcript.queue_s) * 1e6)
            text = transcript.text
            verdict = self._dialog.completeness.judge(text).value
            self._finals.append(Final(after_ms, self._now_ms, asr_us, verdict, self._number(text)))

    def judged(self, speech_end_ms: int, probability: float) -> None:
        """An audio model's word on the silence after `speech_end_ms` (stream time)."""
        if len(self._judged) < MAX_NOTES:
            took_ms = self._dialog.now_ms - speech_end_ms - self._dialog.options.eager_end_ms
            after_ms = speech_end_ms - self._start_ms
            self._judged.append(Judged(after_ms, max(0, took_ms), round(probability, 4)))

    def begin(self, reply: Reply, now_s: float) -> None:
        """A reply to this turn is begun at `now_s` (monotonic seconds)."""
        self._begun[reply] = (self._now_ms, self._speech_end_ms, round(now_s * 1e6))

    def attempt(self, reply: Reply, end: AttemptEnd, now_s: float, why: str = "") -> None:
        """It was discarded (`why`), or is done with."""
        begun = self._begun.pop(reply, None)
        if begun is None or len(self._attempts) >= MAX_NOTES:
            return
        start_ms, after_ms, began_us = begun
        until_us = reply.marks.get("tts_first_audio") if end == "committed" else None
        now_us = round(now_s * 1e6)
        guess = reply.plan.guess
        self._attempts.append(
            Attempt(
                start_ms=start_ms,
                after_ms=after_ms,
                end=end,
                ran_us=(now_us if until_us is None else until_us) - began_us,
                stages_us=_stages_us(reply, began_us),
                guess=None if guess is None else self._number(guess),
                why=why,
            )
        )

    def end(self, end: EndTurn) -> None:
        """The turn is over."""
        self._options = self._dialog.options
        start_ms = self._start_ms
        self._ended = Ended(end.speech_end_ms - start_ms, end.end_ms - start_ms, end.reason)

    def freeze(self) -> Trace | None:
        """All of it up to now; None if the turn has more stretches than are remembered."""
        runs = self._dialog.stretches.runs.between(self._start_ms, self._dialog.now_ms)
        if not runs:
            return None
        return Trace(
            start_ms=self._start_ms,
            runs_ms=runs,
            partials=tuple(self._partials),
            finals=tuple(self._finals),
            judged=tuple(self._judged),
            attempts=tuple(self._attempts),
            ended=self._ended,
            options=_plain(self._options),
        )

    @property
    def _now_ms(self) -> int:
        return self._dialog.now_ms - self._start_ms

    @property
    def _speech_end_ms(self) -> int:
        if self._ended is not None:  # since then the user may have spoken over the agent
            return self._ended.speech_end_ms
        return self._dialog.speech_end_ms - self._start_ms

    def _number(self, text: str) -> int:
        return self._numbers.setdefault(what_is_said(text), len(self._numbers))


def _stages_us(reply: Reply, began_us: int) -> dict[Stage, int]:
    engine = reply.times.engine_us
    if "after_tool" in engine:  # the marks tell of the round after the tool only
        asr_us = engine.get("asr", 0) + engine.get("asr_queue", 0)
        return {
            "asr": asr_us,
            "llm": engine.get("llm", 0),
            "clause": engine.get("clause", 0),
            "tts": engine.get("tts", 0),
            "after_tool": engine["after_tool"],
        }
    marks: Marks = reply.marks
    found: dict[Stage, int] = {}
    heard = marks.get("asr_final")
    if heard is not None:
        found["asr"] = heard - began_us
    for name, start, end in _STEPS:
        began, ended = marks.get(start), marks.get(end)
        if began is not None and ended is not None:
            found[name] = ended - began
    return found


def _plain(options: TurnOptions) -> dict[str, Any]:
    """The options as JSON has them; sets of words are left out."""
    values = {f.name: getattr(options, f.name) for f in fields(options)}
    return {
        name: value
        for name, value in values.items()
        if value is None or isinstance(value, bool | int | float | str)
    }


class ReplyTimes:
    """What the ledger is told of one reply: its marks, and whose time it was. Microseconds."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.marks = Marks()
        self.work_us: dict[str, int] = {}
        self.engine_us: dict[ShareName, int] = {}  # the engines' part up to the first sound
        self.route: dict[str, str] = {}  # what the engines' wrappers decided
        self.behind_gate = False  # a tool had to wait for the endpoint

    def mark(self, name: Literal["asr_final", "first_clause", "tts_first_audio"]) -> None:
        """It happens now; the first time counts."""
        self.marks.set(name, self._clock.now())

    def heard(self, transcript: Transcript, asked_at: float) -> None:
        """The recognizer has answered; it was asked at `asked_at` (monotonic seconds)."""
        self.work_us["asr"] = round(transcript.work_s * 1e6)
        self.work_us["asr_queue"] = round(transcript.queue_s * 1e6)
        self.note(transcript.route)
        work_s = transcript.work_s if transcript.planned_s is None else transcript.planned_s
        self.spent("asr", work_s, asked_at)
        self.spent("asr_queue", transcript.queue_s, asked_at + work_s)

    def synthesized(self, since_s: float) -> None:
        """A piece of speech has come that was waited for since then."""
        waited_us = round((self._clock.now() - since_s) * 1e6)
        self.work_us.setdefault("tts", waited_us)
        self.work_us["tts_total"] = self.work_us.get("tts_total", 0) + waited_us

    def spent(self, stage: EngineStage, engine_s: float | None, since_s: float) -> None:
        """Time of an engine's on the way to the first sound: what it reports, but no more than
        was waited for it (it may have begun earlier); else all of the wait."""
        waited_s = self._clock.now() - since_s
        spent_us = round(max(0.0, waited_s if engine_s is None else min(engine_s, waited_s)) * 1e6)
        self.engine_us[stage] = self.engine_us.get(stage, 0) + spent_us
        if self.behind_gate:
            self.engine_us["after_tool"] = self.engine_us.get("after_tool", 0) + spent_us

    def note(self, route: Mapping[str, str]) -> None:
        """Keep what was decided; a detour is not hidden by a later clause or round without one. Of
        where an engine is ("llm.node"), the first: that is the one that was waited for."""
        for stage, decision in route.items():
            if stage not in self.route or (decision != "primary" and "." not in stage):
                self.route[stage] = decision
