"""Decoders in turn: one for each utterance that is being decoded, never more than so many."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from voicepipe.asr.sphinx.decoder import SphinxDecoder
from voicepipe.runtime.errors import EngineError

Result = TypeVar("Result")


class DecoderPool:
    """Loads decoders when they are first needed and keeps them. Who finds none waits in turn."""

    def __init__(self, load: Callable[[], SphinxDecoder], most: int, threads: int) -> None:
        self._load = load
        self._most = most
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="asr-sphinx")
        self._free: list[SphinxDecoder] = []
        self._waiting: deque[asyncio.Future[SphinxDecoder]] = deque()
        self._closed = False
        self.loaded = 0

    async def run(self, work: Callable[[], Result]) -> Result:
        """Run blocking work in a decode thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    async def take(self) -> SphinxDecoder:
        """A decoder of one's own, until `give_back`. Raises EngineError once closed."""
        if self._closed:
            raise EngineError("the speech recognizer was shut down", stage="asr")
        if self._free:
            return self._free.pop()
        if self.loaded < self._most:
            return await self._load_one()
        ticket: asyncio.Future[SphinxDecoder] = asyncio.get_running_loop().create_future()
        self._waiting.append(ticket)
        try:
            return await ticket
        except asyncio.CancelledError:
            if ticket.done() and not ticket.cancelled() and ticket.exception() is None:
                self.give_back(ticket.result())
            raise

    def give_back(self, decoder: SphinxDecoder) -> None:
        """It is free again."""
        while self._waiting:
            ticket = self._waiting.popleft()
            if not ticket.done():
                ticket.set_result(decoder)
                return
        if self._closed:
            decoder.close()
        else:
            self._free.append(decoder)

    async def aclose(self) -> None:
        """Free the decoders; those in use when they are given back. Idempotent."""
        self._closed = True
        while self._waiting:
            ticket = self._waiting.popleft()
            if not ticket.done():
                ticket.set_exception(EngineError("the recognizer was shut down", stage="asr"))
        while self._free:
            self._free.pop().close()
        self._threads.shutdown(wait=False)

    async def _load_one(self) -> SphinxDecoder:
        self.loaded += 1
        try:
            return await self.run(self._load)
        except BaseException:
            self.loaded -= 1
            raise
