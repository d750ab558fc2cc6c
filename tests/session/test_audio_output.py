"""The output in virtual time: pace, pause, stop, and the estimate of what was played."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.session.phone import Phone, play_out
from tests.virtual_time import LoopClock, run_virtual
from voicepipe.audio import pcm
from voicepipe.audio.codec import Encoder
from voicepipe.audio.formats import PCM_16K, PCM_24K, PCMU_8K, AudioFormat
from voicepipe.audio.pcm import Int16
from voicepipe.lab.timed_sink import TimedSink
from voicepipe.runtime.errors import EngineError
from voicepipe.session.audio_output import SLICE_MS, AudioOutput, PlaybackClock

pytestmark = pytest.mark.virtual_time

RATE = 16_000
SPEECH: Int16 = np.random.default_rng(3).integers(-9000, 9000, RATE).astype(np.int16)
"""One second in which no two stretches are alike."""


class Listener:
    """Takes what the output sends, by itself or (with a lead) on a phone's sink."""

    def __init__(self, wire: AudioFormat = PCM_16K, lead_ms: float | None = None) -> None:
        self.clock = LoopClock()
        self.wire = wire
        self.sent: list[bytes] = []
        self.phone = Phone(self.clock, wire, lead_ms or 0.0)
        sink = None if lead_ms is None else self.phone.sink
        self.output = AudioOutput(self.clock, wire, RATE, PlaybackClock(self.clock), sink)
        self._began = self.clock.now()

    @property
    def now(self) -> float:
        return self.clock.now() - self._began

    @property
    def data(self) -> bytes:
        return b"".join(self.sent)

    async def play(self, data: bytes) -> None:
        """As a reply does."""
        for piece in self.output.slices(data):
            await self.output.room()
            if not self.output.stopped:
                self.sent.append(piece)
            self.output.hand_over(piece)

    async def say(self, samples: Int16 = SPEECH, chunk: int = 1600) -> None:
        for start in range(0, samples.size, chunk):
            await self.speak(samples[start : start + chunk])
        await self.play(self.output.encode_tail())

    async def speak(self, samples: Int16) -> None:
        await self.play(self.output.encode(samples))


@asynccontextmanager
async def saying(listener: Listener) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(listener.say())
    try:
        yield task
    finally:
        listener.output.stop()
        await task


# -- a listener that buffers and plays by itself ---------------------------------------------------


async def test_unpaced_audio_goes_out_as_soon_as_it_exists() -> None:
    listener = Listener()
    await listener.say()
    assert listener.now == 0.0
    assert listener.data == pcm.to_bytes(SPEECH)
    assert listener.output.sent_ms == 1000.0


async def test_unpaced_playback_is_estimated_from_the_first_sample_on() -> None:
    listener = Listener()
    output = listener.output
    await asyncio.sleep(3)
    assert output.played_ms() == 0.0
    await listener.say()
    await asyncio.sleep(0.25)
    assert output.played_ms() == pytest.approx(250)
    await asyncio.sleep(5)
    assert output.played_ms() == 1000.0, "no more than was sent"


async def test_gap_in_the_audio_is_not_counted_as_played() -> None:
    listener = Listener()
    output = listener.output
    await listener.speak(SPEECH[:1600])
    await asyncio.sleep(2)  # the listener ran dry after 100 ms
    await listener.speak(SPEECH[1600:])
    assert output.played_ms() == pytest.approx(100)
    await asyncio.sleep(0.3)
    assert output.played_ms() == pytest.approx(400)


async def test_audio_that_comes_in_time_plays_on_without_a_gap() -> None:
    listener = Listener()
    output = listener.output
    await listener.speak(SPEECH[:8000])
    await asyncio.sleep(0.2)
    await listener.speak(SPEECH[8000:])
    await asyncio.sleep(0.5)
    assert output.played_ms() == pytest.approx(700)


async def test_pause_cannot_reach_a_listener_that_has_it_all() -> None:
    listener = Listener()
    listener.output.pause()
    await listener.say()
    assert listener.output.sent_ms == 1000.0
    await asyncio.sleep(0.5)
    assert listener.output.played_ms() == pytest.approx(500)


@pytest.mark.parametrize("lead_ms", [None, 60.0])
async def test_played_out_waits_for_the_last_sample(lead_ms: float | None) -> None:
    listener = Listener(lead_ms=lead_ms)
    await listener.say()
    await listener.output.played_out()
    assert listener.now == pytest.approx(1.0, abs=0.002)
    assert listener.output.played_ms() == pytest.approx(1000, abs=1)


async def test_nothing_said_is_played_out_at_once() -> None:
    await Listener().output.played_out()
    assert Listener().output.stop() == 0.0


# -- a listener whose playback the server drives ---------------------------------------------------


