"""The `simulated` engines."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from voicepipe.config.section import Section


class LatencySettings(Section):
    """Delay of one simulated stage, seeded: `constant`, `normal`, `lognormal` (long-tailed), or
    drawn from a `recorded` file."""

    mean_ms: float = Field(0.0, ge=0)
    sd_ms: float = Field(0.0, ge=0)
    kind: Literal["constant", "normal", "lognormal", "recorded"] = "constant"
    slots: int = Field(0, ge=0, le=100_000)  # asr, llm_first_token and tts: so many requests at
    # once, the others wait their turn, as before a real engine; 0 = all
    file: Path | None = None  # recorded: one delay in ms on each line, or turns as /v1/turns gives
    # them, of which the stage's work is taken


class SimulatedSettings(Section):
    """The `simulated` engines: programmable latency, real data shapes."""

    seed: int = 1
    asr: LatencySettings = LatencySettings(mean_ms=100)
    llm_first_token: LatencySettings = LatencySettings(mean_ms=100)
    llm_per_token: LatencySettings = LatencySettings(mean_ms=10)
    tts: LatencySettings = LatencySettings(mean_ms=60)
    transcript: str = "what time is it"  # what the ASR hears when it has no script
    answer: str = "It is half past seven. Is there anything else I can do for you?"
