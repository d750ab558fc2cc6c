"""Lays the engines' times of a reply behind its start and the gate: the predicted ledger. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from voicepipe.ledger.marks import MarkName, Marks
from voicepipe.ledger.records import SegmentName, critical_segments
from voicepipe.ledger.trace import Stage

_MARKS: tuple[tuple[Stage, MarkName], ...] = (
    ("asr", "asr_final"),
    ("prompt", "llm_request"),
    ("llm", "llm_first_token"),
    ("clause", "first_clause"),
    ("tts", "tts_first_audio"),
)
"""Each stage and the mark that ends it."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A reply under way. Stream time in ms: `gate_ms`: before it nothing is spoken."""

    start_ms: float
    gate_ms: float
    stages_us: Mapping[Stage, int]

    @property
    def before_tool_us(self) -> int:
        """Work up to the first sound, or up to a tool."""
        stages = self.stages_us
        return sum(stages.values()) - 2 * stages.get("after_tool", 0)


@dataclass(frozen=True, slots=True)
class TimeLine:
    """From stream time to microseconds after the arrival of the user's last word."""

    speech_end_ms: int
    lag_us: int  # by which everything came later than the user's audio says

    def at_us(self, stream_ms: float) -> int:
        return round((stream_ms - self.speech_end_ms) * 1000) + self.lag_us

    def stream_ms(self, at_us: int) -> float:
        return self.speech_end_ms + (at_us - self.lag_us) / 1000


def lay_out(
    reply: Begun, line: TimeLine, end_ms: int, output_us: int
) -> tuple[Mapping[SegmentName, int] | None, int]:
    """Critical segments and the time of the first sound, in microseconds after the last word."""
    marks = Marks()
    marks.set("speech_end", 0.0)
    marks.set("endpoint", line.at_us(end_ms) / 1e6)
    done_us = line.at_us(reply.start_ms)
    for stage, mark in _MARKS:
        done_us += reply.stages_us.get(stage, 0)
        marks.set(mark, done_us / 1e6)
    after_tool_us = reply.stages_us.get("after_tool", 0)
    gate_us = line.at_us(reply.gate_ms)
    ready_us = max(gate_us, done_us - after_tool_us) + after_tool_us
    if after_tool_us:  # the tool ran behind the gate, and what followed it too
        for _, mark in _MARKS[1:]:
            marks.move(mark, ready_us / 1e6)
    out_us = ready_us + output_us
    marks.set("audio_out", out_us / 1e6)
    return critical_segments(marks), out_us
