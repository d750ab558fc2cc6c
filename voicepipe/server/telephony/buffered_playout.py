"""The sink of a carrier that queues audio and plays it by itself: given a little ahead, marked
every so often, flushed at a barge-in. Which audio was heard is told by the marks that come back.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from voicepipe.audio.formats import AudioFormat
from voicepipe.audio.pcm import FRAME_MS
from voicepipe.protocols.telephony.contract import CallCodec
from voicepipe.runtime.clock import Clock
from voicepipe.server.telephony.sender import Sender

log = logging.getLogger(__name__)

MARK_EVERY_MS = 200.0
"""Audio between two marks: how far the estimate can be off when a network hiccups."""

LEAST_QUEUE_MS = 100.0
"""What a carrier should always have to play: a network hiccups for so long."""

MARGIN_S = 0.04
"""Two frames: what a carrier has put on the line when it says that it has been played."""

MAX_LAG_S = 0.5
"""The most that is believed of a mark's way there and back."""

UNTOLD_LAG_S = 0.1
"""The same where the carrier sends no marks back: a guess between two continents and none."""

PATIENCE_S = 1.5
"""A mark that is overdue by so much will not come: from then on the clock has to do."""


@dataclass(frozen=True, slots=True)
class _Mark:
    name: str
    at_ms: float  # audio sent when it was asked for
    sent_at: float  # seconds of the clock
    due: float  # when it should be back


class BufferedPlayout:
    """See `PlayoutSink`. What was heard = the last mark that came back + the time since, but no
    further than the next mark that has not come back: rather too little than too much, so that
    what is said again after a false alarm leaves no gap. A mark that comes back after a flush was
    dropped with its audio and tells nothing.
    """

    def __init__(
        self, clock: Clock, codec: CallCodec, sender: Sender, wire: AudioFormat, lead_ms: float
    ) -> None:
        """`lead_ms`: audio in `wire` that the carrier holds ahead of playback."""
        self._clock, self._codec, self._sender, self._wire = clock, codec, sender, wire
        self._frame_bytes = round(FRAME_MS * wire.bytes_per_ms)
        self._target_ms = lead_ms
        self._rest = b""  # less than a frame, until more comes or the reply is finished
        self._left: list[Callable[[], None]] = []  # of the audio in it
        self._marks: deque[_Mark] = deque()  # asked for, not back yet
        self._marks_asked = 0
        self._trusts_marks = codec.abilities.marks
        self._lag_s = UNTOLD_LAG_S  # from sending audio to an empty queue to being sure that it
        # is being heard
        self._given_ms = 0.0
        self._heard_ms = 0.0
        self._marked_ms = 0.0  # the newest mark stands here
        # Playback comes by `_at_ms` at `_at` and goes on from there in real time.
        self._at_ms, self._at = 0.0, clock.now()
        if self._trusts_marks:
            self._ask_for_mark()  # before any audio: comes back at once and tells the lag

    @property
    def lead_ms(self) -> float:
        """See `PlayoutSink`. What was heard is known late, by the lag: a far carrier must be given
        more, or it runs dry."""
        return max(self._target_ms, self._lag_s * 1000 + LEAST_QUEUE_MS)

    @property
    def given_ms(self) -> float:
        """See `PlayoutSink`."""
        return self._given_ms

    def play(self, audio: bytes, duration_ms: float, left: Callable[[], None]) -> None:
        """See `PlayoutSink`."""
        starts_at = self._clock.now() + self._lag_s
        if starts_at > self._plays_until:  # the carrier has run dry, or is about to
            self._at_ms, self._at = self._given_ms, starts_at
        self._given_ms += duration_ms
        self._left.append(left)
        data = self._rest + audio
        whole = len(data) - len(data) % self._frame_bytes
        self._rest = data[whole:]
        self._send(data[:whole])
        if self._trusts_marks and self._sent_ms - self._marked_ms >= MARK_EVERY_MS:
            self._ask_for_mark()

    def flush(self) -> float:
        """See `PlayoutSink`."""
        heard_ms = self.heard_ms()
        self._marks.clear()
        self._rest = b""
        self._left.clear()
        self._sender.drop_sound()
        self._sender.put(self._codec.flush(), urgent=True)
        self._given_ms = self._marked_ms = self._at_ms = heard_ms
        self._at = self._clock.now()
        return heard_ms

    def heard_ms(self) -> float:
        """See `PlayoutSink`."""
        now = self._clock.now()
        if self._marks and now > self._marks[0].due + PATIENCE_S:
            log.warning("the carrier does not return marks: playback is estimated from now on")
            self._trusts_marks = False
            self._marks.clear()
        limit_ms = self._marks[0].at_ms if self._marks else self._sent_ms
        reached_ms = self._at_ms + (now - self._at) * 1000
        self._heard_ms = max(self._heard_ms, min(limit_ms, reached_ms))
        return self._heard_ms

    def expect(self) -> None:
        """See `PlayoutSink`. Nothing holds a first sample up here."""

    def finished(self) -> None:
        """See `PlayoutSink`."""
        self._send(self._rest)
        self._rest = b""
        if self._sent_ms > self._marked_ms:
            self._ask_for_mark()  # trusted or not: what a codec keeps back leaves with it

    def mark_reached(self, name: str) -> None:
        """The carrier has played up to this mark, or has flushed it."""
        if all(mark.name != name for mark in self._marks):
            return  # flushed, or never ours
        while (mark := self._marks.popleft()).name != name:
            pass  # lost on the way: what lies before a mark was played
        now = self._clock.now()
        if not mark.at_ms:  # nothing was to be played: this is the way there and back
            self._lag_s = min(MAX_LAG_S, now - mark.sent_at) + MARGIN_S
        elif now + MARGIN_S < mark.due:
            self._lag_s = max(MARGIN_S, self._lag_s - (mark.due - now - MARGIN_S))
        if mark.at_ms >= self._at_ms:  # else playback has begun anew since
            self._at_ms, self._at = mark.at_ms, now + MARGIN_S

    @property
    def _sent_ms(self) -> float:
        return self._given_ms - self._wire.ms(len(self._rest))

    def _send(self, data: bytes) -> None:
        """Whole frames, but for a reply's last: some carriers lose what is left over, and a mark
        within a frame would tear it."""
        if not data:
            return
        lefts, self._left = self._left, []
        self._sender.put(self._codec.audio(data), sound=True, left=partial(_call_all, lefts))

    @property
    def _plays_until(self) -> float:
        return self._at + (self._given_ms - self._at_ms) / 1000

    def _ask_for_mark(self) -> None:
        self._marks_asked += 1
        name, now = f"m{self._marks_asked}", self._clock.now()
        due = max(self._plays_until, now + self._lag_s)
        if self._trusts_marks:
            self._marks.append(_Mark(name, self._sent_ms, now, due))
        self._marked_ms = self._sent_ms
        self._sender.put(self._codec.mark(name), sound=True)


def _call_all(functions: Iterable[Callable[[], None]]) -> None:
    for function in functions:
        function()
