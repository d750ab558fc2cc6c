"""The supervisor against real child processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from voicepipe.runtime.errors import EngineError, EngineUnavailable
from voicepipe.workers import supervisor
from voicepipe.workers.pool import WorkerPool
from voicepipe.workers.process import Reply, WorkerDied, WorkerProcess, child_command
from voicepipe.workers.supervisor import Worker, WorkerOptions, WorkerState


def make(
    factory: str = "create", *, options: Mapping[str, Any] | None = None, **limits: Any
) -> Worker:
    command = child_command(f"tests.workers.engines:{factory}", options or {})
    return Worker(command, name="test", stage="tts", options=WorkerOptions(**limits))


@contextlib.asynccontextmanager
async def started(worker: Worker) -> AsyncIterator[Worker]:
    """A running worker; afterwards its process is gone (a zombie would still be found)."""
    await worker.start()
    pids = {worker.pid}
    try:
        yield worker
        pids.add(worker.pid)
    finally:
        await worker.aclose()
    for pid in pids - {None}:
        assert not exists(pid)
    assert worker.active == 0


def exists(pid: int | None) -> bool:
    assert pid is not None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def ask(
    worker: Worker | WorkerPool,
    first_timeout_s: float = 20,
    next_timeout_s: float = 20,
    **request: Any,
) -> list[Reply]:
    replies = worker.request(
        request, first_timeout_s=first_timeout_s, next_timeout_s=next_timeout_s
    )
    return [reply async for reply in replies]


async def until(condition: Any, timeout_s: float = 20) -> None:
    async with asyncio.timeout(timeout_s):
        while not condition():
            await asyncio.sleep(0.01)


async def test_replies_come_in_order_with_their_payload() -> None:
    async with started(make()) as worker:
        assert worker.state == "ready"
        assert worker.info["pid"] == worker.pid
        replies = await ask(worker, replies=300, size=1000)
        assert [r.header["number"] for r in replies] == list(range(300))
        assert replies[7].payload == b"\x07" * 1000
        assert (worker.served, worker.failed, worker.restarts) == (1, 0, 0)
    assert worker.state == "closed"


async def test_requests_are_multiplexed() -> None:
    async with started(make()) as worker:
        answers = await asyncio.gather(*(ask(worker, replies=n) for n in range(20)))
        assert [len(replies) for replies in answers] == list(range(20))


async def test_an_engine_may_serve_several_at_once_and_each_can_be_cancelled() -> None:
    async with started(make("create_meeting")) as worker:
        one, two = await asyncio.gather(ask(worker, replies=2), ask(worker, replies=3))
        assert (len(one), len(two)) == (2, 3)
        long = worker.request(
            {"meet": False, "replies": 1000, "pause_s": 0.01},
            first_timeout_s=20,
            next_timeout_s=20,
        )
        async with contextlib.aclosing(long):
            await anext(long)
            assert await ask(worker, meet=False), "served beside it"
        with pytest.raises(EngineError, match="no such voice"):
            await ask(worker, meet=False, replies=0, then="refuse")
        assert len(await asyncio.gather(ask(worker), ask(worker))) == 2, "all threads are free"


async def test_prints_of_the_engine_cannot_corrupt_the_protocol() -> None:
    async with started(make()) as worker:
        assert len(await ask(worker, replies=2, then="print_everywhere")) == 2
        assert len(await ask(worker, replies=3)) == 3
        assert worker.restarts == 0


async def test_closing_the_iterator_cancels_in_the_child() -> None:
    async with started(make()) as worker:
        begun = time.perf_counter()
        replies = worker.request(
            {"replies": 2000, "pause_s": 0.02}, first_timeout_s=20, next_timeout_s=20
        )
        async for _ in replies:
            break
        await replies.aclose()
        assert worker.active == 0
        assert len(await ask(worker, replies=1)) == 1  # the one engine thread is free again
        assert time.perf_counter() - begun < 10  # not the 40 s of the cancelled one
        assert worker.restarts == 0


async def test_cancelling_the_reading_task_cancels_in_the_child() -> None:
    async with started(make()) as worker:
        task = asyncio.create_task(ask(worker, replies=2000, pause_s=0.02))
        await until(lambda: worker.active == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert worker.active == 0
        assert len(await ask(worker, replies=1)) == 1


@pytest.mark.parametrize(
    ("then", "how"), [("exit", "exited with code 7"), ("kill", "was killed by SIGKILL")]
)
async def test_a_crash_fails_the_request_and_the_next_is_served(then: str, how: str) -> None:
    async with started(make()) as worker:
        first_pid = worker.pid
        with pytest.raises(WorkerDied, match=how) as raised:
            await ask(worker, replies=2, then=then)
        assert not raised.value.retryable  # two replies had been delivered
        with pytest.raises(WorkerDied) as raised:
            await ask(worker, replies=0, then=then)
        assert raised.value.retryable
        assert len(await ask(worker, replies=2)) == 2
        assert worker.restarts == 2
        assert worker.failed == 2
        assert first_pid is not None
        assert not exists(first_pid)


@pytest.mark.parametrize("then", ["leave_a_child", "leave_a_daemon"])
@pytest.mark.parametrize("busy", [False, True])
async def test_a_death_is_seen_though_a_child_of_its_own_lives_on(then: str, busy: bool) -> None:
    async with started(make()) as worker:
        began = time.monotonic()
        if busy:  # the exit is known by the time that the loop sees the end of its output
            asyncio.get_running_loop().call_later(0.02, time.sleep, 0.5)
        with pytest.raises(WorkerDied, match="exited with code 7"):
            await ask(worker, then=then)
        assert time.monotonic() - began < 15  # and not when that child ends
        assert len(await ask(worker)) == 1


async def test_a_crash_fails_every_request_in_flight() -> None:
    async with started(make()) as worker:
        tasks = [asyncio.create_task(ask(worker, replies=50, pause_s=0.05)) for _ in range(5)]
        await until(lambda: worker.active == 5)
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGKILL)
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(outcome, WorkerDied) for outcome in outcomes)
        assert worker.active == 0


async def test_errors_of_the_engine_leave_it_running(caplog: pytest.LogCaptureFixture) -> None:
    async with started(make()) as worker:
        with pytest.raises(EngineError, match="there is no such voice") as raised:
            await ask(worker, replies=0, then="refuse")
        assert not raised.value.retryable
        with pytest.raises(EngineError, match="test: it failed with ValueError") as raised:
            await ask(worker, replies=0, then="break_down")
        assert raised.value.retryable
        assert "tripped" not in str(raised.value)  # callers are told: it may quote paths, or them
        assert "the engine tripped" in caplog.text
        assert len(await ask(worker)) == 1
        assert worker.restarts == 0


async def test_a_request_too_large_to_send_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    async with started(make()) as worker:
        with monkeypatch.context() as patch:
            patch.setattr("voicepipe.workers.wire.MAX_MESSAGE_BYTES", 10_000)
            with pytest.raises(EngineError, match="over the limit"):
                await ask(worker, text="x" * 20_000)
        assert worker.active == 0
        assert len(await ask(worker)) == 1


async def test_a_hung_engine_is_killed_at_the_reply_deadline() -> None:
    async with started(make()) as worker:
        with pytest.raises(EngineError, match=r"no reply within 0\.3 s"):
            await ask(worker, replies=1, then="hang", next_timeout_s=0.3)
        assert len(await ask(worker, replies=2)) == 2
        assert worker.restarts == 1


async def test_a_slow_neighbour_is_no_hung_engine() -> None:
    async with started(make()) as worker:
        slow = asyncio.create_task(ask(worker, replies=20, pause_s=0.05))
        await until(lambda: worker.active == 1)
        with pytest.raises(EngineError, match="no reply within"):
            await ask(worker, first_timeout_s=0.4)
        assert len(await slow) == 20
        assert worker.restarts == 0


async def test_a_stopped_process_is_found_by_ping_and_replaced() -> None:
    async with started(make(ping_interval_s=0.1, ping_timeout_s=0.5)) as worker:
        assert await worker.ping(5) < 5
        pid = worker.pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        await until(lambda: worker.restarts == 1 and worker.state == "ready")
        assert worker.pid != pid
        assert len(await ask(worker)) == 1


async def test_unread_replies_are_bounded() -> None:
    async with started(make(max_unread_bytes=100_000)) as worker:
        replies = worker.request(
            {"replies": 1000, "size": 10_000}, first_timeout_s=20, next_timeout_s=20
        )
        read = 0

        async def read_slowly() -> None:
            nonlocal read
            async for _ in replies:
                read += 1
                await asyncio.sleep(0.5)

        with pytest.raises(EngineError, match="100000 bytes of its replies were left unread"):
            await read_slowly()
        assert 0 < read < 15
        assert len(await ask(worker, replies=5)) == 5
        assert worker.restarts == 0


async def test_an_engine_that_cannot_start_says_why() -> None:
    worker = make("create_unavailable", options={"file": "amy.onnx"})
    with pytest.raises(EngineUnavailable, match=r"no voice file amy\.onnx"):
        await worker.start()
    assert worker.state == "closed"


async def test_an_engine_that_crashes_at_start_shows_its_last_words() -> None:
    with pytest.raises(EngineUnavailable, match=r"exited with code 1 .*cannot map the weights"):
        await make("create_crashing").start()


async def test_a_hanging_start_trips_the_deadline() -> None:
    worker = make("create_hanging", start_timeout_s=0.5, stop_timeout_s=0.5)
    with pytest.raises(EngineUnavailable, match=r"not ready within 0\.5 s"):
        await worker.start()


async def test_a_start_can_be_cancelled() -> None:
    worker = make("create_hanging")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(worker.start(), 0.5)
    assert worker.state == "closed"


@pytest.mark.parametrize("after_s", [0.0, 0.1])
async def test_one_that_is_closed_while_it_starts_says_so(after_s: float) -> None:
    worker = make("create_hanging", stop_timeout_s=0.2)
    starting = asyncio.create_task(worker.start())
    await asyncio.sleep(after_s)
    await worker.aclose()
    with pytest.raises(EngineUnavailable, match="closed"):
        await starting
    assert worker.state is WorkerState.CLOSED


async def test_a_command_that_is_not_there() -> None:
    with pytest.raises(EngineUnavailable, match="cannot start the test worker"):
        await Worker(["/nonexistent/python"], name="test", stage="tts").start()


GARBAGE = "import sys, time; print('Loading model', flush=True); time.sleep(1000)"
WRONG_FIELDS = (
    "import sys, time; from voicepipe.workers.wire import encode; "
    "sys.stdout.buffer.write(encode({'op': 'unavailable'})); sys.stdout.flush(); time.sleep(1000)"
)


@pytest.mark.parametrize("program", [GARBAGE, WRONG_FIELDS])
async def test_garbage_on_the_pipe_is_refused(program: str) -> None:
    worker = Worker([sys.executable, "-c", program], name="test", stage="tts")
    with pytest.raises(EngineUnavailable, match="broke the protocol"):
        await worker.start()


async def test_a_worker_that_keeps_dying_fails_visibly(tmp_path: Path) -> None:
    worker = make(
        "create_once", options={"marker": str(tmp_path / "marker")}, deaths_to_fail=3,
        first_backoff_s=0.01,
    )  # fmt: skip
    async with started(worker):
        assert worker.pid is not None
        os.kill(worker.pid, signal.SIGKILL)
        await until(lambda: worker.state is WorkerState.FAILED)
        begun = time.perf_counter()
        with pytest.raises(EngineUnavailable, match=r"the test worker is failed .*before it was"):
            await ask(worker)
        assert time.perf_counter() - begun < 1
        (tmp_path / "marker").unlink()  # what was wrong is put right
        await until(lambda: worker.state is WorkerState.READY)
        assert len(await ask(worker)) == 1


async def test_one_that_cannot_be_started_again_now_is_tried_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever keeps it: asyncio needs a thread for each child, and there may be none."""
    spawn = WorkerProcess.spawn
    failures = iter([RuntimeError("can't start new thread")])

    async def failing(*given: Any, **more: Any) -> WorkerProcess:
        for failure in failures:
            raise failure
        return await spawn(*given, **more)

    async with started(make()) as worker:
        monkeypatch.setattr(WorkerProcess, "spawn", failing)
        with pytest.raises(WorkerDied):
            await ask(worker, replies=0, then="kill")
        assert len(await ask(worker)) == 1
        assert worker.restarts == 2


