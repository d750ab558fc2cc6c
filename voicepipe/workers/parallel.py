"""Requests of an engine that serves several at once, each on a thread of its own.

For engines that batch by themselves (llama.cpp): the threads mostly wait. Engines that compute on
the calling thread take turns instead (`fair_queue.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from voicepipe.workers.fair_queue import Job

Finished = Callable[[Job], None]


def run_whole(job: Job) -> Job:
    """Run a job to its end on this thread."""
    while job.outcome is None:
        job.go_on()
    return job


class Parallel:
    """At most `at_once` jobs run; those beyond wait in order. `finished` is called on the job's
    thread."""

    def __init__(self, at_once: int, finished: Finished) -> None:
        self._pool = ThreadPoolExecutor(at_once, thread_name_prefix="request")
        self._finished = finished

    def add(self, jobs: Iterable[Job]) -> None:
        """Start them, or have them wait."""
        for job in jobs:
            self._pool.submit(self._run, job)

    def _run(self, job: Job) -> None:
        self._finished(run_whole(job))
