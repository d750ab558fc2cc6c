"""The output: turns synthesized audio into wire audio, paces it, and knows what has been played.

Two kinds of listener:

- one that buffers and plays by itself (a WebSocket client): audio goes out as soon as it exists,
  and what was played is *estimated* from the time the first sample left;
- one whose playback the server drives (`playout_sink.py`): audio goes out at most the sink's lead
  ahead of playback, and a pause takes back what has not been heard, to say it again if the pause
  was for nothing.

Pacing is by timestamps: a late wake-up sends what is due and leaves no drift.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from voicepipe.audio.codec import Encoder
from voicepipe.audio.formats import AudioFormat
from voicepipe.audio.pcm import Int16
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import EngineError
from voicepipe.session.playout_sink import PlayoutSink
from voicepipe.session.turn_detection_audio import TurnDetectionAudio

SLICE_MS = 20.0
"""What a paced output sends at a time; also its least lead."""

REWIND_MS = 5000.0
"""So much of what was played is kept, in case that nobody was there to hear it."""

ROUNDING_MS = 0.01
"""Times are floats: a wait may end this much early rather than be followed by one of nothing."""

STALL_S = 5.0
"""A sink that plays nothing for so long, with audio in its hands, will play nothing any more."""


class PlaybackClock:
    """What a listener must have heard by now: audio is played from its arrival on, without gaps
    while there is any. An estimate for sinks that are not told, and for clients that buffer.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began_at: float | None = None  # when playback would have begun without gaps
        self.given_ms = 0.0

    def give(self, duration_ms: float) -> None:
        """The listener has been handed so much more."""
        now = self._clock.now()
        if self._began_at is None or self.heard_ms() >= self.given_ms:  # it had run dry
            self._began_at = now - self.given_ms / 1000
        self.given_ms += duration_ms

    def heard_ms(self) -> float:
        """Of all that was given."""
        if self._began_at is None:
            return 0.0
        return min(self.given_ms, max(0.0, (self._clock.now() - self._began_at) * 1000))

    def take_back(self, ms: float) -> None:
        """So much of what was given will not be played."""
        self.given_ms = max(self.heard_ms(), self.given_ms - ms)

    def flush(self) -> float:
        """The listener forgets the rest; returns what it has heard."""
        self.given_ms = self.heard_ms()
        return self.given_ms


@dataclass(frozen=True, slots=True)
class _Piece:
    """Wire audio given to a sink, until it has been heard."""

    data: bytes
    start_ms: float  # in this reply's audio
    answer: bool


