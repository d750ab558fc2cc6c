"""Whose decode is next, and who may share it. Times go in, batches come out: no tasks, no clock.

Finals go before partials; among equals the one that has waited longest leads. The jobs that share a
batch with it have its kind (final or partial) and its key, so a final is never slowed down by
partials on board. A speaker has at most one partial waiting."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

MOST_IN_BATCH = 8
"""Beyond it a batch takes as much longer as it holds more, on every device tried."""

SPEAKING_S = 0.5
"""Somebody who asked for a partial so recently still speaks and will ask again."""

_PACE_SHARE = 0.2  # of the newest batch in the running mean of engine time per size


class Job(Protocol):
    """What the queue knows of a job."""

    @property
    def owner(self) -> Hashable: ...
    @property
    def final(self) -> bool: ...
    @property
    def key(self) -> Hashable:
        """Jobs of different keys cannot share a batch."""

    @property
    def size(self) -> float:
        """What the engine's time grows with: seconds of the window."""

    due_s: float  # it waits for company no longer; set by the queue


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """How jobs are put together."""

    most: int = 1  # jobs in a batch
    final_window_s: float = 0.0  # a final that was not alone waits so long for others, at most
    partial_window_s: float = 0.0  # so does a partial, while others speak
    partials_work_s: float = 0.05  # a batch of partials shall take no longer, by what batches took
    # so far: a final that comes meanwhile waits for its end

    def __post_init__(self) -> None:
        if not 1 <= self.most <= MOST_IN_BATCH:
            raise ValueError(f"a batch holds 1 to {MOST_IN_BATCH} jobs, not {self.most}")


AnyJob = TypeVar("AnyJob", bound=Job)


class DecodeQueue(Generic[AnyJob]):
    """The jobs that wait."""

    def __init__(self, limits: BatchLimits) -> None:
        self._limits = limits
        self._finals: deque[AnyJob] = deque()
        self._partials: dict[Hashable, AnyJob] = {}  # by owner, in turn
        self._speakers: deque[tuple[float, int]] = deque(maxlen=MOST_IN_BATCH)  # newest partials
        self._pace: float | None = None  # engine seconds per size, in batches of partials

    def __len__(self) -> int:
        return len(self._finals) + len(self._partials)

    def jobs(self) -> tuple[AnyJob, ...]:
        """All of them, in turn."""
        return (*self._finals, *self._partials.values())

    def add(self, job: AnyJob, now: float, *, idle: bool) -> AnyJob | None:
        """Queue a job; `idle`: the engine could take it now. Gives the partial that it replaces."""
        if job.final:
            alone = idle and not self._finals
            job.due_s = now + (0.0 if alone else self._limits.final_window_s)
            self._finals.append(job)
            return None
        job.due_s = now + (self._limits.partial_window_s if self._others_speak(job, now) else 0.0)
        stale = self._partials.get(job.owner)
        if stale is not None:
            job.due_s = min(job.due_s, stale.due_s)  # its turn and its wait are inherited
        self._partials[job.owner] = job  # a key that was there keeps its place
        return stale

    def replaces(self, owner: Hashable) -> bool:
        """Whether a partial of this owner would take the place of another one."""
        return owner in self._partials

    def pop_newest_partial(self) -> AnyJob | None:
        """Take out the partial whose turn is last."""
        return self._partials.popitem()[1] if self._partials else None

    def remove(self, job: AnyJob) -> bool:
        """Take a job out; whether it was there."""
        if job.final:
            if job not in self._finals:
                return False
            self._finals.remove(job)
            return True
        if self._partials.get(job.owner) is not job:
            return False
        del self._partials[job.owner]
        return True

    def clear(self) -> None:
        """Forget all jobs."""
        self._finals.clear()
        self._partials.clear()

    def take(self, now: float, *, partials: bool = True) -> list[AnyJob] | float | None:
        """The next batch, taken out; or the time to ask again; None when there is nothing to do.
        Without `partials` only finals are looked at."""
        waiting = self._finals or (self._partials.values() if partials else ())
        groups: dict[Hashable, list[AnyJob]] = {}
        for job in waiting:
            groups.setdefault(job.key, []).append(job)
        for group in groups.values():  # in the order of their oldest jobs
            most = self._most(group[0])
            if len(group) >= most or any(job.due_s <= now for job in group):
                batch = group[:most]
                for job in batch:
                    self.remove(job)
                return batch
        return min((job.due_s for job in waiting), default=None)

    def took(self, batch: list[AnyJob], work_s: float) -> None:
        """A batch is done: how long such batches take."""
        if not batch[0].final:
            pace = work_s / sum(job.size for job in batch)
            before = pace if self._pace is None else self._pace
            self._pace = before + _PACE_SHARE * (pace - before)

    def _most(self, first: AnyJob) -> int:
        if first.final or not self._pace:
            return self._limits.most
        in_time = int(self._limits.partials_work_s / (self._pace * first.size))
        return max(1, min(self._limits.most, in_time))

    def _others_speak(self, job: AnyJob, now: float) -> bool:
        """Whether anybody else has asked for a partial lately: else there is nobody to wait for."""
        me = hash(job.owner)
        others = any(at > now - SPEAKING_S and who != me for at, who in self._speakers)
        self._speakers.append((now, me))
        return others
