"""The ledger of one turn: where each microsecond between the user's last word and the agent's
first went.

The *critical* segments telescope by construction. Each boundary is the latest of its own mark and
the boundary before it, so a stage that finished before the endpoint (preemption) has a critical
part of zero, and

    endpoint + asr + llm + tool + clause + tts + output == audio_out - speech_end

holds exactly, in whole microseconds. Marks that contradict each other yield no figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal, get_args

from voicepipe.ledger.accounting import ShareName, accounted_us
from voicepipe.ledger.marks import MarkName, Marks
from voicepipe.ledger.trace import Trace

SegmentName = Literal["endpoint", "asr", "llm", "tool", "clause", "tts", "output"]

WayPart = Literal["hop", "queue"]
"""Of the way to an engine in another process: what the way itself added, the wait there."""

SEGMENTS: tuple[tuple[SegmentName, MarkName], ...] = (
    ("endpoint", "endpoint"),
    ("asr", "asr_final"),
    ("llm", "llm_first_token"),
    ("clause", "first_clause"),
    ("tts", "tts_first_audio"),
    ("output", "audio_out"),
)
"""Each segment and the mark that ends it, in the order of the path. `tool` is none of them: it is
taken out of `llm`, in the turns in which a tool ran."""

SEGMENT_NAMES: tuple[SegmentName, ...] = get_args(SegmentName)

_CAUSES: tuple[tuple[MarkName, MarkName], ...] = (
    ("speech_end", "endpoint"),
    ("speech_end", "eager_end"),
    ("llm_request", "llm_first_token"),
    ("llm_first_token", "first_clause"),
    ("first_clause", "tts_first_audio"),
    ("speech_end", "audio_out"),
    *((mark, "audio_out") for _, mark in SEGMENTS[:-1]),
)
"""(cause, effect): where both are marked, the effect may not come first."""


@dataclass(frozen=True, slots=True)
class ToolSpan:
    """One call of a tool that was waited for. Microseconds of monotonic time; in a record relative
    to `speech_end`."""

    name: str
    start_us: int
    end_us: int
    failed: bool = False


def critical_segments(
    marks: Marks, tools: Sequence[ToolSpan] = ()
) -> dict[SegmentName, int] | None:
    """Critical microseconds per segment; None if there is no answer or the marks contradict
    each other. `tool` is there where tools ran: the part of the wait for the model's words in which
    it was a tool that was waited for.
    """
    start, end = marks.get("speech_end"), marks.get("audio_out")
    if start is None or end is None or contradiction(marks):
        return None
    segments: dict[SegmentName, int] = {}
    boundary = start
    for name, mark in SEGMENTS:
        at = marks.get(mark)
        after = boundary if at is None else max(boundary, at)
        segments[name] = after - boundary
        if name == "llm" and tools:
            segments["tool"] = _covered(tools, boundary, after)
            segments["llm"] -= segments["tool"]
        boundary = after
    return segments


def _covered(tools: Sequence[ToolSpan], start_us: int, end_us: int) -> int:
    """Microseconds between two instants in which any of the tools ran."""
    total, at = 0, start_us
    for tool in sorted(tools, key=lambda one: one.start_us):
        began, ended = max(at, tool.start_us), min(end_us, tool.end_us)
        if ended > began:
            total += ended - began
            at = ended
    return total


def contradiction(marks: Marks) -> str | None:
    """The first pair of marks in the wrong order, in words; None if all is well."""
    for cause, effect in _CAUSES:
        before, after = marks.get(cause), marks.get(effect)
        if before is not None and after is not None and after < before:
            return f"{effect} is {before - after} us before {cause}"
    return None


NetworkName = Literal[
    "up",  # the user's voice to the server: half of the round trip
    "down",  # the agent's to the user
    "playout",  # the listener's buffer, as it reports it
]

TurnEnd = Literal["completed", "interrupted", "cancelled", "failed", "no_speech", "reopened"]


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """All that is kept of a turn. No text of the user's or the agent's: that is not ours to keep.

    Times in microseconds; marks are relative to `speech_end`.
    """

    turn_id: str
    session_id: str
    origin: Literal["speech", "commit", "text"]
    end: TurnEnd
    marks: Mapping[MarkName, int]
    critical: Mapping[SegmentName, int] | None
    work: Mapping[str, int]  # how long each stage ran, wherever it lay
    budget: Mapping[str, int]  # microseconds a segment may take
    preemption: Literal["none", "hit", "miss"] = "none"
    discards: int = 0  # replies prepared and thrown away in this turn
    tokens: Mapping[str, int] = field(default_factory=dict)
    token_ms: Mapping[str, float] = field(default_factory=dict)  # "first": since the request;
    # "step_p50", "step_max": between two steps of the model; "hop": round trip to its server;
    # where its engine tells
    audio_ms: float = 0.0  # answer audio handed to the transport
    heard_ms: float = 0.0  # of it, played as far as we know
    note: str | None = None  # why there are no figures
    shares: Mapping[ShareName, int] = field(default_factory=dict)  # see `accounting.py`
    response_id: str = ""
    user_audio_ms: float = 0.0  # what the final transcript was made from
    network: Mapping[NetworkName, int] = field(default_factory=dict)  # as last reported
    region: str = ""  # the gateway's, to which that way led
    session_preemption: Mapping[str, Any] = field(default_factory=dict)  # its session's counts
    trace: Trace | None = None  # for `voicepipe whatif`; spoken turns have one
    route: Mapping[str, str] = field(default_factory=dict)  # stage to what its wrapper decided;
    # of engines in other processes: "llm.hop_ms", "llm.queue_ms", "llm.replica", "llm.node"
    tools: Sequence[ToolSpan] = ()  # that were waited for
    speech_end_at: datetime | None = None  # by the wall clock: only what people read has its use

    @property
    def voice_to_voice_us(self) -> int | None:
        return None if self.critical is None else sum(self.critical.values())

    @property
    def overhead_us(self) -> int | None:
        """What the server added to the waits it was set to and to its engines' time."""
        total, accounted = self.voice_to_voice_us, accounted_us(self.shares)
        return None if total is None or accounted is None else total - accounted

    @property
    def network_us(self) -> int | None:
        """What the way adds to `voice_to_voice_us` for the user; None where nobody reports it."""
        return sum(self.network.values()) if self.network else None

    @property
    def waited_us(self) -> int | None:
        """From the user's last word to the agent's first in the user's ear, as far as known."""
        total = self.voice_to_voice_us
        return None if total is None else total + (self.network_us or 0)

    @property
    def decisions(self) -> dict[str, str]:
        """Of `route`: who served and why."""
        return {stage: decision for stage, decision in self.route.items() if "." not in stage}

    @property
    def ways(self) -> list[tuple[str, WayPart, float]]:
        """Of `route`: stage, part and ms of the ways to engines in other processes."""
        found: list[tuple[str, WayPart, float]] = []
        for stage in ("asr", "llm", "tts"):
            for part in get_args(WayPart):
                if (ms := self.route.get(f"{stage}.{part}_ms")) is not None:
                    found.append((stage, part, float(ms)))
        return found

    @property
    def over_budget(self) -> tuple[str, ...]:
        """Segments that took longer than their budget."""
        if self.critical is None:
            return ()
        spent: dict[str, int] = {name: us for name, us in self.critical.items()}  # noqa: C416
        if self.network_us is not None:
            spent["network"] = self.network_us
        return tuple(n for n, us in spent.items() if us > self.budget.get(n, us))

    def as_dict(self) -> dict[str, Any]:
        """JSON shape, times in ms with three decimals."""
        total, overhead = self.voice_to_voice_us, self.overhead_us
        return {
            "turn_id": self.turn_id,
            "session_id": self.session_id,
            "response_id": self.response_id,
            "origin": self.origin,
            "end": self.end,
            "voice_to_voice_ms": None if total is None else total / 1000,
            "overhead_ms": None if overhead is None else overhead / 1000,
            "critical_ms": None if self.critical is None else _in_ms(self.critical),
            "network_ms": _in_ms(self.network),
            "region": self.region,
            "work_ms": _in_ms(self.work),
            "shares_ms": _in_ms(self.shares),
            "budget_ms": _in_ms(self.budget),
            "over_budget": list(self.over_budget),
            "marks_ms": _in_ms(self.marks),
            "preemption": self.preemption,
            "discards": self.discards,
            "tokens": dict(self.tokens),
            "token_ms": {name: round(ms, 3) for name, ms in self.token_ms.items()},
            "user_audio_ms": round(self.user_audio_ms, 3),
            "audio_ms": round(self.audio_ms, 3),
            "heard_ms": round(self.heard_ms, 3),
            "note": self.note,
            "speech_end_at": _iso(self.speech_end_at),
            "route": dict(self.route),
            "tools": [
                {
                    "name": tool.name,
                    "start_us": tool.start_us,
                    "end_us": tool.end_us,
                    "failed": tool.failed,
                }
                for tool in self.tools
            ],
            "session_preemption": dict(self.session_preemption),
            "trace": None if self.trace is None else self.trace.as_dict(),
        }


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="milliseconds")


def _in_ms(values: Mapping[Any, int]) -> dict[str, float]:
    return {str(name): us / 1000 for name, us in values.items()}


def relative_tools(marks: Marks, tools: Sequence[ToolSpan]) -> tuple[ToolSpan, ...]:
    """Spans in microseconds after `speech_end`; none without one."""
    start = marks.get("speech_end")
    if start is None:
        return ()
    return tuple(replace(t, start_us=t.start_us - start, end_us=t.end_us - start) for t in tools)


def relative_marks(marks: Marks) -> dict[MarkName, int]:
    """Marks in microseconds after `speech_end` (before it: negative); {} without one."""
    start = marks.get("speech_end")
    return {} if start is None else {name: at - start for name, at in marks.as_dict().items()}
