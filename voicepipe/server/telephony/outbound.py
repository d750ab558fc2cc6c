"""Calls that the server makes, through a carrier's REST interface. Who picks up is streamed here as
a caller would be; nobody who does not is given up after `telephony.ring_s`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import urlencode

from voicepipe.call_log.contract import CallInfo
from voicepipe.protocols.telephony.carrier import Carrier, Dial
from voicepipe.protocols.telephony.carriers import CARRIERS
from voicepipe.runtime.errors import ConfigError, LimitExceeded
from voicepipe.server.decision import Decision
from voicepipe.server.live_calls import CallNotFound, LiveCall, Parties, State
from voicepipe.server.service import Service
from voicepipe.server.telephony.public_url import stream_origin
from voicepipe.server.telephony.rest import CarrierError, RestInterface
from voicepipe.server.telephony.room import busy
from voicepipe.server.telephony.tickets import CallerId, Tickets
from voicepipe.session.ids import new_id

log = logging.getLogger(__name__)

CARRIERS_DELAY_S = 15
"""The carrier ends the ringing itself; we give a call up so much later."""

LOOK_S = 0.5
"""Between two looks at whether the server stops, while calls ring."""

MAX_EARLY = 64
"""Calls that ended before we knew that they are ours, as most of them never will be."""

CALL = "call"
"""The field of a carrier's answer URL that says which of our calls it is."""

STATUS = "status"
"""Where below its own path a carrier says what has become of a call."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call that somebody wants made."""

    to: str
    agent: str = ""
    variables: Mapping[str, str] | None = None
    session: Mapping[str, object] | None = None


