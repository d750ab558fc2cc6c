"""Clean callers through every door, call after call, until the time is up."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from voicepipe.lab.bench.load import Outcome, Plan, socket_load, webrtc_load
from voicepipe.lab.bench.phone import stream_url
from voicepipe.lab.bench.phone_load import CallPlan, phone_load
from voicepipe.lab.bench.recordings import Recording
from voicepipe.lab.relay import Weather
from voicepipe.runtime.errors import VoicepipeError

TURNS = 4
"""Of each call; then the caller hangs up and another one comes."""


AGAIN_S = 1.0
"""After a round in which nobody was let in."""


@dataclass(slots=True)
class Tally:
    """What the callers of one door have had."""

    turns: int = 0
    lost: int = 0
    waits_ms: list[float] = field(default_factory=list)
    problems: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        """In a line, with what went wrong."""
        wrong = "".join(f"; {times} x {problem}" for problem, times in self.problems.items())
        return f"{self.turns} turns, {self.lost} lost{wrong}"


@dataclass(frozen=True, slots=True)
class Crowd:
    """Who calls: so many at once through each door."""

    websocket: int
    webrtc: int
    phone: int
    weather: Weather  # between the WebRTC callers and the server
    recordings: tuple[Recording, ...]

    def doors(self, url: str, pid: int) -> dict[str, tuple[int, Callable[[int], Awaitable[Tally]]]]:
        """Name to how many and how they call."""
        return {
            "websocket": (self.websocket, lambda n: self._sockets(url, n)),
            "webrtc": (self.webrtc, lambda n: self._webrtc(url, n)),
            "phone": (self.phone, lambda n: self._phones(url, pid, n)),
        }

    async def _sockets(self, url: str, callers: int) -> Tally:
        return _tally(await socket_load(Plan(self.recordings, callers, TURNS), url))

    async def _webrtc(self, url: str, callers: int) -> Tally:
        plan = Plan(self.recordings, callers, TURNS, weather=self.weather)
        return _tally(await webrtc_load(plan, url))

    async def _phones(self, url: str, pid: int, callers: int) -> Tally:
        plan = CallPlan(self.recordings, callers, TURNS)
        heard = await phone_load(plan, "twilio", stream_url(url, "twilio"), pid)
        return Tally(callers * TURNS, heard.lost, heard.ear_ms, heard.problems)


async def call_until(
    crowd: Crowd,
    url: str,
    pid: int,
    over: Callable[[], bool],
    on_round: Callable[[str, Tally], None],
) -> dict[str, Tally]:
    """All doors side by side; a round that has begun is finished."""
    found: dict[str, Tally] = {}

    async def door(name: str, callers: int, call: Callable[[int], Awaitable[Tally]]) -> None:
        total = found[name] = Tally()
        while not over():
            try:
                heard = await call(callers)
            except VoicepipeError as error:  # nobody of this round was let in
                heard = Tally(callers * TURNS, callers * TURNS, [], Counter({str(error): 1}))
                await asyncio.sleep(AGAIN_S)
            total.turns += heard.turns
            total.lost += heard.lost
            total.waits_ms += heard.waits_ms
            total.problems.update(heard.problems)
            on_round(name, heard)

    async with asyncio.TaskGroup() as group:
        for name, (callers, call) in crowd.doors(url, pid).items():
            if callers:
                group.create_task(door(name, callers, call), name=f"door {name}")
    return found


def _tally(outcome: Outcome) -> Tally:
    waits = [turn.voice_to_voice_ms for turn in outcome.turns]
    lost = [turn.lost for turn in outcome.turns if turn.lost is not None]
    return Tally(
        len(outcome.turns),
        len(lost),
        [wait for wait in waits if wait is not None],
        Counter([*outcome.problems, *lost]),
    )
