"""What the adapters ask of the way to an engine, wherever that engine is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from voicepipe.runtime.errors import EngineError

Doing = Literal["listen", "answer", "warm", "speak"]


@dataclass(frozen=True, slots=True)
class Call:
    """One use of an engine."""

    engine: str  # its name in the host: the stage, and its role there: "asr", "llm.fallback"
    doing: Doing
    header: Mapping[str, Any] = field(default_factory=dict)
    key: str = ""  # calls with the same one find the same engine's cache

    @property
    def stage(self) -> str:
        return self.engine.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Facts:
    """What an engine says of itself once it has started."""

    name: str = ""
    sample_rate: int = 0  # Hz, synthesizers only
    voices: tuple[str, ...] = ()  # synthesizers only
    problem: str | None = None  # why it cannot serve now


class Receiver(Protocol):
    """Who made a call, being told what becomes of it; on the event loop, never for long."""

    def message(self, header: Mapping[str, Any], payload: bytes) -> None: ...

    def failed(self, error: EngineError) -> None:
        """The call is over. `Lost`: the way broke."""
        ...


class OpenCall(Protocol):
    """One call under way."""

    replica: str  # who serves it; "" on one machine
    node: str

    def send(self, header: Mapping[str, Any], payload: bytes = b"") -> None:
        """Never blocks, never raises: if the way is broken the receiver is told."""
        ...

    def close(self) -> None:
        """Nobody wants the rest; the engine stops. Idempotent, also after the end."""
        ...


class Channel(Protocol):
    """The way to engines, shared by the adapters of a process: open while one of them uses it."""

    async def start(self, user: object) -> None:
        """Begin to look for engines; does not wait for them."""
        ...

    async def facts(self, engine: str) -> Facts:
        """Wait until it has started. Raises EngineUnavailable: it will not, or not in time."""
        ...

    def problem(self, engine: str) -> str | None:
        """Why it cannot serve now; None: it can."""
        ...

    def open(self, call: Call, receiver: Receiver, avoid: frozenset[str] = frozenset()) -> OpenCall:
        """Begin a call. `avoid`: replicas that have just failed it.

        Raises Lost (nobody is there) or Refused (all that are there are full).
        """
        ...

    async def aclose(self, user: object) -> None:
        """The last of its users ends it, and the calls that are under way."""
        ...
