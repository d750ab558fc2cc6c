"""One generation on a CTranslate2 worker thread, seen from the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from voicepipe.llm.contract import Usage
from voicepipe.llm.engines.ct2_prompt import Prompt
from voicepipe.llm.token_clock import TokenClock


@dataclass(frozen=True, slots=True)
class Token:
    """One step of the decoder; `logprob` only where it was asked for."""

    token_id: int
    logprob: float | None

    @property
    def logprobs(self) -> tuple[float, ...]:
        """None or one, as the answer's reader takes them."""
        return () if self.logprob is None else (self.logprob,)


@dataclass(frozen=True, slots=True)
class Done:
    """The worker has let go of the job."""

    error: BaseException | None


class Job:
    """Tokens cross from the worker thread to the loop through a queue that holds the longest
    possible answer, so it never fills and the worker never waits.
    """

    def __init__(self, max_tokens: int, *, warm: bool = False) -> None:
        self.max_tokens = max_tokens
        self.warm = warm
        self.cancelled = False
        self.steps = 0  # written by the worker thread only
        self.received = 0  # tokens read on the loop
        self.clock = TokenClock()
        self.ended = asyncio.Event()
        self._prompt: Prompt | None = None
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Token | Done] = asyncio.Queue(max_tokens + 1)

    def begin(self, prompt: Prompt) -> None:
        """Worker thread: the prompt is made, generation starts."""
        self._prompt = prompt

    def on_step(self, step: Any) -> bool:
        """Worker thread, CTranslate2's callback: True ends the generation."""
        self.steps += 1
        if not self.cancelled:
            token = Token(step.token_id, step.log_prob)
            self._loop.call_soon_threadsafe(self._queue.put_nowait, token)
        return self.cancelled

    def call_on_loop(self, callback: Callable[..., None], *args: Any) -> None:
        """Worker thread: run `callback` on the loop, if it still runs."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(callback, *args)

    def cancel(self) -> None:
        """Stop at the next token. Idempotent."""
        self.cancelled = True

    def end(self, error: BaseException | None) -> None:
        """The worker is done with it; tokens sent before were queued before."""
        self.ended.set()
        self._queue.put_nowait(Done(error))

    async def next(self) -> Token | Done:
        """The next token, or the end."""
        event = await self._queue.get()
        if isinstance(event, Token):
            self.received += 1
            self.clock.step()
        return event

    @property
    def answer_prefix(self) -> str:
        """Text of the answer that was put into its output (a forced tool call)."""
        return self._prompt.answer_prefix if self._prompt else ""

    def usage(self) -> Usage:
        prompt = self._prompt
        if prompt is None:
            return Usage(completion_tokens=self.steps)
        return Usage(
            prompt_tokens=len(prompt.static) + len(prompt.tokens),
            completion_tokens=self.steps,
            cached_tokens=len(prompt.static) if prompt.cached else 0,
        )
