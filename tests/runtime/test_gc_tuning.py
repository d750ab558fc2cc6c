"""The collector is spared for a while, and as it was before after that."""

from __future__ import annotations

import gc

from voicepipe.runtime.gc_tuning import RARE, spared


def test_what_lives_is_not_walked_while_spared() -> None:
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    alive = [[number] for number in range(1000)]
    with spared():
        assert gc.get_freeze_count() > frozen + len(alive)
        assert gc.get_threshold() == (*before[:2], RARE)
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
