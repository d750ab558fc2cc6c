"""Language models: the engine, its fallback, cascade and caches, vLLM, llama.cpp."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, SecretStr

from voicepipe.config.budget import BreakerSettings
from voicepipe.config.section import Ms, Section
from voicepipe.privacy.patterns import Kind


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


class OtherLlmSettings(Section):
    """One more language model that a call may choose by its name here. What is not said is as in
    `llm`."""

    engine: str  # as llm.engine
    model: str = ""
    base_url: str | None = None
    api_key: SecretStr | None = None


class EmbedderSettings(Section):
    """A server that turns questions into vectors: `POST {base_url}/embeddings`, as vLLM,
    llama.cpp, Ollama and OpenAI have it."""

    base_url: str | None = None
    model: str = ""
    api_key: SecretStr | None = None
    timeout_ms: Ms = 60  # it lies on the turn's path; later is as if nothing was found


class AnswerCacheSettings(Section):
    """Answers given before, to questions that need no context. Never answers of tools or about the
    time. Off by default: the same words may deserve another answer tomorrow."""

    exact: bool = False  # same words, case and punctuation aside
    semantic: bool = False  # the same in other words, as `embedder` sees it
    embedder: EmbedderSettings = EmbedderSettings()
    threshold: float = Field(0.88, gt=0, le=1)  # cosine from which two questions are the same;
    # what it should be is the embedder's
    patterns: tuple[str, ...] = ()  # regular expressions of questions that need no context in
    # mid-conversation either; else only the first turn is looked up
    ttl_s: float = Field(3600.0, gt=0)
    max_mb: float = Field(16.0, gt=0, le=4096)  # exact answers in memory
    max_questions: int = Field(1000, ge=1, le=10_000)  # semantic ones, 4 bytes a dimension each
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
    constrain_tools: bool = True  # calls are generated under a grammar made of the tools' schemas,
    # so they always parse and fit; off: they are checked, and asked for once more
    engine_args: tuple[str, ...] = ()  # any other engine argument of vLLM's, "block_size=32"; the
    # values are JSON, or text where they are none
    warm_up: bool = True  # run each size of prompt, the drafter and sampling once before the first
    # caller: kernels are compiled at their first use, which takes seconds
    start_timeout_s: float = Field(1800.0, gt=0, le=86_400)  # loading, compiling, capturing
    restart_s: float = Field(1.0, gt=0, le=600)  # pause before a dead engine is started again;
    # doubled each time it dies young
    restart_max_s: float = Field(60.0, gt=0, le=3600)  # longest such pause


class LlamaCppSettings(Section):
    """The `llama_cpp` engine: a GGUF model in a process of ours; see docs/engines/llama-cpp.md."""

    slots: int = Field(4, ge=1, le=64)  # generations at once; a call comes back to its slot and
    # finds its history computed. Each takes memory for context_tokens
    context_tokens: int = Field(4096, ge=64, le=1_048_576)  # prompt and answer, of each slot; less
    # where the model holds less
    threads: int = Field(0, ge=0, le=256)  # 0 = the cores that recognizer, voice and event loop
    # leave (voicepipe/runtime/cores.py)
    batch_tokens: int = Field(32, ge=8, le=4096)  # of a prompt in one step: a larger one computes
    # no faster on a CPU, a smaller one lets running answers go on and cancels sooner
    kv_cache_type: Literal["f16", "q8_0"] = "f16"  # q8_0 holds twice the context in the same memory
    gpu_layers: int = Field(-1, ge=-1, le=1000)  # on a GPU, where xllamacpp was built for one;
    # -1 = all
    nice: int = Field(5, ge=0, le=19)  # the worker's niceness: who hears and speaks goes first
    constrain_tools: bool = True  # calls are generated under a grammar, so they always parse
    speculative: SpeculativeSettings = SpeculativeSettings()
    start_timeout_s: float = Field(180.0, gt=0, le=86_400)  # loading from a cold disk


class SummarySettings(Section):
    """What becomes of turns that no longer fit the prompt (`truncation`); see docs/realtime.md."""

    by: str = ""  # "" = they go; "llm" = the session's own model sums them up while nobody speaks;
    # else the name of an entry point `voicepipe.summaries`
    instructions: str = (
        "Sum up this conversation for the agent who goes on with it: what the user wants, names, "
        "numbers and dates, what was agreed and what is open. At most 120 words, no preamble."
    )
    max_tokens: int = Field(200, ge=16, le=2048)  # of the summary
    deadline_ms: int = Field(30_000, ge=100, le=600_000)  # then it is given up, and tried again


class LlmSettings(Section):
    engine: str = "ctranslate2"  # ctranslate2, llama_cpp, openai, vllm, simulated, or an entry
    # point's name
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
    session_header: str = Field("x-session-id", pattern=r"^[A-Za-z0-9-]{0,64}$")  # openai
    # engine: what brings a conversation back to the replica that holds its prefix, a hash of a
    # random id; "" = none
    session_field: Literal["", "prompt_cache_key", "user"] = ""  # openai engine: the same in the
    # body, for routers that read it there; strict servers refuse fields that they do not know
    redact: tuple[Kind, ...] = ()  # taken out of callers' words before a model has them, as in
    # `calls.redact`; tools cannot be called with it then, but for `tools.rules` and `get_digits`
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
    others: dict[str, OtherLlmSettings] = Field(default_factory=dict)  # models that are loaded too:
    # a call or an agent may choose one by its name here; such a call has no fallback or cascade
    use: str = ""  # the name in `others` that answers where neither does; "" = the model above
    offered: tuple[str, ...] | None = None  # which models a client may choose ("qwen*"): the one
    # above, those in `others`, and with the openai engine those that its server lists. [] = not
    # one; unset or "" = all of a server without a key, and of `others` those that need none: keys
    # cost money
    vllm: VllmSettings = VllmSettings()
    llama_cpp: LlamaCppSettings = LlamaCppSettings()
    cache: AnswerCacheSettings = AnswerCacheSettings()
    summary: SummarySettings = SummarySettings()
