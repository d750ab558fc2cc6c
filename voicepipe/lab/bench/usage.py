"""What a process uses, read from /proc: CPU seconds and memory. Linux only; elsewhere None."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


@dataclass(frozen=True, slots=True)
class Usage:
    """CPU time so far, resident memory now and at its highest; engine workers apart."""

    cpu_s: float
    rss_mb: float
    peak_rss_mb: float
    workers_cpu_s: float
    workers_rss_mb: float


def usage(pid: int) -> Usage | None:
    """Of `pid` and, summed up, of the processes it started. None if it cannot be read."""
    own = _one(pid)
    if own is None:
        return None
    below = [found for child in descendants(pid) if (found := _one(child)) is not None]
    return Usage(*own, sum(c[0] for c in below), sum(c[1] for c in below))


def _one(pid: int) -> tuple[float, float, float] | None:
    """CPU seconds, resident MB, peak resident MB."""
    folder = Path("/proc") / str(pid)
    try:
        # The name in parentheses may hold anything, so count from its end; utime, stime: 14, 15.
        ticks = (folder / "stat").read_text().rpartition(")")[2].split()[11:13]
        status = (folder / "status").read_text()
    except OSError:
        return None
    fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)

    def mb(name: str) -> float:
        return int(fields.get(name, "0").split()[0]) / 1024

    return (int(ticks[0]) + int(ticks[1])) / _TICKS, mb("VmRSS"), mb("VmHWM")


def descendants(pid: int) -> list[int]:
    found: list[int] = []
    for children in Path("/proc").glob(f"{pid}/task/*/children"):
        try:
            direct = [int(child) for child in children.read_text().split()]
        except OSError:
            continue
        for child in direct:
            found += [child, *descendants(child)]
    return found
