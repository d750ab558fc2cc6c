"""What an ended session keeps: nothing, and it is freed at once, not when the garbage collector
stops all sessions to look for it."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import FunctionType, ModuleType
from typing import Any
from unittest.mock import AsyncMock, patch

import numpy as np
import pytest

from tests.session.harness import conversation
from voicepipe.runtime.errors import EngineUnavailable
from voicepipe.session import commands as cmd
from voicepipe.session.settings import McpServer
from voicepipe.tools import mcp

SOME_BYTES = 4096
"""Filters and encoders have a few samples."""


@pytest.mark.virtual_time
@pytest.mark.parametrize("lead_ms", [None, 100.0])
async def test_an_ended_session_keeps_no_sound(lead_ms: float | None) -> None:
    async with conversation(lead_ms=lead_ms) as talk:
        await talk.speak(1500)
        await talk.quiet(3000)
        await talk.speak(700)  # and is cut off in the middle of a word
        assert _sound_bytes(talk.session, [talk.phone, talk.engines, talk.log]) > SOME_BYTES
    talk.events.clear()  # the harness's
    kept = _sound_bytes(talk.session, [talk.phone, talk.engines, talk.log])
    assert kept < SOME_BYTES


@pytest.mark.virtual_time
@pytest.mark.parametrize("lead_ms", [None, 100.0])
async def test_an_ended_session_is_freed_by_counting_references(lead_ms: float | None) -> None:
    with _no_collector():
        async with conversation(lead_ms=lead_ms) as talk:
            await talk.speak(1500)
            await talk.quiet(3000)
            await talk.speak(700)
            ended = weakref.ref(talk.session)
        del talk.session
        talk.events.clear()  # the harness's
        assert ended() is None
        assert _of_circles() == []


@pytest.mark.virtual_time
async def test_who_closes_it_again_waits_for_the_same_end() -> None:
    async with conversation() as talk:
        await talk.speak(1500)
        await asyncio.gather(talk.session.aclose(), talk.session.aclose())
        assert talk.session.at_rest
        talk.session.listener_left(100.0)  # transports may be late
        talk.session.listener_back()
        assert not talk.session.say("hello")


@contextmanager
def _no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


def _of_circles() -> list[str]:
    """The types of ours among what only the collector could free."""
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    types = (type(one) for one in gc.garbage)
    return sorted(one.__qualname__ for one in types if one.__module__.startswith("voicepipe"))


@pytest.mark.virtual_time
async def test_who_commits_and_hangs_up_at_once_leaves_no_utterance_open() -> None:
    """The task that writes its words down has not begun yet, and never does: a recognizer whose
    decoders are few would not get this one back."""
    async with conversation() as talk:
        await talk.speak(600)
        talk.session.handle(cmd.CommitAudio())
        await talk.session.aclose()
        recognizer: Any = talk.engines.recognizer
        assert [one._cancelled for one in recognizer._open] == [True]


@pytest.mark.virtual_time
async def test_a_session_whose_recognizer_opened_nothing_ends_all_the_same() -> None:
    async with conversation() as talk:
        unavailable = EngineUnavailable("the speech recognizer has not been started", stage="asr")
        with patch.object(talk.engines.recognizer, "open", side_effect=unavailable):
            with pytest.raises(EngineUnavailable):
                await talk.speak(600)
            await talk.session.aclose()


@pytest.mark.virtual_time
async def test_who_leaves_an_mcp_server_and_hangs_up_at_once_leaves_no_connection() -> None:
    """The task that closes it has not begun yet, and never does."""
    with patch.object(mcp, "McpTools") as made:
        source = made.return_value
        source.start, source.aclose, source.problem = AsyncMock(), AsyncMock(), "not there"
        async with conversation() as talk:
            settings = talk.session.settings
            servers = (McpServer("bookings", "http://127.0.0.1:1"),)
            talk.session.handle(cmd.UpdateSession(replace(settings, mcp=servers)))
            await talk.quiet(100)
            talk.session.handle(cmd.UpdateSession(settings))
            await talk.session.aclose()
            source.aclose.assert_awaited()


def _sound_bytes(of: object, others: list[object]) -> int:
    """Arrays and bytes that `of` reaches and that are not `others`'."""
    theirs = {id(one) for one in _reached(others, set())}
    found = 0
    for one in _reached([of], theirs):
        if isinstance(one, np.ndarray):
            found += one.nbytes if one.base is None else 0
        elif isinstance(one, bytes | bytearray):
            found += len(one)
    return found


def _reached(roots: list[object], known: set[int]) -> Iterator[object]:
    seen, waiting = set(known), list(roots)
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, type | ModuleType):
            continue
        seen.add(id(one))
        yield one
        waiting += gc.get_referents(one) if not isinstance(one, FunctionType) else _closure(one)


def _closure(function: FunctionType) -> list[object]:
    return list(function.__closure__ or ())
