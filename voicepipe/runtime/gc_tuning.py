"""The garbage collector, set so that it seldom stops every session at once."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

RARE = 200
"""Young collections between two of everything, of which the stock setting has 10. What they leave
behind, circles that lived for seconds, is about 70 objects a turn; a walk over all objects of a
hundred sessions takes 40 to 80 ms."""


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
