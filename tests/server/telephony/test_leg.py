"""What the sinks believe of playback against what a far end really plays, in virtual time."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from tests.session.phone import play_out
from tests.virtual_time import LoopClock
from voicepipe.audio import g711
from voicepipe.audio.formats import PCMU_8K
from voicepipe.audio.pcm import Int16
from voicepipe.lab.carriers.playout import Playout
from voicepipe.protocols.telephony.carriers.asterisk import AsteriskWebSocketCodec
from voicepipe.protocols.telephony.contract import Abilities, CallCodec, CallEvent, Frame
from voicepipe.server.telephony.buffered_playout import PATIENCE_S, BufferedPlayout
from voicepipe.server.telephony.realtime_pacer import LEAD_MS, RealtimePacer
from voicepipe.server.telephony.sender import Sender
from voicepipe.session.audio_output import AudioOutput, PlaybackClock

pytestmark = pytest.mark.virtual_time

SPEECH: Int16 = np.random.default_rng(3).integers(2000, 9000, 24_000).astype(np.int16)
"""Three seconds at 8 kHz."""


class Codec(CallCodec):
    """Frames that say what they are."""

    def __init__(self, *, marks: bool = True) -> None:
        self.abilities = Abilities(paces=True, flushes=True, marks=marks)

    def receive(self, frame: Frame) -> Sequence[CallEvent]:
        return ()

    def audio(self, data: bytes) -> Sequence[Frame]:
        return (data,)

    def mark(self, name: str) -> Sequence[Frame]:
        return (name,) if self.abilities.marks else ()

    def flush(self) -> Sequence[Frame]:
        return ("clear",)


class FarEnd:
    """A carrier `way_s` away, each way: plays what has arrived, returns marks or forgets them."""

    broken = False

    def __init__(self, way_s: float, *, returns_marks: bool = True) -> None:
        self.clock = LoopClock()
        self.way_s, self.returns_marks = way_s, returns_marks
        self.playout = Playout(8000, self.clock.now())
        self.mark_reached: Callable[[str], None] = lambda name: None
        self._coming: deque[Frame] = deque()
        self._going: deque[str] = deque()

    async def receive(self) -> Frame | None:
        return None

    async def send(self, frame: Frame) -> None:
        self._coming.append(frame)
        asyncio.get_running_loop().call_later(self.way_s, self._arrive)

    async def close(self) -> None: ...

    def _arrive(self) -> None:
        frame = self._coming.popleft()  # timers of the same instant have no order of their own
        self.advance()
        if isinstance(frame, bytes):
            self.playout.play(g711.decode(frame, "pcmu"))
        elif frame == "clear":
            self._return(self.playout.clear())
        else:
            self.playout.mark(frame)
        self.advance()

    def advance(self) -> None:
        self._return(self.playout.advance(self.clock.now()))

    def _return(self, marks: list[str]) -> None:
        for name in marks if self.returns_marks else ():
            self._going.append(name)
            asyncio.get_running_loop().call_later(
                self.way_s, lambda: self.mark_reached(self._going.popleft())
            )

    @property
    def heard_ms(self) -> float:
        """Really."""
        return float(np.count_nonzero(self.playout.heard().samples)) / 8

    async def run(self) -> None:
        while True:
            await asyncio.sleep(0.02)
            self.advance()


class Telephone:
    """A output, a sink and the far end."""

    def __init__(self, far: FarEnd, *, marks: bool = True) -> None:
        self.far = far
        codec = Codec(marks=marks)
        self.sender = Sender(far)
        self.sink = BufferedPlayout(far.clock, codec, self.sender, PCMU_8K, 200)
        far.mark_reached = self.sink.mark_reached
        self.output = AudioOutput(far.clock, PCMU_8K, 8000, PlaybackClock(far.clock), self.sink)
        self.most_believed_ms = -1e9  # more than was true
        self._tasks: list[asyncio.Task[Any]] = []

    async def __aenter__(self) -> Telephone:
        works = (self.far.run(), self.sender.run(), self._compare())
        self._tasks = [asyncio.create_task(work) for work in works]
        await asyncio.sleep(4 * self.far.way_s + 0.02)  # the first mark has come back
        return self

    async def __aexit__(self, *exc: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _compare(self) -> None:
        while True:
            await asyncio.sleep(0.007)
            self.far.advance()
            too_much = self.sink.heard_ms() - self.far.heard_ms
            self.most_believed_ms = max(self.most_believed_ms, too_much)

    async def say(self, samples: Int16 = SPEECH) -> None:
        for start in range(0, samples.size, 801):  # never whole frames
            await play_out(self.output, self.output.encode(samples[start : start + 801]))
        await self.output.played_out()


@pytest.mark.parametrize("way_s", [0.0, 0.04, 0.15])
async def test_never_believes_more_than_is_true_and_all_of_it_in_the_end(way_s: float) -> None:
    async with Telephone(FarEnd(way_s)) as phone:
        await phone.say()
        assert phone.sink.heard_ms() == pytest.approx(3000, abs=0.6)
        phone.far.advance()
        assert phone.far.heard_ms == 3000
        assert phone.most_believed_ms <= 0.6


@pytest.mark.parametrize(("way_s", "most_ms"), [(0.0, 200), (0.03, 200), (0.15, 440)])
async def test_audio_runs_200_ms_ahead_and_never_dry(way_s: float, most_ms: float) -> None:
    """Where the way there and back takes 300 ms, 200 would leave the carrier dry."""
    far = FarEnd(way_s)
    async with Telephone(far) as phone:
        began = far.clock.now()
        await phone.say()
        took_s = far.clock.now() - began
    assert most_ms - 20 <= far.playout.longest_ms <= most_ms + 1
    sounding = np.flatnonzero(far.playout.heard().samples)
    assert sounding[-1] - sounding[0] + 1 == SPEECH.size, "there is a gap in it"
    assert took_s < 3.0 + 2 * way_s + 0.15


@pytest.mark.parametrize("way_s", [0.0, 0.04])
@pytest.mark.parametrize("pause_s", [0.05, 0.31, 1.0, 1.55])
async def test_pause_and_resume_lose_nothing_and_repeat_little(
    way_s: float, pause_s: float
) -> None:
    far = FarEnd(way_s)
    async with Telephone(far) as phone:
        saying = asyncio.create_task(phone.say())
        await asyncio.sleep(pause_s)
        phone.output.pause()
        await asyncio.sleep(0.4)
        phone.output.resume()
        await saying
        far.advance()
        heard = far.playout.heard().samples
    sounds = heard[heard != 0]
    wire = g711.decode(g711.encode(SPEECH, "pcmu"), "pcmu")
    repeated = sounds.size - wire.size
    assert 0 <= repeated <= (2 * way_s + 0.24) * 8000
    cut = next(n for n in range(wire.size + 1) if n == wire.size or sounds[n] != wire[n])
    assert np.array_equal(sounds[cut:], wire[wire.size - (sounds.size - cut) :])


async def test_carrier_that_returns_no_marks_is_estimated_after_some_patience(
    caplog: pytest.LogCaptureFixture,
) -> None:
    far = FarEnd(0.02, returns_marks=False)
    async with Telephone(far) as phone:
        await asyncio.wait_for(phone.say(), 3.0 + 2 * PATIENCE_S)
    assert far.heard_ms == 3000
    assert sum("does not return marks" in m for m in caplog.messages) == 1


async def test_carrier_without_marks_is_estimated_at_once() -> None:
    far = FarEnd(0.02)
    async with Telephone(far, marks=False) as phone:
        began = far.clock.now()
        await phone.say()
        assert far.clock.now() - began < 3.3
        assert phone.most_believed_ms <= 0.6, "100 ms are allowed for the way"
    assert far.heard_ms == 3000


@pytest.mark.parametrize("marks", [True, False])
async def test_the_rest_of_a_reply_that_a_codec_keeps_back_is_sent(marks: bool) -> None:
    """Asterisk's frames may be longer than 20 ms, and in its text form it knows no marks."""
    far, frames = FarEnd(0.0), list[Frame]()
    codec = AsteriskWebSocketCodec()
    start = {"connection_id": "c", "channel": "1", "format": "ulaw", "optimal_frame_size": 320}
    in_text = " ".join(["MEDIA_START", *(f"{name}:{value}" for name, value in start.items())])
    codec.receive(json.dumps({"event": "MEDIA_START", **start}) if marks else in_text)

    async def noted(frame: Frame) -> None:
        frames.append(frame)

    far.send = noted  # type: ignore[method-assign]
    sender = Sender(far)
    sink = BufferedPlayout(far.clock, codec, sender, PCMU_8K, 200)
    task = asyncio.create_task(sender.run())
    for _ in range(2):
        sink.play(b"\x01" * 480, 60, lambda: None)
        sink.finished()
        await asyncio.sleep(1)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    sound = b"".join(frame for frame in frames if isinstance(frame, bytes))
    assert sound == 2 * (b"\x01" * 480 + b"\xff" * 160)


