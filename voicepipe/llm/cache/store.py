"""Where answers are kept: the contract, and the one in this process's memory."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Protocol

from voicepipe.runtime.clock import Clock

ENTRY_OVERHEAD_BYTES = 300  # of Python's, about


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete answer and what it took to make it."""

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0


class AnswerStore(Protocol):
    """Never raises: a store that cannot be reached has no answers."""

    async def get(self, key: str) -> Answer | None: ...

    async def put(self, key: str, answer: Answer) -> None: ...

    async def aclose(self) -> None: ...


class MemoryStore:
    """At most `max_bytes` of answers, none older than `ttl_s`; the longest unused go first."""

    def __init__(self, clock: Clock, *, max_bytes: int, ttl_s: float) -> None:
        self._clock = clock
        self._max_bytes, self._ttl_s = max_bytes, ttl_s
        self._answers: OrderedDict[str, tuple[float, Answer]] = OrderedDict()
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._answers)

    async def get(self, key: str) -> Answer | None:
        """See `AnswerStore`."""
        found = self._answers.get(key)
        if found is None:
            return None
        kept_at, answer = found
        if self._clock.now() - kept_at > self._ttl_s:
            self._drop(key)
            return None
        self._answers.move_to_end(key)
        return answer

    async def put(self, key: str, answer: Answer) -> None:
        """See `AnswerStore`."""
        if _size(key, answer) > self._max_bytes:
            return
        self._drop(key)
        self._answers[key] = self._clock.now(), answer
        self.bytes += _size(key, answer)
        while self.bytes > self._max_bytes:
            self._drop(next(iter(self._answers)))

    async def aclose(self) -> None:
        """Nothing to close."""

    def _drop(self, key: str) -> None:
        found = self._answers.pop(key, None)
        if found is not None:
            self.bytes -= _size(key, found[1])


def _size(key: str, answer: Answer) -> int:
    return len(key) + len(answer.text.encode()) + ENTRY_OVERHEAD_BYTES
