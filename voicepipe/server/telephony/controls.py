"""The agent's hand on the call: what its tools ask for is carried out when its words are over."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from voicepipe.config import TelephonySettings
from voicepipe.protocols.telephony.carrier import Transfer
from voicepipe.server.telephony.call_tools import call_tools, transfer_targets
from voicepipe.server.telephony.rest import DEADLINE_S, CarrierError, RestInterface
from voicepipe.session.session import Session
from voicepipe.tools.contract import ServerTool

log = logging.getLogger(__name__)

MAX_ORDERS = 8
"""Not carried out yet; one is usual."""


class Controls:
    """Of one call. `hangs_up`: it is up to us to end the caller's line too."""

    def __init__(
        self,
        settings: TelephonySettings,
        rest: RestInterface,
        transfer: Callable[[str, str], Transfer],
    ) -> None:
        """`transfer`: what is asked of the carrier, by its id of the call and the number."""
        self._settings, self._rest, self._transfer = settings, rest, transfer
        self._targets = transfer_targets(settings.transfer_targets)
        self._orders: asyncio.Queue[str | None] = asyncio.Queue(MAX_ORDERS)  # a target; None: end
        self._settled = asyncio.Event()  # no transfer is being asked for
        self._settled.set()
        self.transferred = ""  # the carrier has put it through already: the end's reason
        self.unsaid = ""  # what the caller is to be told as soon as nobody speaks
        self.hangs_up = False
        self._end_reason = "agent hung up"

    def tools(self) -> tuple[ServerTool, ...]:
        """For the session, as far as `telephony.tools` lists them."""
        targets = self._targets if self._rest.transfers else {}
        tools = call_tools(self.end, self._order, targets)
        return tuple(tool for tool in tools if tool.declaration.name in self._settings.tools)

    def end(self) -> None:
        """Order the end of the call."""
        self._order(None)

    def hang_up_now(self, reason: str) -> None:
        """Somebody in charge of the call ends it, whatever is said just now."""
        self._end_reason = reason
        self._order(None)

    async def refer(self, call_id: str, number: str) -> None:
        """Somebody in charge of the call has it put through. Raises CarrierError."""
        await self._put_through(call_id, number, "transferred")  # no numbers where reasons stand
        self.hang_up_now(self.transferred)

    async def execute(self, session: Session, call_id: str) -> str:
        """Carry out orders until one ends the call; returns why it ended."""
        while (target := await self._orders.get()) is not None:
            try:
                await self._put_through(call_id, self._targets[target], f"transferred to {target}")
            except CarrierError as error:
                log.error("session %s: %s", session.id, error)
                if not session.say(self._settings.transfer_failed):
                    self.unsaid = self._settings.transfer_failed
            else:
                return self.transferred
        self.hangs_up = not self.transferred
        return self._end_reason

    async def settled(self) -> None:
        """Until the carrier has answered: it may take a call from its stream before it does."""
        with suppress(TimeoutError):
            async with asyncio.timeout(DEADLINE_S):
                await self._settled.wait()

    async def hang_up(self, call_id: str) -> None:
        """End the caller's line over the carrier's REST interface."""
        try:
            await self._rest.hang_up(call_id)
        except CarrierError as error:
            log.error("%s; closing the stream has to do", error)

    async def _put_through(self, call_id: str, number: str, reason: str) -> None:
        """`reason`: why the call ends then. Raises CarrierError."""
        self._settled.clear()
        try:
            await self._rest.transfer(self._transfer(call_id, number))
            self.transferred = reason
        finally:
            self._settled.set()

    def _order(self, target: str | None) -> None:
        """An end always finds its place; a transfer too many is nothing new."""
        if target is None and self._orders.full():
            self._orders.get_nowait()
        if not self._orders.full():
            self._orders.put_nowait(target)
