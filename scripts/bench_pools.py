"""What engines in other processes add to a turn: the same calls with simulated engines in this
process, behind a Unix socket, and in the pools of a cluster, one after the other in one run.

    python -m scripts.bench_pools --calls 50
    python -m scripts.bench_pools --print-settings > pools.toml
    voicepipe cluster up --config pools.toml     # in another terminal, with VOICEPIPE_CLUSTER__KEY
    python -m scripts.bench_pools --address http://127.0.0.1:8000
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from voicepipe.cluster.host import EngineHost
from voicepipe.cluster.served import ServedEngine
from voicepipe.cluster.unix_socket import bound, link_to
from voicepipe.config import PoolSettings, Settings
from voicepipe.config.loading import load_settings
from voicepipe.lab.bench.load import Plan, in_process_load
from voicepipe.lab.bench.recordings import buzz
from voicepipe.ledger.percentiles import percentile
from voicepipe.ledger.records import TurnRecord
from voicepipe.runtime import event_loop
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.server.assembly import build_engines
from voicepipe.server.engine_factory import CreateEngine
from voicepipe.server.service import Service
from voicepipe.server.shared_engines import pooled_engines, through, through_pools
from voicepipe.server.voices import local_engine

STAGES = ("asr", "llm", "tts")
SETTINGS_FILE = """profile = "simulated"
[cluster.pools]
asr = {at_once = 400}
llm = {at_once = 400}
tts = {at_once = 400}
"""


def settings_for(*, preemption: bool, address: str = "") -> Settings:
    overrides: dict[str, object] = {
        "turns.preemptive_generation": "eager_end" if preemption else "off",
        "tts.cache_mb": 0,  # every clause is made
    }
    if address:
        overrides["cluster.address"] = [address]
    found = load_settings("simulated", overrides=overrides)
    pools = dict.fromkeys(STAGES, PoolSettings(at_once=400))
    return found.model_copy(update={"cluster": found.cluster.model_copy(update={"pools": pools})})


def host_process(settings: Settings, path: Path) -> None:
    """The body of an engine host that serves the simulated engines."""

    async def serve() -> None:
        engines = pooled_engines(settings).items()
        host = EngineHost(
            ServedEngine(name, local_engine(name, its, MonotonicClock())) for name, its in engines
        )
        await asyncio.get_running_loop().create_unix_server(host.accept, sock=bound(path))
        await host.start()
        await asyncio.Event().wait()  # it is terminated

    event_loop.run(serve())


@asynccontextmanager
async def engines_of(mode: str, settings: Settings) -> AsyncIterator[CreateEngine]:
    """How a gateway makes its engines in that mode."""
    if mode == "own":
        yield local_engine
    elif mode == "pools":
        yield through_pools(settings)
    else:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "s", "engines")
            process = multiprocessing.get_context("spawn").Process(
                target=host_process, args=(settings, path)
            )
            process.start()
            try:
                yield through(link_to(path), lambda name, its: True)
            finally:
                process.terminate()
                await asyncio.to_thread(process.join, 10)


async def turns_of(mode: str, settings: Settings, calls: int, turns: int) -> list[TurnRecord]:
    """All answered turns of a run."""
    records: list[TurnRecord] = []
    async with engines_of(mode, settings) as create:
        clock = MonotonicClock()
        service = Service(settings, build_engines(settings, clock, create), clock)
        service.turn_log.watch(records.append)
        await service.start()
        try:
            plan = Plan((buzz(2000),), sessions=calls, turns=turns)
            outcome = await in_process_load(plan, service)
        finally:
            await service.aclose()
    for problem in outcome.problems:
        print(f"  {problem}")
    return [record for record in records if record.voice_to_voice_us is not None]


def report(mode: str, records: list[TurnRecord], own_ms: float | None) -> float:
    """One line; gives the median voice to voice in ms."""
    total = [(record.voice_to_voice_us or 0) / 1000 for record in records]
    median = percentile(total, 0.5)
    line = f"  {mode:6} n {len(total):4}  p50 {median:7.1f} ms  p99 {percentile(total, 0.99):7.1f}"
    if own_ms is not None:
        line += f"  added at p50 {median - own_ms:+.1f}"
    hops = [(stage, ms) for record in records for stage, part, ms in record.ways if part == "hop"]
    for stage in STAGES:
        own = [ms for name, ms in hops if name == stage]
        if own:
            line += f"  {stage} {percentile(own, 0.5):.1f}/{percentile(own, 0.99):.1f}"
    print(line)
    return median


async def main(calls: int, turns: int, address: str) -> None:
    for preemption in (False, True):
        print(f"preemptive generation {'on' if preemption else 'off'}, {calls} calls:")
        own_ms = None
        for mode in ("own", "socket", *(("pools",) if address else ())):
            settings = settings_for(
                preemption=preemption, address=address if mode == "pools" else ""
            )
            records = await turns_of(mode, settings, calls, turns)
            median = report(mode, records, own_ms)
            own_ms = own_ms or median


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--calls", type=int, default=50)
    parser.add_argument("--turns", type=int, default=5, help="of each call")
    parser.add_argument("--address", default="", help="of a cluster whose pools are simulated")
    parser.add_argument("--print-settings", action="store_true", help="for that cluster")
    given = parser.parse_args()
    if given.print_settings:
        print(SETTINGS_FILE, end="")
    else:
        event_loop.run(main(given.calls, given.turns, given.address))
