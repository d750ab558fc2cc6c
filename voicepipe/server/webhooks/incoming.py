"""Calls that come in, and the program that decides on them: asked by the webhook `call.incoming`,
or by itself over REST. It has `telephony.incoming_ms` for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime

import httpx

from voicepipe.agents.directory import AgentDirectory
from voicepipe.call_log.events import event_body
from voicepipe.config import Settings
from voicepipe.runtime.errors import ConfigError, ProtocolError
from voicepipe.server.decision import Decision, read_decision
from voicepipe.server.live_calls import LiveCall, LiveCalls, Parties, State
from voicepipe.server.shared.directory import request_name
from voicepipe.server.webhooks.request import Delivery, WebhookFailed, json_answer, new_client, send
from voicepipe.session.ids import new_id

log = logging.getLogger(__name__)

REMEMBER_S = 60.0
"""A carrier sends a request again that was not answered; so long it has the same call."""


class IncomingCalls:
    """Of one process. Raises ConfigError where two webhooks would decide."""

    def __init__(self, settings: Settings, agents: AgentDirectory, live_calls: LiveCalls) -> None:
        self._settings, self._agents, self._live_calls = settings.telephony, agents, live_calls
        self._clients_wait = settings.server.wait_for_program
        asked = [one for one in settings.webhooks.items() if "call.incoming" in one[1].events]
        if len(asked) > 1:
            raise ConfigError(
                f"webhooks.{asked[1][0]}.events: call.incoming is asked of {asked[0][0]} already, "
                "and only one can decide"
            )
        self._webhook = asked[0] if asked else None
        self._client: httpx.AsyncClient | None = None
        self._by_request: dict[str, tuple[LiveCall, asyncio.Task[Decision]]] = {}
        self._timers: set[asyncio.TimerHandle] = set()

    @property
    def asks_about_clients(self) -> bool:
        """Whether anybody but the settings decides on calls by WebSocket and WebRTC."""
        return self._webhook is not None or self._clients_wait

    @property
    def asks(self) -> bool:
        """The same of calls by telephone."""
        return self._webhook is not None or self._settings.wait_for_program

    def ring(
        self,
        request: str,
        parties: Parties,
        told: Mapping[str, str] | None = None,
        *,
        client_call: str = "",
        key: str = "",
    ) -> tuple[LiveCall, Awaitable[Decision]]:
        """A call, which rings from now on, and what becomes of it. `request`: tells a carrier's
        request from others; one that comes again has the same call. `told`: what the webhook is
        told beside the parties. `client_call`: the id of a call that a client opens; `key`: the
        name of the key that it does so with."""
        known = self._by_request.get(request)
        if known is None:
            call = LiveCall(client_call or new_id("rtc"), parties, key=key)
            self._live_calls.add(call)
            waits = self._clients_wait if client_call else self._settings.wait_for_program
            deciding = self._decide(call, told or {}, waits=waits)
            task = asyncio.create_task(deciding, name=f"decision on {call.id}")
            known = self._by_request[request] = (call, task)
            self._live_calls.directory.enter([request_name(request)])
            self._later(REMEMBER_S, lambda: self._forget(request))
        call, task = known
        return call, asyncio.shield(task)

    async def aclose(self) -> None:
        """Nobody waits for decisions any more."""
        for timer in self._timers:
            timer.cancel()
        tasks = [task for _, task in self._by_request.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()

    async def _decide(self, call: LiveCall, told: Mapping[str, str], *, waits: bool) -> Decision:
        try:
            async with asyncio.timeout(self._settings.incoming_ms / 1000):
                decision = await self._asked(call, told, waits=waits) or await call.decided()
        except TimeoutError:
            log.warning("call %s: no program has decided on it in time", call.id)
            decision = self._default()
        if not call.decide(decision):  # somebody was first, and has been told so
            decision = await call.decided()
        if decision.accepted:
            self._wait_for_stream(call)
        else:
            self._live_calls.over(call)
        return decision

    async def _asked(
        self, call: LiveCall, told: Mapping[str, str], *, waits: bool
    ) -> Decision | None:
        """The webhook's answer; None: whoever accepts or rejects the call decides."""
        if self._webhook is None:
            return None
        name, settings = self._webhook
        self._client = self._client or new_client()
        body = event_body("call.incoming", datetime.now(UTC), {**_data(call), **told})
        answering = asyncio.create_task(
            send(self._client, settings, Delivery(new_id("msg"), body), settings.deadline_ms / 1000)
        )
        deciding = asyncio.create_task(call.decided())
        tasks: set[asyncio.Task[bytes] | asyncio.Task[Decision]] = {answering, deciding}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if deciding.done():
                return deciding.result()
            answer = json_answer(answering.result())
            return None if waits and not answer else read_decision(answer, self._agents)
        except (WebhookFailed, ProtocolError) as error:
            log.warning("webhooks.%s: call.incoming of %s: %s", name, call.id, error)
            return None if waits else self._default()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _default(self) -> Decision:
        accepted = self._settings.incoming_default == "answer"
        return Decision(accepted, reason="" if accepted else "no program has accepted it")

    def _wait_for_stream(self, call: LiveCall) -> None:
        """A carrier that does not stream the call any more leaves it to nobody."""
        call.ends_by(lambda reason: self._give_up(call))
        self._later(self._settings.ticket_s, lambda: self._give_up(call))

    def _forget(self, request: str) -> None:
        del self._by_request[request]
        self._live_calls.directory.strike([request_name(request)])

    def _later(self, seconds: float, what: Callable[[], object]) -> None:
        def due() -> None:
            self._timers.discard(timer)
            what()

        timer = asyncio.get_running_loop().call_later(seconds, due)
        self._timers.add(timer)

    def _give_up(self, call: LiveCall) -> None:
        if call.state is State.RINGING:
            self._live_calls.over(call)


def _data(call: LiveCall) -> dict[str, str]:
    parties = call.parties
    return {
        "call_id": call.id,
        "transport": parties.transport,
        "carrier_call_id": parties.carrier_call_id,
        "caller": parties.caller,
        "called": parties.called,
    }
