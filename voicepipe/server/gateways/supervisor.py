"""The parent of the gateways: it accepts connections and hands them over, and holds no call.

The parent accepts, and does not leave that to the kernel (SO_REUSEPORT) or to whichever gateway
wakes first (a socket that all inherit). By a hash of addresses 400 calls on two gateways are some
190 and 210, and a gateway that dies takes with it what waits in its own queue; on a shared socket
the gateway that was idle last takes everything. Here the one with the fewest connections gets the
next, nothing waits in a queue that can die, and while no gateway lives the kernel keeps callers
waiting instead of refusing them. A connection pays for it once, with a few system calls; a call's
packets do not come by here.

It forks and does not start anew: settings, code and certificates are there, a dead gateway is
replaced without importing anything, and gateways share what they do not change. So the parent must
stay of one thread, and without an event loop whose epoll a child could spoil: a plain `selectors`
loop.
"""

from __future__ import annotations

import contextlib
import logging
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from voicepipe.runtime import early_reload
from voicepipe.runtime.errors import VoicepipeError
from voicepipe.server.gateways.channel import Channel, ChannelClosed
from voicepipe.server.gateways.children import Deaths, ended, fork
from voicepipe.server.gateways.engine_process import EngineProcess
from voicepipe.server.gateways.fleet import HUNG_S, Gateway
from voicepipe.server.gateways.place import Place, Port, Stage, failure_of
from voicepipe.server.gateways.reception import Reception

log = logging.getLogger(__name__)

LOOK_S = 0.5
"""Between two looks for what is due, where nothing else happens."""

ASLEEP_S = 5.0
"""Between two looks: then the machine or this process was stopped, and maybe gateways with it."""

AGAIN_S = 2.0
"""Before what a dead gateway held is freed again, or a gateway started, where that has failed."""

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)

STARTED_BADLY = 3
"""Exit status of a gateway that has told its parent why it cannot start."""


