"""Pools on a real Ray cluster of two nodes: contracts, routing, and everything that can be killed.

The tests run in order: each leaves a cluster that serves, the last ones a smaller one.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.asr.sphinx import listening, test_engine, test_utterance
from tests.cluster.two_nodes import (
    ANSWER,
    FIRST_S,
    FORGOTTEN_S,
    PATIENCE_S,
    Cluster,
    Gateway,
    gateway,
    of_session,
    settings_file,
    until,
)
from tests.llm.engines import test_ctranslate2 as ctranslate2
from tests.llm.reading import Read, read_all
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
from voicepipe.llm.contract import TextDelta
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import EngineError
from voicepipe.server.assembly import build_engines
from voicepipe.session.engines import Engines


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    home = Path(tempfile.mkdtemp(prefix="vp", dir="/tmp"))  # Ray's sockets need short paths
    found = None
    try:
        found = Cluster(home)
        found.tell("deploy", str(settings_file(home)))
        yield found
    finally:
        if found is not None:
            found.stop()
        shutil.rmtree(home, ignore_errors=True)


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


BUILT_IN: tuple[tuple[Any, str, str, tuple[Callable[[], Awaitable[None]], ...]], ...] = (
    (
        listening,
        "started",
        "asr.fallback",
        (
            test_engine.test_words_have_times_and_confidences,
            test_utterance.test_a_final_is_not_decoded_twice_but_more_speech_is_heard,
        ),
    ),
    (
        ctranslate2,
        "running",
        "llm.fallback",
        (
            ctranslate2.test_answers_in_pieces_of_whole_words_with_usage,
            ctranslate2.test_what_time_is_it_calls_the_tool_and_its_result_is_answered,
            ctranslate2.test_a_forced_call_is_made,
            ctranslate2.test_max_tokens_ends_the_answer,
            ctranslate2.test_the_finish_tells_when_the_tokens_came,
        ),
    ),
    (
        espeak,
        "espeak",
        "tts.fallback",
        (
            espeak.test_word_times_point_at_the_words_written,
            espeak.test_nothing_to_say_is_an_empty_stream,
        ),
    ),
)
"""Modules by which tests of an engine's contract make theirs, its pool here, and the tests."""

CASES = [(*case[:3], test) for case in BUILT_IN for test in case[3]]


@pytest.mark.parametrize(
    ("module", "made_by", "name", "test"), CASES, ids=[case[3].__name__ for case in CASES]
)
async def test_the_built_in_engines_keep_their_contracts_in_a_pool(
    cluster: Cluster,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    made_by: str,
    name: str,
    test: Callable[[], Awaitable[None]],
) -> None:
    @asynccontextmanager
    async def in_the_pool(*_: Any, **__: Any) -> AsyncIterator[Any]:
        async with gateway(cluster) as here:
            engine = here.adapter(name)
            await engine.start()
            yield engine
            await engine.aclose()

    monkeypatch.setattr(module, made_by, in_the_pool)
    await test()


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
async def test_the_head_s_control_service_goes_and_comes_back_under_calls(
    cluster: Cluster,
) -> None:
    """Gateways need it for no call: what they know of replicas, the replicas tell them. When it is
    back it looks after them again."""
    async with gateway(cluster) as here:
        await here.at_full_strength("llm")
        await asyncio.to_thread(cluster.tell, "kill_control")
        cluster.in_order = False
        reads = await asyncio.gather(
            *(read_all(here.adapter("llm"), of_session(f"call {n}")) for n in range(5))
        )
        assert [read.text for read in reads] == [ANSWER] * 5
        serving = set(here.pool._serving("llm"))
        await asyncio.to_thread(cluster.tell, "start_control")
        processes = await cluster.processes()
        reading = asyncio.create_task(read_all(here.adapter("llm"), of_session("after")))
        killed, _ = await _hit(processes, here)
        assert (await reading).text == ANSWER
        await until(lambda: set(here.pool._serving("llm")) - serving)
        assert killed not in here.pool._serving("llm")
