"""Budgets, and what is done about lateness."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from voicepipe.config.section import Ms, Section


class BreakerSettings(Section):
    """When an engine is left alone and its fallback asked instead; 0 switches a cause off."""

    p95_ms: Ms = 0  # rolling p95 of its latency (first token, first audio, final) that is too much
    error_rate: float = Field(0.5, ge=0, le=1)  # share of failed calls that is too much
    calls: int = Field(20, ge=1, le=1000)  # the last so many are judged
    min_calls: int = Field(5, ge=1, le=1000)  # fewer prove nothing
    window_s: float = Field(60.0, gt=0, le=3600)  # older calls are forgotten
    open_s: float = Field(10.0, gt=0, le=3600)  # left alone so long, then one call tries again


class BudgetSettings(Section):
    """Targets per segment of a turn, ms; they sum to 720 of the 800 promised."""

    endpoint_ms: Ms = 320  # turns.endpoint_complete_ms and the frame in which it is noticed
    asr_ms: Ms = 60
    llm_ms: Ms = 100
    tool_ms: Ms = 300  # in the turns that wait for one; not among the 720
    clause_ms: Ms = 50
    tts_ms: Ms = 80
    output_ms: Ms = 30
    network_ms: Ms = 80
    act: bool = True  # a late turn's first clause is cut short, an early one's may be longer


class FillerSettings(Section):
    """A few words when the answer is late, or the user pauses. Never counted as the answer, not in
    the history."""

    after_ms: Ms = 0  # silence after the endpoint; 0 = never
    phrases: tuple[str, ...] | None = None  # in turn; short, so that the answer seldom cuts into
    # them; None = those of the language spoken: "One moment.", "Let me see."
    listening: tuple[str, ...] | None = None  # in turn, into the user's pauses, where
    # turns.listening_after_ms is set; None = the language's own: "Uh-huh."


class GreetingSettings(Section):
    text: str = ""  # what the agent says when a conversation begins; "" = it waits for the user
    enabled: bool = False  # without a text it says the language's own: "Hello, how can I help you?"


class AdmissionSettings(Section):
    """New sessions are refused while the running ones are late; 0 switches a cause off."""

    max_loop_lag_ms: Ms = 0  # p95 of how late timers fire: the process has no time left
    max_overhead_ms: Ms = 0  # p95 of what the server adds to its turns beyond waits and engines
    window_s: float = Field(10.0, gt=0, le=600)  # how far back is looked
    retry_after_s: int = Field(5, ge=1, le=3600)  # what refused clients are told to wait


class DriftSettings(Section):
    """Each stage of the turn is held against its own last week; see docs/lateness.md."""

    file: Path | None = None  # where the week is kept over restarts; None = it begins anew
