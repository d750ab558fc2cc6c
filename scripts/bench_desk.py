"""How soon a typed turn at the desk of ``agents/bookings`` is heard, built-in profile.

    python -m scripts.bench_desk [--calls 5]

Starts the desk and a server of this checkout, holds calls of eight typed turns, and prints the time
from ``response.create`` to the first audio, p50 and p90 in ms.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import httpx
from websockets.asyncio.client import ClientConnection, connect

HERE: Final = Path(__file__).parents[1] / "agents" / "bookings"
PORT: Final = 18741
DESK: Final = 18742
PATIENCE_S: Final = 60.0
TURNS: Final = (
    "a haircut on friday please", "at half past nine", "how much is that", "it's tom barley",
    "no make it saturday", "and where are you", "yes please", "what have you got for me",
)  # fmt: skip


async def _until_done(socket: ClientConnection) -> float | None:
    """When the response's first audio came."""
    first = None
    async with asyncio.timeout(PATIENCE_S):
        while (event := json.loads(await socket.recv()))["type"] != "response.done":
            if event["type"] == "response.output_audio.delta" and first is None:
                first = time.perf_counter()
    return first


async def _call(times: list[float]) -> None:
    async def send(**event: Any) -> None:
        await socket.send(json.dumps(event))

    async with connect(f"ws://127.0.0.1:{PORT}/v1/realtime") as socket:
        await send(type="session.update", session={"type": "realtime"})
        await _until_done(socket)  # the greeting
        for text in TURNS:
            content = [{"type": "input_text", "text": text}]
            item = {"type": "message", "role": "user", "content": content}
            await send(type="conversation.item.create", item=item)
            began = time.perf_counter()
            await send(type="response.create")
            first = await _until_done(socket)
            if first is not None:
                times.append((first - began) * 1000)


async def _measure(calls: int) -> list[float]:
    async with asyncio.timeout(PATIENCE_S):
        async with httpx.AsyncClient() as client:
            while True:
                try:
                    answer = await client.get(f"http://127.0.0.1:{PORT}/readyz")
                    if answer.status_code == httpx.codes.OK:
                        break
                except httpx.TransportError:
                    pass
                await asyncio.sleep(0.1)
    times: list[float] = []
    for _ in range(calls):
        await _call(times)
    return times


def main() -> None:
    """Parse, start both, measure, print."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--calls", type=int, default=5)
    calls = options.parse_args().calls
    settings = (HERE / "voicepipe.toml").read_text().replace("127.0.0.1:9001", f"127.0.0.1:{DESK}")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "voicepipe.toml")
        file.write_text(settings.replace("enabled = true", "enabled = false"))
        serve = ("-m", "voicepipe", "serve", "--config", str(file), "--port", str(PORT))
        desk = (str(HERE / "desk.py"), "--port", str(DESK))
        none = subprocess.DEVNULL
        running = [
            subprocess.Popen([sys.executable, *one], stdout=none, stderr=none)
            for one in (desk, serve)
        ]
        try:
            times = sorted(asyncio.run(_measure(calls)))
        finally:
            for process in running:
                process.terminate()
                process.wait()
    p90 = times[int(0.9 * len(times))]
    print(f"{len(times)} turns: p50 {statistics.median(times):.0f} ms, p90 {p90:.0f} ms")


if __name__ == "__main__":
    main()
