"""What a turn was made of, kept so that it can be replayed under other settings (`whatif/`).

No words: a transcript is known by its verdict and by a number, the same for the same text within
one turn. Times are ms of the user's audio since `start_ms` unless said otherwise; the engines' are
microseconds of work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Stage = Literal["asr", "prompt", "llm", "clause", "tts", "after_tool"]
"""Of a reply, one after the other: `asr` to the final transcript, `prompt` to the request, `llm` to
the first token, `clause` to the first clause, `tts` to the first sound; `after_tool`: how much of
them lay behind a tool, hence behind the endpoint."""
STAGES: tuple[Stage, ...] = get_args(Stage)

AttemptEnd = Literal["committed", "discarded"]


@dataclass(frozen=True, slots=True)
class Partial:
    """What the recognizer made of the speech so far, while it went on."""

    known_ms: int
    verdict: str  # "complete", "unknown" or "incomplete"
    text: int
    loose_words: int  # of them may still change


@dataclass(frozen=True, slots=True)
class Final:
    """The transcript made in one silence."""

    after_ms: int  # the end of the speech that it covers
    known_ms: int
    asr_us: int  # decode and its queue
    verdict: str  # "complete", "unknown" or "incomplete"
    text: int


@dataclass(frozen=True, slots=True)
class Judged:
    """What an audio model said of one silence: is the turn over?"""

    after_ms: int  # the end of the speech that it heard
    took_ms: int  # since the eager end
    probability: float


@dataclass(frozen=True, slots=True)
class Attempt:
    """One reply that was begun."""

    start_ms: int
    after_ms: int  # end of the speech so far
    end: AttemptEnd
    ran_us: int  # until it was discarded, or had its first sound
    stages_us: Mapping[Stage, int]  # those that it finished
    guess: int | None = None  # the partial text it was begun on
    why: str = ""  # it was discarded: `dialog.effects.DropReason`


@dataclass(frozen=True, slots=True)
class Ended:
    """The endpoint."""

    speech_end_ms: int
    end_ms: int
    reason: str  # `turns.commands.EndReason`


@dataclass(frozen=True, slots=True)
class Trace:
    """One user turn from its first frame of speech to the moment at which it was recorded."""

    start_ms: int  # stream time of the session
    runs_ms: Sequence[tuple[int, int]]  # speech and the silence after it, again and again
    partials: Sequence[Partial] = ()
    finals: Sequence[Final] = ()
    judged: Sequence[Judged] = ()
    attempts: Sequence[Attempt] = ()
    ended: Ended | None = None
    options: Mapping[str, Any] = field(default_factory=dict)  # `TurnOptions` it ran under

    def as_dict(self) -> dict[str, Any]:
        """JSON shape; `from_dict` reads it."""
        return {
            "start_ms": self.start_ms,
            "runs_ms": [list(run) for run in self.runs_ms],
            "partials": [[p.known_ms, p.verdict, p.text, p.loose_words] for p in self.partials],
            "finals": [
                [f.after_ms, f.known_ms, f.asr_us / 1000, f.verdict, f.text] for f in self.finals
            ],
            "judged": [[j.after_ms, j.took_ms, j.probability] for j in self.judged],
            "attempts": [
                {
                    "start_ms": a.start_ms,
                    "after_ms": a.after_ms,
                    "end": a.end,
                    "ran_ms": a.ran_us / 1000,
                    "stages_ms": {name: us / 1000 for name, us in a.stages_us.items()},
                    "guess": a.guess,
                    **({"why": a.why} if a.why else {}),
                }
                for a in self.attempts
            ],
            "ended": None
            if self.ended is None
            else [self.ended.speech_end_ms, self.ended.end_ms, self.ended.reason],
            "options": dict(self.options),
        }

    @staticmethod
    def from_dict(raw: Mapping[str, Any]) -> Trace:
        """Raises KeyError, TypeError or ValueError where `raw` is no trace."""
        ended = raw["ended"]
        return Trace(
            start_ms=int(raw["start_ms"]),
            runs_ms=tuple((int(speech), int(silence)) for speech, silence in raw["runs_ms"]),
            partials=tuple(Partial(*partial) for partial in raw["partials"]),
            finals=tuple(
                Final(after, known, _us(asr_ms), verdict, text)
                for after, known, asr_ms, verdict, text in raw["finals"]
            ),
            judged=tuple(Judged(*judged) for judged in raw["judged"]),
            attempts=tuple(
                Attempt(
                    start_ms=a["start_ms"],
                    after_ms=a["after_ms"],
                    end=a["end"],
                    ran_us=_us(a["ran_ms"]),
                    stages_us={name: _us(ms) for name, ms in a["stages_ms"].items()},
                    guess=a["guess"],
                    why=a.get("why", ""),
                )
                for a in raw["attempts"]
            ),
            ended=None if ended is None else Ended(*ended),
            options=dict(raw["options"]),
        )


def _us(ms: float) -> int:
    return round(ms * 1000)
