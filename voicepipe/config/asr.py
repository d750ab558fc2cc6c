"""Recognition."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from voicepipe.config.budget import BreakerSettings
from voicepipe.config.section import Ms, Section


class AsrFallbackSettings(Section):
    """A second recognizer. What is not said here is as in `asr`."""

    engine: str = ""  # "" = none
    model: str = ""
    final_ms: Ms = 0  # its final is asked for when the first one's takes longer; 0 = only on errors
    breaker: BreakerSettings = BreakerSettings()


def _or_none(value: object) -> object:
    """TOML has no null."""
    return value or None


class AsrSecondSettings(Section):
    """A recognizer that listens at the same time. What is not said here is as in `asr`."""

    engine: str = ""  # "" = none
    model: str = ""
    sure: float = Field(0.67, ge=0, le=1)  # the first one's text counts from this confidence on
    sure_word: float = Field(0.74, ge=0, le=1)  # for a single word: there is less to go by


class AsrSettings(Section):
    engine: str = "faster_whisper"  # transformers: where CTranslate2 finds no CUDA 12
    model: str = "builtin/asr"  # a name from models/registry.toml, "builtin/asr", or a directory
    device: Literal["cpu", "cuda", "auto"] = "cpu"
    compute_type: str = "int8"
    threads: int = Field(1, ge=1, le=64)  # per decode; more only helps long windows
    workers: int = Field(1, ge=1, le=16)  # decodes at the same time on one set of weights; from two
    # on one is kept for finals. faster_whisper only
    max_batch: int = Field(8, ge=1, le=8)  # decodes of several sessions that run as one; 1 = never
    final_window_ms: int = Field(0, ge=0, le=10)  # a final that finds the engine busy or others
    # waiting gives further ones so long to join it; one that is alone never waits
    partial_window_ms: int = Field(20, ge=0, le=50)  # a partial does, while others speak
    beam_size: int = Field(1, ge=1, le=10)  # 1 is fastest and enough for real checkpoints
    language: Annotated[str | None, BeforeValidator(_or_none)] = (
        "en"  # what callers speak, ISO 639-1;
    )
    # "" or None: heard in a session's first seconds, then kept (docs/languages.md)
    partial_ms: Ms = 240  # new audio between two partial decodes; 0 switches partials off
    min_window_s: float = Field(10.0, gt=0, le=30)  # stock checkpoints; a model's own file wins
    window_margin_s: float = Field(2.0, ge=0, le=10)
    max_tokens_per_s: float = Field(8.0, gt=0)  # stops a loop early
    hotwords: str | None = None  # words to expect, shown to the model before each decode; 64 tokens
    phrases: tuple[str, ...] = Field((), max_length=5000)  # pocketsphinx: sentences to expect, with
    # choices as in "a [small|large] coffee"
    domain_share: float = Field(0.6, ge=0.05, le=1)  # pocketsphinx: how much of what people say is
    # of the model's and the agent's sentences; the rest is any English. 1: nothing else is heard
    max_decoders: int = Field(16, ge=1, le=256)  # pocketsphinx: speakers at a time; 64 MB each
    second: AsrSecondSettings = AsrSecondSettings()
    fallback: AsrFallbackSettings = AsrFallbackSettings()
