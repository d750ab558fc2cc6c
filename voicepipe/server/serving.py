"""One process that holds calls, from its sockets to its end; alone, or one gateway of several."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Callable

from starlette.applications import Starlette

from voicepipe.cluster.unix_socket import bound
from voicepipe.config import Settings
from voicepipe.runtime import early_reload, gc_tuning
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import VoicepipeError
from voicepipe.server.app import create_app
from voicepipe.server.assembly import build_engines
from voicepipe.server.gateways.attendance import Attendance
from voicepipe.server.gateways.place import Place, Port, Stage, tell_failure
from voicepipe.server.run import Server, uvicorn_server
from voicepipe.server.service import Service
from voicepipe.server.shared.state import SharedState
from voicepipe.server.shared_engines import has_heavy, shared_engines
from voicepipe.server.telephony.audiosocket import AudioSocketListener
from voicepipe.server.webrtc.switchboard import Switchboard
from voicepipe.session.engines import Engines, Progress

log = logging.getLogger(__name__)

ENGINES = "engines.sock"
"""Of the process that holds heavy engines, in the gateways' folder."""

POLL_S = 0.05
"""uvicorn tells nobody when it has begun to listen; so we look."""


class Serving:
    """`run` it once. `again` loads the settings anew, for SIGHUP."""

    def __init__(self, service: Service, progress: Progress, again: Callable[[], Settings]) -> None:
        self._service, self._again = service, again
        self._failed: list[VoicepipeError] = []
        self._up = False
        self._reload_due = False
        self.app: Starlette = create_app(service, progress=progress, on_failure=self._give_up)
        self.server: Server = uvicorn_server(self.app, service.settings)

    async def run(
        self,
        listener: socket.socket,
        on_listening: Callable[[], None] = lambda: None,
        on_ready: Callable[[], None] = lambda: None,
    ) -> VoicepipeError | None:
        """Until a signal ends it; what kept it from starting. `on_listening`: connections can be
        taken; `on_ready`: so can calls."""
        server, service = self.server, self._service
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGHUP, self._reload)  # which would end the process
        early_reload.hand_over()
        serving = asyncio.create_task(server.serve([listener]), name="uvicorn")
        while not (serving.done() or server.started or self._failed):  # noqa: ASYNC110
            await asyncio.sleep(POLL_S)
        on_listening()
        while not (serving.done() or service.ready or self._failed):  # noqa: ASYNC110
            await asyncio.sleep(POLL_S)
        if service.ready and server.started and not serving.done():
            gc_tuning.spare()
            self._up = True
            if self._reload_due:
                load_agents(service, self._again)
            on_ready()
        await serving
        return self._failed[0] if self._failed else None

    def stop(self) -> None:
        """As a signal does."""
        self.server.should_exit = True

    def _reload(self) -> None:
        """On SIGHUP. One that comes while engines are loaded waits for them: agents are held
        against what they have."""
        if self._up:
            load_agents(self._service, self._again)
        else:
            self._reload_due = True

    def _give_up(self, error: VoicepipeError) -> None:
        self._failed.append(error)
        self.stop()


def load_agents(service: Service, again: Callable[[], Settings]) -> None:
    """On SIGHUP: the agents as the settings are now; what is wrong with them changes nothing."""
    try:
        service.load_agents(again())
    except VoicepipeError as error:
        log.error("the agents stay as they were: %s", error)
    else:
        log.info("agents loaded anew: %s", ", ".join(service.agents.names) or "none")


async def serve_as_gateway(
    place: Place,
    settings: Settings,
    progress: Progress,
    again: Callable[[], Settings],
    on_ready: Callable[[], None],
) -> VoicepipeError | None:
    """Be one of several: connections come from the parent, and what other gateways send on comes by
    a Unix socket."""

    def ready() -> None:
        on_ready()
        attendance.ready()

    try:
        service = Service(settings, _engines(place, settings), shared=SharedState(place))
        serving = Serving(service, progress, again)
        own = bound(place.folder / f"{place.id}.sock")
    except VoicepipeError as error:
        tell_failure(place.channel, error)
        return error
    attendance = _attendance(place, service, serving)
    try:
        failure = await serving.run(own, attendance.start, ready)
    finally:
        await attendance.aclose()
        own.close()
    if failure is not None:
        tell_failure(place.channel, failure)
    return failure


def _engines(place: Place, settings: Settings) -> Engines:
    """Light ones are its own, heavy ones those of the process that holds them for all."""
    shared = shared_engines(place.folder / ENGINES) if has_heavy(settings) else None
    return build_engines(settings, MonotonicClock(), shared)


def _attendance(place: Place, service: Service, serving: Serving) -> Attendance:
    audiosocket: AudioSocketListener = serving.app.state.audiosocket
    switchboard: Switchboard = serving.app.state.switchboard

    def counts() -> tuple[int, int]:
        connections = serving.server.connections + len(audiosocket) + len(switchboard)
        return connections, len(service.sessions)

    def going() -> Stage | None:
        if serving.server.ending:
            return Stage.ENDING
        return Stage.LEAVING if service.closing else None

    takers = {Port.HTTP: serving.server.take, Port.AUDIOSOCKET: audiosocket.take}
    return Attendance(place.channel, takers, counts, serving.stop, going)
