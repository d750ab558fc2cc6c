"""How soon an event that the network lost on the data channel is sent again.

aiortc waits as RFC 9260 has it for bulk transfers: a second at least, three before the first round
trip was measured, up to a minute after lost acknowledgements. A caption that comes three seconds
late is no caption; browsers wait 0.4 s at least. aiortc has no setting for it, so its module's own
constants are replaced, for the whole process.
"""

from __future__ import annotations

import logging

from aiortc import rtcsctptransport

log = logging.getLogger(__name__)

WAITS_S = {"SCTP_RTO_MIN": 0.4, "SCTP_RTO_INITIAL": 0.5, "SCTP_RTO_MAX": 2.0}
"""The least is twice what a receiver may hold its acknowledgement back."""


def be_quick() -> None:
    """For all connections that are made from now on."""
    for name, seconds in WAITS_S.items():
        if not hasattr(rtcsctptransport, name):
            log.warning("aiortc's %s is not where it was: lost events come a second late", name)
            return
        setattr(rtcsctptransport, name, seconds)
