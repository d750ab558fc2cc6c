"""A soak: clean callers through every door for long, beside faults of every kind."""

from __future__ import annotations

import asyncio
import random
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import httpx

from voicepipe.lab.bench.child_server import ChildServer, child_server
from voicepipe.lab.bench.usage import descendants
from voicepipe.lab.soak.callers import TURNS, Crowd, Tally, call_until
from voicepipe.lab.soak.faults import FAULTS, Target
from voicepipe.lab.soak.watch import PERIOD_S, Growth, Sample, Watch, growth
from voicepipe.ledger.percentiles import summarize

CALM_S = 15.0
"""Without faults, at the beginning and at the end: the end must look like the beginning."""

TELL_S = 60.0

OnEvent = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Struck:
    """A fault and when it began, seconds since the start."""

    at_s: float
    fault: str
    problem: str = ""  # why it could not be done, or not wholly


@dataclass(frozen=True, slots=True)
class Result:
    """What came of it. `server`: its own counters at the end."""

    seconds: float
    callers: dict[str, int]
    tallies: dict[str, Tally]
    struck: list[Struck]
    samples: list[Sample]
    growth: Growth
    server: dict[str, float]
    alive: bool  # it answered to the end, by the same process

    @property
    def lost(self) -> int:
        return sum(tally.lost for tally in self.tallies.values())

    @property
    def grown_kb_a_call(self) -> float:
        """Of the server's own process, for each clean call that ended meanwhile: half of all, as
        it is half the run from the middle of the second quarter to that of the last."""
        calls = sum(tally.turns for tally in self.tallies.values()) / TURNS / 2
        return 1000 * self.growth.rss_mb / max(1.0, calls)

    def as_dict(self) -> dict[str, Any]:
        """JSON shape."""
        doors = {
            name: {
                "callers": self.callers[name],
                "turns": tally.turns,
                "lost": tally.lost,
                "wait_ms": summarize(tally.waits_ms) if tally.waits_ms else {"n": 0},
                "problems": dict(tally.problems),
            }
            for name, tally in self.tallies.items()
        }
        counts = {fault: sum(one.fault == fault for one in self.struck) for fault in FAULTS}
        return {
            "seconds": round(self.seconds),
            "doors": doors,
            "lost": self.lost,
            "faults": {fault: n for fault, n in counts.items() if n},
            "undone_faults": [asdict(one) for one in self.struck if one.problem],
            "growth": asdict(self.growth),
            "grown_kb_a_call": round(self.grown_kb_a_call, 1),
            "server": self.server,
            "alive": self.alive,
        }


async def soak(
    crowd: Crowd,
    seconds: float,
    arguments: Sequence[str],
    faults: Sequence[str],
    every_s: float,
    seed: int,
    on_event: OnEvent,
) -> Result:
    """`voicepipe serve ARGUMENTS` on this machine, called for `seconds`; one of `faults` begins
    every `every_s`. Raises ServerFailed."""
    with tempfile.TemporaryDirectory(prefix="voicepipe-soak-") as folder:
        place = Path(folder)
        kept = {
            "calls.enabled": "true",
            "calls.database": f"sqlite:///{place / 'calls.sqlite3'}",
            "calls.recordings_dir": str(place / "recordings"),
            "calls.record_audio": "true",
            "telephony.insecure": "true",
            "limits.max_sessions": "1000",
        }
        settings = [part for key, value in kept.items() for part in ("--set", f"{key}={value}")]
        async with child_server([*arguments, *settings]) as server:
            target = Target(server.url, server.pid, place / "calls.sqlite3", random.Random(seed))
            return await _soaked(crowd, seconds, server, target, faults, every_s, on_event)


async def _soaked(
    crowd: Crowd,
    seconds: float,
    server: ChildServer,
    target: Target,
    faults: Sequence[str],
    every_s: float,
    on_event: OnEvent,
) -> Result:
    began = time.monotonic()
    watch, struck = Watch(server.pid), list[Struck]()
    watching = asyncio.create_task(watch.follow(), name="watch")
    striking = asyncio.create_task(
        _strike(target, faults, every_s, began, seconds, struck, on_event), name="faults"
    )
    telling = asyncio.create_task(_tell(watch, on_event), name="tell")
    try:
        tallies = await call_until(
            crowd,
            server.url,
            server.pid,
            lambda: time.monotonic() - began >= seconds,
            lambda door, heard: on_event(f"{door}: {heard}"),
        )
        await striking
        counters = await _counters(server.url)
    finally:
        for task in (watching, striking, telling):
            task.cancel()
        await asyncio.gather(watching, striking, telling, return_exceptions=True)
    callers = {"websocket": crowd.websocket, "webrtc": crowd.webrtc, "phone": crowd.phone}
    return Result(
        time.monotonic() - began,
        callers,
        tallies,
        struck,
        watch.samples,
        growth(watch.samples),
        counters,
        bool(counters) and bool(descendants(server.pid) or not faults),
    )


async def _strike(
    target: Target,
    faults: Sequence[str],
    every_s: float,
    began: float,
    seconds: float,
    struck: list[Struck],
    on_event: OnEvent,
) -> None:
    """In turn, so that each comes as often as the others."""
    await asyncio.sleep(min(CALM_S, seconds / 4))
    number = 0
    while faults and time.monotonic() - began < seconds - CALM_S:
        name = faults[number % len(faults)]
        number += 1
        on_event(f"fault: {name.replace('_', ' ')}")
        struck.append(await one_fault(name, target, began))
        if problem := struck[-1].problem:
            on_event(f"not done: {problem}")
        await asyncio.sleep(every_s)


async def one_fault(name: str, target: Target, began: float) -> Struck:
    """A server that is busy with the last fault may refuse the next: the soak goes on."""
    at_s = time.monotonic() - began
    try:
        await FAULTS[name](target)
    except Exception as error:
        return Struck(at_s, name, f"{type(error).__name__}: {error}")
    return Struck(at_s, name)


async def _tell(watch: Watch, on_event: OnEvent) -> None:
    """How it stands, every minute: an hour is long."""
    while True:
        await asyncio.sleep(TELL_S)
        now = watch.samples[-1]
        late_ms = max(one.late_ms for one in watch.samples[-round(TELL_S / PERIOD_S) :])
        on_event(
            f"memory {now.rss_mb:.0f} MB, workers {now.workers_mb:.0f} MB, "
            f"{now.descriptors} descriptors, {now.threads} threads; "
            f"callers' timers {late_ms:.0f} ms late, {now.unread} datagrams unread"
        )


async def _counters(url: str) -> dict[str, float]:
    """What the server itself counts as lost or failed; {} if it does not answer."""
    base = url.replace("ws", "http", 1).removesuffix("/v1")
    try:
        async with httpx.AsyncClient(trust_env=False) as http:
            text = (await http.get(f"{base}/metrics", timeout=10)).text
    except httpx.HTTPError:
        return {}
    wanted = r"^(voicepipe_(?:calls_\w+|sessions_refused|turns)_total(?:\{[^}]*\})?) (\S+)$"
    return {name: float(value) for name, value in re.findall(wanted, text, re.MULTILINE)}
