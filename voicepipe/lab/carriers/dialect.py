"""The carrier's side of a dialect, sans I/O: what it sends, and what it makes of what it gets."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from voicepipe.audio.formats import AudioFormat
from voicepipe.protocols.telephony.contract import Frame
from voicepipe.runtime.errors import ConfigError

CALLED = "+15550002"


@dataclass(frozen=True, slots=True)
class CallDetails:
    """Who calls whom, and what the stream carries along."""

    caller: str = "+15550001"
    called: str = CALLED
    call_id: str = field(default_factory=lambda: uuid.uuid4().hex)
    stream_id: str = field(default_factory=lambda: uuid.uuid4().hex)
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ring:
    """A webhook's request: a POST."""

    body: bytes
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Stream:
    """What the document that answers it asks for. `headers`: of the upgrade."""

    url: str
    details: CallDetails  # with the document's parameters
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Play:
    """The server sent audio, in the dialect's `downlink` format."""

    data: bytes


@dataclass(frozen=True, slots=True)
class SetMark:
    name: str


@dataclass(frozen=True, slots=True)
class Clear:
    pass


@dataclass(frozen=True, slots=True)
class HangUp:
    pass


@dataclass(frozen=True, slots=True)
class Other:
    """A message that is no order: our own bridge's events."""

    message: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Problem:
    """The server broke a rule of the dialect; a real carrier logs it or hangs up."""

    text: str


Order = Play | SetMark | Clear | HangUp | Other | Problem


class Dialect(ABC):
    """One call at one carrier. `uplink`: what the caller says is sent in; `downlink`: what the
    server is to send."""

    name: ClassVar[str]
    marks_return_on_clear: ClassVar[bool] = False
    max_queued_ms: ClassVar[float | None] = None

    def __init__(
        self,
        uplink: AudioFormat,
        downlink: AudioFormat,
        details: CallDetails | None = None,
        *,
        encoding: str | None = None,
    ) -> None:
        """`encoding`: announced instead of the true one (mischief)."""
        self.uplink, self.downlink = uplink, downlink
        self.details = details or CallDetails()
        self._lie = encoding

    @classmethod
    def call(cls, details: CallDetails | None = None) -> Dialect:
        """One in the carrier's default formats."""
        make: Callable[[CallDetails | None], Dialect] = cls
        return make(details)

    @abstractmethod
    def opening(self) -> Sequence[Frame]:
        """What is sent before any audio."""

    @abstractmethod
    def media(self, data: bytes) -> Frame:
        """Caller audio in `uplink`; takes the next number where chunks are numbered."""

    @abstractmethod
    def dtmf(self, digit: str) -> Sequence[Frame]:
        """The caller pressed a key."""

    def mark_reached(self, name: str) -> Sequence[Frame]:
        """Playback has come to a mark, or it is handed back by a clear."""
        return ()

    def cleared(self) -> Sequence[Frame]:
        """The queue was emptied as asked."""
        return ()

    def queued(self, queued_ms: float) -> Sequence[Frame]:
        """The queue holds so much now."""
        return ()

    def stop(self) -> Sequence[Frame]:
        """The caller has hung up; the connection is closed behind this."""
        return ()

    def malformed(self) -> Frame:
        """A message that no carrier should send."""
        return '{"event":"media","media":{"payload":'

    @classmethod
    def ring(cls, url: str, details: CallDetails, secret: str, now_s: float) -> Ring:
        """The POST that tells of a call, signed where `secret` is set. Raises ConfigError for a
        bridge, which has no webhook."""
        raise ConfigError(f"{cls.name} rings no webhook")

    @classmethod
    def told(cls, document: str, details: CallDetails, secret: str) -> Stream:
        """What the answer asks for. Raises ValueError, KeyError, TypeError or ParseError."""
        raise ConfigError(f"{cls.name} rings no webhook")

    @abstractmethod
    def receive(self, frame: Frame) -> Sequence[Order]:
        """What the server wants. Never raises: its mistakes are `Problem`s."""
