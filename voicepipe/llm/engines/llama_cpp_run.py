"""One request on its way through llama.cpp's worker: deadlines, counts, errors in our words."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from voicepipe.config import LlmSettings
from voicepipe.llm.token_limit import token_limit
from voicepipe.runtime.errors import EngineError
from voicepipe.workers.supervisor import Worker


class TooLong(Exception):
    """The prompt does not fit its slot beside the answer it is to have."""

    def __init__(self, tokens: int) -> None:
        super().__init__(f"a prompt of {tokens} tokens")
        self.tokens = tokens


class Run:
    """Starts its clock when made. A request runs in one part, or in several where it calls tools.

    `prompt_tokens`, `cached_tokens`: of the first part. `last`: the reply that ended the last part,
    None if it was cut off. `pieces`: of text that came in that part.
    """

    def __init__(self, worker: Worker, settings: LlmSettings, model: str) -> None:
        self._worker = worker
        self._settings = settings
        self._model = model
        self._began_s = asyncio.get_running_loop().time()
        self.prompt_tokens = self.cached_tokens = 0
        self.last: Mapping[str, Any] | None = None
        self.pieces = 0
        self.got_text = False

    @property
    def deadline_s(self) -> float:
        """By the loop's clock: when the next piece must be here."""
        return self._began_s + self._limit()[0] / 1000

    async def replies(
        self, request: Mapping[str, Any], room: int | None
    ) -> AsyncGenerator[Mapping[str, Any]]:
        """Replies with text, of one part. Closing cancels it in the worker. Raises TooLong for a
        prompt of more than `room` tokens, EngineError when late, WorkerDied.
        """
        self.last, self.pieces = None, 0
        whole_s = self._settings.total_timeout_ms / 1000
        replies = self._worker.request(request, first_timeout_s=whole_s, next_timeout_s=whole_s)
        async with aclosing(replies):
            while True:
                try:
                    async with asyncio.timeout_at(self.deadline_s):
                        reply = await anext(replies, None)
                except TimeoutError:
                    raise self.late() from None
                if reply is None:
                    return
                if "text" in reply.header:
                    self.pieces += 1
                    self.got_text = True
                    yield reply.header
                else:
                    self._note(reply.header, room)

    def late(self) -> EngineError:
        """The deadline has passed."""
        limit_ms, setting = self._limit()
        what = "was not done" if self.got_text else "gave no token"
        return EngineError(
            f"The language model in {self._model} {what} within {limit_ms} ms (llm.{setting}); "
            "use a smaller model, more cores or fewer sessions.",
            stage="llm",
            retryable=not self.got_text,
        )

    def died(self) -> EngineError:
        """The worker is no more."""
        return EngineError(
            "llama.cpp died while it answered; it is being started again.",
            stage="llm",
            retryable=not self.got_text,
        )

    def _limit(self) -> tuple[int, str]:
        return token_limit(self._settings, begun=self.got_text)

    def _note(self, header: Mapping[str, Any], room: int | None) -> None:
        if "too_long" in header:
            raise TooLong(header["too_long"])
        if "finish" in header:
            self.last = header
        elif "total" in header:
            if room is not None and header["total"] > room:
                raise TooLong(header["total"])
            if not self.prompt_tokens:
                self.prompt_tokens, self.cached_tokens = header["total"], header["cached"]
