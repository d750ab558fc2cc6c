"""Pools on a real Ray cluster of two nodes: contracts, routing, and everything that can be killed.

The tests run in order: each leaves a cluster that serves, the last ones a smaller one.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.asr.sphinx import test_engine as sphinx
from tests.llm.engines import test_ctranslate2 as ctranslate2
from tests.llm.reading import Read, ask, read_all
from tests.server.harness import running_server
from tests.server.test_limits import next_of, raw, send
from tests.server.test_sdk import quiet, tone
from tests.session.harness import LoudnessDetector
from tests.tts import test_espeak as espeak
from tests.tts.speech import speak
from voicepipe.asr.contract import AsrOptions
from voicepipe.audio.pcm import silence
from voicepipe.cluster.errors import Lost, Refused
from voicepipe.cluster.listing import Listing
from voicepipe.cluster.pool import Pool
from voicepipe.cluster.pool_engines import remote
from voicepipe.config import ClusterSettings, Settings
from voicepipe.config.loading import load_settings
from voicepipe.llm.contract import ChatRequest, TextDelta
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import EngineError
from voicepipe.server.assembly import build_engines
from voicepipe.session.engines import Engines

KEY = "a key that gateways and pools share"
FIRST_S, TOKEN_S = 0.8, 0.25
FORGOTTEN_S = 4.5  # by then the directory lists no replica that was killed
PATIENCE_S = 180.0  # until Ray has replaced what was killed, on a busy machine

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
phrases = {json.dumps(sphinx.PHRASES)}
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

    def __init__(self, home: Path, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}"
        self.home = home
        self.in_order = True  # it can be told to stop
        with (home / "stderr").open("w") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.cluster.ray_cluster", str(home), str(port)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                cwd=ROOT,
                env={**os.environ, "RAY_TMPDIR": str(home)},
            )
        try:
            self._read(120)
        except AssertionError:
            self.stop()
            raise

    def tell(self, do: str, *args: Any, within_s: float = 120) -> Any:
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
        """Of all processes that come of this one: they have its environment."""
        mark = f"RAY_TMPDIR={self.home}".encode()
        return [
            int(place.parent.name)
            for place in Path("/proc").glob("[0-9]*/environ")
            if mark in _read(place)
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


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    home = Path(tempfile.mkdtemp(prefix="vp", dir="/tmp"))  # Ray's sockets need short paths
    found = None
    try:
        found = Cluster(home, _free_port())
        found.tell("deploy", str(settings_file(home)))
        yield found
    finally:
        if found is not None:
            found.stop()
        shutil.rmtree(home, ignore_errors=True)


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


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


async def replica_of(read: Read) -> str:
    assert read.finish is not None
    return read.finish.route["llm.replica"]


# --- contracts


@pytest.mark.deadline(300)
async def test_all_three_stages_serve_and_tell_where(cluster: Cluster) -> None:
    async with gateway(cluster) as here:
        await here.at_full_strength()
        nodes = cluster.tell("nodes")
        model, speaker, recognizer = (here.adapter(name) for name in ("llm", "tts", "asr"))
        for engine in (model, speaker, recognizer):
            await engine.start()
        read = await read_all(model, of_session("s1"))
        assert read.text == ANSWER
        assert read.finish is not None
        assert read.finish.route["llm.node"] in nodes
        assert 0 <= float(read.finish.route["llm.hop_ms"]) < 2000
        assert float(read.finish.route["llm.queue_ms"]) >= 0
        assert (await speak(speaker, "Hello there, how are you?")).seconds > 1
        utterance = recognizer.open(AsrOptions())
        utterance.feed(silence(800))
        async for hypothesis in utterance.hypotheses():
            assert hypothesis.text
            break
        transcript = await utterance.final()
        assert transcript.text == "what time is it"
        assert set(transcript.route) == {"asr.hop_ms", "asr.queue_ms", "asr.replica", "asr.node"}
        utterance.cancel()
        for engine in (model, speaker, recognizer):
            await engine.aclose()
        used = {link.node for link in here.pool.links.values()}
        assert used == set(nodes)


BUILT_IN: tuple[tuple[Any, str, str, tuple[str, ...]], ...] = (
    (
        sphinx,
        "started",
        "asr.fallback",
        (
            "test_words_have_times_and_confidences",
            "test_a_final_is_not_decoded_twice_but_more_speech_is_heard",
        ),
    ),
    (
        ctranslate2,
        "running",
        "llm.fallback",
        (
            "test_answers_in_pieces_of_whole_words_with_usage",
            "test_what_time_is_it_calls_the_tool_and_its_result_is_answered",
            "test_a_forced_call_is_made",
            "test_max_tokens_ends_the_answer",
            "test_the_finish_tells_when_the_tokens_came",
        ),
    ),
    (
        espeak,
        "espeak",
        "tts.fallback",
        (
            "test_word_times_point_at_the_words_written",
            "test_nothing_to_say_is_an_empty_stream",
        ),
    ),
)
"""Modules with tests of an engine's contract, how they make theirs, and the engine's pool here."""

CASES = [(*case[:3], test) for case in BUILT_IN for test in case[3]]


@pytest.mark.parametrize(
    ("module", "made_by", "name", "test"), CASES, ids=[case[3] for case in CASES]
)
async def test_the_built_in_engines_keep_their_contracts_in_a_pool(
    cluster: Cluster,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    made_by: str,
    name: str,
    test: str,
) -> None:
    @asynccontextmanager
    async def in_the_pool(*_: Any, **__: Any) -> AsyncIterator[Any]:
        async with gateway(cluster) as here:
            engine = here.adapter(name)
            await engine.start()
            yield engine
            await engine.aclose()

    monkeypatch.setattr(module, made_by, in_the_pool)
    await getattr(module, test)()


@pytest.mark.deadline(300)
async def test_cancellation_arrives(cluster: Cluster) -> None:
    async with gateway(cluster) as here:
        await here.at_full_strength("llm")
        stream = here.adapter("llm").stream(of_session("s1"))
        reading = asyncio.create_task(anext(stream))
        await until(here.busy)
        (link,) = (here.pool.links[replica] for replica in here.busy())
        cancelled = link.load.get("llm", {}).get("cancelled", 0)
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        await stream.aclose()
        await until(lambda: link.load.get("llm", {}).get("cancelled", 0) > cancelled)
        assert link.load["llm"]["ongoing"] == 0


# --- routing


@pytest.mark.deadline(300)
async def test_a_conversation_returns_and_others_spread(cluster: Cluster) -> None:
    async with gateway(cluster) as here:
        await here.at_full_strength("llm")
        model = here.adapter("llm")
        sessions = [f"session {n}" for n in range(8)]
        reads = await asyncio.gather(*(read_all(model, of_session(s)) for s in sessions * 2))
        served = [await replica_of(read) for read in reads]
        assert served[:8] == served[8:], "each conversation returned"
        assert len(set(served)) == 2, "and they were spread"
        assert here.pool.choices["llm", "spilled"] == 0


@pytest.mark.deadline(300)
async def test_a_key_that_is_not_theirs_opens_nothing(cluster: Cluster) -> None:
    for key in ("", "another"):
        pool = Pool(Listing((cluster.address,)), key, start_s=1.0)
        await pool.start(pool)
        try:
            with pytest.raises(EngineError, match="no replica"):
                await pool.facts("llm")
        finally:
            await pool.aclose(pool)


# --- what can be killed


async def _hit(
    processes: Mapping[str, int], here: Gateway, number: int = signal.SIGKILL
) -> tuple[str, int]:
    """Send a signal to the replica that has a call of this gateway, at once: asking which process
    it is would take as long as it needs to answer. Its name and process."""
    await until(here.busy)
    (replica,) = here.busy()
    os.kill(processes[replica], number)
    return replica, processes[replica]


@pytest.mark.deadline(300)
async def test_a_replica_killed_before_its_first_token_another_answers(cluster: Cluster) -> None:
    async with gateway(cluster) as here:
        await here.at_full_strength("llm")
        processes = await cluster.processes()
        reading = asyncio.create_task(read_all(here.adapter("llm"), of_session("s1")))
        killed, _ = await _hit(processes, here)
        read = await reading
        assert read.text == ANSWER
        assert await replica_of(read) != killed


@pytest.mark.deadline(300)
async def test_a_replica_killed_in_mid_answer_is_a_clear_error(cluster: Cluster) -> None:
    async with gateway(cluster) as here:
        await here.at_full_strength("llm")
        processes = await cluster.processes()
        model = here.adapter("llm")
        stream = model.stream(of_session("s2"))
        assert isinstance(await anext(stream), TextDelta)
        await _hit(processes, here)
        with pytest.raises(Lost) as caught:
            async for _ in stream:
                pass
        assert not caught.value.retryable
        assert (await read_all(model, of_session("s2"))).text, "the next turn is another's"


@pytest.mark.deadline(300)
async def test_an_utterance_outlives_its_replica(cluster: Cluster) -> None:
    async with gateway(cluster) as here:
        await here.at_full_strength("asr")
        processes = await cluster.processes()
        utterance = here.adapter("asr").open(AsrOptions())
        utterance.feed(silence(500))
        final = asyncio.create_task(utterance.final())
        await _hit(processes, here)
        transcript = await final
        assert (transcript.text, transcript.audio_s) == ("what time is it", 0.5)
        utterance.feed(silence(100))
        assert (await utterance.final()).audio_s == 0.6
        utterance.cancel()


@pytest.mark.deadline(300)
async def test_a_slow_replica_is_hedged(cluster: Cluster) -> None:
    async with gateway(cluster) as here:
        await here.at_full_strength("llm")
        processes = await cluster.processes()
        model = here.adapter("llm", hedge_ms=round(FIRST_S * 2000))
        reading = asyncio.create_task(read_all(model, of_session("s3")))
        slow, pid = await _hit(processes, here, signal.SIGSTOP)
        try:
            read = await reading
        finally:
            os.kill(pid, signal.SIGCONT)
        assert read.finish is not None
        assert read.finish.route["llm_hedge"] == "fallback_late"
        assert read.finish.route["llm.replica"] != slow


# --- bounds


@pytest.mark.deadline(300)
async def test_a_full_pool_refuses_and_those_under_way_do_not_suffer(cluster: Cluster) -> None:
    async with gateway(cluster) as here:
        await here.at_full_strength("llm")
        for link in here.pool.links.values():
            for engine in link.engines.values():
                engine["at_once"] = engine["max_ongoing"] = 1  # as this gateway sees it
        model = here.adapter("llm")
        running = [asyncio.create_task(read_all(model, of_session(f"s{n}"))) for n in range(2)]
        await until(lambda: sum(not link.idle for link in here.pool.links.values()) == 2)
        assert here.pool.full() == "llm"
        with pytest.raises(Refused, match="the pool llm is full"):
            await read_all(model, of_session("s9"))
        assert [read.text for read in await asyncio.gather(*running)] == [ANSWER] * 2
        assert here.pool.full() is None
        assert here.pool.choices["llm", "refused"] == 1


def engines_of(cluster: Cluster) -> Engines:
    """A gateway's, as `voicepipe serve` makes them, with a simple detector of speech."""
    engines = build_engines(cluster.settings, MonotonicClock())
    engines.new_detector = LoudnessDetector
    engines.end_of_turn = None
    return engines


