"""What became of the replies prepared early, as figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from voicepipe.audio.pcm import FRAME_MS
from voicepipe.lab.bench.preemption.metered import Made
from voicepipe.lab.bench.preemption.run import Course
from voicepipe.ledger.percentiles import percentile
from voicepipe.ledger.records import TurnRecord
from voicepipe.ledger.trace import Attempt, Trace

Reason = Literal["went_on", "more_words", "other_words"]
REASONS: Mapping[Reason, str] = {
    "went_on": "the user went on",  # after a eager end
    "more_words": "more words came",  # than the guess had that was being answered
    "other_words": "the final text differs",  # from that guess
}
"""Why a prepared reply was thrown away before the endpoint."""


@dataclass(slots=True)
class Work:
    """Made by the engines for a number of replies."""

    replies: int = 0
    tokens: int = 0
    audio_s: float = 0.0

    def add(self, made: Made | None) -> None:
        """One more reply; None: the language model was not asked yet."""
        self.replies += 1
        if made is not None:
            self.tokens += made.tokens
            self.audio_s += made.audio_ms / 1000


@dataclass(slots=True)
class ModeFigures:
    """Of one way to speculate."""

    attempts: int = 0  # replies prepared before the endpoint
    hits: int = 0  # of them, spoken
    discarded: dict[Reason, Work] = field(default_factory=lambda: {r: Work() for r in REASONS})
    cut_off: Work = field(default_factory=Work)  # spoken too early: the user had not finished
    answers: Work = field(default_factory=Work)
    voice_to_voice_ms: list[float | None] = field(default_factory=list)  # of the marked turns

    @property
    def wasted(self) -> Work:
        """All that was thrown away before the endpoint."""
        works = self.discarded.values()
        return Work(
            sum(w.replies for w in works),
            sum(w.tokens for w in works),
            sum(w.audio_s for w in works),
        )


def figures(courses: Iterable[Course]) -> ModeFigures:
    """The sum of all sessions."""
    found = ModeFigures()
    for course in courses:
        made: dict[str, list[Made]] = {}
        for one in course.made:
            made.setdefault(one.turn_id, []).append(one)
        for turn in course.turns:
            found.voice_to_voice_ms.append(turn.voice_to_voice_ms)
            for record in turn.records:
                _count(found, record, made.get(record.turn_id, []))
    return found


def _count(found: ModeFigures, record: TurnRecord, made: Sequence[Made]) -> None:
    trace = record.trace
    if trace is None:
        return
    asked = iter(made)  # replies reach the language model in the order in which they were begun
    for attempt in sorted(trace.attempts, key=lambda attempt: attempt.start_ms):
        work = next(asked) if "prompt" in attempt.stages_us else None
        if attempt.end == "discarded":
            found.attempts += 1
            found.discarded[_reason(attempt, trace)].add(work)
            continue
        if record.preemption == "hit":
            found.attempts += 1
            found.hits += 1
        cut_off = record.end in ("reopened", "interrupted")
        (found.cut_off if cut_off else found.answers).add(work)


def _reason(attempt: Attempt, trace: Trace) -> Reason:
    """A reply to a guess is withdrawn by the next words, or when the final transcript is known."""
    if attempt.guess is None:
        return "went_on"
    ended_ms = attempt.start_ms + attempt.ran_us / 1000
    by_final = any(abs(final.known_ms - ended_ms) <= FRAME_MS for final in trace.finals)
    return "other_words" if by_final else "more_words"


def report(modes: Mapping[str, ModeFigures], setup: Mapping[str, Any]) -> dict[str, Any]:
    """Everything, as JSON can hold it. Time saved is that of each turn against `off`."""
    plain = modes["off"].voice_to_voice_ms
    return {"setup": setup, "modes": {name: _mode(one, plain) for name, one in modes.items()}}


def _mode(one: ModeFigures, plain: Sequence[float | None]) -> dict[str, Any]:
    pairs = zip(plain, one.voice_to_voice_ms, strict=True)
    saved = [before - after for before, after in pairs if before is not None and after is not None]
    answered = [ms for ms in one.voice_to_voice_ms if ms is not None]
    wasted = one.wasted
    tokens = wasted.tokens + one.cut_off.tokens + one.answers.tokens
    return {
        "turns": len(one.voice_to_voice_ms),
        "answered": len(answered),
        "attempts": one.attempts,
        "hits": one.hits,
        "discards": wasted.replies,
        "discarded": {reason: asdict(work) for reason, work in one.discarded.items()},
        "wasted_tokens": wasted.tokens,
        "wasted_tokens_share": wasted.tokens / max(1, tokens),
        "wasted_audio_s": wasted.audio_s,
        "cut_off": asdict(one.cut_off),
        "answers": asdict(one.answers),
        "voice_to_voice_ms": _summary(answered),
        "saved_ms": _summary(saved),
        "later_than_off": sum(ms < -0.5 for ms in saved),
        "each_voice_to_voice_ms": one.voice_to_voice_ms,
    }


def _summary(values: Sequence[float]) -> dict[str, float]:
    if not values:
        return {}
    found = {f"p{round(100 * share)}": percentile(values, share) for share in (0.05, 0.5, 0.95)}
    return found | {"mean": sum(values) / len(values)}
