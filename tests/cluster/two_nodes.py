"""A cluster of two nodes and its gateways, for the tests of the pools on Ray."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from tests.asr.sphinx import listening
from tests.llm.reading import ask
from tests.serving import free_port
from voicepipe.cluster.listing import Listing
from voicepipe.cluster.pool import Pool
from voicepipe.cluster.pool_engines import remote
from voicepipe.config import ClusterSettings, Settings
from voicepipe.config.loading import load_settings
from voicepipe.llm.contract import ChatRequest

KEY = "a key that gateways and pools share"
FIRST_S, TOKEN_S = 0.8, 0.25
FORGOTTEN_S = 4.5  # by then the directory lists no replica that was killed
PATIENCE_S = 300.0  # until Ray has replaced what was killed, on a busy machine

ROOT = Path(__file__).parents[2]

ANSWER = "It is half past seven."


def settings_file(folder: Path, transcript: str = "what time is it", more: str = "") -> Path:
    """What pools and gateways read: one `voicepipe.toml`."""
    pools = "".join(
        f"[cluster.pools.{name}]\n{size}cpus = 0.05\nat_once = 40\n"
        for name, size in (
            *((stage, "min_replicas = 2\nmax_replicas = 2\n") for stage in ("asr", "llm", "tts")),
            *((f'"{stage}.fallback"', "") for stage in ("asr", "llm", "tts")),
        )
    )
    text = f"""
profile = "simulated"
[cluster]
key = "{KEY}"
drain_s = 30
{pools}
[simulated]
answer = "{ANSWER}"
transcript = "{transcript}"
asr.mean_ms = 300
llm_first_token.mean_ms = {FIRST_S * 1000}
llm_per_token.mean_ms = {TOKEN_S * 1000}
tts.mean_ms = 50
[asr]
model = ""
phrases = {json.dumps(listening.PHRASES)}
domain_share = 1.0
fallback.engine = "pocketsphinx"
[llm]
fallback.engine = "ctranslate2"
fallback.model = "builtin/llm"
[tts]
fallback.engine = "espeak"
{more}
"""
    file = folder / "voicepipe.toml"
    file.write_text(text)
    return file


def _read(place: Path) -> bytes:
    try:
        return place.read_bytes()
    except OSError:  # it has just ended, or is somebody else's
        return b""


class Cluster:
    """The process of `ray_cluster.py`."""

    def __init__(self, home: Path) -> None:
        port, redis_port = free_port(), free_port()
        self.address = f"http://127.0.0.1:{port}"
        self.home = home
        self._redis = f"redis-server 127.0.0.1:{redis_port}".encode()
        self.in_order = True  # it can be told to stop
        with (home / "stderr").open("w") as errors:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "tests.cluster.ray_cluster"),
                    *(str(home), str(port), str(redis_port)),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                cwd=ROOT,
                env={**os.environ, "RAY_TMPDIR": str(home)},
            )
        try:
            self._read(PATIENCE_S)
        except AssertionError:
            self.stop()
            raise

    def tell(self, do: str, *args: Any, within_s: float = PATIENCE_S) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": do, "with": args}) + "\n")
        self._process.stdin.flush()
        return self._read(within_s)

    def _read(self, within_s: float) -> Any:
        assert self._process.stdout is not None
        watch = threading.Timer(within_s, self._process.kill)
        watch.start()
        try:
            line = self._process.stdout.readline()
        finally:
            watch.cancel()
        answer = json.loads(line or '{"error": "the cluster did not start, or hangs"}')
        assert "error" not in answer, answer["error"]
        return answer["ok"]

    def stop(self) -> None:
        """In order if it can; none of its processes is left in any case."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(40 if self.in_order else 0)
        for pid in self._pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()
        self._process.stdout.close()

    def _pids(self) -> list[int]:
        """Of all processes that come of this one: they have its environment; Redis writes its
        title over it."""
        mark = f"RAY_TMPDIR={self.home}".encode()
        return [
            int(place.name)
            for place in Path("/proc").glob("[0-9]*")
            if mark in _read(place / "environ") or self._redis in _read(place / "cmdline")
        ]

    @property
    def settings(self) -> Settings:
        """A gateway's: the pools' with an address."""
        given = {"cluster.address": [self.address]}
        return load_settings(None, self.home / "voicepipe.toml", {}, given)

    async def replicas(self, pool: str) -> list[dict[str, Any]]:
        listed = await self._listed()
        return [one for one in listed if one["pool"] == pool and one["state"] == "ready"]

    async def processes(self) -> dict[str, int]:
        """Of every replica."""
        return {one["replica"]: one["pid"] for one in await self._listed()}

    async def _listed(self) -> list[dict[str, Any]]:
        async with httpx.AsyncClient(timeout=10) as http:
            answer = await http.get(f"{self.address}/voicepipe/pools")
        listed: list[dict[str, Any]] = answer.json()["replicas"]
        return listed


class Gateway:
    """What a gateway has: adapters on one way to the pools."""

    def __init__(self, pool: Pool, settings: ClusterSettings) -> None:
        self.pool, self._settings = pool, settings

    def adapter(self, name: str, **changes: Any) -> Any:
        return remote(name, self.pool, self._settings.model_copy(update=changes))

    def busy(self) -> list[str]:
        """Replicas that have calls of this gateway."""
        return [replica for replica, link in self.pool.links.items() if not link.idle]

    async def at_full_strength(self, *pools: str) -> None:
        """Two replicas of each serve again, and it knows them."""
        for pool in pools or ("asr", "llm", "tts"):
            await until(lambda pool=pool: len(self.pool._serving(pool)) == 2)  # type: ignore[misc]


@asynccontextmanager
async def gateway(cluster: Cluster) -> AsyncIterator[Gateway]:
    settings = cluster.settings.cluster
    pool = Pool(Listing(settings.address), KEY)
    found = Gateway(pool, settings)
    await pool.start(found)
    try:
        yield found
    finally:
        await pool.aclose(found)


async def until(happened: Callable[[], object], within_s: float = PATIENCE_S) -> None:
    async with asyncio.timeout(within_s):
        while not happened():
            await asyncio.sleep(0.02)


def of_session(name: str) -> ChatRequest:
    return ask("hi", session_id=name)
