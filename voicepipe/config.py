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
    "asr": ("faster_whisper", "simulated", "transformers"),
    "llm": ("ctranslate2", "openai", "simulated", "vllm"),
    "tts": ("espeak", "openai", "piper", "simulated"),
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
    language: str | None = "en"  # None: heard in a session's first seconds, then kept
    partial_ms: Ms = 240  # new audio between two partial decodes; 0 switches partials off
    min_window_s: float = Field(10.0, gt=0, le=30)  # stock checkpoints; a model's own file wins
    window_margin_s: float = Field(2.0, ge=0, le=10)
    max_tokens_per_s: float = Field(8.0, gt=0)  # stops a loop early
    hotwords: str | None = None  # words to expect, shown to the model before each decode; 64 tokens
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


class SpeculativeSettings(Section):
    """A drafter guesses tokens, the model checks several in one step. It shortens the way from the
    first token to the first clause, not the way to the first token."""

    method: Literal["none", "ngram", "draft_model", "eagle", "eagle3", "mtp"] = "none"  # ngram
    # copies from the prompt and needs no model, draft_model and eagle need one, mtp is in the model
    model: str = ""  # draft_model, eagle, eagle3: a name from the registry or a directory
    tokens: int = Field(3, ge=1, le=32)  # guessed a step; more pay only where most are right
    lookup_max: int = Field(4, ge=1, le=32)  # ngram: longest end of the text that is looked up
    lookup_min: int = Field(2, ge=1, le=32)  # ngram: shortest; single words guess mostly wrong


class VllmSettings(Section):
    """The `vllm` engine: the model in this process's care, on its GPU; see docs/engines/vllm.md."""

    dtype: str = "auto"  # of the weights in memory; "auto" = as the checkpoint says
    quantization: str = ""  # "" = as the checkpoint says (awq, gptq and compressed-tensors are told
    # by its files); fp8 halves a BF16 checkpoint while loading, at hardly any loss on Hopper GPUs
    kv_cache_dtype: str = "auto"  # fp8 holds twice the context and reads half of it at each step
    max_model_len: int = Field(4096, ge=64, le=1_048_576)  # prompt and answer, tokens; a quarter of
    # an hour of talk. More only takes memory from the number of calls
    gpu_memory_utilization: float = Field(0.8, gt=0, le=1)  # of the GPU's; vLLM's own 0.92
    # leaves nothing to the recognizer
    tensor_parallel_size: int = Field(1, ge=1, le=64)  # GPUs that share each layer
    max_num_seqs: int = Field(64, ge=1, le=4096)  # generations at once; fewer start faster, since
    # graphs are captured for each size
    max_num_batched_tokens: int = Field(2048, ge=64, le=1_048_576)  # of one step: smaller keeps the
    # tokens of running answers steady, larger starts long prompts sooner
    chunked_prefill: bool = True  # long prompts in pieces of that size between others' tokens; off:
    # a new caller's prompt stops all running answers for its length
    long_prefill_tokens: int = Field(0, ge=0)  # longer prompts give way to others'; 0 = none do
    prefix_caching: bool = True  # a prompt's known beginning is not computed again
    performance_mode: Literal["balanced", "interactivity", "throughput"] = "interactivity"  # graphs
    # for every small batch size, so that a few calls do not pay for the next power of two
    enforce_eager: bool = False  # no graphs and no compilation: starts in half the time, each token
    # takes several times as long
    load_format: str = "auto"  # "dummy" = random weights, for timing without a checkpoint
    speculative: SpeculativeSettings = SpeculativeSettings()
    engine_args: tuple[str, ...] = ()  # any other engine argument of vLLM's, "block_size=32"; the
    # values are JSON, or text where they are none
    warm_up: bool = True  # run each size of prompt, the drafter and sampling once before the first
    # caller: kernels are compiled at their first use, which takes seconds
    start_timeout_s: float = Field(1800.0, gt=0, le=86_400)  # loading, compiling, capturing
    restart_s: float = Field(1.0, gt=0, le=600)  # pause before a dead engine is started again;
    # doubled each time it dies young
    restart_max_s: float = Field(60.0, gt=0, le=3600)  # longest such pause


