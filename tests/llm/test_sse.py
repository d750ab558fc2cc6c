from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voicepipe.llm.sse import MAX_EVENT_CHARS, SseParser
from voicepipe.runtime.errors import LimitExceeded

STREAM = (
    b"\xef\xbb\xbf: a comment\n\n"
    b"data: one\n\n"
    b"event: x\r\ndata:two\r\ndata: lines \xf0\x9f\x98\x80\r\nid: 7\r\n\r\n"
    b"data: three\r\rretry: 5\n\n"
    b"data\n\n"
    b"data: never finished"
)
EVENTS = ["one", "two\nlines 😀", "three"]


@settings(deadline=None)
@given(st.sets(st.integers(0, len(STREAM))))
def test_events_are_the_same_however_the_bytes_are_split(cuts: set[int]) -> None:
    parser = SseParser()
    bounds = [0, *sorted(cuts), len(STREAM)]
    found = []
    for begin, end in pairwise(bounds):
        found += parser.feed(STREAM[begin:end])
    assert [data for data in found if data] == EVENTS


def test_an_event_comes_out_with_its_last_byte() -> None:
    parser = SseParser()
    assert parser.feed(b"data: x\n") == []
    assert parser.feed(b"\n") == ["x"]


def test_giant_event_is_refused() -> None:
    parser = SseParser()
    line = b"data: " + b"x" * 65_536 + b"\n"
    with pytest.raises(LimitExceeded, match=str(MAX_EVENT_CHARS)):
        parser.feed(line * (MAX_EVENT_CHARS // 65_536 + 2))


def test_lines_without_anything_count_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voicepipe.llm.sse.MAX_EVENT_CHARS", 100)
    parser = SseParser()
    with pytest.raises(LimitExceeded):
        parser.feed(200 * b"data:\n")
