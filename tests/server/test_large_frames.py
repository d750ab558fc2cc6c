"""A large WebSocket frame is read in fragments, and nobody can tell but the clock."""

from __future__ import annotations

import itertools
import random

import pytest
from websockets.exceptions import PayloadTooBig, ProtocolError
from websockets.frames import Frame, Opcode
from websockets.protocol import OPEN

from voicepipe.server.large_frames import FRAGMENT, FragmentingProtocol

MOST = 1_000_000


def parser() -> FragmentingProtocol:
    protocol = FragmentingProtocol(max_size=MOST)
    protocol.receive_data(HANDSHAKE)
    (request,) = protocol.events_received()
    protocol.send_response(protocol.accept(request))  # type: ignore[arg-type]
    assert protocol.state is OPEN
    return protocol


HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


def sent(opcode: Opcode, data: bytes, *, fin: bool = True) -> bytes:
    """A client's frame."""
    return Frame(opcode, data, fin).serialize(mask=True)


def frames(protocol: FragmentingProtocol) -> list[Frame]:
    return [event for event in protocol.events_received() if isinstance(event, Frame)]


def messages(found: list[Frame]) -> list[tuple[Opcode, bytes]]:
    """Fragments put together."""
    whole: list[tuple[Opcode, bytes]] = []
    for frame in found:
        if frame.opcode is Opcode.CONT:
            kind, data = whole.pop()
            whole.append((kind, data + bytes(frame.data)))
        else:
            whole.append((frame.opcode, bytes(frame.data)))
    return whole


SIZES = (0, 1, 125, 126, 65_535, 65_536, 65_537, 131_072, 131_073, 300_001, MOST)


@pytest.mark.parametrize("piece", [1, 13, 4096, 1 << 22])
def test_any_frames_in_any_pieces_come_out_as_they_went_in(piece: int) -> None:
    made = random.Random(7)
    sizes = SIZES if piece > 1 else (5, 70_000, 5)
    told = [(kind, made.randbytes(n)) for n in sizes for kind in (Opcode.TEXT, Opcode.BINARY)]
    stream = b"".join(itertools.chain(*((sent(*one), sent(Opcode.PING, b"?")) for one in told)))
    protocol = parser()
    found = []
    for start in range(0, len(stream), piece):
        protocol.receive_data(stream[start : start + piece])
        found += frames(protocol)
    assert all(len(frame.data) <= FRAGMENT for frame in found)
    heard = messages(found)
    assert [one for one in heard if one[0] is not Opcode.PING] == told
    assert heard[1::2] == [(Opcode.PING, b"?")] * len(told)


def test_a_client_may_fragment_by_itself() -> None:
    protocol = parser()
    data = random.Random(8).randbytes(500_000)
    protocol.receive_data(sent(Opcode.TEXT, data[:200_000], fin=False))
    protocol.receive_data(sent(Opcode.PING, b"!"))
    protocol.receive_data(sent(Opcode.CONT, data[200_000:]))
    found = frames(protocol)
    assert [frame.data for frame in found if frame.opcode is Opcode.PING] == [b"!"]
    assert messages([f for f in found if f.opcode is not Opcode.PING]) == [(Opcode.TEXT, data)]
    assert [frame.fin for frame in found if frame.opcode is not Opcode.PING][-1]
    assert sum(frame.fin for frame in found) == 2, "the message and the ping"


def test_a_frame_that_is_too_large_is_refused_by_its_header() -> None:
    protocol = parser()
    protocol.receive_data(sent(Opcode.TEXT, bytes(MOST + 1))[:14])
    assert isinstance(protocol.parser_exc, PayloadTooBig)


def test_a_large_frame_without_a_mask_is_refused() -> None:
    protocol = parser()
    protocol.receive_data(Frame(Opcode.TEXT, bytes(100_000)).serialize(mask=False))
    assert isinstance(protocol.parser_exc, ProtocolError)


@pytest.mark.parametrize("left", [1, 2, 9, 13, 14, 15, 70_000])
def test_a_connection_that_ends_within_a_frame_is_told_as_such(left: int) -> None:
    protocol = parser()
    protocol.receive_data(sent(Opcode.TEXT, bytes(100_000))[:left])
    protocol.receive_eof()
    assert isinstance(protocol.parser_exc, EOFError)
