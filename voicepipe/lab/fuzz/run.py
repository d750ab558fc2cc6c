"""Feed a server until the time is up, and see that it is as well as before."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from voicepipe.config import Settings
from voicepipe.config.loading import load_settings
from voicepipe.lab.fuzz.doors import AUDIOSOCKET, DOORS, Case
from voicepipe.server.app import create_app
from voicepipe.server.run import uvicorn_server
from voicepipe.server.service import Service
from voicepipe.server.telephony.audiosocket import AudioSocketListener

AT_ONCE = 4
STALL_S = 1.0
"""A loop that stands still for so long keeps all waiting. Time in which the machine gave the loop
no core is not its own and does not count."""

QUIET_S = 60.0
"""All sessions have ended by then, or some never do."""

FAST = {
    "simulated.asr.mean_ms": 5,
    "simulated.llm_first_token.mean_ms": 5,
    "simulated.llm_per_token.mean_ms": 1,
    "simulated.tts.mean_ms": 5,
    "server.port": 0,
    "telephony.insecure": True,
    "telephony.start_timeout_s": 1,
    "telephony.audiosocket.port": 0,
    "webrtc.max_setup_s": 2,
}


@dataclass(slots=True)
class Finding:
    """Something that should not have happened, and the case after which it was seen."""

    door: str
    what: str
    case: Case


@dataclass(slots=True)
class Outcome:
    cases: dict[str, int] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    longest_stall_s: float = 0.0


class _Faults(logging.Handler):
    """Tracebacks and errors in the log: none is a client's due."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.seen: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        text = logging.Formatter().format(record)
        self.seen.append(f"{record.name}: {text}"[-2000:])


async def fuzz(doors: list[str], seconds: float, seed: int, kept: Path | None = None) -> Outcome:
    """`kept`: cases found earlier, which come first, and where new ones go."""
    outcome, faults = Outcome(), _Faults()
    logging.getLogger().addHandler(faults)
    try:
        async with _server() as (service, port, listener):
            watch = asyncio.create_task(_watch(outcome), name="stalls")
            for door in doors:
                where = listener.port if door == AUDIOSOCKET else port
                for case in _cases(door, kept):
                    await _deliver(outcome, faults, door, where or 0, case)
                await _feed(outcome, faults, door, where or 0, seconds / len(doors), seed)
            await _until_quiet(service, outcome)
            await asyncio.sleep(0.02)  # a stall at the very end is seen, too
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)
    finally:
        logging.getLogger().removeHandler(faults)
    outcome.findings += [Finding("-", text, ()) for text in faults.seen]
    if outcome.longest_stall_s > STALL_S:
        what = f"the loop stood still for {outcome.longest_stall_s:.1f} s"
        outcome.findings.append(Finding("-", what, ()))
    if kept is not None:
        _keep(outcome.findings, kept)
    return outcome


async def _feed(
    outcome: Outcome, faults: _Faults, door: str, port: int, seconds: float, seed: int
) -> None:
    until = time.monotonic() + seconds
    numbers = random.Random(f"{seed} {door}")
    outcome.cases.setdefault(door, 0)

    async def worker() -> None:
        while time.monotonic() < until:
            case = DOORS[door].make(numbers)
            await _deliver(outcome, faults, door, port, case)

    async with asyncio.TaskGroup() as group:
        for _ in range(AT_ONCE):
            group.create_task(worker(), name=f"fuzz {door}")


async def _deliver(outcome: Outcome, faults: _Faults, door: str, port: int, case: Case) -> None:
    outcome.cases[door] = outcome.cases.get(door, 0) + 1
    try:
        await DOORS[door].deliver(port, case)
    except Exception as error:  # an answer that is a fault, or a client that cannot go on
        outcome.findings.append(Finding(door, f"{type(error).__name__}: {error}", case))
    while faults.seen:
        outcome.findings.append(Finding(door, faults.seen.pop(0), case))


@asynccontextmanager
async def _server() -> AsyncIterator[tuple[Service, int, AudioSocketListener]]:
    settings: Settings = load_settings("simulated", environ={}, overrides=FAST)
    service = Service(settings)
    app = create_app(service)
    server = uvicorn_server(app, settings)
    serving = asyncio.create_task(server.serve(), name="uvicorn")
    try:
        async with asyncio.timeout(60):
            while not (server.started and service.ready):  # noqa: ASYNC110 - as `cli/serve.py`
                await asyncio.sleep(0.02)
        port: int = server.servers[0].sockets[0].getsockname()[1]
        yield service, port, app.state.audiosocket
    finally:
        server.should_exit = True
        await serving


async def _watch(outcome: Outcome) -> None:
    """For ever: the longest time that the loop took for nothing."""
    while True:
        began, waited = time.monotonic(), waited_for_core_s()
        await asyncio.sleep(0.01)
        late_s = time.monotonic() - began - 0.01
        outcome.longest_stall_s = max(
            outcome.longest_stall_s, late_s - waited_for_core_s() + waited
        )


def waited_for_core_s() -> float:
    """How long this thread could have run and had no core, since it began (Linux; else 0)."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


async def _until_quiet(service: Service, outcome: Outcome) -> None:
    until = time.monotonic() + QUIET_S
    while service.sessions and time.monotonic() < until:  # noqa: ASYNC110 - they have no event
        await asyncio.sleep(0.1)
    if service.sessions:
        what = f"{len(service.sessions)} sessions are left"
        outcome.findings.append(Finding("-", what, ()))


# -- what is kept ----------------------------------------------------------------------------------


def _cases(door: str, kept: Path | None) -> list[Case]:
    """The cases of earlier findings at this door, oldest first."""
    if kept is None:
        return []
    files = sorted((kept / door).glob("*.json"))
    return [_loaded(json.loads(file.read_text())["case"]) for file in files]


def _keep(findings: list[Finding], kept: Path) -> None:
    for number, finding in enumerate(findings):
        if not finding.case or list(finding.case) in _cases(finding.door, kept):
            continue
        folder = kept / finding.door
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{int(time.time())}-{number:03}.json"
        told = {"what": finding.what, "case": [_written(part) for part in finding.case]}
        (folder / name).write_text(json.dumps(told, indent=1))


def _written(part: str | bytes) -> dict[str, str]:
    if isinstance(part, bytes):
        return {"base64": base64.b64encode(part).decode()}
    return {"text": part}


def _loaded(parts: list[dict[str, str]]) -> Case:
    return [part["text"] if "text" in part else base64.b64decode(part["base64"]) for part in parts]
