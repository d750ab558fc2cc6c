"""The process's memory of finished turns: the newest records and their percentiles."""

from __future__ import annotations

import pickle
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Any

from voicepipe.ledger.anticipation import AnticipationCounts
from voicepipe.ledger.percentiles import Window, summarize
from voicepipe.ledger.preemption import PreemptionCounts
from voicepipe.ledger.records import SEGMENT_NAMES, TurnRecord


class TurnLog:
    """Bounded: keeps `size` records, the oldest go first. `watch` is told of each new one."""

    def __init__(self, size: int = 1000) -> None:
        # Time, session id and pickled record: as objects, a thousand records are most of what the
        # garbage collector has to walk, with every session waiting.
        self._records: deque[tuple[float, str, bytes]] = deque(maxlen=size)
        self._voice_to_voice = Window(size)
        self._segments = {name: Window(size) for name in SEGMENT_NAMES}
        self._watchers: list[Callable[[TurnRecord], None]] = []
        self.over_budget: Counter[str] = Counter()
        self.ends: Counter[str] = Counter()
        self.preemption: Counter[str] = Counter()
        self.discards = 0
        self.prepared = PreemptionCounts()  # all sessions' together
        self.anticipation = AnticipationCounts()  # likewise

    def watch(self, watcher: Callable[[TurnRecord], None]) -> None:
        self._watchers.append(watcher)

    def add(self, record: TurnRecord) -> None:
        self._records.append((time.monotonic(), record.session_id, pickle.dumps(record)))
        self.ends[record.end] += 1
        self.preemption[record.preemption] += 1
        self.discards += record.discards
        self.over_budget.update(record.over_budget)
        if record.critical is not None and record.voice_to_voice_us is not None:
            self._voice_to_voice.add(record.voice_to_voice_us / 1000)
            for name, us in record.critical.items():
                self._segments[name].add(us / 1000)
        for watcher in self._watchers:
            watcher(record)

    def recent(self, limit: int = 100, session_id: str | None = None) -> list[TurnRecord]:
        """The newest records, oldest of them first."""
        return [record for _, record in self.timed(limit, session_id)]

    def timed(
        self, limit: int = 100, session_id: str | None = None
    ) -> list[tuple[float, TurnRecord]]:
        """The same, and when each came: seconds of the machine's monotonic clock."""
        found = [(at, data) for at, owner, data in self._records if session_id in (None, owner)]
        newest = found[-limit:] if limit > 0 else []
        return [(at, pickle.loads(data)) for at, data in newest]

    def summary(self) -> dict[str, Any]:
        """Percentiles in ms per segment, and counts."""
        return summary_of([self.figures()])

    def figures(self) -> dict[str, Any]:
        """What `summary_of` makes a summary from: values in place of percentiles."""
        return {
            "voice_to_voice_ms": self._voice_to_voice.figures(),
            "critical_ms": {name: w.figures() for name, w in self._segments.items()},
            "counts": {
                "ends": dict(self.ends),
                "over_budget": dict(self.over_budget),
                "preemption": dict(self.preemption),
                "discards": self.discards,
                "prepared_replies": self.prepared.as_dict(),
                "anticipation": self.anticipation.as_dict(),
            },
        }


def summary_of(processes: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One summary of the figures of one or several processes."""
    counts: dict[str, Any] = {}
    for one in processes:
        counts = _added(counts, one["counts"])
    return {
        "voice_to_voice_ms": _summary([one["voice_to_voice_ms"] for one in processes]),
        "critical_ms": {
            name: _summary([one["critical_ms"][name] for one in processes])
            for name in SEGMENT_NAMES
        },
        **counts,
    }


def _summary(figures: Sequence[tuple[int, list[float]]]) -> dict[str, float]:
    values = [value for _, some in figures for value in some]
    return summarize(values, sum(count for count, _ in figures)) if values else {"n": 0}


def _added(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Numbers are added up, at whatever depth."""
    found = dict(one)
    for name, value in other.items():
        if isinstance(value, dict):
            found[name] = _added(found.get(name, {}), value)
        else:
            found[name] = round(found.get(name, 0) + value, 3)
    return found
