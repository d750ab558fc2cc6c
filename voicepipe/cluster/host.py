"""A process that holds engines and serves them to gateways by the engines' contracts."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from voicepipe.cluster.errors import Refused, packed_error
from voicepipe.cluster.hosted import HostedCall, HostedWarmUp, as_engine_error, hosted
from voicepipe.cluster.items import Unreadable
from voicepipe.cluster.link import MAX_CALLS, VERSION
from voicepipe.cluster.secret import nonce, proof, proves
from voicepipe.cluster.served import ServedEngine
from voicepipe.cluster.wire import Wire
from voicepipe.runtime.closing import Close, close_all
from voicepipe.runtime.errors import EngineError, EngineUnavailable
from voicepipe.workers.wire import Packet, WireError

log = logging.getLogger(__name__)

GREET_S = 10.0
"""Who has not said by then what is to be said first is let go."""

MAX_GREETING_BYTES = 4096
"""A stranger's messages are no larger: nothing heavy is read before the key is asked."""

MAX_STRANGERS = 64
"""Connections that have not greeted yet; one more, and the oldest is let go."""


class EngineHost:
    """Start it, give its `accept` to a listening socket, drain and close it."""

    def __init__(
        self, engines: Iterable[ServedEngine], *, replica: str = "", node: str = "", key: str = ""
    ) -> None:
        """`engines`: by the names that gateways ask for: "asr", "llm.fallback" ... `key`: gateways
        must prove that they know it; "": the socket's mode is enough."""
        self.engines = {one.name: one for one in engines}
        self.replica, self.node, self.key = replica, node, key
        self.draining = False
        self.idle = asyncio.Event()
        self.idle.set()
        self._guests: dict[_Guest, None] = {}  # the oldest first
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Load all engines side by side. Raises the first EngineUnavailable, after the gateways
        that are there have been told."""
        outcomes = await asyncio.gather(
            *(self._start(one) for one in self.engines.values()), return_exceptions=True
        )
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome

    def accept(self) -> Wire:
        """A protocol for a new connection: `loop.create_unix_server(host.accept, ...)`."""
        strangers = [guest for guest in self._guests if not guest.greeted]
        if len(strangers) >= MAX_STRANGERS:
            strangers[0].wire.drop(f"{MAX_STRANGERS} others have not greeted either")
        guest = _Guest(self)
        self._guests[guest] = None
        return guest.wire

    async def drain(self, within_s: float) -> bool:
        """Take no new calls, let those under way end. False: some still were after that time."""
        self.draining = True
        self._tell_all()
        try:
            async with asyncio.timeout(within_s):
                await self.idle.wait()
        except TimeoutError:
            return False
        return True

    async def aclose(self) -> None:
        """End all calls and connections, then the engines."""
        self.draining = True
        for guest in list(self._guests):
            guest.wire.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

        def closing(one: ServedEngine) -> tuple[str, Close]:
            return f"the engine {one.name}", one.engine.aclose

        await close_all(*(closing(one) for one in self.engines.values()))

    async def _start(self, one: ServedEngine) -> None:
        try:
            await one.engine.start()
        except Exception as error:
            one.state, one.message = "failed", str(as_engine_error(error, one.stage))
            self._tell_all()
            if isinstance(error, EngineError):
                raise
            raise EngineUnavailable(one.message, stage=one.stage) from error
        one.state = "ready"
        self._tell_all()

    # --- for guests

    def state(self) -> dict[str, Any]:
        """What gateways are told when they come, and when it changes."""
        return {
            "op": "state",
            "engines": {name: one.told() for name, one in self.engines.items()},
            "draining": self.draining,
            "replica": self.replica,
            "node": self.node,
        }

    def load(self) -> dict[str, Any]:
        """How busy it is, by engine."""
        return {name: one.load() for name, one in self.engines.items()}

    def refusal(self, name: str) -> EngineError | None:
        """Why a call cannot be begun now; None: it can."""
        stage = name.partition(".")[0]
        one = self.engines.get(name)
        if one is None or one.state != "ready":
            state = "not offered" if one is None else one.state
            return EngineUnavailable(f"{name} is {state} in this engine host", stage=stage)
        if self.draining:
            return Refused("this engine host takes no new calls", stage=stage, retryable=True)
        if one.ongoing >= one.max_ongoing:
            text = f"{name} has {one.max_ongoing} calls under way, its limit"
            return Refused(text, stage=stage, retryable=True)
        return None

    def begin(self, name: str, call: HostedCall, guest: _Guest, number: int) -> asyncio.Task[None]:
        """Serve a call in a task of its own. It counts at once: others come before its first step,
        and it may be cancelled before that."""
        one, counts = self.engines[name], not isinstance(call, HostedWarmUp)
        task = asyncio.create_task(self._serve(one, call, guest, number), name=f"{name} {number}")
        one.ongoing += counts
        self._tasks.add(task)
        self.idle.clear()
        task.add_done_callback(partial(self._ended, one, counts))
        return task

    def left(self, guest: _Guest) -> None:
        self._guests.pop(guest, None)

    async def _serve(self, one: ServedEngine, call: HostedCall, guest: _Guest, number: int) -> None:
        try:
            await call.run()
            one.counts["served"] += 1
            guest.end(number, {"op": "end"})
        except Exception as error:
            one.counts["failed"] += 1
            told = as_engine_error(error, one.stage)
            guest.end(number, {**packed_error(told), "op": "error"})

    def _ended(self, one: ServedEngine, counts: bool, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        one.ongoing -= counts
        if task.cancelled():
            one.counts["cancelled"] += 1
        elif (error := task.exception()) is not None:
            log.error("%s broke", task.get_name(), exc_info=error)
        if not self._tasks:
            self.idle.set()

    def _tell_all(self) -> None:
        state = self.state()
        for guest in self._guests:
            if guest.greeted:
                guest.tell(state)


class _Guest:
    """One gateway's connection and its calls."""

    def __init__(self, host: EngineHost) -> None:
        self.wire = Wire(self._take, self._lost, MAX_GREETING_BYTES)
        self.greeted = False
        self._told: Mapping[str, Any] = {}  # the last state
        self._nonces = ("", "")  # the gateway's, ours: until it has proved that it knows the key
        self._host = host
        loop = asyncio.get_running_loop()
        self._deadline = loop.call_later(GREET_S, self._gone)
        self._calls: dict[int, tuple[HostedCall, asyncio.Task[None]]] = {}

    def tell(self, state: Mapping[str, Any]) -> None:
        """What the host's engines are now."""
        self._told = state
        self.wire.send(state)

    def end(self, number: int, header: Mapping[str, Any]) -> None:
        """The call is over, by itself."""
        if self._calls.pop(number, None) is not None:
            self.wire.send({**header, "id": number})

    def _take(self, packet: Packet) -> None:
        try:
            self._heed(packet)
        except (LookupError, TypeError, ValueError, AttributeError) as error:  # Unreadable too
            self.wire.drop(f"a gateway broke the protocol: {type(error).__name__}")

    def _heed(self, packet: Packet) -> None:
        header = packet.header
        if not self.greeted:
            self._greet(header)
            return
        match header["op"]:
            case "ping":
                self.wire.send({"op": "pong", "at": header["at"], "load": self._host.load()})
                if (state := self._host.state()) != self._told:  # engines do not say so themselves
                    self.tell(state)
            case "open":
                self._open(header)
            case "close":
                self._close(header["id"])
            case _ if (call := self._calls.get(header["id"])) is not None:
                call[0].receive(header, packet.payload)

    def _greet(self, header: Mapping[str, Any]) -> None:
        key, (theirs, ours) = self._host.key, self._nonces
        if ours and header["op"] == "proof":
            if not proves(header["proof"], key, "gateway", ours, theirs):
                raise Unreadable("another key")
        elif header["op"] != "hello" or header["version"] != VERSION:
            raise Unreadable("another version")
        elif key:
            theirs, ours = self._nonces = str(header["nonce"]), nonce()
            proved = proof(key, "host", theirs, ours)
            self.wire.send({"op": "prove", "nonce": ours, "proof": proved})
            return
        self.greeted = True
        self._deadline.cancel()
        self.wire.trust()
        self.tell(self._host.state())

    def _gone(self) -> None:
        self.wire.drop(f"no greeting within {GREET_S:g} s")

    def _open(self, header: Mapping[str, Any]) -> None:
        number, name = header["id"], header["engine"]
        stage = name.partition(".")[0]
        refusal = self._host.refusal(name)
        if refusal is None and len(self._calls) >= MAX_CALLS:
            refusal = Refused(f"{MAX_CALLS} calls of one gateway", stage=stage, retryable=True)
        if refusal is not None:
            self.wire.send({**packed_error(refusal), "op": "error", "id": number})
            return
        send = partial(self._send, number, stage)
        call = hosted(self._host.engines[name], header["doing"], header["asked"], send)
        self._calls[number] = call, self._host.begin(name, call, self, number)

    def _send(self, number: int, stage: str, header: Mapping[str, Any], payload: bytes) -> None:
        try:
            self.wire.send({**header, "id": number}, payload)
        except WireError as error:
            raise EngineError(f"an engine's item is too large: {error}", stage=stage) from None

    def _close(self, number: int) -> None:
        call = self._calls.pop(number, None)
        if call is not None:
            call[1].cancel()

    def _lost(self, reason: str) -> None:
        self._deadline.cancel()
        self._host.left(self)
        for number in list(self._calls):
            self._close(number)
