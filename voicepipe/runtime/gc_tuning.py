"""The garbage collector, set so that it seldom stops every session at once."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

RARE = 200
"""Young collections between two of everything, of which the stock setting has 10. What they leave
behind, circles that lived for seconds, is about 70 objects a turn; a walk over all objects of a
hundred sessions takes 40 to 80 ms."""


EVERY = 25
"""Ended sessions. They free themselves (tests/session/test_ended.py); their transports' libraries
leave circles of connections, tracks and timers."""

TO_ONE = 2
"""Ended sessions for one that goes on: a walk's cost grows with both, so each call bears the same
part of it, and what has ended never outweighs what is alive by much."""


def spare() -> None:
    """What is alive now lives for ever (models, code) and is not walked any more; all that comes is
    walked whole a twentieth as often."""
    gc.collect()
    gc.freeze()
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, RARE)


@contextmanager
def spared() -> Iterator[None]:
    """The same for a while."""
    threshold = gc.get_threshold()
    spare()
    try:
        yield
    finally:
        gc.set_threshold(*threshold)
        gc.unfreeze()


class EndedCalls:
    """What transports leave of a call stays until everything is walked, while the others wait. So
    that is done when enough have ended to be worth it."""

    def __init__(self) -> None:
        self._ended = 0

    def one_more(self, alive: int) -> bool:
        """A session has ended and `alive` go on; whether that was the time to walk."""
        self._ended += 1
        if self._ended < max(EVERY, TO_ONE * alive):
            return False
        self._ended = 0
        gc.collect()
        return True
