"""One engine in a host: what it is, how busy, how fast; and whose turn is next where many wait."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from voicepipe.asr.contract import Transcript
from voicepipe.cluster.errors import Refused
from voicepipe.llm.contract import Finish
from voicepipe.llm.slots import PrioritySlots
from voicepipe.resilience.recent import Recent
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import EngineError

MOST_CALLS = 4096
"""Under way at a time where nobody sets a limit."""

WINDOW_S = 60.0


class ServedEngine:
    """An engine by its contract, with a place in a host. Of the calls under way it works on
    `at_once`, and `max_waiting` wait, the urgent first; one more is refused."""

    def __init__(
        self, name: str, engine: Any, at_once: int = MOST_CALLS, max_waiting: int = 0
    ) -> None:
        self.name, self.engine = name, engine
        self.at_once, self.max_ongoing = at_once, at_once + max_waiting
        self.stage = name.partition(".")[0]
        self.state = "starting"  # "ready", "failed"
        self.message = ""  # why it failed
        self.ongoing = 0
        self.counts: Counter[str] = Counter()  # calls by how they ended; tokens
        self._turns = PrioritySlots(at_once, max_waiting, self.stage, f"The pool of {name}")
        clock = MonotonicClock()
        self._queue_ms = Recent(clock, size=1000, window_s=WINDOW_S)
        self._first_ms = Recent(clock, size=1000, window_s=WINDOW_S)

    @asynccontextmanager
    async def turn(self, priority: int) -> AsyncIterator[float]:
        """Wait until it is this call's turn; gives the seconds waited. Raises Refused when a
        more urgent one has taken its place among those that wait."""
        asked_s = time.monotonic()
        try:
            await self._turns.acquire(priority)
        except EngineError as error:
            raise Refused(str(error), stage=self.stage, retryable=True) from None
        try:
            yield time.monotonic() - asked_s
        finally:
            self._turns.release()

    def noted(self, item: object, queue_s: float, first_s: float | None) -> None:
        """An item of it has been sent; `first_s`: how long the first of a call took."""
        if first_s is not None:
            self._first_ms.add(first_s * 1000)
        match item:
            case Finish():
                self.counts["prompt_tokens"] += item.usage.prompt_tokens
                self.counts["cached_tokens"] += item.usage.cached_tokens
            case Transcript():
                self._queue_ms.add(item.queue_s * 1000)
                self.counts["served"] += 1  # an utterance itself ends by being closed
                return
        if first_s is not None:
            self._queue_ms.add(queue_s * 1000)

    def told(self) -> dict[str, Any]:
        """What gateways must know, when they come and when it changes."""
        engine, ready = self.engine, self.state == "ready"
        return {
            "state": self.state,
            "message": self.message,
            "at_once": self.at_once,
            "max_ongoing": self.max_ongoing,
            "name": engine.name,
            "sample_rate": getattr(engine, "sample_rate", 0) if ready else 0,
            "voices": engine.voices() if ready and hasattr(engine, "voices") else (),
            "problem": getattr(engine, "problem", None) if ready else None,
        }

    def load(self) -> dict[str, Any]:
        """How busy it is; p95 over the last minute, in ms."""
        return {
            "ongoing": self.ongoing,
            "waiting": self._turns.waiting,
            "queue_ms": self._queue_ms.p95(),
            "first_ms": self._first_ms.p95(),
            **self.counts,
        }
