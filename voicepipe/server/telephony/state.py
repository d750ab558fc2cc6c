"""What all calls of one process share."""

from __future__ import annotations

from voicepipe.call_log.contract import WallClock, utc_now
from voicepipe.server.service import Service
from voicepipe.server.telephony.call_tools import transfer_targets
from voicepipe.server.telephony.outbound import Outbound
from voicepipe.server.telephony.spent_requests import spent_requests
from voicepipe.server.telephony.tickets import Tickets


class TelephonyState:
    """Lives at `app.state.telephony`. Raises ConfigError where `telephony` cannot be used."""

    def __init__(
        self,
        service: Service,
        wall_clock: WallClock = utc_now,
    ) -> None:
        """`wall_clock`: what carriers' time stamps are compared with."""
        settings = service.settings.telephony
        transfer_targets(settings.transfer_targets)  # a wrong one is an error now, not in a call
        self._wall_clock = wall_clock
        self.spent = spent_requests(settings, self.wall_s)
        self.tickets = Tickets(service.clock, settings.ticket_s, self.spent.add, service.shared)
        self.outbound = Outbound(service, self.tickets)

    def wall_s(self) -> float:
        """Seconds since 1970."""
        return self._wall_clock().timestamp()

    async def aclose(self) -> None:
        """No call rings any more; write down which webhooks are spent."""
        await self.outbound.aclose()
        await self.spent.aclose()
