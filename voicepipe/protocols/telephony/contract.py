"""What a telephone endpoint asks of a carrier's dialect: the whole contract of a sans-I/O codec."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from voicepipe.audio.formats import AudioFormat

Frame = str | bytes
"""A text or a binary message of the carrier's (for AudioSocket: bytes of the TCP stream)."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What the carrier does with the audio it is sent."""

    paces: bool  # it queues audio and plays it in real time; else the server keeps the beat
    flushes: bool  # the queue can be emptied from here
    marks: bool  # it says when playback has reached a mark
    silence_every_s: float | None = None  # where nothing was said for so long it wants a frame of
    # silence, or takes the line for dead; None: it does not mind


@dataclass(frozen=True, slots=True)
class CallStarted:
    """The stream is set up. Audio follows in `input_format`; the caller hears `output_format`."""

    call_id: str  # the carrier's id of the call: what its REST interface wants
    stream_id: str
    input_format: AudioFormat
    output_format: AudioFormat
    caller: str = ""
    called: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)  # custom ones; never trusted


@dataclass(frozen=True, slots=True)
class CallAudio:
    """Caller audio in `input_format`, in order. `lost_ms`: so much is missing before it."""

    data: bytes
    lost_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class DtmfPressed:
    digit: str  # 0-9 * # A-D


@dataclass(frozen=True, slots=True)
class MarkReached:
    """Playback has come to this mark, or a flush has dropped it: the sink knows which."""

    name: str


@dataclass(frozen=True, slots=True)
class QueueFull:
    """Send no more audio for now (Asterisk's XOFF); `QueueFree` follows."""


@dataclass(frozen=True, slots=True)
class QueueFree:
    pass


@dataclass(frozen=True, slots=True)
class CallEnded:
    reason: str  # in the field's words: "stop", "hangup", "error: ..."


CallEvent = CallStarted | CallAudio | DtmfPressed | MarkReached | QueueFull | QueueFree | CallEnded


class CallCodec(ABC):
    """One call's frames to events, and back. `receive` raises ProtocolError naming the field and
    the limit, with nothing changed, whatever a frame holds; `audio` and what follows it need
    `CallStarted` first.
    """

    abilities: Abilities  # final from `CallStarted` on: some peers say there what they can do

    @abstractmethod
    def receive(self, frame: Frame) -> Sequence[CallEvent]: ...

    def nothing_came(self) -> Sequence[CallEvent]:
        """The peer has been silent for a moment since it connected. Where only the caller's audio
        would start the call, it starts by itself, as it most likely is."""
        return ()

    @abstractmethod
    def audio(self, data: bytes) -> Sequence[Frame]:
        """Frames that play `data` (in `output_format`) behind what is queued: whole 20 ms frames,
        but for a reply's last, which is filled up with silence where the carrier wants it whole."""

    def mark(self, name: str) -> Sequence[Frame]:
        """Ask to be told when what was sent so far has been played. () without the ability."""
        return ()

    def flush(self) -> Sequence[Frame]:
        """Empty the carrier's queue. () without the ability."""
        return ()

    def hang_up(self) -> Sequence[Frame]:
        """Frames that end the call where the dialect has them; then the connection is closed."""
        return ()
