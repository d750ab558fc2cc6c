"""Engines for the worker tests; they run in real child processes."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

from voicepipe.workers.engine import BadRequest, Cancelled, Emit, Unavailable


class ScriptedEngine:
    """Does what the request says: `replies` of `size` bytes, `pause_s` before each, then `then`."""

    info: Mapping[str, Any] = {"kind": "scripted", "pid": os.getpid()}

    def handle(self, request: Mapping[str, Any], emit: Emit, cancelled: Cancelled) -> None:
        for number in range(request.get("replies", 1)):
            time.sleep(request.get("pause_s", 0))
            if cancelled():
                break
            emit({"number": number}, bytes([number % 256]) * request.get("size", 4))
        if (then := request.get("then")) is not None:
            getattr(self, then)()

    def print_everywhere(self) -> None:
        print("a print of Python", flush=True)
        os.write(1, b"a write to descriptor 1\n")
        library = ctypes.CDLL(None)
        library.puts(b"a print of a C library")
        library.fflush(None)

    def exit(self) -> None:
        os._exit(7)

    def leave_a_child(self) -> None:
        """Which holds our stderr, as the processes of an engine's own do."""
        subprocess.Popen(["sleep", "60"])
        os._exit(7)

    def kill(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def leave_a_daemon(self) -> None:
        """In a session of its own."""
        subprocess.Popen(["sleep", "30"], start_new_session=True)
        os._exit(7)

    def hang(self) -> None:
        time.sleep(1000)

    def stop(self) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)

    def refuse(self) -> None:
        raise BadRequest("there is no such voice")

    def break_down(self) -> None:
        raise ValueError("the engine tripped")


def create(options: Mapping[str, Any]) -> ScriptedEngine:
    return ScriptedEngine()


def create_unavailable(options: Mapping[str, Any]) -> ScriptedEngine:
    raise Unavailable(f"no voice file {options['file']}")


def create_hanging(options: Mapping[str, Any]) -> ScriptedEngine:
    time.sleep(1000)
    raise AssertionError


def create_crashing(options: Mapping[str, Any]) -> ScriptedEngine:
    raise RuntimeError("cannot map the weights")


def create_once(options: Mapping[str, Any]) -> ScriptedEngine:
    """Starts the first time only."""
    with open(options["marker"], "x"):
        return ScriptedEngine()


class SpeakingEngine:
    """Gives turns: `chunks` replies of `chunk_s` of speech, each of which takes `pause_s`."""

    info: Mapping[str, Any] = {}

    def __init__(self) -> None:
        self._steps = 0
        self._closed = 0

    def handle(
        self, request: Mapping[str, Any], emit: Emit, cancelled: Cancelled
    ) -> Iterator[float]:
        if request.get("count_closed"):
            emit({"step": self._closed}, b"")
            return
        first_s = time.monotonic()
        try:
            for chunk in range(1, request["chunks"] + 1):
                time.sleep(request.get("pause_s", 0))
                self._steps += 1
                emit({"step": self._steps}, b"pcm")
                yield first_s + chunk * request["chunk_s"]
        except GeneratorExit:
            self._closed += 1
            raise


def create_speaking(options: Mapping[str, Any]) -> SpeakingEngine:
    return SpeakingEngine()


class MeetingEngine(ScriptedEngine):
    """Two requests at once: each is served when the other has come, or nobody is."""

    at_once = 2

    def __init__(self) -> None:
        self._meeting = threading.Barrier(2, timeout=20)

    def handle(self, request: Mapping[str, Any], emit: Emit, cancelled: Cancelled) -> None:
        if request.get("meet", True):
            self._meeting.wait()
        super().handle(request, emit, cancelled)


def create_meeting(options: Mapping[str, Any]) -> MeetingEngine:
    return MeetingEngine()
