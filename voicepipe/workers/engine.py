"""What an engine inside a worker process looks like. Imports nothing: children start fast."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
    """Serves requests on one thread. A factory (`module:callable`) makes it from the JSON options
    and raises `Unavailable` if it cannot.

    An engine that batches by itself has an attribute `at_once`, an int: so many requests are then
    handled at the same time, each on a thread of its own.
    """

    info: Mapping[str, Any]
    """JSON-able facts sent with `ready`: sample rate, voices."""

    def handle(
        self, request: Mapping[str, Any], emit: Emit, cancelled: Cancelled
    ) -> Iterator[float] | None:
        """Serve one request; return soon after `cancelled()`. Raises `BadRequest`.

        A generator gives other requests a turn at each `yield` of the time, by `time.monotonic()`,
        by which its next reply is wanted; the most urgent request goes on. It is closed between two
        yields when cancelled. Anything else serves one request after the other.
        """
        ...
