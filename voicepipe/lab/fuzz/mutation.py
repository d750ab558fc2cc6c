"""From a good message to a bad one. Pure: the same random numbers make the same messages."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

NASTY: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63), 10**400, 0.5, -0.0, 1e308),
    *("", " ", "\x00", "\ud800", "\u202e", "𝕏", "a" * 5000, "../../etc/passwd", "%s%n", "{{7*7}}"),
    *("=", "AAAA", "////", "A" * 4093, "NaN", "session.update", "root", "item_1"),
    *([], {}, [[]], [None], {"": ""}, {"type": None}, [{"type": "message"}] * 3),
)
"""Values that break what was written for others."""

SPLICE = 40
"""Bytes that a mutation of bytes inserts, removes or repeats, at most."""


def mutated_json(message: Any, rng: random.Random, others: list[Any]) -> Any:
    """A message with one to four things wrong."""
    found = copy.deepcopy(message)
    for _ in range(rng.randint(1, 4)):
        places = _places(found)
        if not places:
            return rng.choice(NASTY)
        container, key = rng.choice(places)
        rng.choice(_CHANGES)(container, key, rng, others)
    return found


def mutated_text(text: str, rng: random.Random) -> str:
    """A text with bytes wrong, still a text."""
    return mutated_bytes(text.encode("utf-8", "surrogatepass"), rng).decode("utf-8", "replace")


def mutated_bytes(data: bytes, rng: random.Random) -> bytes:
    """Bytes flipped, cut out, repeated, put in."""
    found = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(found) + 1)
        end = min(len(found), at + rng.randint(1, SPLICE))
        match rng.randrange(5):
            case 0 if found:
                found[at % len(found)] ^= 1 << rng.randrange(8)
            case 1:
                del found[at:end]
            case 2:
                found[at:at] = found[at:end]
            case 3:
                found[at:at] = rng.randbytes(rng.randint(1, SPLICE))
            case _:
                del found[at:]
    return bytes(found)


def dumped(message: Any) -> str:
    """As a client might write it that does not look."""
    return json.dumps(message, ensure_ascii=True)


Change = Callable[[Any, Any, random.Random, list[Any]], None]


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) in a JSON value."""
    found, waiting = [], [value]
    while waiting:
        container = waiting.pop()
        if isinstance(container, dict | list):
            keys = list(container) if isinstance(container, dict) else range(len(container))
            for key in keys:
                found.append((container, key))
                waiting.append(container[key])
    return found


def _nasty(container: Any, key: Any, rng: random.Random, others: list[Any]) -> None:
    container[key] = copy.deepcopy(rng.choice(NASTY))


def _borrowed(container: Any, key: Any, rng: random.Random, others: list[Any]) -> None:
    """A value from elsewhere, mostly of the wrong kind."""
    place, name = rng.choice(_places(rng.choice(others)) or [({0: None}, 0)])
    container[key] = copy.deepcopy(place[name])


def _removed(container: Any, key: Any, rng: random.Random, others: list[Any]) -> None:
    del container[key]


def _wrapped(container: Any, key: Any, rng: random.Random, others: list[Any]) -> None:
    container[key] = rng.choice(([container[key]], {"type": container[key]}))


def _repeated(container: Any, key: Any, rng: random.Random, others: list[Any]) -> None:
    if isinstance(container, list):
        container += [copy.deepcopy(container[key])] * rng.choice((1, 20))
    else:
        container[f"{key}_"] = container[key]


def _deeper(container: Any, key: Any, rng: random.Random, others: list[Any]) -> None:
    value: Any = container[key]
    for _ in range(rng.choice((3, 100))):
        value = [value]
    container[key] = value


_CHANGES: tuple[Change, ...] = (_nasty, _nasty, _borrowed, _removed, _wrapped, _repeated, _deeper)
