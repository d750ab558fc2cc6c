"""Reading what a call brings, one message after the other, without ever holding many."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any

from voicepipe.cluster.channel import Call, Channel, OpenCall
from voicepipe.cluster.errors import Lost, Refused
from voicepipe.cluster.items import Unreadable, unpacked
from voicepipe.runtime.errors import EngineError

WINDOW = 64
"""Items that a host sends before it waits to be asked for more; it is asked by halves."""

TRIES = 3
"""Replicas that a call is given to before its error is told, as long as it brought nothing."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """An item, and where it came from."""

    item: Any
    route: Mapping[str, str]  # of the first item of a call: who served it, how long it waited


class Inbox:
    """`channel.Receiver` of a stream: the host's credits bound it."""

    def __init__(self) -> None:
        self._messages: deque[tuple[Mapping[str, Any], bytes]] = deque()
        self._error: EngineError | None = None
        self._changed = asyncio.Event()

    def message(self, header: Mapping[str, Any], payload: bytes) -> None:
        self._messages.append((header, payload))
        self._changed.set()

    def failed(self, error: EngineError) -> None:
        self._error = error
        self._changed.set()

    async def get(self, within_s: float) -> tuple[Mapping[str, Any], bytes]:
        """The next one. Raises the call's error after the last, TimeoutError."""
        if not self._messages:
            if self._error is None:
                self._changed.clear()
                async with asyncio.timeout(within_s):
                    await self._changed.wait()
            if not self._messages and self._error is not None:
                raise self._error
        return self._messages.popleft()


async def read(channel: Channel, call: Call, patience_s: float) -> AsyncGenerator[Arrived]:
    """The items of a call to their end; while nothing came, another replica is tried when one is
    lost or full. Closing it stops the engine. Raises EngineError, `retryable` as the contract has
    it."""
    avoid: set[str] = set()
    for last in (False,) * (TRIES - 1) + (True,):
        began = False
        opened, inbox = None, Inbox()
        try:
            opened = channel.open(call, inbox, frozenset(avoid))
            async for arrived in _items(call, opened, inbox, patience_s):
                began = True
                yield arrived
            return
        except (Lost, Refused) as error:
            if opened is None or began or last or not opened.replica:
                raise _of_call(error, began=began) from None
            avoid.add(opened.replica)
        finally:
            if opened is not None:
                opened.close()


def _of_call(error: EngineError, *, began: bool) -> EngineError:
    return type(error)(str(error), stage=error.stage, retryable=error.retryable and not began)


async def _items(
    call: Call, opened: OpenCall, inbox: Inbox, patience_s: float
) -> AsyncGenerator[Arrived]:
    now = asyncio.get_running_loop().time
    asked_s, count = now(), 0
    while True:
        try:
            header, payload = await inbox.get(patience_s)
        except TimeoutError:
            text = f"{call.engine}: nothing came from its process within {patience_s:g} s"
            raise EngineError(text, stage=call.stage, retryable=not count) from None
        if header["op"] == "end":
            return
        route = {} if count else placed(call.stage, opened, header, now() - asked_s)
        yield Arrived(_unpacked(call, header, payload), route)
        count += 1
        if count % (WINDOW // 2) == 0:
            opened.send({"op": "more", "n": WINDOW // 2})


def _unpacked(call: Call, header: Mapping[str, Any], payload: bytes) -> Any:
    try:
        return unpacked(header, payload)
    except Unreadable as error:
        raise EngineError(f"{call.engine}: {error}", stage=call.stage) from None


def placed(
    stage: str, opened: OpenCall, header: Mapping[str, Any], waited_s: float
) -> dict[str, str]:
    """For the ledger: who served, how long its engine was waited for there, and what the way
    added."""
    hop_s = max(0.0, waited_s - header.get("host_s", waited_s))
    found = {f"{stage}.hop_ms": f"{hop_s * 1000:.1f}"}
    if opened.replica:
        found |= {f"{stage}.replica": opened.replica, f"{stage}.node": opened.node}
        found[f"{stage}.queue_ms"] = f"{header.get('queue_s', 0.0) * 1000:.1f}"
    return found