async def _turn(server: Any) -> str:
    """One spoken turn over a WebSocket; how its response ended."""
    async with raw(server) as ws:
        await send(ws, type="input_audio_buffer.append", audio=tone(600))
        await send(ws, type="input_audio_buffer.append", audio=quiet(1000))
        done = await next_of(ws, "response.done")
        await ws.close()
    status: str = done["response"]["status"]
    return status


@pytest.mark.deadline(400)
async def test_a_rolling_update_under_load_loses_no_turn(cluster: Cluster) -> None:
    """Same settings file, one section more: gateways with calls; meanwhile the pools are replaced
    by ones that hear something else."""
    own = cluster.settings.cluster
    async with running_server(engines_of(cluster), cluster=own) as server:
        before = {one["replica"] for one in await cluster.replicas("asr")}
        endings: list[str] = []
        updated = asyncio.Event()

        async def keep_calling() -> None:
            while not updated.is_set():
                endings.append(await _turn(server))

        callers = [asyncio.create_task(keep_calling()) for _ in range(3)]
        await until(lambda: len(endings) >= 3)
        file = settings_file(cluster.home, transcript="tell me a joke")
        await asyncio.to_thread(cluster.tell, "deploy", str(file))
        async with asyncio.timeout(PATIENCE_S):
            while before & {one["replica"] for one in await cluster.replicas("asr")}:
                await asyncio.sleep(0.2)
        count = len(endings)
        await until(lambda: len(endings) >= count + 3)
        updated.set()
        await asyncio.gather(*callers)
        async with httpx.AsyncClient(base_url=server.http) as http:
            metrics = (await http.get("/metrics")).text
        assert 'voicepipe_pool_replicas{pool="asr"}' in metrics
        assert 'voicepipe_pool_choices_total{choice="first",pool="llm"}' in metrics
        assert "replica=" not in metrics, "names that come and go are no labels"
    assert set(endings) == {"completed"}, endings


