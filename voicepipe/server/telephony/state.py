"""What all calls of one process share."""

from __future__ import annotations

from voicepipe.call_log.contract import WallClock, utc_now
from voicepipe.server.service import Service
from voicepipe.server.telephony.call_tools import transfer_targets
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
        self.tickets = Tickets(service.clock, settings.ticket_s)
        self._wall_clock = wall_clock

    def wall_s(self) -> float:
        """Seconds since 1970."""
        return self._wall_clock().timestamp()