class AudioOutput:
    """Speaks one reply. Audio goes through `slices`, and each slice through `room` and `hand_over`;
    so whoever writes the reply tells of it just before it leaves. `left(answer)` is told when a
    sink has sent a slice off.
    """

    def __init__(
        self,
        clock: Clock,
        wire: AudioFormat,
        rate: int,
        playback: PlaybackClock,
        sink: PlayoutSink | None = None,
        left: Callable[[bool], None] = lambda answer: None,
        heard_back: TurnDetectionAudio | None = None,
    ) -> None:
        """`playback`: of a listener without a sink; all replies of a session share it, since one
        may be written while the one before still plays. `heard_back` takes what the listener plays
        out of their line again."""
        self._clock = clock
        self._wire = wire
        self._left, self._heard_back = left, heard_back
        self._sink = sink
        self._encoder = Encoder(rate, wire)
        self._playing = asyncio.Event()
        self._playing.set()
        self._playback = playback
        self._began_ms: float | None = None  # the listener's own count at our first sample
        self._unheard: deque[_Piece] = deque()  # in the sink's hands, or taken back from them
        self._heard: deque[_Piece] = deque()  # the newest of what was played
        self.sent_ms = 0.0
        self._complete = False  # nothing more of it comes
        self.stopped = False

    @property
    def paced(self) -> bool:
        """The server drives the playback."""
        return self._sink is not None

    def encode(self, pcm: Int16) -> bytes:
        """Wire audio of the next chunk of speech. Apart from `play`, so that it can be done while
        the reply still waits for its turn.
        """
        return self._encoder.encode(pcm)

    def encode_tail(self) -> bytes:
        """The resampler's last samples, when no more speech comes."""
        return self._encoder.flush()

    def slices(self, data: bytes) -> Iterator[bytes]:
        """Wire audio in the pieces in which it is handed over."""
        size = round(SLICE_MS * self._wire.bytes_per_ms) if self.paced else max(1, len(data))
        return (data[start : start + size] for start in range(0, len(data), size))

    def ms(self, data: bytes) -> float:
        """How long wire audio lasts."""
        return len(data) / self._wire.bytes_per_ms

    async def room(self) -> None:
        """Wait until the sink wants its next slice. Raises EngineError where it has stalled."""
        if (sink := self._sink) is not None:
            await self._until_unheard_is(lambda: max(sink.lead_ms, SLICE_MS) - SLICE_MS)

    def hand_over(self, data: bytes, *, answer: bool = True) -> None:
        """A slice for the listener. `answer` False: a filler or a greeting, which answers nothing.
        Nothing, once the output was stopped."""
        if self.stopped or not data:
            return
        duration_ms = self.ms(data)
        if self._began_ms is None:
            self._began_ms = self._listener.given_ms
        piece = _Piece(data, self.sent_ms, answer)
        self.sent_ms += duration_ms
        if self._sink is None:
            self._playback.give(duration_ms)
            if self._heard_back is not None and self._heard_back.cleans_echo:
                self._heard_back.played(data)
            return
        self._forget_heard()
        self._unheard.append(piece)
        self._give(self._sink, piece)

    async def played_out(self) -> None:
        """Wait until the listener has heard everything, pauses included. Raises EngineError where a
        sink has stalled."""
        if self._sink is not None and not self.stopped:
            self._complete = True
            self._sink.finished()
        await self._until_unheard_is(lambda: 0.5)

    def played_ms(self) -> float:
        """Audio of this reply heard so far, as far as the server can know."""
        if self._began_ms is None:
            return 0.0
        return min(self.sent_ms, max(0.0, self._listener.heard_ms() - self._began_ms))

    @property
    def _listener(self) -> PlayoutSink | PlaybackClock:
        return self._playback if self._sink is None else self._sink

    @property
    def unheard_ms(self) -> float:
        """Of what was sent; less than 1 ms is rounding, and counts as heard."""
        left_ms = self.sent_ms - self.played_ms()
        return left_ms if left_ms >= 1 else 0.0

    def pause(self) -> None:
        """Fall silent, and take back what has not been heard. A listener that buffers all by
        itself is beyond reach and goes on."""
        if self._sink is None:
            return
        self._playing.clear()
        self._flush(self._sink)
        self._forget_heard()

    def resume(self) -> None:
        """Go on at the sample where `pause` stopped."""
        if self._sink is not None and not self._playing.is_set() and not self.stopped:
            for piece in self._unheard:
                self._give(self._sink, piece)
            if self._complete:  # what a sink was told of that, it has forgotten with the audio
                self._sink.finished()
        self._playing.set()

    def rewind(self, ms: float) -> float:
        """While paused: the last `ms` that were played are to be said again, since nobody heard
        them; returns how much of that is still known. `shift` all outputs of the sink then."""
        wanted = left = self._size(ms)  # bytes: what rounds to nothing must not be asked for again
        while self._heard and left > 0:
            piece = self._heard.pop()
            kept = len(piece.data) - left
            if kept > 0:
                self._heard.append(_Piece(piece.data[:kept], piece.start_ms, piece.answer))
                start_ms = piece.start_ms + self._wire.ms(kept)
                piece = _Piece(piece.data[kept:], start_ms, piece.answer)
            self._unheard.appendleft(piece)
            left -= len(piece.data)
        return self._wire.ms(wanted - left)

    def say_again(self, ms: float) -> float:
        """As `rewind`, of an output that was played to its end, before all others of the sink."""
        back_ms = self.rewind(ms)
        left_ms = sum(self.ms(piece.data) for piece in self._unheard)
        self._began_ms = self._listener.heard_ms() + left_ms - self.sent_ms
        return back_ms

    def shift(self, ms: float) -> None:
        """So much of what the sink has played is said again: what is ours comes so much later."""
        if self._began_ms is not None:
            self._began_ms += ms

    def stop(self) -> float:
        """Nothing more goes out, and a sink drops what it holds; returns ms heard. Where another
        reply has audio in the sink's hands, pause that first and resume it afterwards."""
        if self._sink is not None and not self.stopped and self._began_ms is not None:
            self._flush(self._sink)
        heard = self.played_ms()
        if self._sink is None and not self.stopped:
            self._playback.take_back(self.sent_ms - heard)
            if self._heard_back is not None:
                self._heard_back.taken_back(self.sent_ms - heard)
        self.stopped = True
        self._unheard.clear()
        self._heard.clear()
        self._playing.set()
        return heard

    async def _until_unheard_is(self, most_ms: Callable[[], float]) -> None:
        """Wait until no more than this is left to be heard of what was sent. A sink's lead may
        grow meanwhile, so it is asked for again and again."""
        heard_ms, since = -1.0, self._clock.now()
        while not self.stopped:
            if not self._playing.is_set():
                await self._playing.wait()  # owner: the reply's task, which an interrupt cancels
                since = self._clock.now()
            excess_ms = self.sent_ms - self.played_ms() - most_ms()
            if excess_ms <= ROUNDING_MS:
                return
            now_ms = self._listener.heard_ms()  # of the reply before, too, while that still plays
            if now_ms > heard_ms:
                heard_ms, since = now_ms, self._clock.now()
            elif self._clock.now() - since > STALL_S:
                raise EngineError(f"nothing was played for {STALL_S:.0f} s", stage="output")
            await asyncio.sleep(excess_ms / 1000)

    def _size(self, ms: float) -> int:
        """Bytes of so much wire audio, whole samples."""
        return round(ms * self._wire.rate / 1000) * self._wire.bytes_per_sample

    def _remember(self, piece: _Piece) -> None:
        self._heard.append(piece)
        while self._heard[-1].start_ms - self._heard[0].start_ms > REWIND_MS:
            self._heard.popleft()

    def _give(self, sink: PlayoutSink, piece: _Piece) -> None:
        sink.play(piece.data, self.ms(piece.data), partial(self._leaves, piece))

    def _leaves(self, piece: _Piece) -> None:
        """A sink sends it off."""
        if self._heard_back is not None:
            self._heard_back.left(piece.data, self.ms(piece.data))
        self._left(piece.answer)

    def _flush(self, sink: PlayoutSink) -> None:
        heard_ms = sink.flush()
        if self._heard_back is not None:
            self._heard_back.flushed(heard_ms)

    def _forget_heard(self) -> None:
        """Drop what was heard from the pieces in the sink's hands, to the sample."""
        heard_ms, wire = self.played_ms(), self._wire
        while self._unheard:
            piece = self._unheard[0]
            size = self._size(heard_ms - piece.start_ms)
            if size <= 0:
                return
            self._unheard.popleft()
            self._remember(_Piece(piece.data[:size], piece.start_ms, piece.answer))
            if size < len(piece.data):
                rest = _Piece(piece.data[size:], piece.start_ms + wire.ms(size), piece.answer)
                self._unheard.appendleft(rest)
                return
