"""The outbox: order, bounds by count and by bytes, and what a slow reader gets."""

from __future__ import annotations

import asyncio

import pytest

from voicepipe.session import events as ev
from voicepipe.session.outbox import Outbox

pytestmark = pytest.mark.virtual_time

REF = ev.PartRef("resp", "item", 0, 0)


def deleted(number: int) -> ev.ItemDeleted:
    return ev.ItemDeleted(str(number))


async def test_events_come_out_in_the_order_they_went_in() -> None:
    outbox = Outbox(100, 100)
    events = [deleted(n) for n in range(100)]
    for event in events:
        outbox.put(event)
    assert [await outbox.get() for _ in events] == events


async def test_reader_waits_for_the_writer() -> None:
    outbox = Outbox(10, 10)
    reader = asyncio.create_task(outbox.get())
    await asyncio.sleep(5)
    assert not reader.done()
    outbox.put(deleted(1))
    assert await reader == deleted(1)


async def test_close_lets_the_reader_finish_what_is_queued() -> None:
    outbox = Outbox(10, 10)
    outbox.put(deleted(1))
    outbox.close()
    outbox.put(deleted(2))
    assert await outbox.get() == deleted(1)
    assert await outbox.get() is None
    assert await outbox.get() is None
    assert outbox.overflow is None


async def test_close_wakes_whoever_waits() -> None:
    outbox = Outbox(10, 10)
    reader = asyncio.create_task(outbox.get())
    watcher = asyncio.create_task(outbox.wait_closed())
    await asyncio.sleep(1)
    outbox.close()
    assert await reader is None
    await watcher


async def test_one_event_too_many_ends_it_and_says_which_limit() -> None:
    outbox = Outbox(3, 1000)
    for number in range(3):
        outbox.put(deleted(number))
    assert not outbox.closed
    outbox.put(deleted(3))
    assert outbox.closed
    assert outbox.overflow is not None
    assert "over 3 events" in outbox.overflow
    assert "limits.max_events_queued" in outbox.overflow
    assert await outbox.get() is None, "a stream with a hole in it helps nobody"
    await outbox.wait_closed()


async def test_audio_is_bounded_by_its_bytes() -> None:
    outbox = Outbox(1000, 100)
    outbox.put(ev.AudioDelta(REF, bytes(60)))
    outbox.put(ev.AudioDelta(REF, bytes(40)))
    assert not outbox.closed, "the bound itself is allowed"
    outbox.put(ev.AudioDelta(REF, b"x"))
    assert outbox.closed
    assert outbox.overflow is not None
    assert "100 bytes" in outbox.overflow


async def test_what_was_read_counts_no_longer() -> None:
    outbox = Outbox(2, 100)
    for _ in range(50):
        outbox.put(ev.AudioDelta(REF, bytes(90)))
        assert await outbox.get() is not None
    assert not outbox.closed
