"""A small machine on which several stages want the same cores, in steps of time. Pure.

Engines are as they are here: one recognizer that decodes one thing after the other, finals before
partials; one language model whose answers share each step; one voice. Where they want more cores
than there are, recognizer and voice go before the language model, as their processes' priorities
say (`runtime/cores.py`), and it still gets its share.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from voicepipe.fit.speeds import AsrSpeed, LlmSpeed

LLM_WEIGHT = 0.33  # of one of its threads against one of the others': niceness 5


@dataclass(slots=True)
class Job:
    """`left_ms`: of work, alone on the machine. `then` is called when it is done, with the time."""

    left_ms: float
    then: Callable[[float], None]
    urgent: bool = True


@dataclass(slots=True)
class Machine:
    """Submit jobs, then `advance`."""

    cores: int
    asr: AsrSpeed
    llm: LlmSpeed
    asr_jobs: list[Job] = field(default_factory=list)
    llm_jobs: list[Job] = field(default_factory=list)
    tts_jobs: list[Job] = field(default_factory=list)

    @property
    def idle(self) -> bool:
        """Nothing is to be done."""
        return not (self.asr_jobs or self.llm_jobs or self.tts_jobs)

    def advance(self, now_ms: float, step_ms: float) -> None:
        """One step of time; what ends in it calls its `then`."""
        asr_share, llm_share, tts_share = self._shares()
        ended: list[Job] = []
        if self.asr_jobs:
            self.asr_jobs.sort(key=lambda job: not job.urgent)  # stable: first come, first served
            self._work(self.asr_jobs[:1], step_ms * asr_share, ended)
        company = 1 + self.llm.company * max(len(self.llm_jobs) - 1, 0)
        self._work(self.llm_jobs, step_ms * llm_share / company, ended)
        self._work(self.tts_jobs[:1], step_ms * tts_share, ended)
        for queue in (self.asr_jobs, self.llm_jobs, self.tts_jobs):
            queue[:] = [job for job in queue if job.left_ms > 0]
        for job in ended:
            job.then(now_ms + step_ms)

    def _work(self, jobs: list[Job], done_ms: float, ended: list[Job]) -> None:
        for job in jobs:
            job.left_ms -= done_ms
            if job.left_ms <= 0:
                ended.append(job)

    def _shares(self) -> tuple[float, float, float]:
        """How much of what it wants each gets, 0 to 1."""
        wants = [
            (self.asr.threads if self.asr_jobs else 0, 1.0),
            (self.llm.threads if self.llm_jobs else 0, LLM_WEIGHT),
            (1 if self.tts_jobs else 0, 1.0),
        ]
        threads = [min(wanted, self.cores) for wanted, _ in wants]
        if sum(threads) <= self.cores:
            return 1.0, 1.0, 1.0
        total = sum(wanted * weight for wanted, (_, weight) in zip(threads, wants, strict=True))
        asr, llm, tts = (min(1.0, self.cores * weight / total) for _, weight in wants)
        return asr, llm, tts
