"""Who goes on next among the requests of one worker: the one whose reply is wanted first.

An engine that speaks in chunks yields, after each, the time at which its listener will have heard
them all. A new request is wanted at once, so its first chunk comes after at most one chunk of
somebody else; among equals who came first goes first. A session whose listener has much left waits.
Under overload all fall behind alike.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from voicepipe.workers.engine import BadRequest, Cancelled

MAX_DETAIL_CHARS = 4000
"""Of an error's traceback, which is for the log alone: it may quote paths and callers."""

MOST_AHEAD_S = 2.0
"""Nobody waits longer for a turn than this: the other side's deadline for a next reply runs on."""

Begin = Callable[[], Iterator[float] | None]


class Job:
    """One request. `outcome` is the message that ends it, once it has ended."""

    def __init__(self, request_id: int, begin: Begin, cancelled: Cancelled) -> None:
        self.id = request_id
        self.wanted_s = time.monotonic()
        self.outcome: Mapping[str, Any] | None = None
        self._begin = begin
        self._cancelled = cancelled
        self._steps: Iterator[float] | None = None

    @property
    def cancelled(self) -> bool:
        return self._cancelled()

    def go_on(self) -> None:
        """Begin, or go on to the next `yield`; nothing more if it was cancelled."""
        try:
            if self.cancelled:
                self._close()
                return
            if self._steps is None:
                self._steps = self._begin()
            if self._steps is None:  # it was served at one go
                self.outcome = {"op": "end"}
            else:
                self.wanted_s = min(next(self._steps), time.monotonic() + MOST_AHEAD_S)
        except StopIteration:
            self.outcome = {"op": "end"}
        except BadRequest as error:
            self.outcome = {"op": "error", "message": str(error), "retryable": False}
        except Exception as error:
            self.outcome = {
                "op": "error",
                "message": f"it failed with {type(error).__name__}",
                "detail": "".join(traceback.format_exception(error))[-MAX_DETAIL_CHARS:],
                "retryable": True,
            }

    def _close(self) -> None:
        self.outcome = {"op": "end"}
        close = getattr(self._steps, "close", None)
        if close is not None:
            close()


class Turns:
    """The jobs of a worker. Falsy when there is none."""

    def __init__(self) -> None:
        self._jobs: list[Job] = []

    def __len__(self) -> int:
        return len(self._jobs)

    def add(self, job: Job) -> None:
        self._jobs.append(job)

    def go_on(self) -> Job:
        """One step of the job that is wanted first, cancelled ones before all; there must be one.
        A job with an outcome has left."""
        job = min(self._jobs, key=lambda job: (not job.cancelled, job.wanted_s))
        job.go_on()
        if job.outcome is not None:
            self._jobs.remove(job)
        return job
