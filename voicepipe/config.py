"""All settings, their defaults and their reasons. Loading and layering live in `settings_io.py`."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic_core import InitErrorDetails

from voicepipe.turns.options import TurnOptions

Ms = Annotated[int, Field(ge=0, le=600_000)]
Port = Annotated[int, Field(ge=0, le=65_535)]


class Section(BaseModel):
    """A group of settings: unknown keys are errors, values never change after loading."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, validate_default=True, allow_inf_nan=False
    )


BUILTIN_ENGINES: dict[str, tuple[str, ...]] = {
    "vad": ("webrtc", "silero", "gated"),
    "asr": ("faster_whisper", "simulated"),
    "llm": ("ctranslate2", "openai", "simulated"),
    "tts": ("espeak", "piper", "simulated"),
}
"""Engines that ship with voicepipe, per stage; others come by entry points `voicepipe.<stage>`."""


def turn_option_range(name: str) -> tuple[float, float] | None:
    """Least and greatest sensible value of one of `TurnOptions`' numbers; None: not a number."""
    if name.endswith("_ms"):
        return 0, 600_000
    if name.endswith("_threshold"):
        return 0, 1
    return (1, 100) if name.endswith("_words") else None


def _turn_options_in_range(options: TurnOptions) -> TurnOptions:
    """`TurnOptions` is a plain dataclass, so its ranges are checked here, field by field."""
    problems: list[InitErrorDetails] = []
    for field in fields(options):
        value, limits = getattr(options, field.name), turn_option_range(field.name)
        if limits is not None and value is not None and not limits[0] <= value <= limits[1]:
            ctx = {"ge": limits[0]}
            problems.append(
                InitErrorDetails(type="greater_than_equal", loc=(field.name,), input=value, ctx=ctx)
            )
    if problems:
        raise ValidationError.from_exception_data("turns", problems)
    return options


class ServerSettings(Section):
    host: str = "127.0.0.1"
    port: Port = 8080
    api_key: SecretStr | None = None  # asked of every client when set
    allowed_origins: tuple[str, ...] = ("*",)  # browser pages that may connect
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    shutdown_s: float = Field(5.0, ge=0, le=300)  # running turns may finish for so long


class LimitSettings(Section):
    """What one process and one connection may take. Each is enforced and named in its error."""

    max_sessions: int = Field(100, ge=1)
    max_message_bytes: int = Field(16 * 1024 * 1024, ge=1024)  # 15 MiB append plus JSON
    max_audio_backlog_s: float = Field(120.0, gt=0)  # unprocessed or uncommitted user audio
    max_session_s: float = Field(3600.0, gt=0)
    max_items: int = Field(1000, ge=1)  # conversation items
    max_events_queued: int = Field(2000, ge=10)  # for a slow reader, then the session ends
    max_events_bytes: int = Field(32 * 1024 * 1024, ge=1024)  # same, by size


class AudioSettings(Section):
    preroll_ms: Ms = 400  # audio before the detected start that is fed to the recognizer
    keep_s: float = Field(30.0, ge=0, le=600)  # user audio a session keeps for item.retrieve


class VadSettings(Section):
    engine: str = "gated"  # webrtc, silero, gated, or an entry point's name
    # Aggressiveness of the gate. Only behind 3 do turns end in a murmur 20 dB below the caller;
    # elsewhere it starts as rarely and ends as soon as the others, but it loses very soft
    # voices, under -38 dBFS (docs/vad.md).
    webrtc_mode: Literal[0, 1, 2, 3] = 3


class BreakerSettings(Section):
    """When an engine is left alone and its fallback asked instead; 0 switches a cause off."""

    p95_ms: Ms = 0  # rolling p95 of its latency (first token, first audio, final) that is too much
    error_rate: float = Field(0.5, ge=0, le=1)  # share of failed calls that is too much
    calls: int = Field(20, ge=1, le=1000)  # the last so many are judged
    min_calls: int = Field(5, ge=1, le=1000)  # fewer prove nothing
    window_s: float = Field(60.0, gt=0, le=3600)  # older calls are forgotten
    open_s: float = Field(10.0, gt=0, le=3600)  # left alone so long, then one call tries again


