"""What a session asks of a language model. The whole contract; engines live in `llm/engines/`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Protocol

from voicepipe.runtime.errors import EngineError, VoicepipeError

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call the model asks for. `arguments` is a JSON object as text, exactly as generated."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the prompt, OpenAI chat shape."""

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()  # assistant only
    call_id: str | None = None  # tool only: which call this answers


@dataclass(frozen=True, slots=True)
class Tool:
    """A function the model may call; `parameters` is a JSON Schema object."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)


IDLE_PRIORITY = 2
"""Of what nobody waits for, as of a prefill: everything that somebody waits for goes first."""

ToolChoice = Literal["auto", "none", "required"] | str
"""A mode, or the name of the one tool that must be called."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One generation. `priority`: lower runs first (0 committed, 1 speculative, 2 what nobody waits
    for: its answer may end without a `Finish`, having made way for a caller's).
    `session_id`: the same for all requests of one session, so that engines find its cache again.
    """

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    tool_choice: ToolChoice = "auto"
    max_tokens: int = 256
    temperature: float = 0.0
    seed: int | None = None
    priority: int = 0
    request_id: str = ""
    model: str = ""  # another model of the same server, for engines that have several
    session_id: str = ""
    parallel_tools: bool = True  # False: one call is all that is taken of an answer
    whole: bool = False  # a history that the model cannot hold is an error, and not cut

    @property
    def idle(self) -> bool:
        """Nobody waits for the answer."""
        return self.priority >= IDLE_PRIORITY

    @property
    def must_call(self) -> bool:
        """Words are no answer to this."""
        return self.tool_choice not in ("auto", "none")


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts of one request; `cached_tokens` is the part of the prompt not recomputed."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    drafted_tokens: int = 0
    accepted_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(Usage)))


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of answer text; concatenated deltas are the answer.

    `planned_s`: simulated engines say what this piece was meant to take; others leave it None.
    `logprob`: mean natural log-probability of its tokens, from engines that know it.
    """

    text: str
    planned_s: float | None = field(default=None, compare=False)
    logprob: float | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A complete tool call (engines parse streamed calls and hand them on whole)."""

    call: ToolCall
    planned_s: float | None = field(default=None, compare=False)  # as in `TextDelta`


FinishReason = Literal["stop", "length", "tool_calls"]


@dataclass(frozen=True, slots=True)
class TokenTimes:
    """When an answer's tokens came, in ms. A step brings one token, or several where a drafter
    guessed right; the gaps between steps are None where there was one only.
    """

    first_ms: float  # since the request
    step_p50_ms: float | None = None
    step_max_ms: float | None = None
    hop_ms: float | None = None  # the round trip to an engine elsewhere, part of `first_ms`


@dataclass(frozen=True, slots=True)
class Finish:
    """Always the last item of a stream that was not cancelled.

    `route`: what wrappers (hedge, cascade, cache) decided, by stage, for the ledger.
    `times`: from engines that see their tokens come.
    """

    reason: FinishReason
    usage: Usage = Usage()
    route: Mapping[str, str] = field(default_factory=dict, compare=False)
    times: TokenTimes | None = field(default=None, compare=False)


class ToolCallUnusable(EngineError):
    """All that the answer held was a call that cannot be read, or of a tool that was not offered.
    Asked once more the model may do better; asked without tools it answers in words."""

    def __init__(self, reason: str) -> None:
        """`reason`: in words; quotes nothing of the model's."""
        super().__init__(
            f"The language model asked for a tool in an unusable way: {reason}.",
            stage="llm",
            retryable=True,
        )
        self.reason = reason


class MadeWay(VoicepipeError):
    """An answer that nobody waits for was left unfinished: somebody waits for another."""


Delta = TextDelta | ToolCallDelta | Finish


class LanguageModel(Protocol):
    """An engine, shared by all sessions."""

    name: str
    # models: tuple[str, ...], where there are several: names that `ChatRequest.model` may have

    async def start(self) -> None:
        """Load and warm up. Raises EngineUnavailable naming what is missing and how to get it."""
        ...

    def stream(self, request: ChatRequest) -> AsyncIterator[Delta]:
        """Generate. Closing the iterator (or cancelling the task that reads it) stops the work in
        the engine. Raises EngineError(stage="llm"), `retryable` while nothing was yielded,
        ToolCallUnusable among them.
        """
        ...

    async def warm(self, request: ChatRequest) -> None:
        """Prefill only, where the engine can keep the prefix; else do nothing."""
        ...

    async def aclose(self) -> None: ...
