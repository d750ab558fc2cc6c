"""A gateway's end of the connection to one engine host: kept up, found again, calls in it."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from voicepipe.cluster.channel import Call, Facts, Receiver
from voicepipe.cluster.errors import Lost, Refused, unpacked_error
from voicepipe.cluster.secret import Handshake, WrongKey
from voicepipe.cluster.wire import Wire
from voicepipe.runtime.errors import EngineUnavailable
from voicepipe.workers.wire import Packet, WireError

log = logging.getLogger(__name__)

VERSION = 1
"""Of the messages; a host refuses gateways that speak another one."""

CONNECT_S = 5.0
PING_S = 1.0
MISSED_S = 3.0
"""After that, new calls go elsewhere where they can."""

SILENCE_S = 10.0
"""A host that says nothing for so long, pings included, is taken for dead."""

RETRY_S = (0.05, 0.1, 0.2, 0.5)
"""Between two attempts to reach a host; the last one from then on."""

START_S = 600.0
"""How long an engine may take to load before its gateway gives up."""

MAX_CALLS = 4096

Connect = Callable[[Callable[[], Wire]], Awaitable[object]]
"""Opens a connection for the protocol that it is given: `loop.create_unix_connection` or so."""


class LinkCall:
    """One call in the connection; see `channel.OpenCall`."""

    def __init__(self, link: Link, number: int, call: Call, receiver: Receiver) -> None:
        self._link, self._number = link, number
        self.engine, self.stage, self.receiver = call.engine, call.stage, receiver
        self.counts = call.doing != "warm"  # as one that somebody waits for
        self.replica, self.node = link.replica, link.node
        self.over = False

    def send(self, header: Mapping[str, Any], payload: bytes = b"") -> None:
        if self.over:
            return
        try:
            self._link.send({**header, "id": self._number}, payload)
        except WireError as error:  # larger than a message may be
            self.close()
            self.receiver.failed(Refused(str(error), stage=self.stage))

    def close(self) -> None:
        if not self.over:
            self.send({"op": "close"})
            self._link.forget(self._number)


class Link:
    """Connected by a task of its own from `start` to the last `aclose`."""

    def __init__(
        self,
        connect: Connect,
        where: str,
        *,
        key: str = "",
        start_s: float = START_S,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """`key`: what both ends know, if the host asks; `changed`: told when a state is new."""
        self._connect, self.where, self._start_s = connect, where, start_s
        self._handshake, self._changed = Handshake(key), changed
        self.replica = self.node = ""
        self.engines: dict[str, dict[str, Any]] = {}  # their states, as the host tells them
        self.load: dict[str, dict[str, Any]] = {}  # how busy they are, as of the last pulse
        self.others: dict[str, int] = {}  # of it, calls of other gateways
        self.draining = False
        self.round_trip_s: float | None = None
        self._calls: dict[int, LinkCall] = {}
        self._numbers = itertools.count(1)
        self._wire: Wire | None = None  # once the host has said who it is
        self._met = False  # it has, on this connection
        self._why = f"no engine host answers at {where}"
        self._told = asyncio.Event()  # something has changed
        self._task: asyncio.Task[None] | None = None
        self._users: set[int] = set()
        self._heard_s = 0.0

    # --- channel.Channel

    async def start(self, user: object) -> None:
        """See `channel.Channel`."""
        self._users.add(id(user))
        if self._task is None:
            self._task = asyncio.create_task(self._stay_connected(), name=f"link {self.where}")

    async def aclose(self, user: object) -> None:
        """See `channel.Channel`."""
        self._users.discard(id(user))
        if self._users or self._task is None:
            return
        task, self._task = self._task, None
        self._told.set()  # who waits for an engine waits in vain
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    async def facts(self, engine: str) -> Facts:
        """See `channel.Channel`."""
        stage = engine.partition(".")[0]
        try:
            async with asyncio.timeout(self._start_s):
                while (state := self._state(engine)) not in ("ready", "failed"):
                    if self._task is None:
                        text = f"{engine} was not ready before {self.where} was closed"
                        raise EngineUnavailable(text, stage=stage)
                    self._told.clear()
                    await self._told.wait()
        except TimeoutError:
            why = self.problem(engine)
            text = f"{engine} was not ready within {self._start_s:g} s: {why}"
            raise EngineUnavailable(text, stage=stage) from None
        if state == "failed":
            raise EngineUnavailable(self.engines[engine]["message"], stage=stage)
        return self._facts(engine)

    def problem(self, engine: str) -> str | None:
        """See `channel.Channel`."""
        if self._wire is None:
            return self._why
        state = self._state(engine)
        return self._facts(engine).problem if state == "ready" else f"{engine} is {state}"

    def open(self, call: Call, receiver: Receiver, avoid: frozenset[str] = frozenset()) -> LinkCall:
        """See `channel.Channel`; there is one host, and who failed once is not asked again."""
        if self._wire is None or avoid:
            raise Lost(self._why, stage=call.stage, retryable=True)
        if len(self._calls) >= MAX_CALLS:
            text = f"{MAX_CALLS} calls of this process are with the engine host already"
            raise Refused(text, stage=call.stage, retryable=True)
        number = next(self._numbers)
        opened = self._calls[number] = LinkCall(self, number, call, receiver)
        opened.send(
            {"op": "open", "engine": call.engine, "doing": call.doing, "asked": call.header}
        )
        return opened

    # --- for pools

    @property
    def connected(self) -> bool:
        return self._wire is not None

    def serves(self, engine: str) -> bool:
        """Whether a call may be sent there now."""
        return self.connected and not self.draining and self._state(engine) == "ready"

    def busy(self, engine: str) -> int:
        """Calls that are with it: of this process now, of others at the last pulse."""
        return self._own(engine) + self.others.get(engine, 0)

    def limit(self, engine: str, name: str) -> int:
        """Of its calls: "at_once" that it works on, "max_ongoing" with those that may wait."""
        return int(self.engines[engine][name])

    @property
    def silent(self) -> bool:
        """It has missed its pulse: stuck, or on a machine that is gone."""
        return asyncio.get_running_loop().time() - self._heard_s > MISSED_S

    @property
    def idle(self) -> bool:
        """No call of this process is with it."""
        return not self._calls

    # --- for calls

    def send(self, header: Mapping[str, Any], payload: bytes = b"") -> None:
        if self._wire is not None:
            self._wire.send(header, payload)

    def forget(self, number: int) -> None:
        call = self._calls.pop(number, None)
        if call is not None:
            call.over = True

    # --- the connection

    async def _stay_connected(self) -> None:
        waits = iter(RETRY_S)
        while True:
            lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
            try:
                if await self._connected(lost):
                    waits = iter(RETRY_S)
            except Exception as error:  # nothing may end the task: the host would be found no more
                self._tell_trouble(f"{self.where} cannot be used: {type(error).__name__}: {error}")
            finally:
                self._over(lost.result() if lost.done() else "")
            await asyncio.sleep(next(waits, RETRY_S[-1]))

    def _tell_trouble(self, why: str) -> None:
        if self._why != why:
            log.error("%s", why)
        self._why = why

    async def _connected(self, lost: asyncio.Future[str]) -> bool:
        """One connection from beginning to end; False: there was none, or to no host of ours."""

        def is_lost(reason: str) -> None:
            self._wire = None
            if not lost.done():
                lost.set_result(reason)

        self._met = False
        wire = Wire(lambda packet: self._take(wire, packet), is_lost)
        try:
            async with asyncio.timeout(CONNECT_S):
                await self._connect(lambda: wire)
        except (OSError, TimeoutError) as error:
            self._why = f"no engine host answers at {self.where} ({type(error).__name__})"
            return False
        self._heard_s = asyncio.get_running_loop().time()
        wire.send({"op": "hello", "version": VERSION, **self._handshake.begin()})
        try:
            await self._keep_up(wire, lost)
        finally:
            if not wire.lost:
                wire.close()
        return self._met

    async def _keep_up(self, wire: Wire, lost: asyncio.Future[str]) -> None:
        now = asyncio.get_running_loop().time
        while not lost.done():
            if self._wire is not None:
                wire.send({"op": "ping", "at": now()})
            await asyncio.wait((lost,), timeout=PING_S)
            if not lost.done() and now() - self._heard_s > SILENCE_S:
                wire.drop(f"it has been silent for {SILENCE_S:g} s")

    def _over(self, reason: str) -> None:
        """Nothing of what the host said is true any more."""
        was_there, self._wire = bool(self.engines), None
        self.engines, self.load, self.others, self.draining = {}, {}, {}, False
        if reason:
            self._why = f"the engine host at {self.where} is gone: {reason}"
        if self._task is not None and (was_there or self._calls):
            log.warning("%s (%d calls were with it)", self._why, len(self._calls))
        calls, self._calls = self._calls, {}
        for call in calls.values():
            call.over = True
            call.receiver.failed(Lost(self._why, stage=call.stage, retryable=True))
        self._tell()

    def _tell(self) -> None:
        self._told.set()
        self._changed()

    def _take(self, wire: Wire, packet: Packet) -> None:
        try:
            self._heed(wire, packet)
        except WrongKey as error:
            wire.drop(str(error))
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            wire.drop(f"the host broke the protocol ({type(error).__name__})")

    def _heed(self, wire: Wire, packet: Packet) -> None:
        self._heard_s = asyncio.get_running_loop().time()
        header = packet.header
        match header.get("op"):
            case "item":
                if call := self._calls.get(header["id"]):
                    call.receiver.message(header, packet.payload)
            case "end" | "error":
                self._end(header)
            case "pong":
                self._pulse(header)
            case "prove":
                wire.send({"op": "proof", "proof": self._handshake.answer(header)})
            case "state":
                self._handshake.check()
                self._wire, self._met = wire, True
                self._learn(header)

    def _end(self, header: Mapping[str, Any]) -> None:
        call = self._calls.get(header["id"])
        if call is None:
            return  # it was closed while this was on its way
        self.forget(header["id"])
        if header["op"] == "error":
            call.receiver.failed(unpacked_error(header))
        else:
            call.receiver.message(header, b"")

    def _pulse(self, header: Mapping[str, Any]) -> None:
        self.round_trip_s = self._heard_s - header["at"]
        self.load = header["load"]
        self.others = {
            name: max(0, one["ongoing"] - self._own(name)) for name, one in self.load.items()
        }

    def _learn(self, header: Mapping[str, Any]) -> None:
        self.engines, self.draining = header["engines"], header["draining"]
        self.replica, self.node = header["replica"], header["node"]
        self._tell()

    def _own(self, engine: str) -> int:
        return sum(call.counts and call.engine == engine for call in self._calls.values())

    def _state(self, engine: str) -> str:
        if not self.engines:
            return "away"
        return str(self.engines.get(engine, {}).get("state", "not offered"))

    def _facts(self, engine: str) -> Facts:
        told = self.engines[engine]
        return Facts(told["name"], told["sample_rate"], tuple(told["voices"]), told.get("problem"))
