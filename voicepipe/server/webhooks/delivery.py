"""Events from the database to webhooks: at least once, in order within a call, again after growing
pauses until they are taken or given up.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress

import httpx
from sqlalchemy.exc import SQLAlchemyError

from voicepipe.call_log.contract import CallStoreError
from voicepipe.call_log.event_outbox import EventOutbox, Waiting
from voicepipe.config import WebhookSettings
from voicepipe.server.webhooks.request import Delivery, WebhookFailed, new_client, send

log = logging.getLogger(__name__)

AT_ONCE = 8
"""Calls whose events go to one webhook at the same time."""

CLOSE_S = 2.0
LOOK_S = 1.0
"""Between two looks for what is due again, or was left by a server that died."""


class Deliveries:
    """Of one process: a task for each webhook, so that one that is slow holds up no other."""

    def __init__(self, webhooks: Mapping[str, WebhookSettings], outbox: EventOutbox) -> None:
        self._webhooks, self._outbox = webhooks, outbox
        self._client: httpx.AsyncClient | None = None
        self._wakes = {name: asyncio.Event() for name in webhooks}
        self._tasks: list[asyncio.Task[None]] = []
        self._closing = False
        self.delivered = self.failed = self.dead = 0  # attempts, since the process began

    def start(self) -> None:
        """Inside a running loop."""
        self._client = new_client()
        self._tasks = [
            asyncio.create_task(self._deliver_all(name), name=f"webhook {name}")
            for name in self._webhooks
        ]

    def wake(self) -> None:
        """There is something new."""
        for event in self._wakes.values():
            event.set()

    async def aclose(self) -> None:
        """What is under way may come to its end; what was not delivered waits for the next
        start."""
        self._closing = True
        self.wake()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CLOSE_S)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()

    async def _deliver_all(self, name: str) -> None:
        wake = self._wakes[name]
        while not self._closing:
            wake.clear()
            try:
                await self._deliver_due(name)
            except (SQLAlchemyError, CallStoreError) as error:
                problem = type(error).__name__  # what a database says may quote the row
                log.warning("webhooks.%s waits for the calls' database: %s", name, problem)
            except Exception:  # a fault of ours must not end it for good
                log.exception("webhooks.%s: it is looked again for what is due", name)
            with suppress(TimeoutError):
                async with asyncio.timeout(0 if self._closing else LOOK_S):
                    await wake.wait()

    async def _deliver_due(self, name: str) -> None:
        while not self._closing:
            due = await asyncio.to_thread(self._outbox.due, name, AT_ONCE)
            if not due:
                return
            ends = await asyncio.gather(*map(self._deliver, due), return_exceptions=True)
            for end in ends:  # raised when all are over: who is on the way would be sent again
                if end is not None:
                    raise end

    async def _deliver(self, event: Waiting) -> None:
        settings = self._webhooks[event.webhook]
        delivery = Delivery(event.id, event.body, event.traceparent)
        assert self._client is not None
        try:
            await send(self._client, settings, delivery, settings.deadline_ms / 1000)
        except WebhookFailed as error:
            await self._not_taken(event, str(error), final=event.attempts + 1 >= settings.attempts)
            return
        self.delivered += 1
        await asyncio.to_thread(self._outbox.delivered, event)

    async def _not_taken(self, event: Waiting, problem: str, *, final: bool) -> None:
        self.failed += 1
        if final:
            self.dead += 1
            log.error(
                "webhooks.%s: %s %s of call %s was given up: %s; voicepipe webhooks retry sends "
                "it again",
                event.webhook,
                event.type,
                event.id,
                event.call_id,
                problem,
            )
        elif event.attempts == 0:  # the later ones are in `voicepipe webhooks list`
            log.warning("webhooks.%s: %s is tried again: %s", event.webhook, event.type, problem)
        await asyncio.to_thread(self._outbox.failed, event, problem, final=final)