@pytest.mark.parametrize("wire", [PCM_16K, PCM_24K, PCMU_8K], ids=lambda w: str(w.rate))
@pytest.mark.parametrize("lead_ms", [0.0, 20.0, 50.0, 60.0, 200.0])
async def test_paced_audio_is_never_further_ahead_than_the_lead(
    wire: AudioFormat, lead_ms: float
) -> None:
    listener = Listener(wire, lead_ms)
    await listener.say()
    await listener.output.played_out()
    assert listener.phone.most_waiting_ms <= max(lead_ms, SLICE_MS) + 0.2
    assert listener.phone.silent_ms < 0.2
    encoder = Encoder(RATE, wire)
    chunks = [encoder.encode(SPEECH[at : at + 1600]) for at in range(0, RATE, 1600)]
    whole = b"".join([*chunks, encoder.flush()])
    assert listener.data == whole
    assert whole.startswith(listener.phone.heard)
    assert wire.ms(len(whole)) - listener.phone.heard_ms < 1


async def test_pacing_does_not_drift() -> None:
    listener = Listener(lead_ms=60.0)
    await listener.say(np.tile(SPEECH, 60))
    assert listener.now == pytest.approx(60 - 0.06, abs=0.02)
    assert listener.phone.silent_ms < 0.2


async def test_pause_is_silence_at_once_and_resume_goes_on_at_the_same_sample() -> None:
    listener = Listener(lead_ms=200.0)
    async with saying(listener) as speech:
        await asyncio.sleep(0.3)
        listener.output.pause()
        assert listener.phone.waiting == b""
        heard = listener.phone.heard
        assert listener.output.played_ms() == pytest.approx(300)
        await asyncio.sleep(2)
        assert listener.phone.heard == heard
        assert listener.output.played_ms() == pytest.approx(300)
        listener.output.resume()
        await speech
        await listener.output.played_out()
        await asyncio.sleep(0.001)
    assert listener.phone.heard == pcm.to_bytes(SPEECH)
    assert listener.data == pcm.to_bytes(SPEECH), "nothing is counted twice"
    assert listener.phone.most_waiting_ms <= 200.2


async def test_what_was_taken_back_is_given_again_in_the_middle_of_a_sample_clock() -> None:
    listener = Listener(PCMU_8K, lead_ms=60.0)
    async with saying(listener) as speech:
        for hold_s in (0.1237, 0.0513, 0.0001):
            await asyncio.sleep(hold_s)
            listener.output.pause()
            await asyncio.sleep(hold_s)
            listener.output.resume()
        await speech
        await listener.output.played_out()
    missing = len(listener.data) - len(listener.phone.heard)
    assert listener.data.startswith(listener.phone.heard)
    assert 0 <= missing <= 8, "the last half millisecond is not waited for"


async def test_pause_twice_and_resume_without_a_pause_change_nothing() -> None:
    listener = Listener(lead_ms=60.0)
    async with saying(listener) as speech:
        listener.output.resume()
        await asyncio.sleep(0.2)
        listener.output.pause()
        listener.output.pause()
        listener.output.resume()
        await speech
        await listener.output.played_out()
    assert listener.phone.silent_ms < 0.2
    assert pcm.to_bytes(SPEECH).startswith(listener.phone.heard)


async def test_reply_paused_before_its_first_sample_waits() -> None:
    listener = Listener(lead_ms=60.0)
    listener.output.pause()
    async with saying(listener) as speech:
        await asyncio.sleep(1)
        assert listener.phone.pieces == []
        listener.output.resume()
        await speech
    assert listener.data == pcm.to_bytes(SPEECH)


async def test_stop_ends_the_output_and_tells_what_was_heard() -> None:
    listener = Listener(lead_ms=60.0)
    async with saying(listener) as speech:
        await asyncio.sleep(0.5)
        assert listener.output.stop() == pytest.approx(500)
        assert listener.phone.waiting == b""
        arrived = len(listener.phone.pieces)
        await speech
        await listener.speak(SPEECH)
        await listener.output.played_out()
        assert len(listener.phone.pieces) == arrived
    assert listener.phone.heard_ms == pytest.approx(500)
    assert listener.now == pytest.approx(0.5, abs=0.03)


async def test_stop_reaches_a_paused_mouth() -> None:
    listener = Listener(lead_ms=60.0)
    async with saying(listener) as speech:
        await asyncio.sleep(0.3)
        listener.output.pause()
        await asyncio.sleep(1)
        heard_ms = listener.output.stop()
        await asyncio.wait_for(speech, 0.1)
    assert heard_ms == pytest.approx(300)


async def test_the_second_reply_on_a_leg_counts_from_its_own_first_sample() -> None:
    first = Listener(lead_ms=60.0)
    await first.say()
    await first.output.played_out()
    second = AudioOutput(
        first.clock, first.wire, RATE, PlaybackClock(first.clock), first.phone.sink
    )
    assert second.played_ms() == 0.0
    await play_out(second, pcm.to_bytes(SPEECH[:8000]))
    await second.played_out()
    assert second.played_ms() == pytest.approx(500, abs=1)
    assert first.phone.heard_ms == pytest.approx(1500, abs=1)


