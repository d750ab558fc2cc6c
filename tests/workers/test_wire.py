from __future__ import annotations

import json
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepipe.workers.wire import MAX_MESSAGE_BYTES, Decoder, Packet, WireError, encode

values = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.integers())
packets = st.builds(Packet, st.dictionaries(st.text(), values), st.binary(max_size=300))


@given(st.lists(packets, max_size=6), st.data())
def test_any_split_gives_the_same_messages(sent: list[Packet], data: Any) -> None:
    stream = b"".join(encode(packet.header, packet.payload) for packet in sent)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=20)))
    decoder = Decoder()
    got = []
    for begin, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        got += decoder.feed(stream[begin:end])
    assert got == sent
    assert decoder.pending_bytes == 0


@given(st.binary(min_size=1).filter(lambda data: not data.startswith(b"v")))
def test_garbage_is_seen_at_its_first_byte(garbage: bytes) -> None:
    with pytest.raises(WireError, match="expected a message"):
        Decoder().feed(garbage)


def test_garbage_behind_a_message_is_seen() -> None:
    with pytest.raises(WireError):
        Decoder().feed(encode({"op": "ready"}) + b"Loading model...\n")


def test_an_unfinished_message_is_pending() -> None:
    decoder = Decoder()
    assert decoder.feed(encode({"a": 1}, b"1234")[:-1]) == []
    assert decoder.pending_bytes > 0


def test_a_message_over_the_limit_is_refused_before_it_is_buffered() -> None:
    prefix = struct.pack(">2sII", b"vp", 10, 91)
    with pytest.raises(WireError, match="101 bytes is over the limit of 100"):
        Decoder(max_message_bytes=100).feed(prefix)
    with pytest.raises(WireError, match="over the limit"):
        encode({}, bytes(MAX_MESSAGE_BYTES))


@pytest.mark.parametrize("head", [b"not json", b"[1]", b"\xff\xfe"])
def test_a_header_must_be_a_json_object(head: bytes) -> None:
    with pytest.raises(WireError, match="header is no JSON"):
        Decoder().feed(struct.pack(">2sII", b"vp", len(head), 0) + head)


def test_the_layout_is_as_documented() -> None:
    assert (
        encode({"a": 1}, b"xy")
        == b"vp\0\0\0\x07\0\0\0\x02" + json.dumps({"a": 1}, separators=(",", ":")).encode() + b"xy"
    )
