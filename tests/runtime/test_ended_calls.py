from __future__ import annotations

import gc
import weakref

from voicepipe.runtime.gc_tuning import EVERY, FEW, EndedCalls


class Circle:
    """What reference counts alone never free."""

    def __init__(self) -> None:
        self.me = self


def test_ended_calls_are_freed_now_and_then_while_few_go_on() -> None:
    gc.disable()
    try:
        ended = EndedCalls()
        gone = weakref.ref(Circle())
        for _ in range(EVERY - 1):
            assert not ended.one_more(0)
        assert gone() is not None
        assert not ended.one_more(FEW + 1), "many would have to wait"
        assert ended.one_more(FEW)
        assert gone() is None
        assert not ended.one_more(0)
    finally:
        gc.enable()