async def test_a_leg_that_plays_nothing_is_not_waited_for_for_ever() -> None:
    class DeadLeg(TimedSink):
        def heard_ms(self) -> float:
            return 0.0

    listener = Listener(lead_ms=60.0)
    sink = DeadLeg(listener.clock, 60.0, lambda data: None, lambda: None)
    output = AudioOutput(listener.clock, PCM_16K, RATE, PlaybackClock(listener.clock), sink)
    with pytest.raises(EngineError, match="nothing was played for 5 s"):
        await play_out(output, pcm.to_bytes(SPEECH))
    assert listener.now == pytest.approx(5, abs=0.1)


async def test_audio_that_leaves_late_is_told_of_when_it_leaves() -> None:
    waiting: list[Callable[[], None]] = []

    class Track(TimedSink):
        def play(self, audio: bytes, duration_ms: float, left: Callable[[], None]) -> None:
            super().play(audio, duration_ms, lambda: waiting.append(left))

    told: list[bool] = []
    listener = Listener()
    sink = Track(listener.clock, 60.0, lambda data: None, lambda: None)
    output = AudioOutput(
        listener.clock, PCM_16K, RATE, PlaybackClock(listener.clock), sink, told.append
    )
    await play_out(output, pcm.to_bytes(SPEECH[:320]))
    assert told == []
    waiting[0]()
    assert told == [True]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), max_size=6),
    st.integers(40, 5000),
    st.sampled_from([20.0, 60.0, 90.0, 200.0]),
)
def test_any_pauses_lose_and_double_no_sample(
    pauses: list[tuple[int, int]], chunk: int, lead_ms: float
) -> None:
    async def talk() -> None:
        listener = Listener(lead_ms=lead_ms)
        speech = asyncio.create_task(listener.say(SPEECH, chunk))
        for talk_ms, hold_ms in pauses:
            await asyncio.sleep(talk_ms / 1000)
            listener.output.pause()
            heard = listener.phone.heard
            await asyncio.sleep(hold_ms / 1000)
            assert listener.phone.heard == heard
            listener.output.resume()
        await speech
        await listener.output.played_out()
        await asyncio.sleep(0.01)
        assert listener.phone.heard == listener.data == pcm.to_bytes(SPEECH)
        assert listener.phone.most_waiting_ms <= lead_ms + 0.2

    run_virtual(talk())


@pytest.mark.parametrize("again_ms", [0, 333, 20, 5000, 20.02, 333.333])
async def test_what_nobody_heard_is_said_again_from_the_sample_where_it_stopped(
    again_ms: float,
) -> None:
    """The line was dead for `again_ms` before anybody noticed, and then for two seconds more."""
    listener = Listener(lead_ms=100)
    saying = asyncio.create_task(listener.say())
    await asyncio.sleep(0.6)
    listener.output.pause()
    heard_ms = listener.phone.heard_ms
    back_ms = listener.output.rewind(again_ms)
    listener.output.shift(back_ms)
    assert back_ms == pytest.approx(min(again_ms, heard_ms), abs=0.1)
    assert listener.output.played_ms() == pytest.approx(heard_ms - back_ms, abs=0.1)
    await asyncio.sleep(2)
    assert listener.phone.heard_ms == heard_ms
    listener.output.resume()
    await saying
    await listener.output.played_out()
    await asyncio.sleep(0.01)  # it may be half a millisecond early

    whole, size = listener.data, PCM_16K.bytes_per_sample
    cut = len(listener.phone.heard) - len(whole)  # said twice
    assert PCM_16K.ms(cut) == pytest.approx(back_ms, abs=0.1)
    before = round(heard_ms * PCM_16K.rate / 1000) * size
    assert listener.phone.heard == whole[:before] + whole[before - cut :]
    assert listener.output.played_ms() == pytest.approx(listener.output.sent_ms, abs=0.5)


async def test_a_sink_that_was_held_is_told_again_that_nothing_more_comes() -> None:
    """With the audio that it gave back it forgot that, too, and would keep less than a frame."""
    listener = Listener(lead_ms=200.0)
    sink, told = listener.phone.sink, list[float]()
    finished = sink.finished

    def counted() -> None:
        told.append(listener.now)
        finished()

    sink.finished = counted  # type: ignore[method-assign]
    await listener.say()
    waiting = asyncio.create_task(listener.output.played_out())
    await asyncio.sleep(0.05)
    listener.output.pause()
    await asyncio.sleep(1)
    assert len(told) == 1
    listener.output.resume()
    assert len(told) == 2
    await waiting
