"""How soon an event that the network lost on the data channel is sent again.

aiortc waits as RFC 9260 has it for bulk transfers: a second at least, three before the first round
trip was measured, up to a minute after lost acknowledgements. A caption that comes three seconds
late is no caption; browsers wait 0.4 s at least. aiortc has no setting for it, so its module's own
constants are replaced, for the whole process.

Whoever knocks sooner knocks more often: on a peer whose last packet of the DTLS handshake was lost,
and who hears nothing for some seconds, an end that gives up after nine knocks would otherwise give
up after 4.5 s, and the call would have no events, for good.
"""

from __future__ import annotations

import logging

from aiortc import rtcsctptransport

log = logging.getLogger(__name__)

WAITS_S = {"SCTP_RTO_MIN": 0.4, "SCTP_RTO_INITIAL": 0.5, "SCTP_RTO_MAX": 2.0}
"""The least is twice what a receiver may hold its acknowledgement back."""

KNOCKS = {"SCTP_MAX_INIT_RETRANS": 53}
"""For the 27 s that aiortc's own eight again take at three seconds each."""


def be_quick() -> None:
    """For all connections that are made from now on."""
    constants = {**KNOCKS, **WAITS_S}
    for name in constants:
        if not hasattr(rtcsctptransport, name):
            log.warning("aiortc's %s is not where it was: lost events come a second late", name)
            return
    for name, value in constants.items():
        setattr(rtcsctptransport, name, value)