class Supervisor:
    """`run` it once. `gateway` is what a child does, and returns its exit status."""

    def __init__(
        self,
        listeners: Mapping[Port, socket.socket],
        count: int,
        folder: Path,
        gateway: Callable[[Place], int],
        *,
        engines: Callable[[Channel], int] | None = None,
        stop_s: float,
        on_ready: Callable[[], None] = lambda: None,
        on_reload: Callable[[], bool] = lambda: True,
        on_death: Callable[[str], bool] = lambda gateway_id: True,
    ) -> None:
        """`engines`: what a process does that holds engines for all gateways; None: there is none.
        `stop_s`: how long gateways may take to end before they are killed. `on_ready`: all take
        calls. `on_reload`: whether the gateways should load their agents anew. `on_death`: told the
        id of each gateway that is no more, again after a while where it says False."""
        self._count, self._folder = count, folder
        self._gateway, self._stop_s = gateway, stop_s
        self._on_ready, self._on_reload, self._on_death = on_ready, on_reload, on_death
        self._selector = selectors.DefaultSelector()
        self._wake, self._woken = socket.socketpair()
        self._gateways: dict[int, Gateway] = {}  # by number
        self._reception = Reception(listeners, self._selector, self._takers)
        self._deaths = {number: Deaths() for number in range(1, count + 1)}
        self._engines = (
            None if engines is None else EngineProcess(engines, self._let_go, self._engines_died)
        )
        self._mourned: dict[str, float] = {}  # ids that `on_death` is told again, and when
        self._due: dict[int, float] = {}  # numbers to be started again, and when
        self._born = 0
        self._looked_s = time.monotonic()
        self._all_ready = False
        self._stop_at: float | None = None
        self._failure: VoicepipeError | None = None

    def run(self) -> None:
        """Until a signal has ended all gateways. Raises VoicepipeError where they cannot start."""
        with self._signals():
            early_reload.hand_over()
            try:
                self._look_at_engines()
                for number in self._deaths:
                    self._start(number)
                while self._gateways or (self._due and self._stop_at is None):
                    self._step()
            finally:
                self._kill_all()
                if self._engines is not None:
                    self._engines.stop()
        if self._failure is not None:
            raise self._failure

    # -- the loop ----------------------------------------------------------------------------------

    def _step(self) -> None:
        now = time.monotonic()
        for number in [number for number, at in self._due.items() if at <= now]:
            del self._due[number]
            self._start(number)
        if self._stop_at is not None and now >= self._stop_at:
            log.error("gateways have not ended in time and are killed")
            self._kill_all()
        self._mourn(now)
        if self._stop_at is not None and self._all_end():
            self._reception.refuse()
        self._reception.look()
        next_s = min((at - now for at in self._due.values()), default=LOOK_S)
        for key, _ in self._selector.select(max(0.0, min(next_s, LOOK_S))):
            key.data()
        self._kill_hung(time.monotonic())
        self._reap()
        self._look_at_engines()

    def _takers(self) -> list[Gateway]:
        """Who may be handed connections. One that ends gets them only where the server does, and
        nobody would come after it."""
        stopping = self._stop_at is not None
        return [one for one in self._gateways.values() if stopping or one.stage is not Stage.ENDING]

    def _all_end(self) -> bool:
        return all(one.stage is Stage.ENDING for one in self._gateways.values())

    def _look_at_engines(self) -> None:
        if self._engines is not None and self._stop_at is None:
            self._engines.look()

    @contextlib.contextmanager
    def _signals(self) -> Iterator[None]:
        """They wake the loop, which reads their numbers."""
        for end in (self._wake, self._woken):
            end.setblocking(False)
        before = {number: signal.signal(number, lambda *_: None) for number in SIGNALS}
        old = signal.set_wakeup_fd(self._wake.fileno(), warn_on_full_buffer=False)
        self._selector.register(self._woken, selectors.EVENT_READ, self._read_signals)
        try:
            yield
        finally:
            signal.set_wakeup_fd(old)
            for number, handler in before.items():
                signal.signal(number, handler)
            self._selector.close()
            self._wake.close()
            self._woken.close()

    def _read_signals(self) -> None:
        for number in self._woken.recv(64):
            if number in (signal.SIGTERM, signal.SIGINT):
                self._stop(number)
            elif number == signal.SIGHUP and self._stop_at is None and self._on_reload():
                self._signal_all(signal.SIGHUP)
                for one in self._gateways.values():
                    one.reload_due = one.stage is Stage.STARTING

    def _stop(self, number: int) -> None:
        """Each gateway ends as a server of one process does; a second Ctrl-C reaches it too."""
        if self._stop_at is None:
            self._stop_at = time.monotonic() + self._stop_s
            self._due.clear()
        self._signal_all(number)

    def _signal_all(self, number: int) -> None:
        for one in self._gateways.values():
            os.kill(one.pid, number)

    # -- gateways ----------------------------------------------------------------------------------

    def _start(self, number: int) -> None:
        """Later, where the system has no room for it: the others go on."""
        try:
            self._bear(number)
        except OSError as error:
            self._due[number] = time.monotonic() + AGAIN_S
            text = "gateway %d cannot be started now: %s; it is tried again"
            log.error(text, number, error.strerror)

    def _bear(self, number: int) -> None:
        self._born += 1
        ours, theirs = Channel.pair()
        place = Place(number, f"{number}-{self._born}", self._folder, theirs)

        def let_go() -> None:
            ours.close()
            self._let_go()

        try:
            pid = fork(lambda: self._gateway(place), let_go)
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        now = time.monotonic()
        one = self._gateways[number] = Gateway(number, place.id, pid, ours, now, now)
        self._selector.register(ours, selectors.EVENT_READ, lambda: self._read(one))

    def _let_go(self) -> None:
        """In the child: of all that is the parent's. Closing a copied epoll leaves the parent's as
        it is; unregistering from it would not."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until it knows what to do with it
        for number in set(SIGNALS) - {signal.SIGHUP}:
            signal.signal(number, signal.SIG_DFL)
        self._selector.close()
        self._wake.close()
        self._woken.close()
        self._reception.close_listeners()
        self._reception.close()
        if self._engines is not None:
            self._engines.close_channel()
        for one in self._gateways.values():
            one.channel.close()
            for _, connection in one.handed:
                connection.close()

    def _read(self, one: Gateway) -> None:
        try:
            while (message := one.channel.receive()) is not None:
                self._told(one, message.body)
        except ChannelClosed:
            with contextlib.suppress(KeyError):
                self._selector.unregister(one.channel)  # its exit status comes by `_reap`

    def _told(self, one: Gateway, body: dict[str, Any]) -> None:
        now = time.monotonic()
        if "failed" in body:
            self._failed(one, failure_of(body))
            return
        self._reception.take_back(one.reported(body, now))
        one.stage = Stage(body["stage"])
        if one.reload_due:
            one.reload_due = False
            with contextlib.suppress(ProcessLookupError):  # these may be its last words
                os.kill(one.pid, signal.SIGHUP)
        if one.stage is Stage.READY and one.ready_s is None:
            one.ready_s = now
            self._look_whether_all_are_ready()

    def _failed(self, one: Gateway, error: VoicepipeError) -> None:
        """Before all have been ready once, the server does not start; later it is a death."""
        if self._all_ready:
            log.error("gateway %d cannot start: %s", one.number, error)
        else:
            self._give_up(error)

    def _engines_died(self, how: str, why: VoicepipeError | None) -> bool:
        if not self._all_ready:
            self._give_up(why or VoicepipeError(f"the engines' process {how} while it started"))
        return self._all_ready

    def _give_up(self, error: VoicepipeError) -> None:
        self._failure = self._failure or error
        if self._stop_at is None:
            self._stop(signal.SIGTERM)

    def _look_whether_all_are_ready(self) -> None:
        ready = sum(one.stage is Stage.READY for one in self._gateways.values())
        if ready == self._count and not self._all_ready:
            self._all_ready = True
            self._on_ready()

    def _kill_hung(self, now: float) -> None:
        """After all that they have said was read."""
        asleep, self._looked_s = now - self._looked_s > ASLEEP_S, now
        for one in self._gateways.values():
            if asleep:
                one.heard_s = now
            elif one.hung(now):
                log.error("gateway %d has hung for %g s and is killed", one.number, HUNG_S)
                os.kill(one.pid, signal.SIGKILL)
                one.heard_s = now  # said once

    def _died(self, gateway_id: str) -> None:
        if not self._on_death(gateway_id):
            self._mourned[gateway_id] = time.monotonic() + AGAIN_S

    def _mourn(self, now: float) -> None:
        for gateway_id in [one for one, at in self._mourned.items() if at <= now]:
            del self._mourned[gateway_id]
            self._died(gateway_id)

    def _reap(self) -> None:
        for one in list(self._gateways.values()):
            pid, status = os.waitpid(one.pid, os.WNOHANG)
            if pid:
                self._bury(one, os.waitstatus_to_exitcode(status))

    def _bury(self, one: Gateway, status: int) -> None:
        """Its calls are lost; connections that it had not received go to others."""
        self._read(one)  # its last words
        with contextlib.suppress(KeyError):
            self._selector.unregister(one.channel)
        one.channel.close()
        del self._gateways[one.number]
        self._reception.take_back(one.handed)
        self._died(one.id)
        if self._stop_at is not None:
            return
        if not self._all_ready and one.ready_s is None and status != STARTED_BADLY:
            why = f"gateway {one.number} {ended(status)} while it started"
            self._give_up(VoicepipeError(why))
            return
        now = time.monotonic()
        pause = self._deaths[one.number].one_more(0.0 if one.ready_s is None else now - one.ready_s)
        self._due[one.number] = now + pause
        log.error(
            "gateway %d %s; calls lost with it: %d; another takes its place%s",
            one.number,
            ended(status),
            one.calls,
            f" in {pause:g} s" if pause else "",
        )

    def _kill_all(self) -> None:
        for one in list(self._gateways.values()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(one.pid, signal.SIGKILL)
            os.waitpid(one.pid, 0)
            one.channel.close()
            self._on_death(one.id)
        self._gateways.clear()
        self._due.clear()
        self._reception.close()