async def _on_both_nodes(cluster: Cluster, here: Gateway) -> None:
    """Where Ray has put both replicas of the language model beside each other, it is made to place
    one of them again."""
    for _ in range(8):
        replicas = await cluster.replicas("llm")
        if len(replicas) == 2 and len({one["node"] for one in replicas}) == 2:
            await here.at_full_strength("llm")
            return
        if len(replicas) == 2:
            os.kill(replicas[0]["pid"], signal.SIGKILL)
            await until(lambda: len(here.pool._serving("llm")) < 2)
        await here.at_full_strength("llm")
        await asyncio.sleep(FORGOTTEN_S)
    raise AssertionError("Ray keeps both replicas on one node")


@pytest.mark.deadline(400)
async def test_a_node_killed_under_calls_loses_no_turn_that_could_be_retried(
    cluster: Cluster,
) -> None:
    """Ten calls are under way when all processes of a node die at once."""
    async with gateway(cluster) as here:
        await here.at_full_strength()
        _, second = cluster.tell("nodes")
        await _on_both_nodes(cluster, here)
        model = here.adapter("llm")
        reading = [asyncio.create_task(read_all(model, of_session(f"call {n}"))) for n in range(10)]
        await until(lambda: sum(link.busy("llm") for link in here.pool.links.values()) >= 10)
        on_it = [
            one["pid"]
            for pool in ("asr", "llm", "tts")
            for one in await cluster.replicas(pool)
            if one["node"] == second
        ]
        assert on_it
        for pid in on_it:
            os.kill(pid, signal.SIGKILL)
        await asyncio.to_thread(cluster.tell, "kill_second")
        reads = await asyncio.gather(*reading)
        assert [read.text for read in reads] == [ANSWER] * 10
        assert second not in {read.finish.route["llm.node"] for read in reads if read.finish}
        speaker = here.adapter("tts")
        await speaker.start()  # once there is one: Ray makes new ones
        assert (await speak(speaker, "Still here.")).chunks
        await speaker.aclose()


@pytest.mark.deadline(300)
async def test_the_head_s_control_service_is_killed_and_calls_go_on(cluster: Cluster) -> None:
    """Gateways need it for no call: what they know of replicas, the replicas tell them."""
    async with gateway(cluster) as here:
        await until(lambda: here.pool._serving("llm"))
        await asyncio.to_thread(cluster.tell, "kill_control")
        cluster.in_order = False
        reads = await asyncio.gather(
            *(read_all(here.adapter("llm"), of_session(f"call {n}")) for n in range(5))
        )
        assert [read.text for read in reads] == [ANSWER] * 5