class AsrFallbackSettings(Section):
    """A second recognizer. What is not said here is as in `asr`."""

    engine: str = ""  # "" = none
    model: str = ""
    final_ms: Ms = 0  # its final is asked for when the first one's takes longer; 0 = only on errors
    breaker: BreakerSettings = BreakerSettings()


class AsrSettings(Section):
    engine: str = "faster_whisper"
    model: str = "builtin/asr"  # a name from models/registry.toml, "builtin/asr", or a directory
    device: Literal["cpu", "cuda", "auto"] = "cpu"
    compute_type: str = "int8"
    threads: int = Field(1, ge=1, le=64)  # per decode; more only helps long windows
    beam_size: int = Field(1, ge=1, le=10)  # 1 is fastest and enough for real checkpoints
    language: str | None = "en"
    partial_ms: Ms = 240  # new audio between two partial decodes; 0 switches partials off
    min_window_s: float = Field(10.0, gt=0, le=30)  # stock checkpoints; a model's own file wins
    window_margin_s: float = Field(2.0, ge=0, le=10)
    max_tokens_per_s: float = Field(8.0, gt=0)  # stops a loop early
    hotwords: str | None = None
    fallback: AsrFallbackSettings = AsrFallbackSettings()


class LlmFallbackSettings(Section):
    """A second language model for when the first is late or fails. What is not said here is as in
    `llm`."""

    engine: str = ""  # "" = none
    model: str = ""
    base_url: str | None = None
    api_key: SecretStr | None = None
    first_token_ms: Ms = 300  # it starts when the first token is this late: three times the budget,
    # so that it is asked seldom; 0 = only on errors
    breaker: BreakerSettings = BreakerSettings()


class CascadeSettings(Section):
    """A small language model that is asked first. What is not said here is as in `llm`."""

    engine: str = ""  # "" = no cascade
    model: str = ""
    base_url: str | None = None
    api_key: SecretStr | None = None
    large_patterns: tuple[str, ...] = ()  # regular expressions; a user message in which one is
    # found goes to the large model (`llm`) at once
    large_chars: int = Field(0, ge=0)  # longer user messages do too; 0 = however long
    min_logprob: float | None = Field(None, le=0)  # less on average over the first pieces is
    # unsure, where the engine gives log-probabilities


class AnswerCacheSettings(Section):
    """Answers given before, to questions that need no context. Never answers of tools or about the
    time. Off by default: the same words may deserve another answer tomorrow."""

    exact: bool = False  # same words, case and punctuation aside
    semantic: bool = False  # nearly the same words (see docs/lateness.md for what that sees)
    threshold: float = Field(0.88, gt=0, le=1)  # cosine from which two questions are the same
    patterns: tuple[str, ...] = ()  # regular expressions of questions that need no context in
    # mid-conversation either; else only the first turn is looked up
    ttl_s: float = Field(3600.0, gt=0)
    max_mb: float = Field(16.0, gt=0, le=4096)  # exact answers in memory
    max_questions: int = Field(1000, ge=1, le=10_000)  # semantic ones, 4 KB each
    redis_url: SecretStr | None = None  # exact answers in Redis instead, shared by all processes
    redis_timeout_ms: Ms = 30  # a lookup lies on the turn's path


class LlmSettings(Section):
    engine: str = "ctranslate2"  # ctranslate2, openai, simulated, or an entry point's name
    model: str = "builtin/llm"
    base_url: str | None = None  # openai engine, e.g. http://127.0.0.1:8000/v1
    api_key: SecretStr | None = None
    instructions: str = (
        "You are a helpful desk and home assistant. Answer in one to three short sentences."
    )
    temperature: float = Field(0.0, ge=0, le=2)
    max_tokens: int = Field(160, ge=1, le=4096)
    threads: int = Field(1, ge=1, le=64)
    first_token_timeout_ms: Ms = 5000
    total_timeout_ms: Ms = 60_000
    tools: tuple[str, ...] = ("get_time", "set_timer", "cancel_timer", "list_timers")
    # tools the server itself runs when the client declares none
    fallback: LlmFallbackSettings = LlmFallbackSettings()
    cascade: CascadeSettings = CascadeSettings()
    cache: AnswerCacheSettings = AnswerCacheSettings()


