"""Decoders in turn: one for each utterance that is being decoded, never more than so many."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

from voicepipe.asr.sphinx.acoustics import Costs
from voicepipe.asr.sphinx.decoder import Segment, SphinxDecoder
from voicepipe.audio.pcm import Int16
from voicepipe.runtime.errors import EngineError, EngineUnavailable

logger = logging.getLogger(__name__)

Result = TypeVar("Result")
Load = Callable[[], SphinxDecoder]


class PartsDecoders:
    """Those of numbers and single words, for the pass at an utterance's end. A pass runs in a
    decode thread from its beginning to its end, so there are as many as threads."""

    def __init__(self, load: Load, threads: int) -> None:
        """Load them; blocking. Raises EngineUnavailable, and keeps none then."""
        self._loaded = 0
        self._free: SimpleQueue[SphinxDecoder] = SimpleQueue()
        try:
            for _ in range(threads):
                self._free.put(load())
                self._loaded += 1
        except BaseException:
            self.close()
            raise

    def hear(
        self, pcm: Int16, costs: Costs, hopeless: Callable[[int, float], bool]
    ) -> tuple[Segment, ...]:
        """The best path of a whole utterance, int16 [n], were it made of numbers and single words
        (`SphinxDecoder.heard_alone`). Blocking."""
        decoder = self._free.get()
        try:
            return decoder.heard_alone(pcm, costs, hopeless)
        finally:
            self._free.put(decoder)

    def close(self) -> None:
        """Free them, each when its pass has ended. Blocking."""
        for _ in range(self._loaded):
            self._free.get().close()


class DecoderPool:
    """Loads decoders before they are needed, one more than are in use, and keeps them: who begins
    to speak does not wait until a model is read. Who finds none free waits in turn."""

    def __init__(
        self, load: Load, most: int, threads: int, parts: PartsDecoders | None = None
    ) -> None:
        self._load = load
        self._most = most
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="asr-sphinx")
        self._free: list[SphinxDecoder] = []
        self._waiting: deque[asyncio.Future[SphinxDecoder]] = deque()
        self._loading: asyncio.Task[None] | None = None
        self._closed = False
        self.parts = parts
        self.loaded = 0

    async def run(self, work: Callable[[], Result]) -> Result:
        """Run blocking work in a decode thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    async def start(self) -> None:
        """Load the first one. Raises EngineUnavailable, and is closed then."""
        try:
            await self._load_one()
        except BaseException:
            await self.aclose()
            raise

    async def take(self) -> SphinxDecoder:
        """A decoder of one's own, until `give_back`. Raises EngineError once closed."""
        if self._closed:
            raise EngineError("the speech recognizer was shut down", stage="asr")
        free = self._free.pop() if self._free else None
        if not self._free:
            self._load_another()
        return free or await self._wait()

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
        if self._loading is not None:
            await asyncio.wait((self._loading,))
        while self._free:
            self._free.pop().close()
        if self.parts is not None:
            parts, self.parts = self.parts, None
            await asyncio.to_thread(parts.close)
        self._threads.shutdown(wait=False)

    async def _wait(self) -> SphinxDecoder:
        ticket: asyncio.Future[SphinxDecoder] = asyncio.get_running_loop().create_future()
        self._waiting.append(ticket)
        try:
            return await ticket
        except asyncio.CancelledError:
            if ticket.done() and not ticket.cancelled() and ticket.exception() is None:
                self.give_back(ticket.result())
            raise

    def _load_another(self) -> None:
        """Unless there are enough, or one is on its way."""
        if self.loaded < self._most and (self._loading is None or self._loading.done()):
            self._loading = asyncio.create_task(self._load_more(), name="asr-sphinx-load")

    async def _load_more(self) -> None:
        """Until one is free, or there are enough. Where none can be loaded, those there are serve
        on, in turn."""
        try:
            while not self._free and self.loaded < self._most and not self._closed:
                await self._load_one()
        except EngineUnavailable as error:
            logger.warning("no further decoder can be loaded: %s", error)

    async def _load_one(self) -> None:
        self.loaded += 1
        try:
            self.give_back(await asyncio.to_thread(self._load))
        except BaseException:
            self.loaded -= 1
            raise
