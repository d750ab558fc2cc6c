"""Rendezvous hashing: each key has an order of the places of its own. A place that comes or goes
changes the first choice of its own share of the keys only. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def ranked(key: str, places: Iterable[str]) -> list[str]:
    """The places, the key's first choice first."""
    return sorted(places, key=lambda place: _weight(key, place), reverse=True)


def _weight(key: str, place: str) -> bytes:
    return hashlib.blake2b(f"{key}\0{place}".encode(), digest_size=8).digest()
