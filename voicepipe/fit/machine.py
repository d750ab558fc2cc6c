"""A small machine on which several stages want the same cores. Pure.

Engines are as they are here: one recognizer that decodes one thing after the other, each to its
end, finals before partials; one language model whose answers share each step; one voice. Where they
want more cores than there are, recognizer and voice go before the language model, as their
processes' priorities say (`runtime/cores.py`), and it still gets its share.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from voicepipe.fit.speeds import AsrSpeed, LlmSpeed

LLM_WEIGHT = 0.33  # of one of its threads against one of the others': niceness 5


LEAST_MS = 1e-6  # of work: less is rounding


@dataclass(slots=True, eq=False)
class Job:
    """`left_ms`: of work, alone on the machine. `then` is called when it is done, with the time."""

    left_ms: float
    then: Callable[[float], None]
    urgent: bool = True
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
        asr_share, llm_share, tts_share = self._shares()
        if self.asr_jobs:  # first come, first served, and a decode cannot be interrupted
            yield min(self.asr_jobs, key=lambda job: (not job.begun, not job.urgent)), asr_share
        company = 1 + self.llm.company * max(len(self.llm_jobs) - 1, 0)
        for job in self.llm_jobs:
            yield job, llm_share / company
        if self.tts_jobs:
            yield self.tts_jobs[0], tts_share

    def _shares(self) -> tuple[float, float, float]:
        """How much of what it wants each gets, 0 to 1, recognizer, language model, voice. What one
        cannot use, since it has all its threads, the others share."""
        wants = (
            (self.asr.threads if self.asr_jobs else 0, 1.0),
            (self.llm.threads if self.llm_jobs else 0, LLM_WEIGHT),
            (1 if self.tts_jobs else 0, 1.0),
        )
        shares, left = [0.0, 0.0, 0.0], float(self.cores)
        hungry = {i: min(wanted, self.cores) for i, (wanted, _) in enumerate(wants) if wanted}
        while hungry:
            fair = left / sum(threads * wants[i][1] for i, threads in hungry.items())
            full = [i for i in hungry if fair * wants[i][1] >= 1]
            for i in full or hungry:
                shares[i] = 1.0 if full else fair * wants[i][1]
            if not full:
                break
            left -= sum(hungry.pop(i) for i in full)
        asr, llm, tts = shares
        return asr, llm, tts
