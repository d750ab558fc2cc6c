from __future__ import annotations

import gc
import weakref

import pytest

from voicepipe.runtime.gc_tuning import EVERY, TO_ONE, EndedCalls


class Circle:
    """What reference counts alone never free."""

    def __init__(self) -> None:
        self.me = self


@pytest.mark.parametrize("alive", [0, 5, 50, 400])
def test_ended_calls_are_freed_however_many_go_on(alive: int) -> None:
    gc.disable()
    try:
        ended = EndedCalls()
        for _ in range(2):
            gone = weakref.ref(Circle())
            for _ in range(max(EVERY, TO_ONE * alive) - 1):
                assert not ended.one_more(alive)
            assert gone() is not None
            assert ended.one_more(alive)
            assert gone() is None
    finally:
        gc.enable()
