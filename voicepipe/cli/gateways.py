"""`voicepipe serve --processes N`: the parent, and what each of its gateways does."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from threading import Thread

from voicepipe.agents.directory import AgentDirectory
from voicepipe.cli.progress import engine_progress
from voicepipe.config import Settings
from voicepipe.runtime import event_loop
from voicepipe.runtime.errors import ConfigError, VoicepipeError
from voicepipe.server.gateways.channel import Channel
from voicepipe.server.gateways.listeners import audiosocket_listener, http_listener
from voicepipe.server.gateways.place import Place, Port, tell_failure
from voicepipe.server.gateways.supervisor import STARTED_BADLY, Supervisor
from voicepipe.server.keys import key_problems
from voicepipe.server.log_lines import PROCESS
from voicepipe.server.serving import ENGINES, serve_as_gateway
from voicepipe.server.shared.state import StateUnavailable, forget, prepare
from voicepipe.server.shared_engines import has_heavy, run_engine_host

log = logging.getLogger(__name__)

PARENT_LOOK_S = 1.0
"""How soon the engines' process notices that its parent has died."""

CLOSING_S = 30.0
"""For all that a gateway does after its last call, before it is killed."""


def how_many(settings: Settings) -> int:
    """Processes that hold calls; `server.processes` = 0 is one for each core that we may use."""
    return settings.server.processes or len(os.sched_getaffinity(0))


def serve_by_gateways(
    settings: Settings, count: int, again: Callable[[], Settings], on_ready: Callable[[int], None]
) -> None:
    """Until a signal ends it. `on_ready` is told the port. Raises VoicepipeError where the ports
    cannot be had, or the gateways cannot start."""
    with contextlib.ExitStack() as stack:
        http = stack.enter_context(http_listener(settings))
        listeners = {Port.HTTP: http}
        if (audiosocket := audiosocket_listener(settings)) is not None:
            listeners[Port.AUDIOSOCKET] = stack.enter_context(audiosocket)
        folder = stack.enter_context(_shared_folder())

        newest = _Newest(settings, again)

        def gateway(place: Place) -> int:
            return _be_gateway(place, newest.settings, again)

        def hold_engines(channel: Channel) -> int:
            return _hold_engines(settings, folder, channel)

        gc.collect()
        gc.freeze()  # what the gateways share is not walked, and so not copied
        Supervisor(
            listeners,
            count,
            folder,
            gateway,
            engines=hold_engines if has_heavy(settings) else None,
            stop_s=_stop_s(settings),
            on_ready=lambda: on_ready(http.getsockname()[1]),
            on_reload=newest.load_agents,
            on_death=partial(forget, folder),
        ).run()


@contextlib.contextmanager
def _shared_folder() -> Iterator[Path]:
    """What the gateways share. Raises ConfigError where it cannot be made."""
    with contextlib.ExitStack() as stack:
        try:
            made = tempfile.TemporaryDirectory(prefix="voicepipe-", ignore_cleanup_errors=True)
            folder = Path(stack.enter_context(made))
            prepare(folder)
        except (OSError, StateUnavailable) as error:
            why = f"the gateways have no folder to share ({error}): set TMPDIR to another"
            raise ConfigError(why) from None
        yield folder


def _hold_engines(settings: Settings, folder: Path, channel: Channel) -> int:
    """In the child."""
    _number_lines("engines")
    Thread(target=_end_after_parent, args=(_stop_s(settings),), daemon=True).start()
    try:
        run_engine_host(settings, folder / ENGINES)
    except VoicepipeError as error:
        tell_failure(channel, error)
        return STARTED_BADLY
    return 0


def _end_after_parent(outlives_s: float) -> None:
    """Gateways whose parent has died end as well, and may need engines until then."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(PARENT_LOOK_S)
    time.sleep(outlives_s)
    os.kill(os.getpid(), signal.SIGTERM)


def _be_gateway(place: Place, settings: Settings, again: Callable[[], Settings]) -> int:
    """In the child."""
    _number_lines(str(place.number))
    parent = os.getppid()
    with contextlib.ExitStack() as shown:
        shows = engine_progress() if place.first else contextlib.nullcontext(_quietly)
        progress = shown.enter_context(shows)
        failure = event_loop.run(serve_as_gateway(place, settings, progress, again, shown.close))
    if os.getppid() != parent:
        _clear_up(place)
    return 0 if failure is None else STARTED_BADLY


def _clear_up(place: Place) -> None:
    """The parent was killed: the last of its gateways takes its folder away."""
    forget(place.folder, place.id)
    if not list(place.folder.glob("[0-9]*.sock")):
        shutil.rmtree(place.folder, ignore_errors=True)


def _number_lines(process: str) -> None:
    for handler in logging.getLogger().handlers:
        handler.addFilter(_Numbered(process))


class _Numbered(logging.Filter):
    """Each line says which process it is from."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process

    def filter(self, record: logging.LogRecord) -> bool:
        setattr(record, PROCESS, f"[{self._process}] ")
        return True


def _quietly(kind: str, state: str) -> None:
    """The first gateway's engines stand for all."""


class _Newest:
    """The settings of gateways that start from now on: those of the server's start, and the agents
    that the others have by now."""

    def __init__(self, settings: Settings, again: Callable[[], Settings]) -> None:
        self.settings, self._again = settings, again

    def load_agents(self) -> bool:
        """On SIGHUP. False: they are wrong, which is said once here, and not by each gateway."""
        try:
            loaded = self._again()
            if problems := key_problems(self.settings.keys, loaded.agents):
                raise ConfigError("\n".join(problems))  # the next gateway could not start
            AgentDirectory(loaded.agents, loaded.server.agent)
        except VoicepipeError as error:
            log.error("the agents stay as they were: %s", error)
            return False
        server = self.settings.server.model_copy(update={"agent": loaded.server.agent})
        changes = {"agents": loaded.agents, "server": server}
        self.settings = self.settings.model_copy(update=changes)
        return True


def _stop_s(settings: Settings) -> float:
    server = settings.server
    quiet_s = 2 * server.shutdown_s  # for running turns, then for requests under way
    return server.lame_duck_s + server.drain_s + quiet_s + CLOSING_S
