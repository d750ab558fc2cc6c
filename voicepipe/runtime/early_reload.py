"""SIGHUP has a server load its agents anew. One that comes before there is a server would end the
process: it is kept until somebody can take it.
"""

from __future__ import annotations

import signal
from types import FrameType

_came: list[int] = []


def keep() -> None:
    """From now on, until another handler stands."""
    signal.signal(signal.SIGHUP, _note)


def hand_over() -> None:
    """Another handler stands: what was kept comes again, once."""
    if _came:
        _came.clear()
        signal.raise_signal(signal.SIGHUP)


def _note(number: int, frame: FrameType | None) -> None:
    _came.append(number)
