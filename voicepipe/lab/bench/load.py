"""Run many callers at once, in process or against a server, and see what they and it report."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from voicepipe.lab.bench import in_process, socket_line, webrtc_line
from voicepipe.lab.bench.caller import Caller, CallerTurn, Line, Question
from voicepipe.lab.bench.pacer import Pacer
from voicepipe.lab.bench.recordings import SILENCE, Recording
from voicepipe.lab.bench.usage import Usage, usage
from voicepipe.lab.relay import FAIR, Weather
from voicepipe.runtime.clock import Clock, MonotonicClock
from voicepipe.runtime.gc_tuning import spared
from voicepipe.server.service import Service
from voicepipe.session.commands import AppendAudio

ANSWER_S = 4.0
"""A guess of how long an answer and the pause after it take, to spread the callers' starts."""

CONNECTING = 8  # connections opened at the same time

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Plan:
    """How many callers say what how often."""

    recordings: tuple[Recording, ...]
    sessions: int = 1
    turns: int = 3  # of each session
    answer_timeout_s: float = 15.0  # from the end of a question to the end of its answer
    stagger_s: float | None = None  # the callers' starts are spread over so long; None: one turn
    weather: Weather = FAIR  # between WebRTC callers and a server on this machine

    @property
    def spread_s(self) -> float:
        """Seconds from the first caller's start to the last one's."""
        if self.stagger_s is not None:
            return self.stagger_s
        return sum(r.length_s for r in self.recordings) / len(self.recordings) + ANSWER_S


@dataclass(slots=True)
class Outcome:
    """What came of a plan."""

    turns: list[CallerTurn] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # what servers and lines complained of
    wall_s: float = 0.0
    session_s: float = 0.0  # summed over the sessions
    before: Usage | None = None  # of the server's process, where it can be seen
    after: Usage | None = None
    callers_cpu_s: float | None = None  # of this process, unless it is the server as well
    interrupted: bool = False  # stopped by hand: the turns finished by then


OnTurn = Callable[[CallerTurn], None]


async def in_process_load(
    plan: Plan,
    service: Service,
    on_turn: OnTurn = lambda turn: None,
    clock: Clock | None = None,
) -> Outcome:
    """Callers on sessions of `service`, which has been started. The process that is measured is
    this one, callers included."""

    async def connect(caller: Caller[AppendAudio]) -> in_process.SessionLine:
        return in_process.SessionLine(service, caller)

    return await _run(
        plan, in_process.encode, connect, on_turn, os.getpid(), clock or service.clock
    )


async def socket_load(
    plan: Plan,
    url: str,
    key: str | None = None,
    on_turn: OnTurn = lambda turn: None,
    server_pid: int | None = None,
) -> Outcome:
    """Callers on WebSockets to `url` (ws://host:port/v1). Raises ConnectError."""

    async def connect(caller: Caller[bytes]) -> socket_line.SocketLine:
        return await socket_line.connect(url, key, caller)

    return await _run(plan, socket_line.encode, connect, on_turn, server_pid, MonotonicClock())


async def webrtc_load(
    plan: Plan,
    url: str,
    key: str | None = None,
    on_turn: OnTurn = lambda turn: None,
    server_pid: int | None = None,
) -> Outcome:
    """Callers by WebRTC, through the plan's weather; `url` as for `socket_load`. Raises
    ConnectError."""

    async def connect(caller: Caller[bytes]) -> webrtc_line.WebRtcLine:
        return await webrtc_line.connect(url, key, caller, plan.weather)

    encode = webrtc_line.Encoder().encode
    return await _run(plan, encode, connect, on_turn, server_pid, MonotonicClock())


async def _run(
    plan: Plan,
    encode: Callable[[bytes], T],
    connect: Callable[[Caller[T]], Awaitable[Line[T]]],
    on_turn: OnTurn,
    server_pid: int | None,
    clock: Clock,
) -> Outcome:
    questions = [Question.of(recording, encode) for recording in plan.recordings]
    silence, pacer = encode(SILENCE), Pacer(clock)
    callers = [
        Caller(
            number,
            questions,
            silence,
            clock,
            turns=plan.turns,
            answer_timeout_s=plan.answer_timeout_s,
            on_turn=on_turn,
            pacer=pacer,
        )
        for number in range(plan.sessions)
    ]
    outcome = Outcome()
    async with _connected(callers, connect):
        with spared():
            outcome.before = None if server_pid is None else usage(server_pid)
            began, own_s = clock.now(), time.process_time()
            async with asyncio.TaskGroup() as group:
                for number, caller in enumerate(callers):
                    delay_s = plan.spread_s * number / plan.sessions
                    group.create_task(caller.run(delay_s), name=f"caller {number}")
            outcome.wall_s = clock.now() - began
            if server_pid != os.getpid():
                outcome.callers_cpu_s = time.process_time() - own_s
            outcome.after = None if server_pid is None else usage(server_pid)
    for caller in callers:
        outcome.turns += caller.finished
        outcome.problems += caller.problems
        outcome.session_s += caller.active_s
    return outcome


@asynccontextmanager
async def _connected(
    callers: Sequence[Caller[T]], connect: Callable[[Caller[T]], Awaitable[Line[T]]]
) -> AsyncIterator[None]:
    lines: list[Line[T]] = []
    gate = asyncio.Semaphore(CONNECTING)

    async def one(caller: Caller[T]) -> None:
        async with gate:
            caller.line = await connect(caller)
            lines.append(caller.line)

    try:
        try:
            async with asyncio.TaskGroup() as group:
                for caller in callers:
                    group.create_task(one(caller), name="connect")
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        yield
    finally:
        await asyncio.gather(*(line.aclose() for line in lines))