async def test_mark_of_flushed_audio_says_nothing() -> None:
    far = FarEnd(0.0)
    async with Telephone(far) as phone:
        saying = asyncio.create_task(phone.say())
        await asyncio.sleep(0.5)
        heard_ms = phone.output.stop()
        await saying
        await asyncio.sleep(0.3)
        assert phone.sink.heard_ms() == phone.sink.given_ms == pytest.approx(heard_ms)
        assert heard_ms <= far.heard_ms


async def test_paced_leg_keeps_the_beat_and_stays_40_ms_ahead() -> None:
    far, times = FarEnd(0.0), list[float]()
    sender = Sender(far)
    sink = RealtimePacer(far.clock, Codec(marks=False), sender, PCMU_8K)
    output = AudioOutput(far.clock, PCMU_8K, 8000, PlaybackClock(far.clock), sink)
    send = far.send

    async def noted(frame: Frame) -> None:
        times.append(far.clock.now())
        assert len(frame) == 160
        await send(frame)

    far.send = noted  # type: ignore[method-assign]
    tasks = [asyncio.create_task(w) for w in (sink.run(), sender.run(), far.run())]
    await play_out(output, output.encode(SPEECH[:8100]))
    await output.played_out()
    ahead = [20 * n - 1000 * (at - times[0]) for n, at in enumerate(times, 1)]
    assert max(ahead) <= LEAD_MS + 0.5
    assert ahead[-1] > LEAD_MS - 21, "it has drifted"
    assert sink.heard_ms() == pytest.approx(8100 / 8, abs=0.6)
    saying = asyncio.create_task(play_out(output, output.encode(SPEECH)))
    await asyncio.sleep(0.5)
    frames = len(times)
    output.stop()
    await asyncio.sleep(0.3)
    assert len(times) <= frames + 1, "what was not sent is dropped"
    assert sink.heard_ms() == sink.given_ms
    for task in (*tasks, saying):
        task.cancel()
    await asyncio.gather(*tasks, saying, return_exceptions=True)
