"""Short texts are told apart wherever the stream is cut, and nothing is lost or moved."""

from __future__ import annotations

import random

import pytest
from websockets.frames import Frame, Opcode

from voicepipe.server.frame_cutter import FrameCutter, Piece

MOST = 16 * 1024


def frame(size: int, opcode: Opcode = Opcode.TEXT, fin: bool = True) -> bytes:
    return Frame(opcode, b"x" * size, fin).serialize(mask=True)


@pytest.mark.parametrize("seed", range(40))
def test_wherever_it_is_cut(seed: int) -> None:
    rng = random.Random(seed)
    sizes = (0, 5, 125, 126, 1331, MOST, MOST + 1, 65_535, 65_536, 70_000)
    kinds = (Opcode.TEXT, Opcode.TEXT, Opcode.BINARY, Opcode.PING, Opcode.CONT)
    told = [(rng.choice(sizes), rng.choice(kinds), rng.random() < 0.9) for _ in range(30)]
    frames = [
        frame(5, kind) if kind is Opcode.PING else frame(size, kind, fin)
        for size, kind, fin in told
    ]
    stream = rest = b"".join(frames)
    cutter, found = FrameCutter(MOST), list[Piece]()
    while rest:
        cut = rng.choice((1, 2, 3, 7, 9, 500, 1339, 4096, 40_000))
        found += cutter.push(rest[:cut])
        rest = rest[cut:]
    assert b"".join(piece.data for piece in found) == stream
    short = [
        data
        for data, (size, kind, fin) in zip(frames, told, strict=True)
        if kind is Opcode.TEXT and fin and 126 <= size <= MOST
    ]
    assert [piece.data for piece in found if piece.text] == short


def test_one_frame_a_read_is_one_piece_and_the_same_object() -> None:
    data = frame(1331)
    (piece,) = FrameCutter(MOST).push(data)
    assert piece.text
    assert piece.data is data


def test_what_is_no_short_text_is_not_taken_apart() -> None:
    """Tiny messages come by hundreds, and the library is quick with many at a time."""
    data = frame(3) * 500
    assert FrameCutter(MOST).push(data) == [Piece(data, False)]


def test_a_long_frame_goes_on_as_it_comes() -> None:
    cutter, data = FrameCutter(MOST), frame(100_000)
    assert cutter.push(data[:5000]) == [Piece(data[:5000], False)]
    assert cutter.push(data[5000:]) == [Piece(data[5000:], False)]
    assert cutter.push(frame(200))[0].text


def test_a_short_text_is_held_until_it_is_whole() -> None:
    cutter, data = FrameCutter(MOST), frame(1331)
    assert cutter.push(frame(200) + data[:1000])[1:] == []
    assert cutter.push(data[1000:]) == [Piece(data, True)]


@pytest.mark.parametrize(
    "data", [b"\x81\x05hello", b"\x01\xfe\x00\xc8", b"\xff\xff" + b"\xff" * 12]
)
def test_what_no_client_should_send_is_for_the_library_to_refuse(data: bytes) -> None:
    found = FrameCutter(MOST).push(data + bytes(300))
    assert not found[0].text
