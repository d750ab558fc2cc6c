"""A gateway's way to all replicas of a cluster: who there is, who serves which call.

An utterance stays with the replica that it was opened at. A conversation returns to the replica
that holds its prefix (rendezvous hashing over its session), and goes to the next while it is full.
Speech, and recognition, go to the least loaded. A replica that goes away has its calls made again
elsewhere while they have brought nothing (`reading.py`, `recognizer.py`).
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from voicepipe.cluster.channel import Call, Facts, Receiver
from voicepipe.cluster.errors import Lost, Refused
from voicepipe.cluster.link import START_S, Link, LinkCall
from voicepipe.cluster.listing import Listing, NotListed, Place
from voicepipe.cluster.rendezvous import ranked
from voicepipe.cluster.wire import Wire
from voicepipe.runtime.errors import EngineUnavailable

log = logging.getLogger(__name__)

POLL_S = 1.0
"""How often the cluster is asked who there is; what happens to those known is told at once."""


class Pool:
    """Implements `channel.Channel`. `choices` counts, by engine: "first" choice, "spilled" to
    another because that was full, "refused"."""

    def __init__(self, listing: Listing, key: str = "", start_s: float = START_S) -> None:
        self.links: dict[str, Link] = {}  # by replica
        self.choices: Counter[tuple[str, str]] = Counter()
        self._listing, self._key, self._start_s = listing, key, start_s
        self._why = "the cluster was not asked yet"
        self._users: set[int] = set()
        self._task: asyncio.Task[None] | None = None
        self._changed = asyncio.Event()

    # --- channel.Channel

    async def start(self, user: object) -> None:
        """See `channel.Channel`."""
        self._users.add(id(user))
        if self._task is None:
            self._task = asyncio.create_task(self._follow(), name="pools")

    async def aclose(self, user: object) -> None:
        """See `channel.Channel`."""
        self._users.discard(id(user))
        if self._users or self._task is None:
            return
        task, self._task = self._task, None
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await asyncio.gather(*(self._drop(replica) for replica in list(self.links)))
        await self._listing.aclose()

    async def facts(self, engine: str) -> Facts:
        """See `channel.Channel`."""
        try:
            async with asyncio.timeout(self._start_s):
                while not (serving := self._serving(engine)):
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            text = f"{engine} was not ready within {self._start_s:g} s: {self.problem(engine)}"
            raise EngineUnavailable(text, stage=engine.partition(".")[0]) from None
        return await self.links[serving[0]].facts(engine)

    def problem(self, engine: str) -> str | None:
        """See `channel.Channel`."""
        serving = self._serving(engine)
        problems = [self.links[replica].problem(engine) for replica in serving]
        if not serving:
            return f"the pool {engine} has no replica ({self._trouble(engine)})"
        return None if None in problems else problems[0]

    def open(self, call: Call, receiver: Receiver, avoid: frozenset[str] = frozenset()) -> LinkCall:
        """See `channel.Channel`."""
        there = [replica for replica in self._serving(call.engine) if replica not in avoid]
        if not there:
            trouble = self._trouble(call.engine)
            also = "that has not failed this call" if avoid else f"({trouble})"
            text = f"the pool {call.engine} has no replica {also}"
            raise Lost(text, stage=call.stage, retryable=True)
        order = sorted(self._order(call, there), key=lambda replica: self.links[replica].silent)
        chosen = self._with_room(call.engine, order)
        if chosen is None:
            self.choices[call.engine, "refused"] += 1
            raise Refused(f"the pool {call.engine} is full", stage=call.stage, retryable=True)
        self.choices[call.engine, "first" if chosen == order[0] else "spilled"] += 1
        return self.links[chosen].open(call, receiver)

    # --- for admission and metrics

    def full(self) -> str | None:
        """Of which pool every replica has all the calls that it may have; None: of none."""
        for engine, links in self.by_engine().items():
            if all(link.busy(engine) >= link.limit(engine, "max_ongoing") for link in links):
                return engine
        return None

    def by_engine(self) -> dict[str, list[Link]]:
        """Of each pool, the replicas that serve."""
        engines = {name for link in self.links.values() for name in link.engines}
        return {
            engine: [self.links[replica] for replica in serving]
            for engine in sorted(engines)
            if (serving := self._serving(engine))
        }

    # ---

    def _serving(self, engine: str) -> list[str]:
        return [replica for replica, link in self.links.items() if link.serves(engine)]

    def _order(self, call: Call, there: list[str]) -> list[str]:
        if call.key:
            return ranked(call.key, there)
        random.shuffle(there)  # gateways must not all take the same of the equally busy
        return sorted(there, key=lambda replica: self.links[replica].busy(call.engine))

    def _with_room(self, engine: str, order: list[str]) -> str | None:
        """The first that begins at once, else the first in which it may wait."""
        for limit in ("at_once", "max_ongoing"):
            for replica in order:
                if self._room(replica, engine, limit):
                    return replica
        return None

    def _room(self, replica: str, engine: str, limit: str) -> bool:
        link = self.links[replica]
        return link.busy(engine) < link.limit(engine, limit)

    def _trouble(self, engine: str) -> str:
        """Why no replica serves: what is wrong with one that is listed, or with the list."""
        its = [link for link in self.links.values() if link.where.startswith(f"{engine}@")]
        away = (link.problem(engine) for link in its if not link.connected)
        return next(away, None) or self._why

    async def _follow(self) -> None:
        while True:
            try:
                await self._heed(await self._listing.fetch())
            except NotListed as error:  # those that are known are known still
                self._tell_trouble(str(error))
            except Exception as error:  # nothing may end the task: replicas would be found no more
                self._tell_trouble(f"{type(error).__name__}: {error}")
            await asyncio.sleep(POLL_S)

    async def _heed(self, places: Sequence[Place]) -> None:
        await self._update({place.replica: place for place in places})
        self._why = "it lists none that is ready"

    def _tell_trouble(self, why: str) -> None:
        if self._why != why:
            log.warning("the cluster's replicas cannot be followed: %s", why)
        self._why = why

    async def _update(self, places: Mapping[str, Place]) -> None:
        for replica, place in places.items():
            if replica not in self.links and not place.leaving:
                link = _link(place, self._key, self._changed.set)
                self.links[replica] = link
                await link.start(self)
        for replica, link in list(self.links.items()):
            if replica not in places and (not link.connected or (link.draining and link.idle)):
                await self._drop(replica)

    async def _drop(self, replica: str) -> None:
        await self.links.pop(replica).aclose(self)


def _link(place: Place, key: str, changed: Callable[[], None]) -> Link:
    async def connect(factory: Callable[[], Wire]) -> object:
        loop = asyncio.get_running_loop()
        return await loop.create_connection(factory, place.host, place.port)

    where = f"{place.pool}@{place.host}:{place.port}"
    return Link(connect, where, key=key, changed=changed)
