"""A pool of replicas in virtual time: who does what next. Pure.

Work goes to the replica that holds its prefix if that has a slot free, or soon has one; else to the
least loaded. Where all are full it waits, urgent work first, each in the order it came.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from voicepipe.lab.capacity.events import Timeline

NOWHERE = -1


@dataclass(slots=True, eq=False)
class Work:
    """One request. `ms`: alone on a replica, to be told where it runs (a prefix may be there).
    `milestone`: a share of it after which the caller is told already, as by a first clause."""

    ms: Callable[[int], tuple[float, float]]  # of a replica: to the milestone, and in all
    then: Callable[[], None]  # at the milestone
    home: int = NOWHERE
    patience: float = 0.0  # ms that it waits for its home
    urgent: bool = True
    came: float = 0.0
    waited: float = 0.0
    replica: int = NOWHERE
    told: bool = False
    over: bool = False
    attempt: int = 0


@dataclass(slots=True)
class Counts:
    """Of one pool. `busy_ms`: slots in use, times how long; `lost_ms`: of it, for nothing."""

    works: int = 0
    homes: int = 0  # of those that had one, done there
    sought: int = 0
    busy_ms: float = 0.0
    lost_ms: float = 0.0
    waits_ms: float = 0.0


@dataclass(slots=True)
class _Replica:
    running: set[Work] = field(default_factory=set)
    guests: deque[Work] = field(default_factory=deque)  # that wait for this one
    up: bool = True


class SimulatedPool:
    """`replicas` with `slots` each; `company` as in the plan."""

    def __init__(
        self, timeline: Timeline, replicas: int, slots: int = 1, company: float = 0.0
    ) -> None:
        self._timeline, self._slots, self._company = timeline, slots, company
        self._replicas = [_Replica() for _ in range(replicas)]
        self._least = [(0, number, number) for number in range(replicas)]
        """Load, when that was noted, replica: of equals the one that has rested longest. Lazily
        kept, see `_free`."""
        self._noted = replicas
        self._urgent: deque[Work] = deque()
        self._others: deque[Work] = deque()
        self.counts = Counts()

    def submit(self, work: Work) -> None:
        """Done as soon as there is room."""
        work.came = self._timeline.now
        self.counts.works += 1
        self._place(work)

    def cancel(self, work: Work) -> None:
        """Nobody wants it any more; its slot is free at once."""
        if work.over:
            return
        work.over, work.then = True, _nothing
        if work.replica != NOWHERE:
            self.counts.lost_ms += self._timeline.now - work.came - work.waited
            self._release(work)

    def fail(self, number: int, notice_ms: float, restart_ms: float) -> None:
        """The replica dies with what it does; that is given to others. One that lasts is needed."""
        replica = self._replicas[number]
        if not replica.up or sum(one.up for one in self._replicas) == 1:
            return
        replica.up = False
        guests, replica.guests = replica.guests, deque()
        for work in guests:
            self._place(work)
        orphans = sorted(replica.running, key=lambda work: work.came)
        replica.running.clear()
        for work in orphans:
            self._count(work)
            work.replica, work.attempt = NOWHERE, work.attempt + 1
            if not work.told:  # what was said already is not said again
                self._timeline.after(notice_ms, lambda work=work: self._place(work))  # type: ignore[misc]
        self._timeline.after(restart_ms, lambda: self._return(number))

    def _place(self, work: Work) -> None:
        if work.over:
            return
        number = self._free(work.home)
        if work.home not in (NOWHERE, number) and self._waits_for_home(work):
            return
        if number == NOWHERE:
            (self._urgent if work.urgent else self._others).append(work)
        else:
            self._begin(work, number)

    def _waits_for_home(self, work: Work) -> bool:
        left = work.came + work.patience - self._timeline.now
        if left <= 0 or not self._replicas[work.home].up:
            return False
        self._replicas[work.home].guests.append(work)
        self._timeline.after(left, lambda: self._leave_home(work))
        return True

    def _leave_home(self, work: Work) -> None:
        """It has waited long enough, if it still does."""
        guests = self._replicas[work.home].guests
        if work in guests:
            guests.remove(work)
            work.patience = 0.0
            self._place(work)

    def _free(self, home: int) -> int:
        """A replica with a free slot."""
        if home != NOWHERE and self._has_room(home):
            return home
        least = self._least
        while least:
            load, _, number = least[0]
            replica = self._replicas[number]
            if replica.up and len(replica.running) == load < self._slots:
                return number
            heapq.heappop(least)  # it has changed since; its new place was noted then
        return NOWHERE

    def _has_room(self, number: int) -> bool:
        replica = self._replicas[number]
        return replica.up and len(replica.running) < self._slots

    def _begin(self, work: Work, number: int) -> None:
        running = self._replicas[number].running
        work.replica, work.waited = number, self._timeline.now - work.came
        self.counts.waits_ms += work.waited
        if work.home != NOWHERE:
            self.counts.sought += 1
            self.counts.homes += number == work.home
        slower = 1 + self._company * len(running)
        first_ms, all_ms = work.ms(number)
        running.add(work)
        self._note(number)
        attempt = work.attempt
        if first_ms < all_ms:
            self._timeline.after(first_ms * slower, lambda: self._tell(work, attempt))
        self._timeline.after(all_ms * slower, lambda: self._end(work, attempt))

    def _tell(self, work: Work, attempt: int) -> None:
        if not work.over and work.attempt == attempt:
            _told(work)

    def _end(self, work: Work, attempt: int) -> None:
        if not work.over and work.attempt == attempt:
            work.over = True
            self._release(work)
            if not work.told:
                _told(work)

    def _release(self, work: Work) -> None:
        self._count(work)
        number = work.replica
        self._replicas[number].running.discard(work)
        self._note(number)
        self._next(number)

    def _return(self, number: int) -> None:
        self._replicas[number].up = True
        self._note(number)
        for _ in range(self._slots):
            self._next(number)

    def _next(self, number: int) -> None:
        """A slot of this replica is free: for who waits for it, else for who waits for any."""
        guests = self._replicas[number].guests
        while guests and self._has_room(number):
            work = guests.popleft()
            if not work.over:
                self._begin(work, number)
                return
        for queue in (self._urgent, self._others):
            while queue:
                if self._free(NOWHERE) == NOWHERE:
                    return
                work = queue.popleft()
                if not work.over:
                    self._begin(work, self._free(work.home))
                    return

    def _note(self, number: int) -> None:
        self._noted += 1
        load = len(self._replicas[number].running)
        heapq.heappush(self._least, (load, self._noted, number))
        if len(self._least) > 8 * len(self._replicas) + 64:  # most of it is out of date
            loads = enumerate(len(one.running) for one in self._replicas)
            self._least = [(load, number, number) for number, load in loads]
            heapq.heapify(self._least)

    def _count(self, work: Work) -> None:
        self.counts.busy_ms += self._timeline.now - work.came - work.waited


def _told(work: Work) -> None:
    """Once; then nothing of the caller is held: no cycle is left to the garbage collector."""
    then, work.then = work.then, _nothing
    work.told = True
    then()


def _nothing() -> None: ...
