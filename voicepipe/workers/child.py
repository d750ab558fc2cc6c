"""The worker process: `python -m voicepipe.workers.child MODULE:FACTORY JSON_OPTIONS PARENT_PID`.

One thread reads requests, cancels and pings from stdin; the main thread runs the engine. The pipe
that was stdout belongs to the protocol alone: file descriptor 1 is pointed at stderr before any
engine is imported, so a C library's prints cannot corrupt it. The process ends when stdin ends.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Mapping
from typing import Any, BinaryIO, cast

from voicepipe.workers.engine import Unavailable, WorkerEngine
from voicepipe.workers.fair_queue import Job, Turns
from voicepipe.workers.parallel import Parallel
from voicepipe.workers.wire import Decoder, encode

MAX_WAITING = 256
"""Requests that may wait for the engine or its next turn; more are refused, not kept."""

_READ_BYTES = 64 * 1024
_PR_SET_PDEATHSIG = 1


class _Channel:
    """The way back to the parent, used by both threads."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._pipe = pipe
        self._lock = threading.Lock()

    def send(self, header: Mapping[str, Any], payload: bytes = b"") -> None:
        data = encode(header, payload)
        with self._lock:
            self._pipe.write(data)
            self._pipe.flush()


class _Requests:
    """Requests that have come, in order, and which of those known here were cancelled."""

    def __init__(self) -> None:
        self._new: deque[Mapping[str, Any]] = deque()
        self._known: set[int] = set()  # waiting or under way
        self._cancelled: set[int] = set()
        self._changed = threading.Condition()

    def put(self, message: Mapping[str, Any]) -> bool:
        """False when too many wait already."""
        with self._changed:
            if len(self._known) >= MAX_WAITING:
                return False
            self._known.add(message["id"])
            self._new.append(message)
            self._changed.notify()
        return True

    def take(self, *, wait: bool) -> list[Mapping[str, Any]]:
        """All that are new; `wait` until there is one."""
        with self._changed:
            while wait and not self._new:
                self._changed.wait()
            taken = list(self._new)
            self._new.clear()
        return taken

    def cancel(self, request_id: int) -> None:
        with self._changed:
            if request_id in self._known:
                self._cancelled.add(request_id)

    def is_cancelled(self, request_id: int) -> bool:
        return request_id in self._cancelled

    def forget(self, request_id: int) -> None:
        with self._changed:
            self._known.discard(request_id)
            self._cancelled.discard(request_id)


def _read_requests(stdin: int, requests: _Requests, channel: _Channel) -> None:
    """Thread body. Whatever ends it ends the process: without stdin there is no owner."""
    decoder = Decoder()
    try:
        while data := os.read(stdin, _READ_BYTES):
            for packet in decoder.feed(data):
                _take(packet.header, requests, channel)
    finally:
        # The engine may sit in C code that never returns; nothing here needs an orderly end.
        os._exit(0)


def _take(message: Mapping[str, Any], requests: _Requests, channel: _Channel) -> None:
    op, request_id = message["op"], message["id"]
    if op == "ping":
        channel.send({"op": "pong", "id": request_id})
    elif op == "cancel":
        requests.cancel(request_id)
    elif not requests.put(message):
        text = f"more than {MAX_WAITING} requests wait for this worker"
        channel.send({"op": "error", "id": request_id, "message": text, "retryable": True})


def _serve(engine: WorkerEngine, requests: _Requests, channel: _Channel) -> None:
    def tell(job: Job) -> None:
        if job.outcome is not None:
            requests.forget(job.id)
            channel.send({**job.outcome, "id": job.id})

    at_once = int(getattr(engine, "at_once", 1))
    if at_once > 1:
        parallel = Parallel(at_once, tell)
        while True:
            taken = requests.take(wait=True)
            parallel.add(_job(engine, message, requests, channel) for message in taken)
    turns = Turns()
    while True:
        for message in requests.take(wait=not turns):
            turns.add(_job(engine, message, requests, channel))
        tell(turns.go_on())


def _job(
    engine: WorkerEngine, message: Mapping[str, Any], requests: _Requests, channel: _Channel
) -> Job:
    request_id: int = message["id"]

    def emit(header: Mapping[str, Any], payload: bytes) -> None:
        channel.send({"op": "reply", "id": request_id, "header": header}, payload)

    def cancelled() -> bool:
        return requests.is_cancelled(request_id)

    return Job(request_id, lambda: engine.handle(message["request"], emit, cancelled), cancelled)


def _make_engine(spec: str, options: Mapping[str, Any]) -> WorkerEngine:
    module, _, name = spec.partition(":")
    factory = getattr(importlib.import_module(module), name)
    return cast(WorkerEngine, factory(options))


def _die_with_parent(parent_pid: int) -> None:
    """Ask Linux for SIGKILL at the parent's death; stdin's end does the same elsewhere, but later
    when the engine holds the interpreter lock.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent_pid:  # it died before we asked
        os._exit(0)


def _claim_stdout() -> BinaryIO:
    """Take the pipe for ourselves; whatever writes to descriptor 1 from now on reaches stderr."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return pipe


def main(spec: str, options_json: str, parent_pid: int) -> None:
    """Start the engine, say `ready`, serve until stdin ends."""
    channel = _Channel(_claim_stdout())
    _die_with_parent(parent_pid)
    requests = _Requests()
    threading.Thread(
        target=_read_requests, args=(0, requests, channel), name="requests", daemon=True
    ).start()
    try:
        engine = _make_engine(spec, json.loads(options_json))
    except Unavailable as error:
        channel.send({"op": "unavailable", "id": 0, "message": str(error)})
        os._exit(3)
    channel.send({"op": "ready", "id": 0, "info": engine.info})
    _serve(engine, requests, channel)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
