"""How far an engine's start has come, told to whoever shows it, through all that wraps it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_listener: ContextVar[Callable[[str], None] | None] = ContextVar("startup", default=None)


@contextmanager
def told(listener: Callable[[str], None]) -> Iterator[None]:
    """What is reported within the block, by this task and those it makes, goes to `listener`."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report(step: str) -> None:
    """What is being done now, in a few words: "loading weights"."""
    listener = _listener.get()
    if listener is not None:
        listener(step)
