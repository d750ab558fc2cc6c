"""What a caller sends on the data channel is bounded, whole messages and their pieces."""

from __future__ import annotations

import asyncio

import pytest
from aiortc import RTCDataChannel, RTCSctpTransport
from aiortc.rtcsctptransport import DataChunk

from tests.server.harness import running_server
from tests.server.webrtc.caller import call
from tests.server.webrtc.test_lost_handshakes import calling, up
from voicepipe.server.webrtc import unfinished
from voicepipe.server.webrtc.sdp import MAX_MESSAGE_BYTES

FIRST_PIECE = 2


@pytest.fixture
def bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "_receive_data_chunk"
    monkeypatch.setattr(RTCSctpTransport, name, getattr(RTCSctpTransport, name))
    unfinished.be_bounded()


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize(("size", "count"), [(1000, 4000), (1, 4000)])
async def test_a_message_without_an_end_is_not_kept_without_end(size: int, count: int) -> None:
    async with calling() as (near, far):
        await up(near, far)
        receiver = far.sctp
        assert receiver is not None
        await opened(receiver)
        window, last = receiver._advertised_rwnd, receiver._last_received_tsn
        assert last is not None
        for n in range(count):
            piece = DataChunk(flags=0 if n else FIRST_PIECE)
            piece.stream_id, piece.user_data = 9, bytes(size)
            piece.tsn = (last + 1 + n) & 0xFFFF_FFFF
            await receiver._receive_chunk(piece)
        assert window - receiver._advertised_rwnd <= window + MAX_MESSAGE_BYTES + size
        assert len(receiver._inbound_streams[9].reassembly) <= unfinished.MOST_PIECES


async def opened(sctp: RTCSctpTransport) -> None:
    """The association is up; what its channel has said has been heard."""
    while sctp._association_state != sctp.State.ESTABLISHED:
        await asyncio.sleep(0.02)


async def test_a_message_that_is_too_large_is_refused_and_the_call_goes_on() -> None:
    async with running_server() as server, call(server) as one:
        channel: RTCDataChannel | None = one.channel
        assert channel is not None
        channel.transport._remote_max_message_size = 0  # whatever the server says that it takes
        one.send(type="session.update", event_id="mine", padding="x" * 300_000)
        error = (await one.until("error"))["error"]
        assert error["code"] == "message_too_large"
        one.send(type="input_audio_buffer.clear")
        await one.until("input_audio_buffer.cleared")
