"""Messages on data channels that never come to their end.

aiortc keeps the pieces of a message until its last one is there, as many as a peer cares to send,
and looks through all of them whenever another comes: a few megabytes of tiny ones hold up every
call of the process. It has no setting for it, so its method is replaced, for the whole process.
What is beyond the bounds is dropped and not acknowledged, as of a receiver whose window is full.
"""

from __future__ import annotations

import logging
from typing import Any, Final

from aiortc import RTCSctpTransport

from voicepipe.server.webrtc.sdp import MAX_MESSAGE_BYTES

log = logging.getLogger(__name__)

MOST_PIECES = 2048
"""Waiting on one stream. A window full of packets that came out of order has about a thousand."""

RECEIVE_DATA: Final = vars(RTCSctpTransport).get("_receive_data_chunk")
"""aiortc's own."""

_PARTS: Final = ("_get_inbound_stream", "_receive_data_chunk")


def be_bounded() -> None:
    """For all connections that are made from now on."""
    if not all(hasattr(RTCSctpTransport, name) for name in _PARTS):
        log.warning("aiortc's data channels are not where they were: a message may be endless")
        return
    setattr(RTCSctpTransport, "_receive_data_chunk", _receive_data_chunk)  # noqa: B010


async def _receive_data_chunk(sctp: RTCSctpTransport, chunk: Any) -> None:
    assert RECEIVE_DATA is not None
    pieces = sctp._inbound_streams.get(chunk.stream_id)
    waiting = 0 if pieces is None else len(pieces.reassembly)
    # a peer that heeds its window goes below it only with what another piece waits for
    if sctp._advertised_rwnd > -MAX_MESSAGE_BYTES and waiting < MOST_PIECES:
        await RECEIVE_DATA(sctp, chunk)