async def test_closing_fails_what_is_in_flight_and_refuses_more() -> None:
    worker = make()
    await worker.start()
    task = asyncio.create_task(ask(worker, replies=100, pause_s=0.05))
    await until(lambda: worker.active == 1)
    await worker.aclose()
    with pytest.raises(EngineError):
        await task
    with pytest.raises(EngineUnavailable, match="closed"):
        await ask(worker)
    await worker.aclose()


async def test_a_child_that_ignores_the_end_is_killed() -> None:
    worker = make(stop_timeout_s=0.3)
    await worker.start()
    assert worker.pid is not None
    pid = worker.pid
    os.kill(pid, signal.SIGSTOP)  # SIGTERM waits too while stopped
    await worker.aclose()
    assert not exists(pid)


async def test_a_pool_shares_the_load_and_retries_a_death() -> None:
    pool = WorkerPool([make(), make()])
    await pool.start()
    try:
        tasks = [asyncio.create_task(ask(pool, replies=4, pause_s=0.1)) for _ in range(6)]
        await until(lambda: pool.active == 6)
        assert [worker.active for worker in pool.workers] == [3, 3]
        await asyncio.gather(*tasks)
        waiting = asyncio.create_task(ask(pool, replies=1, pause_s=0.5))
        await until(lambda: pool.active == 1)
        busy = next(worker for worker in pool.workers if worker.active)
        assert busy.pid is not None
        os.kill(busy.pid, signal.SIGKILL)
        assert len(await waiting) == 1
        with pytest.raises(WorkerDied):
            await ask(pool, replies=1, then="kill")
    finally:
        await pool.aclose()


