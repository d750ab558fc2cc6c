"""What an ended session keeps: it is a circle of objects, and may wait long to be freed."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from types import FunctionType, ModuleType

import numpy as np
import pytest

from tests.session.harness import conversation

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
