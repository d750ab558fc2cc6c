"""What a process holds, looked at every few seconds: memory, descriptors, threads."""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from voicepipe.lab.bench.usage import usage

PERIOD_S = 2.0


@dataclass(frozen=True, slots=True)
class Sample:
    """At one moment."""

    at_s: float  # since the watch began
    rss_mb: float
    workers_mb: float  # of the engines' processes, which faults kill and start anew
    descriptors: int
    threads: int
    late_ms: float = 0.0  # this process's own timer, since the look before
    unread: int = 0  # datagrams whose socket was full, since the watch began; all processes'


class Watch:
    """Run `follow` in a task; `samples` grow. `pid` is another process of this machine."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.samples: list[Sample] = []

    async def follow(self) -> None:
        """Until it is cancelled or the process is gone."""
        began, late_ms, unread_before = time.monotonic(), 0.0, unread_datagrams()
        while (used := usage(self._pid)) is not None:
            descriptors, threads = (_entries(self._pid, of) for of in ("fd", "task"))
            at_s = time.monotonic() - began
            unread = unread_datagrams() - unread_before
            held = (used.rss_mb, used.workers_rss_mb, descriptors, threads)
            self.samples.append(Sample(at_s, *held, late_ms, unread))
            asleep = time.monotonic()
            await asyncio.sleep(PERIOD_S)
            late_ms = (time.monotonic() - asleep - PERIOD_S) * 1000


def unread_datagrams() -> int:
    """That the kernel has thrown away since the machine started: nobody read their sockets."""
    names, counts = (
        line.split() for line in Path("/proc/net/snmp").read_text().splitlines() if "Udp:" in line
    )
    return int(counts[names.index("RcvbufErrors")])


def _entries(pid: int, of: str) -> int:
    return len(os.listdir(f"/proc/{pid}/{of}"))


@dataclass(frozen=True, slots=True)
class Growth:
    """From the second quarter of a run (caches have filled) to the last: medians."""

    rss_mb: float
    workers_mb: float
    descriptors: float
    threads: float


def growth(samples: Sequence[Sample]) -> Growth:
    """Of at least four samples; nothing where there are fewer."""
    quarter = len(samples) // 4
    if not quarter:
        return Growth(0.0, 0.0, 0.0, 0.0)
    early, late = samples[quarter : 2 * quarter], samples[-quarter:]

    def grown(name: str) -> float:
        before = statistics.median(getattr(sample, name) for sample in early)
        return float(statistics.median(getattr(sample, name) for sample in late) - before)

    return Growth(grown("rss_mb"), grown("workers_mb"), grown("descriptors"), grown("threads"))
