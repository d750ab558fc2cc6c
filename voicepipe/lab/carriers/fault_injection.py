"""What an emulated carrier may do wrong, so that a server can be seen to bear it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mischief:
    """All switches are off (0, None) by default. `every`: each so-manyeth chunk of audio."""

    drop_every: int = 0  # the chunk is counted but not sent
    swap_every: int = 0  # the chunk is sent behind its successor
    malformed_every: int = 0  # a broken message goes before the chunk
    oversized_every: int = 0  # a chunk of `OVERSIZED_BYTES` of audio goes before it
    encoding: str | None = None  # `start` announces this instead of the truth
    silence_suppressed: bool = False  # nothing is sent while the caller says nothing
    echo_db: float | None = None  # what the caller hears comes back so much fainter, after 160 ms


OVERSIZED_BYTES = 70_000


def is_due(every: int, number: int) -> bool:
    """Whether chunk `number` (from 1) is one of each `every`."""
    return every > 0 and number % every == 0
