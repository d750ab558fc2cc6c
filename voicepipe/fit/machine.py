"""A small machine on which several stages want the same cores. Pure.

Engines are as they are here: one recognizer that decodes one thing after the other, each to its
end, finals before partials; one language model whose answers share each step; one voice. Where
their threads outnumber the cores they hinder each other, by as much as was measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from voicepipe.fit.speeds import AsrSpeed, LlmSpeed

DECODE_HINDERED, PROMPT_HINDERED = 0.5, 0.7
"""How much longer, as a share, a decode and a prompt take beside each other where both have as many
threads as there are cores. Measured on two (`scripts/bench_side_by_side.py`); a token of the answer
waits for memory, and took no longer."""

LEAST_MS = 1e-6  # of work: less is rounding


@dataclass(slots=True, eq=False)
class Job:
    """`left_ms`: of work, alone on the machine. `then` is called when it is done, with the time."""

    left_ms: float
    then: Callable[[float], None]
    urgent: bool = True
    steps: bool = False  # tokens of an answer, not a prompt
    begun: bool = False


@dataclass(slots=True)
class Machine:
    """Submit jobs, then `advance`."""

    cores: int
    asr: AsrSpeed
    llm: LlmSpeed
    asr_jobs: list[Job] = field(default_factory=list)
    llm_jobs: list[Job] = field(default_factory=list)
    tts_jobs: list[Job] = field(default_factory=list)

    def next_end(self) -> float:
        """Ms until the first of its jobs is done, if none is added."""
        return min((job.left_ms / rate for job, rate in self._running() if rate), default=math.inf)

    def advance(self, now_ms: float, step_ms: float) -> None:
        """So much time passes; what is done by then calls its `then`. Not beyond `next_end`."""
        ended: list[Job] = []
        for job, rate in self._running():
            job.begun = True
            job.left_ms -= step_ms * rate
            if job.left_ms < LEAST_MS:
                ended.append(job)
        for queue in (self.asr_jobs, self.llm_jobs, self.tts_jobs):
            queue[:] = [job for job in queue if job not in ended]
        for job in ended:
            job.then(now_ms + step_ms)

    def _running(self) -> Iterator[tuple[Job, float]]:
        """What is worked on, and how fast: 1 is as fast as alone."""
        crowded = self._crowded()
        if self.asr_jobs:  # first come, first served, and a decode cannot be interrupted
            job = min(self.asr_jobs, key=lambda job: (not job.begun, not job.urgent))
            yield job, 1 / (1 + crowded * DECODE_HINDERED)
        company = 1 + self.llm.company * max(len(self.llm_jobs) - 1, 0)
        for job in self.llm_jobs:
            hindered = 0 if job.steps else crowded * PROMPT_HINDERED
            yield job, 1 / (1 + hindered) / company
        if self.tts_jobs:
            yield self.tts_jobs[0], 1 / (1 + crowded * DECODE_HINDERED)

    def _crowded(self) -> float:
        """How far the threads at work outnumber the cores: 0 not at all, 1 twice as many."""
        threads = bool(self.asr_jobs) * self.asr.threads + bool(self.llm_jobs) * self.llm.threads
        return min(max(threads / self.cores - 1, 0.0), 1.0)
