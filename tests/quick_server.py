"""uvicorn that stops at once: its own looks for it ten times a second, and sleeps on the way."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import uvicorn

TICK_S = 0.1
"""As often as uvicorn's own."""

POLL_S = 0.002
"""How often it is looked whether the last answers are out."""


class QuickServer(uvicorn.Server):
    """The same steps as uvicorn's, without its waits. What ships stops in the tests that start
    whole processes."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._told = asyncio.Event()

    async def stop(self, serving: asyncio.Task[None]) -> None:
        """Returns when `serving`, the task of its `serve`, is over."""
        self.should_exit = True
        self._told.set()
        await serving

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """None: they are the test runner's."""
        yield

    async def main_loop(self) -> None:
        """Until it is told to stop."""
        counter = 0
        while not await self.on_tick(counter):
            counter += 1
            with suppress(TimeoutError):
                await asyncio.wait_for(self._told.wait(), TICK_S)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """The last answers go out, then the application is told."""
        for one in (*self.servers, *(sockets or ())):
            one.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await asyncio.sleep(0)
        try:
            async with asyncio.timeout(self.config.timeout_graceful_shutdown):
                await self._until_over()
        except TimeoutError:
            for task in self.server_state.tasks:
                task.cancel()
        if not self.force_exit:
            await self.lifespan.shutdown()

    async def _until_over(self) -> None:
        state = self.server_state
        while (state.connections or state.tasks) and not self.force_exit:
            await asyncio.sleep(POLL_S)
        for server in self.servers:
            await server.wait_closed()