async def test_a_pool_starts_whole_or_not_at_all() -> None:
    pool = WorkerPool([make(), make("create_crashing")])
    with pytest.raises(EngineUnavailable):
        await pool.start()
    assert [worker.state for worker in pool.workers] == ["closed", "closed"]


def test_the_child_dies_with_its_parent() -> None:
    """Even when the parent is killed and the engine hangs."""
    program = """
import asyncio, sys
from voicepipe.workers.process import child_command
from voicepipe.workers.supervisor import Worker

async def main():
    worker = Worker(child_command("tests.workers.engines:create", {}), name="t", stage="tts")
    await worker.start()
    print(worker.pid, flush=True)
    async for _ in worker.request({"then": "hang"}, first_timeout_s=99, next_timeout_s=99):
        print("hangs", flush=True)

asyncio.run(main())
"""
    root = str(Path(__file__).parents[2])
    with subprocess.Popen(
        [sys.executable, "-c", program], cwd=root, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert parent.stdout.readline() == "hangs\n"
        assert exists(pid)
        parent.kill()
    deadline = time.monotonic() + 10
    while exists(pid) and not _is_zombie(pid):  # an orphan's zombie is init's to reap
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


async def test_worker_in_a_crash_loop_says_so_until_it_has_lived_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervisor, "SHAKY_S", 0.5)
    async with started(make(first_backoff_s=0.01, deaths_to_fail=9)) as worker:
        pool = WorkerPool([worker])
        assert pool.problem is None
        for deaths in (1, 2):
            pid = worker.pid
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
            async with asyncio.timeout(20):
                while worker.pid in (pid, None) or worker.restarts < deaths:
                    await asyncio.sleep(0.002)
        assert "unsteady" in str(pool.problem)
        assert "killed by" in str(pool.problem) or "SIGKILL" in str(pool.problem)
        async with asyncio.timeout(20):
            while pool.problem is not None:
                await asyncio.sleep(0.02)


async def test_failed_worker_is_a_problem_unless_another_serves() -> None:
    async with started(make(deaths_to_fail=1, first_backoff_s=30)) as bad, started(make()) as good:
        pid = bad.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        async with asyncio.timeout(20):
            while bad.state is not WorkerState.FAILED:
                await asyncio.sleep(0.01)
        assert "failed" in str(WorkerPool([bad]).problem)
        assert WorkerPool([bad, good]).problem is None