class Outbound:
    """Of one process."""

    def __init__(self, service: Service, tickets: Tickets) -> None:
        self._service, self._tickets = service, tickets
        self._settings = service.settings.telephony
        self._carrier = next(
            (one for one in CARRIERS if one.name == self._settings.outbound_carrier), None
        )
        self._known: dict[str, CallerId] = {}  # of calls that ring, by our id
        self._early: dict[str, str] = {}  # why nobody has picked up, by the carrier's id of a call
        # that only its answer to our request will tell us
        self._expiry: dict[str, asyncio.TimerHandle] = {}
        self._endings: set[asyncio.Task[None]] = set()
        self._watch: asyncio.Task[None] | None = None
        if self._carrier is not None and not self._settings.outbound_from:
            raise ConfigError("telephony.outbound_carrier is set: set outbound_from too")

    def known(self, call_id: str) -> CallerId | None:
        """Of a call that rings: what our own request has said of it."""
        return self._known.get(call_id)

    async def dial(self, wanted: Wanted, origin: str) -> LiveCall:
        """The call, which rings from now on. `origin`: `https://host` by which the carrier reaches
        us. Raises LimitExceeded, CarrierError, ConfigError where settings do not allow it."""
        carrier = self._allowed(wanted.to)
        reason = busy(self._service) or self._full()
        if reason is not None:
            raise LimitExceeded(reason)
        parties = Parties(carrier.name, caller=self._settings.outbound_from, called=wanted.to)
        call = LiveCall(new_id("rtc"), parties, State.DIALING)
        decision = Decision(True, wanted.agent, wanted.variables or {}, wanted.session or {})
        caller_id = CallerId(parties.caller, parties.called, live=call, decision=decision)
        ticket = self._tickets.issue(carrier.name, call.id, caller_id, self._ring_s)
        assert ticket is not None, "a new call has no ticket yet"
        rest = RestInterface(carrier, self._settings)
        if not self._service.directory.dial(call.id, self._max_sessions):
            raise LimitExceeded(self._too_many)  # another gateway was faster
        self._known[call.id] = caller_id
        self._service.live_calls.add(call)
        call.ends_by(partial(self._end, rest, call))
        try:
            carriers_id = await rest.dial(
                Dial(
                    wanted.to,
                    parties.caller,
                    f"{stream_origin(origin)}{carrier.path}/{ticket}",
                    f"{origin}{_webhook(carrier)}?{urlencode({CALL: call.id})}",
                    self._settings.ring_s,
                    f"{origin}{carrier.path}/{STATUS}?{urlencode({CALL: call.id})}",
                )
            )
        except BaseException:
            self._forget(call)
            self._service.live_calls.over(call)
            raise
        if not call.parties.carrier_call_id:  # else the stream was here first, and has said it
            call.parties = replace(call.parties, carrier_call_id=carriers_id)
            if call.state is State.ENDED:  # given up meanwhile, when nobody knew what to hang up
                self._hang_up_soon(rest, call)
                return call
            self._service.live_calls.add(call)
            self._hear_early(call, carriers_id)
        if call.state is State.DIALING:
            later = asyncio.get_running_loop().call_later
            self._expiry[call.id] = later(self._ring_s, self._end, rest, call, "not answered")
            if self._watch is None or self._watch.done():
                self._watch = asyncio.create_task(self._until_it_stops(), name="calls that ring")
        else:
            self._forget(call)  # the stream was here first: it has all that there is to know
        return call

    async def aclose(self) -> None:
        """Calls that ring are rung no more."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        for timer in self._expiry.values():
            timer.cancel()
        await self._ring_no_more()
        await asyncio.gather(*self._endings, return_exceptions=True)

    def unanswered(self, call_id: str, reason: str) -> None:
        """The carrier says that nobody has picked up: there is nothing to hang up. `call_id`: ours,
        or the carrier's; a call that does not ring any more stays as it is."""
        try:
            call = self._service.live_calls.find(call_id)
        except CallNotFound:
            if self._asking:  # the carrier may tell this before it answers our request
                self._early[call_id] = reason
                while len(self._early) > MAX_EARLY:
                    del self._early[next(iter(self._early))]
            return
        if call.state is State.DIALING:
            self._forget(call)
            self._write_down(call, reason)
            self._service.live_calls.over(call)

    def _hear_early(self, call: LiveCall, carriers_id: str) -> None:
        """What the carrier has said of it before we knew its id."""
        reason = self._early.pop(carriers_id, None)
        if reason is not None:
            self.unanswered(call.id, reason)
        if not self._asking:
            self._early.clear()  # of calls that did not come about

    @property
    def _asking(self) -> bool:
        """Some carrier has not answered our request yet."""
        return any(not call.parties.carrier_call_id for call in self._dialing)

    async def _until_it_stops(self) -> None:
        """While calls ring: a server that stops lets its calls go on for a while, and would hang up
        on whoever picks up meanwhile."""
        while self._dialing:
            await asyncio.sleep(LOOK_S)
            if self._service.closing:
                await self._ring_no_more()

    async def _ring_no_more(self) -> None:
        for call in self._dialing:
            await call.hang_up("server stopped")

    @property
    def _dialing(self) -> list[LiveCall]:
        return [call for call in self._service.live_calls if call.state is State.DIALING]

    @property
    def _ring_s(self) -> float:
        return self._settings.ring_s + CARRIERS_DELAY_S

    def _allowed(self, to: str) -> Carrier:
        if self._carrier is None:
            raise ConfigError("calls are not made here: set telephony.outbound_carrier")
        if not to.startswith(self._settings.outbound_to):
            raise ConfigError("to is no number that may be called (telephony.outbound_to)")
        return self._carrier

    def _full(self) -> str | None:
        """Who picks up needs a session: no more are rung, by all gateways, than there is room for.
        Raises StateUnavailable."""
        dialing = len(self._dialing) + self._service.directory.dialing_elsewhere()
        return None if len(self._service.seats) + dialing < self._max_sessions else self._too_many

    @property
    def _max_sessions(self) -> int:
        return self._service.settings.limits.max_sessions

    @property
    def _too_many(self) -> str:
        return (
            f"calls that ring would pass the server's {self._max_sessions} sessions "
            "(limits.max_sessions)"
        )

    def _end(self, rest: RestInterface, call: LiveCall, reason: str) -> None:
        """Nobody has picked up, or nobody wants it any more."""
        self._forget(call)
        if call.state is not State.DIALING:
            return
        self._write_down(call, reason)
        self._service.live_calls.over(call)
        self._hang_up_soon(rest, call)

    def _hang_up_soon(self, rest: RestInterface, call: LiveCall) -> None:
        task = asyncio.create_task(_hang_up(rest, call), name=f"call {call.id} is given up")
        self._endings.add(task)
        task.add_done_callback(self._endings.discard)

    def _forget(self, call: LiveCall) -> None:
        self._known.pop(call.id, None)
        timer = self._expiry.pop(call.id, None)
        if timer is not None:
            timer.cancel()

    def _write_down(self, call: LiveCall, reason: str) -> None:
        parties = call.parties
        info = CallInfo(
            parties.transport,
            new_id("sess"),
            parties.carrier_call_id,
            parties.caller,
            parties.called,
            live_id=call.id,
            answered=False,
            sound=False,
        )
        self._service.calls.begin(info).end(reason)


async def _hang_up(rest: RestInterface, call: LiveCall) -> None:
    try:
        if call.parties.carrier_call_id:
            await rest.give_up(call.parties.carrier_call_id)
    except CarrierError as error:
        log.warning("call %s: %s", call.id, error)


def _webhook(carrier: Carrier) -> str:
    path = "" if carrier.webhook is None else carrier.webhook.path
    return f"{carrier.path}/{path}"
