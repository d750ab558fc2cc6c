"""The clauses in which a reply is spoken: how long the first may be, and where each lies in its
message's audio.

The first clause is what the caller waits for. Where the stages before it took more than their
budget it is cut short; where the turn cannot be over yet, because its silence has not been waited
for, a longer one costs nobody anything and sounds better.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from voicepipe.config import BudgetSettings
from voicepipe.conversation.heard import SpokenSpan, SpokenWord
from voicepipe.dialog.options import TurnOptions
from voicepipe.session.turn import Turn
from voicepipe.tts.clauses import ClauseOptions
from voicepipe.tts.contract import WordTime

SPEND_FROM_MS = 150.0
"""Time that nobody waits for, from which on a longer clause is worth it: words take tens of ms."""

SHORT = ClauseOptions(  # 1.3 s of speech, just enough for the next clause to be made
    first_min_words=1, first_conjunction_words=2, first_max_words=4
)
NORMAL = ClauseOptions(first_min_words=2, first_conjunction_words=4, first_max_words=8)
LONG = ClauseOptions(first_min_words=3, first_conjunction_words=6, first_max_words=12)


@dataclass(frozen=True, slots=True)
class Spent:
    """Where a turn stands when its first token comes. Milliseconds of its own time."""

    since_speech_end_ms: float
    over: bool  # the endpoint has passed: somebody waits
    due_ms: float  # budgets of endpoint, asr, llm and clause: the first clause is due then
    earliest_end_ms: float  # the turn cannot end before
    speech_ms: float  # budget of the synthesis that follows


def sized(spent: Spent) -> ClauseOptions:
    """The lengths to use. Pure."""
    if spent.since_speech_end_ms > spent.due_ms:
        return SHORT
    free_ms = spent.earliest_end_ms - spent.speech_ms - spent.since_speech_end_ms
    return LONG if not spent.over and free_ms >= SPEND_FROM_MS else NORMAL


def clause_options(
    turn: Turn, budget: BudgetSettings, turns: TurnOptions, now_s: float
) -> ClauseOptions:
    """Asked when the first token is there. The plain options where `budget.act` is off."""
    if not budget.act:
        return ClauseOptions()
    waits_ms = 0 if turn.origin == "text" else budget.endpoint_ms
    return sized(
        Spent(
            since_speech_end_ms=_since_speech_end_ms(turn, turns.eager_end_ms, now_s),
            over=turn.over,
            due_ms=waits_ms + budget.asr_ms + budget.llm_ms + budget.clause_ms,
            earliest_end_ms=min(budget.endpoint_ms, turns.endpoint_complete_ms),
            speech_ms=budget.tts_ms,
        )
    )


def _since_speech_end_ms(turn: Turn, eager_end_ms: int, now_s: float) -> float:
    """By the marks; before the endpoint the eager end tells, before that the user still speaks."""
    now_us = now_s * 1e6
    if (speech_end := turn.marks.get("speech_end")) is not None:
        return (now_us - speech_end) / 1000
    if (eager_end := turn.marks.get("eager_end")) is not None:
        return (now_us - eager_end) / 1000 + eager_end_ms
    return 0.0


MS_PER_CHAR = 65.0
"""Of speech at an ordinary pace: how long a text will take whose audio is not all made yet. Without
it a user who breaks in would have heard the whole clause by its first chunk's end."""


@dataclass(slots=True)
class SpokenClause:
    """Text about to be spoken, and what is known of its audio; the voice adds to it, ahead of the
    listener."""

    text: str
    speed: float = 1.0
    made_ms: float = 0.0
    whole: bool = False  # no more audio of it will be made
    words: list[WordTime] = field(default_factory=list)

    @property
    def length_ms(self) -> float:
        """Of its audio; an estimate until it is whole."""
        if self.whole:
            return self.made_ms
        return max(self.made_ms, len(self.text) * MS_PER_CHAR / self.speed)


@dataclass(slots=True)
class SpokenMessage:
    """Grows while it is spoken. A reply has several where a function call came between. Times in ms
    of its own audio."""

    item_id: str
    began_ms: float  # in the reply's audio; all that follows is counted from here
    _clauses: list[tuple[float, SpokenClause]] = field(default_factory=list)  # ms of its beginning

    def begin(self, clause: SpokenClause, at_ms: float) -> None:
        """The text of `clause` has been handed on, its audio follows; `at_ms` in the reply's."""
        self._clauses.append((at_ms - self.began_ms, clause))

    def heard_ms(self, heard_ms: float) -> float | None:
        """How much of it has been heard, of `heard_ms` of the reply; None: all there is of it."""
        here_ms = max(0.0, heard_ms - self.began_ms)
        start_ms, last = self._clauses[-1]
        return None if last.whole and here_ms >= start_ms + last.made_ms else here_ms

    @property
    def spans(self) -> tuple[SpokenSpan, ...]:
        """Where each clause lies in the message's text and audio."""
        spans, at = [], 0
        for start_ms, clause in self._clauses:
            words = (SpokenWord(at + w.char, start_ms + w.start_s * 1000) for w in clause.words)
            end = at + len(clause.text)
            spans.append(SpokenSpan(at, end, start_ms, start_ms + clause.length_ms, tuple(words)))
            at = end
        return tuple(spans)
