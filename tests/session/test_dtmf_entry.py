"""Keys become entries."""

from __future__ import annotations

import asyncio

import pytest

from tests.session.harness import conversation
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.dtmf_entry import MAX_KEYS, DtmfEntry

pytestmark = pytest.mark.virtual_time


async def entries(*keys: str | float) -> list[str]:
    """What comes of keys and pauses (seconds)."""
    found: list[str] = []
    keypad = DtmfEntry(2.0, found.append)
    for key in keys:
        if isinstance(key, str):
            keypad.press(key)
        else:
            await asyncio.sleep(key)
    keypad.close()
    await asyncio.sleep(5)
    return found


async def test_hash_ends_an_entry_and_is_no_part_of_it() -> None:
    assert await entries(*"12*#", *"3#") == ["12*", "3"]


async def test_hash_alone_is_an_entry() -> None:
    assert await entries("#") == ["#"]


async def test_pause_ends_an_entry_and_each_key_begins_it_anew() -> None:
    assert await entries("1", 1.5, "2", 1.5, "3", 2.1, "4", 2.1) == ["123", "4"]


async def test_close_forgets_what_is_not_complete() -> None:
    assert await entries("1", "2") == []


async def test_entry_has_a_greatest_length() -> None:
    assert await entries(*"7" * (MAX_KEYS + 1), "#") == ["7" * MAX_KEYS, "7"]


async def test_every_key_is_told_at_once() -> None:
    async with conversation() as talk:
        for key in "4#":
            talk.session.handle(cmd.Dtmf(key))
        await talk.quiet(20)

        assert [event.key for event in talk.of(ev.KeyPressed)] == ["4", "#"]