class LlmSettings(Section):
    engine: str = "ctranslate2"  # ctranslate2, openai, vllm, simulated, or an entry point's name
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
    logprobs: bool = False  # ask the engine for log-probabilities; `cascade.min_logprob` does so
    # for the small model by itself. They cost a little host work at each token
    prefill_on_warm: bool = False  # openai engine: send the prompt ahead, for one token, while the
    # caller still speaks. For a server of one's own with a prefix cache: others bill it
    tools: tuple[str, ...] = ("get_time", "set_timer", "cancel_timer", "list_timers")
    # tools the server itself runs when the client declares none
    thinking_tags: tuple[Annotated[str, Field(min_length=3)], ...] = (
        "<think>",
        "<thinking>",
        "[THINK]",
    )  # what opens a thought, which is not spoken; a slash in it closes it: <think>...</think>
    thinking_begun: bool = False  # the prompt's template opens one: answers begin in mid-thought
    fallback: LlmFallbackSettings = LlmFallbackSettings()
    cascade: CascadeSettings = CascadeSettings()
    vllm: VllmSettings = VllmSettings()
    cache: AnswerCacheSettings = AnswerCacheSettings()


class TtsFallbackSettings(Section):
    """A second synthesizer. What is not said here is as in `tts`."""

    engine: str = ""  # "" = none
    model: str = ""
    voice: str = ""  # for voices that it does not have; "" = its default
    first_audio_ms: Ms = 400  # it starts when the first audio is this late; 0 = only on errors
    breaker: BreakerSettings = BreakerSettings()


class TtsSettings(Section):
    engine: str = "espeak"  # espeak, openai, piper, simulated, or an entry point's name
    model: str = ""  # piper: a voice from the registry or a .onnx file; openai: the server's name
    voice: str = ""  # the engine's default voice
    speed: float = Field(1.0, ge=0.25, le=4)
    threads: int = Field(1, ge=1, le=64)  # of each worker; more help only long clauses
    workers: int = Field(1, ge=1, le=16)  # processes of espeak or piper; sessions share them chunk
    # by chunk, so one speaks for several; more than there are cores only cost memory
    base_url: str | None = None  # openai engine, e.g. http://127.0.0.1:8880/v1
    api_key: SecretStr | None = None
    audio_format: Literal["pcm", "wav"] = "pcm"  # openai engine: what is asked of the server
    sample_rate: int = Field(24_000, ge=8000, le=48_000)  # openai engine: Hz of its pcm, where it
    # does not say so itself
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
    """Delay of one simulated stage, seeded: `constant`, `normal`, `lognormal` (long-tailed), or
    drawn from a `recorded` file."""

    mean_ms: float = Field(0.0, ge=0)
    sd_ms: float = Field(0.0, ge=0)
    kind: Literal["constant", "normal", "lognormal", "recorded"] = "constant"
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


class CallSettings(Section):
    """The durable record of calls, and recordings of their sound. Both off until switched on."""

    enabled: bool = False  # write down every call: who, when, turns, latencies, how it ended
    database: SecretStr = SecretStr("")  # SQLAlchemy URL: sqlite:////path/calls.sqlite3 or
    # postgresql://user:password@host/name; "" = calls.sqlite3 in the user's data directory
    store_text: bool = True  # with the turns, what was said; False: figures only
    record_audio: bool = False  # a stereo WAV of each call: left the caller, right the agent
    recordings_dir: Path | None = None  # None = recordings/ in the user's data directory
    recording_rate: Literal[8000, 16000] = 8000  # Hz; a telephone has no more
    consent: str = ""  # said by the agent before recording starts; "" = recorded from the start
    retention_days: int = Field(90, ge=0, le=36_500)  # older calls are deleted; 0 = never


class IceServerSettings(Section):
    """One STUN or TURN server, as browsers write it down."""

    urls: tuple[Annotated[str, Field(pattern=r"^(stuns?|turns?):[^\s<>\"]+$")], ...] = Field(
        min_length=1
    )  # ["stun:stun.example.net:3478"], ["turn:turn.example.net:3478?transport=udp"]
    username: str | None = None  # TURN only
    credential: SecretStr | None = None


class WebRtcSettings(Section):
    """Calls from browsers, `/v1/realtime/calls` and `/whip`; see docs/webrtc.md."""

    ice_servers: tuple[IceServerSettings, ...] = ()  # for the server itself and for browsers that
    # ask at /v1/realtime/ice_servers; none: the two must reach each other directly. The server
    # uses the first STUN and the first TURN URL, and waits for them at every call
    public_address: str | None = Field(None, pattern=r"^[0-9.]+$")  # IPv4 by which the world
    # reaches this host through one-to-one NAT that keeps port numbers; offered beside its own
    loopback: Literal["auto", "on", "off"] = "auto"  # offer 127.0.0.1; "auto": only where there is
    # no other address, as in a container without network, since browsers refuse it mostly
    max_setup_s: float = Field(15.0, gt=0, le=120)  # a call not connected by then is given up
    reorder_packets: int = Field(2, ge=1, le=16)  # newer packets (20 ms each) after which a missing
    # one is given up; 2 also hears packets that overtook one another
    lead_ms: Ms = 200  # reply audio held ready in the outgoing track, so that a stall of the
    # process is not heard; a barge-in drops it, so it costs nothing


