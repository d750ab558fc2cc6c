"""A language model that is a script with a stopwatch: for load tests, CI and what-if runs.

It sleeps on the event loop only, so it works in virtual time."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from voicepipe.config import LlmSettings, SimulatedSettings
from voicepipe.config.engines import EngineContext
from voicepipe.llm.call_ids import new_call_id
from voicepipe.llm.contract import (
    ChatRequest,
    Delta,
    Finish,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    Usage,
)
from voicepipe.runtime.errors import EngineError
from voicepipe.runtime.sampling import DelaySampler
from voicepipe.runtime.turnstile import turnstile

_TOKEN = re.compile(r"\s*\S+\s*$|\s*\S+|\s+$")
CHARS_PER_TOKEN = 4  # English, roughly; for the usage figures


@dataclass(frozen=True, slots=True)
class Answer:
    """One scripted answer: text, then perhaps a tool call, then perhaps trouble."""

    text: str = ""
    tool: tuple[str, str] | None = None  # name and arguments (JSON text)
    more_tools: tuple[tuple[str, str], ...] = ()  # called besides
    fail_after_tokens: int | None = None  # raise EngineError after so many text tokens
    hang_after_tokens: int | None = None  # never go on after so many text tokens


Answers = Sequence[Answer | str] | Callable[[ChatRequest], Answer | str]


class SimulatedModel:
    """`LanguageModel` with scripted answers and sampled delays.

    `answers`: a sequence is used up in order and then repeated; a function is asked per request;
    None means `settings.answer` every time. The same seed gives the same delays."""

    name = "simulated"

    def __init__(self, settings: SimulatedSettings, answers: Answers | None = None) -> None:
        self._answers: Answers = answers if answers is not None else (settings.answer,)
        if not callable(self._answers) and not self._answers:
            raise ValueError("the script needs at least one answer")
        self._first_token = DelaySampler(settings.llm_first_token, settings.seed + 1, "llm")
        self._turnstile = turnstile(settings.llm_first_token.slots)
        self._per_token = DelaySampler(settings.llm_per_token, settings.seed + 2, "llm token")
        self.requests: list[ChatRequest] = []
        """The latest `MAX_REQUESTS` requests, for tests to look at."""
        self.started_requests = 0
        self.active_requests = 0
        self.cancelled_requests = 0
        self.warmed_requests = 0

    async def start(self) -> None:
        """Nothing to load."""

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]:
        """Generate; see the contract. The delays count from here, or from its turn where `slots`
        are few, our own preparations in them."""
        self.active_requests += 1
        finished = False
        try:
            async with self._turnstile:
                asked_s = asyncio.get_running_loop().time()
                answer = self._next_answer(request)
                async with aclosing(self._play(answer, request, asked_s)) as deltas:
                    async for delta in deltas:
                        yield delta
            finished = True
        except EngineError:
            finished = True
            raise
        finally:
            self.active_requests -= 1
            self.cancelled_requests += not finished

    async def warm(self, request: ChatRequest) -> None:
        """Counts, does nothing."""
        self.warmed_requests += 1

    async def aclose(self) -> None:
        """Nothing to unload."""

    def _next_answer(self, request: ChatRequest) -> Answer:
        self.requests = [*self.requests[-(MAX_REQUESTS - 1) :], request]
        if callable(self._answers):
            answer = self._answers(request)
        else:
            answer = self._answers[self.started_requests % len(self._answers)]
        self.started_requests += 1
        return Answer(answer) if isinstance(answer, str) else answer

    async def _play(
        self, answer: Answer, request: ChatRequest, asked_s: float
    ) -> AsyncGenerator[Delta, None]:
        tokens = tokens_of(answer.text)
        spoken = tokens[: request.max_tokens]
        planned_s = self._first_token.next_s()
        due_s = asked_s + planned_s
        await _until(due_s)
        for index in range(len(spoken) + 1):
            if index == answer.fail_after_tokens:
                raise EngineError(
                    f"The simulated language model failed after {index} token(s), as scripted.",
                    stage="llm",
                    retryable=index == 0,
                )
            if index == answer.hang_after_tokens:
                await asyncio.get_running_loop().create_future()
            if index == len(spoken):
                break
            if index > 0:
                planned_s = self._per_token.next_s()
                due_s += planned_s  # by the clock: late timers must not add up over the tokens
                await _until(due_s)
            yield TextDelta(spoken[index], planned_s)
        if answer.tool is not None and len(spoken) == len(tokens):
            for tool in (answer.tool, *answer.more_tools):
                yield ToolCallDelta(ToolCall(new_call_id(), *tool))
        yield self._finish(answer, request, len(spoken), cut=len(spoken) < len(tokens))

    def _finish(self, answer: Answer, request: ChatRequest, count: int, *, cut: bool) -> Finish:
        prompt_chars = sum(len(m.content) for m in request.messages)
        usage = Usage(prompt_tokens=prompt_chars // CHARS_PER_TOKEN, completion_tokens=count)
        if cut:
            return Finish("length", usage)
        return Finish("stop" if answer.tool is None else "tool_calls", usage)


def tokens_of(text: str) -> list[str]:
    """As the simulated model writes it, a word at a time."""
    return [m.group() for m in _TOKEN.finditer(text)]


async def _until(due_s: float) -> None:
    """Sleep to an instant of the loop's time; one that has passed costs nothing."""
    await asyncio.sleep(max(0.0, due_s - asyncio.get_running_loop().time()))


MAX_REQUESTS = 100
"""Kept for tests; a load test must not grow with its length."""


def make(context: EngineContext[LlmSettings, SimulatedSettings]) -> SimulatedModel:
    """See `Engine.make`."""
    return SimulatedModel(context.own)
