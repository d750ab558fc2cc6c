"""What an engine inside a worker process looks like. Imports nothing: children start fast."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

Emit = Callable[[Mapping[str, Any], bytes], None]
"""Send one reply: a JSON-able header and payload bytes."""

Cancelled = Callable[[], bool]
"""True once nobody wants the rest; cheap, to be asked often."""


class Unavailable(Exception):
    """The engine cannot start here; the message says what is missing and how to get it."""


class BadRequest(Exception):
    """The request cannot be served, and trying again will not help; the message says why."""


class WorkerEngine(Protocol):
    """Serves one request at a time, on one thread. A factory (`module:callable`) makes it from
    the JSON options and raises `Unavailable` if it cannot.
    """

    info: Mapping[str, Any]
    """JSON-able facts sent with `ready`: sample rate, voices."""

    def handle(self, request: Mapping[str, Any], emit: Emit, cancelled: Cancelled) -> None:
        """Serve one request; return soon after `cancelled()`. Raises `BadRequest`."""
        ...