class PhoneTurnSettings(Section):
    """Turn options of telephone calls, where they differ from `turns`; empty = as there."""

    speech_threshold: float | None = Field(None, ge=0, le=1)
    min_speech_ms: Ms | None = None
    pause_ms: Ms | None = 40  # the agent's own voice comes back from the far end, weaker, in short
    # bursts; a cut for nothing costs a phone 100 ms of clear and refill
    interrupt_ms: Ms | None = None
    endpoint_complete_ms: Ms | None = None
    endpoint_unknown_ms: Ms | None = None
    endpoint_incomplete_ms: Ms | None = None


class TwilioSettings(Section):
    account_sid: str = ""  # with the token: hang-up and transfer over Twilio's REST interface
    auth_token: SecretStr | None = None  # signs webhooks and streams; without it both are refused
    api_url: str = "https://api.twilio.com"


class SignalWireSettings(Section):
    project_id: str = ""  # with the token and the URL: hang-up and transfer
    api_token: SecretStr | None = None
    signing_key: SecretStr | None = None  # signs webhooks; without it they are refused
    api_url: str = ""  # your space: https://NAME.signalwire.com


class TelnyxSettings(Section):
    public_key: str = ""  # base64; checks the signature of webhooks; without it they are refused
    api_key: SecretStr | None = None  # hang-up and transfer
    api_url: str = "https://api.telnyx.com"


class PlivoSettings(Section):
    auth_id: str = ""  # with the token: hang-up
    auth_token: SecretStr | None = None  # signs webhooks; without it they are refused
    api_url: str = "https://api.plivo.com"


class VonageSettings(Section):
    signature_secret: SecretStr | None = None  # signs webhooks; without it they are refused


class AudioSocketSettings(Section):
    """Asterisk's AudioSocket: plain TCP, and whoever reaches the port may call."""

    host: str = "127.0.0.1"  # it has no authentication: keep it off the internet
    port: Port | None = None  # None = off; 9092 is what Asterisk's examples use


class TelephonySettings(Section):
    """Calls that carriers stream to the server. Each carrier's paths are closed until the secret is
    set that its requests are signed with."""

    public_url: str = ""  # where carriers reach the server, https://voice.example.com: they sign
    # it, and call documents name it; "" = what the request itself says
    trust_forwarded: bool = False  # take it from X-Forwarded-Proto and -Host: only behind a proxy
    # that sets both
    insecure: bool = False  # open all carriers' paths without signatures: for a test at the desk
    start_timeout_s: float = Field(10.0, gt=0, le=60)  # from the connection to the carrier's start
    ticket_s: float = Field(60.0, gt=0, le=3600)  # from the webhook to the stream it asked for
    max_call_s: float = Field(3600.0, gt=0, le=86_400)
    end_warning: str = ""  # said `end_warning_s` before that, if nobody speaks; "" = nothing
    end_warning_s: float = Field(30.0, ge=0, le=600)
    lead_ms: Ms = 200  # audio sent ahead of playback where the carrier queues it and can drop it
    silence_ms: Ms = 10_000  # nobody speaks for so long: the next prompt is said; 0 = never
    silence_prompts: tuple[str, ...] = ("Are you still there?",)  # in order; then ...
    goodbye: str = "I cannot hear you. Goodbye."  # ... this, and the call ends
    keypad_pause_ms: Ms = 2000  # no further key for so long ends an entry, as # does
    transfer_targets: tuple[str, ...] = ()  # where the agent may put callers through to:
    # "sales=+15550100"; the model knows the name only
    transfer_failed: str = "I am sorry, I could not put you through."
    busy: str = "All lines are busy. Please call again later."  # where a carrier cannot just refuse
    turns: PhoneTurnSettings = PhoneTurnSettings()
    twilio: TwilioSettings = TwilioSettings()
    signalwire: SignalWireSettings = SignalWireSettings()
    telnyx: TelnyxSettings = TelnyxSettings()
    plivo: PlivoSettings = PlivoSettings()
    vonage: VonageSettings = VonageSettings()
    audiosocket: AudioSocketSettings = AudioSocketSettings()


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
    webrtc: WebRtcSettings = WebRtcSettings()
    calls: CallSettings = CallSettings()
    simulated: SimulatedSettings = SimulatedSettings()
    telephony: TelephonySettings = TelephonySettings()
