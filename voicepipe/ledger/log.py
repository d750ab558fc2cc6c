"""The process's memory of finished turns: the newest records and their percentiles."""

from __future__ import annotations

import pickle
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

from voicepipe.ledger.percentiles import Window
from voicepipe.ledger.preemption import PreemptionCounts
from voicepipe.ledger.records import SEGMENT_NAMES, TurnRecord


class TurnLog:
    """Bounded: keeps `size` records, the oldest go first. `watch` is told of each new one."""

    def __init__(self, size: int = 1000) -> None:
        # Session id and pickled record: as objects, a thousand records are most of what the
        # garbage collector has to walk, with every session waiting.
        self._records: deque[tuple[str, bytes]] = deque(maxlen=size)
        self._voice_to_voice = Window(size)
        self._segments = {name: Window(size) for name in SEGMENT_NAMES}
        self._watchers: list[Callable[[TurnRecord], None]] = []
        self.over_budget: Counter[str] = Counter()
        self.ends: Counter[str] = Counter()
        self.preemption: Counter[str] = Counter()
        self.discards = 0
        self.prepared = PreemptionCounts()  # all sessions' together

    def watch(self, watcher: Callable[[TurnRecord], None]) -> None:
        self._watchers.append(watcher)

    def add(self, record: TurnRecord) -> None:
        self._records.append((record.session_id, pickle.dumps(record)))
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
        found = [data for owner, data in self._records if session_id in (None, owner)]
        return [pickle.loads(data) for data in found[-limit:]] if limit > 0 else []

    def summary(self) -> dict[str, Any]:
        """Percentiles in ms per segment, and counts."""
        return {
            "voice_to_voice_ms": self._voice_to_voice.summary(),
            "critical_ms": {name: w.summary() for name, w in self._segments.items()},
            "ends": dict(self.ends),
            "over_budget": dict(self.over_budget),
            "preemption": dict(self.preemption),
            "discards": self.discards,
            "prepared_replies": self.prepared.as_dict(),
        }