class TtsFallbackSettings(Section):
    """A second synthesizer. What is not said here is as in `tts`."""

    engine: str = ""  # "" = none
    model: str = ""
    voice: str = ""  # for voices that it does not have; "" = its default
    first_audio_ms: Ms = 400  # it starts when the first audio is this late; 0 = only on errors
    breaker: BreakerSettings = BreakerSettings()


class TtsSettings(Section):
    engine: str = "espeak"  # espeak, piper, simulated, or an entry point's name
    model: str = ""  # piper: a voice from the registry or a .onnx file
    voice: str = ""  # the engine's default voice
    speed: float = Field(1.0, ge=0.25, le=4)
    threads: int = Field(1, ge=1, le=64)
    workers: int = Field(1, ge=1, le=16)
    first_audio_timeout_ms: Ms = 5000
    cache_mb: float = Field(16.0, ge=0, le=4096)  # clauses said before: three minutes of them; 0 =
    # off
    fallback: TtsFallbackSettings = TtsFallbackSettings()


class BudgetSettings(Section):
    """Targets per segment of a turn, ms; they sum to 720 of the 800 promised."""

    endpoint_ms: Ms = 320  # turns.endpoint_complete_ms and the frame in which it is noticed
    asr_ms: Ms = 60
    llm_ms: Ms = 100
    clause_ms: Ms = 50
    tts_ms: Ms = 80
    output_ms: Ms = 30
    network_ms: Ms = 80
    act: bool = True  # a late turn's first clause is cut short, an early one's may be longer


class FillerSettings(Section):
    """A few words when the answer is late. Never counted as the answer, not in the history."""

    after_ms: Ms = 0  # silence after the endpoint; 0 = never
    phrases: tuple[str, ...] = ("One moment.", "Let me see.")  # in turn; short, so that the answer
    # seldom cuts into them


class GreetingSettings(Section):
    text: str = ""  # what the agent says when a conversation begins; "" = it waits for the user


class AdmissionSettings(Section):
    """New sessions are refused while the running ones are late; 0 switches a cause off."""

    max_loop_lag_ms: Ms = 0  # p95 of how late timers fire: the process has no time left
    max_overhead_ms: Ms = 0  # p95 of what the server adds to its turns beyond waits and engines
    window_s: float = Field(10.0, gt=0, le=600)  # how far back is looked
    retry_after_s: int = Field(5, ge=1, le=3600)  # what refused clients are told to wait


class LatencySettings(Section):
    """Delay of one simulated stage, seeded: `constant`, `normal` or `lognormal` (long-tailed)."""

    mean_ms: float = Field(0.0, ge=0)
    sd_ms: float = Field(0.0, ge=0)
    kind: Literal["constant", "normal", "lognormal"] = "constant"


class SimulatedSettings(Section):
    """The `simulated` engines: programmable latency, real data shapes."""

    seed: int = 1
    asr: LatencySettings = LatencySettings(mean_ms=100)
    llm_first_token: LatencySettings = LatencySettings(mean_ms=100)
    llm_per_token: LatencySettings = LatencySettings(mean_ms=10)
    tts: LatencySettings = LatencySettings(mean_ms=60)
    transcript: str = "what time is it"  # what the ASR hears when it has no script
    answer: str = "It is half past seven. Is there anything else I can do for you?"


class Settings(Section):
    """Everything. One instance per process, made once at start."""

    profile: str = "builtin"
    models_dir: Path | None = None  # where pulled models live; None = the user's data directory
    server: ServerSettings = ServerSettings()
    limits: LimitSettings = LimitSettings()
    audio: AudioSettings = AudioSettings()
    vad: VadSettings = VadSettings()
    turns: Annotated[TurnOptions, AfterValidator(_turn_options_in_range)] = TurnOptions()
    asr: AsrSettings = AsrSettings()
    llm: LlmSettings = LlmSettings()
    tts: TtsSettings = TtsSettings()
    budget: BudgetSettings = BudgetSettings()
    filler: FillerSettings = FillerSettings()
    greeting: GreetingSettings = GreetingSettings()
    admission: AdmissionSettings = AdmissionSettings()
    simulated: SimulatedSettings = SimulatedSettings()
