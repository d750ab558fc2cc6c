"""One emulated call: what the caller says goes up in real time, what the server sends is played in
real time, and all of it is written down."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

import numpy as np

from voicepipe.audio import pcm
from voicepipe.audio.codec import Decoder
from voicepipe.audio.pcm import FRAME_MS, Int16
from voicepipe.audio.resample import resample
from voicepipe.lab.carriers.connection import CLOSE_DEADLINE_S, Connection, open_connection
from voicepipe.lab.carriers.dialect import (
    Clear,
    Dialect,
    HangUp,
    Order,
    Other,
    Play,
    Problem,
    SetMark,
)
from voicepipe.lab.carriers.fault_injection import OVERSIZED_BYTES, Mischief, is_due
from voicepipe.lab.carriers.heard import Happening, Heard
from voicepipe.lab.carriers.playout import Playout
from voicepipe.lab.carriers.uplink import Uplink
from voicepipe.protocols.telephony.contract import Frame
from voicepipe.runtime.clock import Clock, MonotonicClock

BEAT_S = FRAME_MS / 1000

ECHO_BEATS = 8
"""160 ms: an echo's way to the far end and back."""


class EmulatedCall:
    """A call that is up; made by `ring`. Times are seconds of `clock`."""

    def __init__(
        self, dialect: Dialect, connection: Connection, clock: Clock, mischief: Mischief
    ) -> None:
        self.dialect, self.clock = dialect, clock
        self.ended = asyncio.Event()  # the connection is closed, from whichever side
        self.problems: list[str] = []  # rules of the dialect that the server broke
        self.others: list[Mapping[str, object]] = []  # JSON events of our own bridge
        self._line, self._mischief = connection, mischief
        self._time_line: list[Happening] = []
        self._uplink = Uplink(dialect.uplink)
        self._decoder = Decoder(dialect.downlink, dialect.downlink.rate)
        self._began_at = clock.now()
        self._playout = Playout(dialect.downlink.rate, self._began_at, dialect.max_queued_ms)
        self._chunks = 0
        self._swapped: Frame | None = None
        self._answers: deque[Frame] = deque()  # acknowledgements that are due
        self._hung_up = False  # by the server, in the dialect's words
        self._leaving = False  # from here: nothing is sent behind `stop`

    # -- what the caller does ---------------------------------------------------------------------

    async def say(self, samples: Int16, rate: int = pcm.SAMPLE_RATE) -> float:
        """Speak (int16 [n] at `rate` Hz); returns when the last of it has been sent, with that
        time. Silence is sent whenever nobody speaks."""
        spoken = self._uplink.say(resample(samples, rate, self.dialect.uplink.rate))
        await self._or_ended(spoken)
        self._note("said")
        return self.clock.now()

    async def press(self, digits: str) -> None:
        """Press keys, one after the other."""
        for digit in digits:
            for frame in self.dialect.dtmf(digit):
                await self._line.send(frame)
            self._note("dtmf", digit)

    async def hang_up(self) -> None:
        """End the call in good order: `stop`, then close."""
        self._leaving = True
        self._note("hung up")
        try:
            async with asyncio.timeout(CLOSE_DEADLINE_S):
                for frame in self.dialect.stop():
                    await self._line.send(frame)
        except TimeoutError:  # the server does not read
            self._line.abort()
        await self._line.close()

    def lose(self) -> None:
        """The line breaks: no goodbye of any kind."""
        self._note("lost")
        self._line.abort()

    # -- what the caller hears --------------------------------------------------------------------

    @property
    def heard(self) -> Heard:
        """Everything so far."""
        self._advance()
        return replace(self._playout.heard(), time_line=tuple(self._time_line))

    @property
    def longest_queue_ms(self) -> float:
        """The most audio that ever waited at the carrier: how far the server ran ahead."""
        return self._playout.longest_ms

    async def sound(self, after: float, timeout_s: float) -> float:
        """When the caller hears something after the time `after`. Raises TimeoutError."""
        async with asyncio.timeout(timeout_s):
            while (at := self._heard_since(after).sound_after(after)) is None:
                if self.ended.is_set():
                    why = self._line.why_closed()
                    raise TimeoutError(f"the call ended ({why}); nothing was heard")
                await asyncio.sleep(BEAT_S)
        return at

    async def silence(self, after: float, for_ms: float, timeout_s: float) -> float:
        """From when on, not before `after`, the caller hears nothing for `for_ms`, or for good
        where the call ends. Raises TimeoutError.
        """
        async with asyncio.timeout(timeout_s):
            while (at := self._heard_since(after).silent_from(after, for_ms)) is None:
                if self.ended.is_set():
                    return max((after, *(end for _, end in self.heard.spans())))
                await asyncio.sleep(BEAT_S)
        return at

    def _heard_since(self, at: float) -> Heard:
        self._advance()
        return self._playout.heard(at)

    async def _or_ended(self, wanted: asyncio.Future[None]) -> None:
        ended = asyncio.ensure_future(self.ended.wait())
        try:
            await asyncio.wait((wanted, ended), return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended.cancel()
        wanted.cancel()

    # -- the line ---------------------------------------------------------------------------------

    async def run(self) -> None:
        """Both directions, until the connection closes."""
        try:
            async with asyncio.TaskGroup() as tasks:
                beats = tasks.create_task(self._beats(), name="carrier's beats")
                await self._read()
                beats.cancel()
        finally:
            self._advance()
            self._note("closed", self._line.why_closed())
            self.ended.set()

    async def _beats(self) -> None:
        """20 ms up at each beat, by an absolute schedule: a late one is followed at once by those
        that are due meanwhile."""
        number = 0
        while True:
            due = self._began_at + number * BEAT_S
            await asyncio.sleep(max(0.0, due - self.clock.now()))
            if self._leaving:
                return
            self._advance()
            await self._answer()
            if self._uplink.speaking or not self._mischief.silence_suppressed:
                await self._send_chunk(self._uplink.frame(self._echo()))
            number += 1

    def _echo(self) -> Int16 | None:
        """Of what the caller hears, as the far end returns it."""
        if (loss_db := self._mischief.echo_db) is None:
            return None
        down, up = self.dialect.downlink.rate, self.dialect.uplink.rate
        returned = resample(self._playout.returned(ECHO_BEATS), down, up)
        fainter: Int16 = np.rint(returned * 10 ** (-loss_db / 20)).astype(np.int16)
        return fainter

    async def _send_chunk(self, data: bytes) -> None:
        self._chunks += 1
        number, mischief = self._chunks, self._mischief
        if is_due(mischief.malformed_every, number):
            await self._line.send(self.dialect.malformed())
        if is_due(mischief.oversized_every, number):
            await self._line.send(self.dialect.media(bytes(OVERSIZED_BYTES)))
        chunk = self.dialect.media(data)
        if is_due(mischief.drop_every, number):
            return
        if is_due(mischief.swap_every, number) and self._swapped is None:
            self._swapped = chunk
            return
        await self._line.send(chunk)
        if self._swapped is not None:
            held, self._swapped = self._swapped, None
            await self._line.send(held)

    async def _read(self) -> None:
        while (frame := await self._line.receive()) is not None:
            self._advance()  # first what was due before this came
            for order in self.dialect.receive(frame):
                self._obey(order)
            self._advance()  # marks behind an empty queue
            await self._answer()
            if self._hung_up:
                await self._line.close()

    def _obey(self, order: Order) -> None:
        match order:
            case Play(data):
                self._note("audio", f"{self.dialect.downlink.ms(len(data)):g} ms")
                lost_ms = self._playout.play(self._decoder.decode(data))
                if lost_ms:
                    self.problems.append(f"the queue is full: {lost_ms:g} ms of audio are lost")
            case SetMark(name):
                self._playout.mark(name)
            case Clear():
                self._note("clear", f"{self._playout.queued_ms:g} ms dropped")
                marks = self._playout.clear()
                self._answers += self.dialect.cleared()
                if self.dialect.marks_return_on_clear:
                    self._reached(marks)
            case HangUp():
                self._note("hangup")
                self._hung_up = True
            case Other(message):
                self.others.append(message)
            case Problem(text):
                self.problems.append(text)

    def _advance(self) -> None:
        if self.ended.is_set():
            return  # a dead line plays nothing
        self._reached(self._playout.advance(self.clock.now()))
        self._answers += self.dialect.queued(self._playout.queued_ms)

    def _reached(self, marks: list[str]) -> None:
        for name in marks:
            self._note("mark", name)
            self._answers += self.dialect.mark_reached(name)

    async def _answer(self) -> None:
        while self._answers:
            await self._line.send(self._answers.popleft())

    def _note(self, what: str, detail: str = "") -> None:
        self._time_line.append(Happening(self.clock.now(), what, detail))


@asynccontextmanager
async def ring(
    dialect: Dialect,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    clock: Clock | None = None,
    mischief: Mischief | None = None,
) -> AsyncIterator[EmulatedCall]:
    """Connect to ws://, wss:// or tcp://host:port and go through the dialect's handshake.

    The call is hung up, where it is not over, when the block is left. Raises CallRefused.
    """
    connection = await open_connection(url, headers or {})
    call = EmulatedCall(dialect, connection, clock or MonotonicClock(), mischief or Mischief())
    try:
        for frame in dialect.opening():
            await connection.send(frame)
    except BaseException:
        connection.abort()
        raise
    running = asyncio.create_task(call.run(), name=f"{dialect.name} call")
    try:
        yield call
        if not call.ended.is_set():
            await call.hang_up()
    finally:
        if not call.ended.is_set():
            connection.abort()
        await running
