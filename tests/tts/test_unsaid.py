from __future__ import annotations

from collections.abc import AsyncIterator

import numpy as np
import pytest

from voicepipe.tts.contract import Speech, WordTime
from voicepipe.tts.unsaid import unsaid

RATE = 1000


async def said_again() -> AsyncIterator[Speech]:
    """Three chunks of 100 ms, by a second engine."""
    for n in range(3):
        word = WordTime(char=4 * n, length=3, start_s=n / 10)
        route = {} if n else {"tts": "fallback_open"}
        yield Speech(np.full(100, n, dtype=np.int16), (word,), route=route)


@pytest.mark.parametrize("said_s", [0.05, 0.1, 0.25])
async def test_who_says_the_rest_is_told_though_its_beginning_is_not_heard(said_s: float) -> None:
    rest = [chunk async for chunk in unsaid(said_again(), said_s, RATE)]
    assert sum(chunk.pcm.size for chunk in rest) == 300 - round(said_s * RATE)
    assert [dict(chunk.route) for chunk in rest][:1] == [{"tts": "fallback_open"}]
    assert not any(chunk.route for chunk in rest[1:])
