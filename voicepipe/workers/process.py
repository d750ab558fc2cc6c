"""One life of a worker process: spawn, handshake, requests by id, death. Restarts are the
supervisor's business (`supervisor.py`), the bytes are `wire.py`'s.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import os
import signal
import sys
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import EngineError, EngineUnavailable
from voicepipe.workers.wire import Decoder, Packet, WireError, encode

log = logging.getLogger(__name__)

_READ_BYTES = 256 * 1024
_STDERR_LINES = 40  # kept for the message when a start fails
_REPLY_OVERHEAD_BYTES = 256  # so that empty replies count too


class WorkerDied(EngineError):
    """The process ended before the request did. Its supervisor is starting another."""


def child_command(factory: str, options: Mapping[str, Any]) -> tuple[str, ...]:
    """The command of a worker running the engine made by `factory` ("module:callable").

    -P keeps the working directory out of the child's import path.
    """
    return (
        sys.executable,
        "-P",
        "-m",
        "voicepipe.workers.child",
        factory,
        json.dumps(options),
        str(os.getpid()),
    )


def child_environment() -> dict[str, str]:
    """The child finds the modules its parent finds, however those were put on the path."""
    path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
    return {**os.environ, "PYTHONPATH": path}


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply to a request."""

    header: Mapping[str, Any]
    payload: bytes


@dataclass(frozen=True, slots=True)
class _End:
    """The last thing a request gets; `error` is None when it was served in full."""

    error: str | None = None
    retryable: bool = False
    died: bool = False


