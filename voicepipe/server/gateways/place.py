"""What a gateway is told of itself, and what it tells its parent."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from pathlib import Path
from typing import Any

from voicepipe.runtime.errors import EngineUnavailable, VoicepipeError
from voicepipe.server.gateways.channel import MAX_MESSAGE, Channel

MAX_WHY = MAX_MESSAGE // 2
"""Bytes of an explanation, as a message carries it: what is not ASCII takes six, or twelve."""


class Port(StrEnum):
    """Which listener a connection came by."""

    HTTP = "http"
    AUDIOSOCKET = "audiosocket"


class Stage(StrEnum):
    """How far a gateway is: SERVING takes connections, READY takes calls, LEAVING takes no more
    calls and says so to connections that no other can have, ENDING answers those that it has."""

    STARTING = "starting"
    SERVING = "serving"
    READY = "ready"
    LEAVING = "leaving"
    ENDING = "ending"


@dataclass(frozen=True, slots=True)
class Place:
    """`number`: from 1; whoever replaces a dead gateway has its number, and an `id` of its own.
    `folder`: what the gateways share, for as long as the server runs."""

    number: int
    id: str
    folder: Path
    channel: Channel

    @property
    def first(self) -> bool:
        """Whether it does what only one of them should: old calls deleted, progress shown."""
        return self.number == 1


def tell_failure(channel: Channel, error: VoicepipeError) -> None:
    """For a gateway: why it cannot start."""
    stage = error.stage if isinstance(error, EngineUnavailable) else ""
    channel.send({"failed": _as_much_as_fits(str(error)), "stage": stage})


def _as_much_as_fits(text: str) -> str:
    sizes = accumulate(len(json.dumps(one)) - len('""') for one in text[:MAX_WHY])
    return text[: sum(size <= MAX_WHY for size in sizes)]


def failure_of(body: dict[str, Any]) -> VoicepipeError:
    """For the parent: the same error."""
    if body["stage"]:
        return EngineUnavailable(body["failed"], stage=body["stage"])
    return VoicepipeError(body["failed"])
