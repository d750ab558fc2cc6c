"""What a server keeps of ended calls: the measure of `scripts/bench_memory.py`, shorter."""

from __future__ import annotations

from voicepipe.lab.bench.child_server import child_server
from voicepipe.lab.soak.many_calls import growth


async def test_ended_calls_leave_nothing_behind() -> None:
    async with child_server(["--profile", "simulated"]) as server:
        found = await growth(server.url, server.pid, calls=150, warm_up=60)
    # A call used to leave its sound: 0.6 MB here, so 90 MB.
    assert found.mb < 20, found