class _Pending:
    """Replies to one request that nobody has read yet."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._items: deque[Reply | _End] = deque()
        self._bytes = 0
        self._arrived = asyncio.Event()
        self.ended = False

    def put(self, reply: Reply) -> bool:
        """False when the reader is too far behind; then the request has failed."""
        if self.ended:
            return True
        self._bytes += len(reply.payload) + _REPLY_OVERHEAD_BYTES
        if self._bytes > self._max_bytes:
            self.end(_End(f"more than {self._max_bytes} bytes of its replies were left unread"))
            return False
        self._items.append(reply)
        self._arrived.set()
        return True

    def end(self, end: _End) -> None:
        if not self.ended:
            self.ended = True
            self._items.append(end)
            self._arrived.set()

    async def get(self, timeout_s: float) -> Reply | _End:
        """Raises TimeoutError."""
        if not self._items:
            self._arrived.clear()
            async with asyncio.timeout(timeout_s):
                await self._arrived.wait()
        item = self._items.popleft()
        if isinstance(item, Reply):
            self._bytes -= len(item.payload) + _REPLY_OVERHEAD_BYTES
        return item


class WorkerProcess:
    """A running child. Made by `spawn`; `run` must be running for anything to arrive."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        *,
        name: str,
        stage: str,
        max_unread_bytes: int,
        clock: Clock,
        on_death: Callable[[WorkerProcess], None],
    ) -> None:
        self._process = process
        self._on_death = on_death
        self._name = name
        self._stage = stage
        self._max_unread_bytes = max_unread_bytes
        self._clock = clock
        self._ids = itertools.count(1)
        self._pending: dict[int, _Pending] = {}
        self._pings: dict[int, asyncio.Future[None]] = {}
        self._ready: asyncio.Future[Mapping[str, Any]] = asyncio.Future()
        self._last_reply_s = clock.now()
        self._last_words: deque[str] = deque(maxlen=_STDERR_LINES)
        self._killed_because: str | None = None
        self._buried = False
        self.death: str | None = None  # why it ended, once it has

    @classmethod
    async def spawn(
        cls,
        command: Sequence[str],
        *,
        name: str,
        stage: str,
        max_unread_bytes: int,
        clock: Clock,
        on_death: Callable[[WorkerProcess], None],
    ) -> WorkerProcess:
        """Start the child. Raises EngineUnavailable if the system cannot.

        `on_death` is called as soon as no new request should come here, before those in flight
        learn of it: what they try next goes elsewhere. It may be called twice.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=child_environment(),
                start_new_session=True,  # Ctrl-C at the terminal is the server's to handle
            )
        except OSError as error:
            raise EngineUnavailable(
                f"cannot start the {name} worker process: {error}", stage=stage
            ) from error
        return cls(
            process,
            name=name,
            stage=stage,
            max_unread_bytes=max_unread_bytes,
            clock=clock,
            on_death=on_death,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def active(self) -> int:
        """Requests that somebody waits for."""
        return len(self._pending)

    async def ready(self, timeout_s: float) -> Mapping[str, Any]:
        """The engine's facts, once it has loaded. Raises EngineUnavailable."""
        try:
            async with asyncio.timeout(timeout_s):
                return await asyncio.shield(self._ready)
        except TimeoutError:
            raise EngineUnavailable(
                f"the {self._name} worker was not ready within {timeout_s:g} s", stage=self._stage
            ) from None

    async def run(self) -> None:
        """Hand replies to their requests until the child is gone; then fail what is left."""
        stderr = asyncio.create_task(self._drain_stderr(), name=f"{self._name} worker stderr")
        try:
            await self._read_replies()
        except (WireError, LookupError, TypeError) as error:  # no message, or a field is wrong
            self.kill(f"broke the protocol ({error}) and was killed")
        finally:
            await self._reap()
            await self._hear_out(stderr)
            self.death = self._killed_because or _describe_exit(self._process.returncode)
            self._on_death(self)
            self._fail_everything()

    async def request(
        self,
        request: Mapping[str, Any],
        first_timeout_s: float,
        next_timeout_s: float,
        hung_s: float,
    ) -> AsyncGenerator[Reply]:
        """Replies in order. Closing the iterator cancels the request in the child.

        A child that has served nobody for `hung_s` when the first reply is late is killed: a
        request may have used up its own deadline before this child was there.

        Raises WorkerDied or EngineError, `retryable` while nothing was yielded.
        """
        if self.death is not None:
            raise WorkerDied(
                f"the {self._name} worker {self.death}", stage=self._stage, retryable=True
            )
        request_id, pending = next(self._ids), _Pending(self._max_unread_bytes)
        self._pending[request_id] = pending
        delivered = False
        timeout_s = first_timeout_s
        try:
            await self._send({"op": "request", "id": request_id, "request": request}, timeout_s)
            while True:
                item = await self._next(pending, timeout_s, hung_s)
                if isinstance(item, _End):
                    self._raise_if_failed(item, delivered)
                    return
                yield item
                delivered, timeout_s = True, next_timeout_s
                hung_s = next_timeout_s
        except TimeoutError:
            raise EngineError(
                f"the {self._name} worker gave no reply within {timeout_s:g} s",
                stage=self._stage,
                retryable=not delivered,
            ) from None
        except WireError as error:  # it was not sent
            raise EngineError(f"{self._name}: {error}", stage=self._stage) from None
        finally:
            del self._pending[request_id]
            if not pending.ended:
                self._write({"op": "cancel", "id": request_id})

    async def ping(self, timeout_s: float) -> float:
        """Seconds until the child answered. Raises TimeoutError or WorkerDied."""
        ping_id, started_s = next(self._ids), self._clock.now()
        self._pings[ping_id] = asyncio.Future()
        try:
            async with asyncio.timeout(timeout_s):
                self._write({"op": "ping", "id": ping_id})
                await self._pings[ping_id]
        finally:
            del self._pings[ping_id]
        return self._clock.now() - started_s

    def kill(self, because: str) -> None:
        """End the child now, whatever it does; `run` then reports `because` as its death."""
        if self._killed_because is None:
            self._killed_because = because
            self._on_death(self)
        self._kill_all()

    async def stop(self, timeout_s: float) -> None:
        """Ask it to end (stdin's end, then SIGTERM), kill it after `timeout_s` each; reap it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            for insist in (self._process.terminate, self._kill_all, lambda: None):
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(timeout_s):
                        await self._process.wait()
                if self._process.returncode is not None:
                    return
                with contextlib.suppress(ProcessLookupError):
                    insist()
        finally:
            self._kill_all()  # what it had started, too; or we were cancelled: no time for manners

    # --- towards the child

    def _write(self, header: Mapping[str, Any]) -> None:
        """Small messages, one per request or ping: not worth waiting for."""
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():
            self._process.stdin.write(encode(header))

    async def _send(self, header: Mapping[str, Any], timeout_s: float) -> None:
        assert self._process.stdin is not None
        self._write(header)
        with contextlib.suppress(ConnectionError):  # its death is told by `run`
            async with asyncio.timeout(timeout_s):
                await self._process.stdin.drain()

    # --- from the child

    async def _read_replies(self) -> None:
        assert self._process.stdout is not None
        decoder = Decoder()
        while data := await self._process.stdout.read(_READ_BYTES):
            for packet in decoder.feed(data):
                self._dispatch(packet)

    def _dispatch(self, packet: Packet) -> None:
        op, of = packet.header.get("op"), packet.header.get("id", 0)
        if op == "pong":
            self._settle_ping(of)
        elif op == "ready" and not self._ready.done():
            self._last_reply_s = self._clock.now()
            self._ready.set_result(packet.header["info"])
        elif op == "unavailable" and not self._ready.done():
            message = str(packet.header["message"])
            self._ready.set_exception(EngineUnavailable(message, stage=self._stage))
        elif op in ("reply", "end", "error"):
            self._last_reply_s = self._clock.now()
            if (pending := self._pending.get(of)) is not None:  # else it was cancelled
                self._deliver(packet, pending)
        else:
            raise WireError(f"unexpected message {op!r}")

    def _deliver(self, packet: Packet, pending: _Pending) -> None:
        header = packet.header
        if header["op"] == "end":
            pending.end(_End())
        elif header["op"] == "error":
            if detail := header.get("detail"):
                log.error("%s worker %d: %s", self._name, self.pid, detail)
            pending.end(_End(header["message"], retryable=bool(header["retryable"])))
        elif not pending.put(Reply(header["header"], packet.payload)):
            self._write({"op": "cancel", "id": header["id"]})

    def _settle_ping(self, ping_id: int) -> None:
        waiting = self._pings.get(ping_id)
        if waiting is not None and not waiting.done():
            waiting.set_result(None)

    async def _next(self, pending: _Pending, timeout_s: float, hung_s: float) -> Reply | _End:
        """Raises TimeoutError; a child that served nobody in all that time is killed."""
        try:
            return await pending.get(timeout_s)
        except TimeoutError:
            if self._clock.now() - self._last_reply_s >= hung_s:
                self.kill(f"served nobody for {hung_s:g} s and was killed")
            raise

    def _raise_if_failed(self, end: _End, delivered: bool) -> None:
        if end.error is None:
            return
        kind = WorkerDied if end.died else EngineError
        raise kind(
            f"{self._name}: {end.error}",
            stage=self._stage,
            retryable=end.retryable and not delivered,
        )

    # --- its death

    async def _drain_stderr(self) -> None:
        """Prints of the engine: read so that it never blocks, kept so that a person may see."""
        assert self._process.stderr is not None
        rest = ""  # a read may end in mid-line
        while data := await self._process.stderr.read(4096):
            *lines, rest = (rest + data.decode(errors="replace")).split("\n")
            rest = rest[-4096:]
            for line in lines:
                self._keep_words(line)
        self._keep_words(rest)

    def _keep_words(self, line: str) -> None:
        if line.strip():
            self._last_words.append(line)
            log.debug("%s worker %d: %s", self._name, self.pid, line)

    async def _reap(self) -> None:
        """Its stdout has ended, so it is dead or useless."""
        if not await self._ended():
            self.kill("closed its output without ending")
            await self._ended()

    async def _ended(self) -> bool:
        """Within a second. Some Pythons wait for its pipes as well, which a process that it has
        started may hold."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                await self._process.wait()
        return self._process.returncode is not None

    async def _hear_out(self, stderr: asyncio.Task[None]) -> None:
        """Its last words, but not those of a process that it has left behind."""
        self._kill_all()
        await asyncio.wait([stderr], timeout=1.0)
        if not stderr.done():
            # One in a session of its own holds it; asyncio has no other way to let go of a pipe.
            self._process._transport.close()  # type: ignore[attr-defined]
        await stderr

    def _kill_all(self) -> None:
        """The child and what it has started in its session. Once it is known to have ended, once
        only: its number may come to be another's."""
        if not self._buried:
            self._buried = self._process.returncode is not None
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)

    def _fail_everything(self) -> None:
        died = _End(f"the worker process {self.death}", retryable=True, died=True)
        for pending in self._pending.values():
            pending.end(died)
        for ping in self._pings.values():
            if not ping.done():
                ping.set_exception(WorkerDied(f"{self._name}: {died.error}", stage=self._stage))
        if not self._ready.done():
            last = f": {self._last_words[-1]}" if self._last_words else ""
            self._ready.set_exception(
                EngineUnavailable(
                    f"the {self._name} worker {self.death} before it was ready{last}",
                    stage=self._stage,
                )
            )
            self._ready.exception()  # nobody may be waiting any more


def _describe_exit(code: int | None) -> str:
    if code is not None and code < 0:
        return f"was killed by {signal.Signals(-code).name}"
    return f"exited with code {code}"
