"""The mouth in virtual time: pace, pause, stop, and the estimate of what was played."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.virtual_time import LoopClock, run_virtual
from voicepipe.audio import pcm
from voicepipe.audio.codec import Encoder
from voicepipe.audio.formats import PCM_16K, PCM_24K, PCMU_8K, AudioFormat
from voicepipe.audio.pcm import Int16
from voicepipe.session.mouth import SLICE_MS, Mouth

pytestmark = pytest.mark.virtual_time

RATE = 16_000
SPEECH: Int16 = np.random.default_rng(3).integers(-9000, 9000, RATE).astype(np.int16)
"""One second in which no two stretches are alike."""


class Listener:
    """Takes what the mouth sends; a player that plays what arrives, as a phone does."""

    def __init__(self, wire: AudioFormat = PCM_16K, lead_ms: float | None = None) -> None:
        self.clock = LoopClock()
        self.wire = wire
        self.sent: list[tuple[float, bytes]] = []  # seconds since the beginning
        self.mouth = Mouth(self.clock, wire, RATE, self._take, lead_ms)
        self._began = self.clock.now()
        self._plays_until = 0.0
        self.most_buffered_ms = 0.0
        self.starved_ms = 0.0  # silence between the first sample and the last

    @property
    def now(self) -> float:
        return self.clock.now() - self._began

    @property
    def data(self) -> bytes:
        return b"".join(data for _, data in self.sent)

    def _take(self, data: bytes, duration_ms: float) -> None:
        assert duration_ms == pytest.approx(self.wire.ms(len(data)))
        if self.sent:
            self.starved_ms += 1000 * max(0.0, self.now - self._plays_until)
        self._plays_until = max(self._plays_until, self.now) + duration_ms / 1000
        self.most_buffered_ms = max(self.most_buffered_ms, 1000 * (self._plays_until - self.now))
        self.sent.append((self.now, data))

    async def say(self, samples: Int16 = SPEECH, chunk: int = 1600) -> None:
        for start in range(0, samples.size, chunk):
            await self.speak(samples[start : start + chunk])
        await self.mouth.play(self.mouth.encode_tail())

    async def speak(self, samples: Int16) -> None:
        await self.mouth.play(self.mouth.encode(samples))


@asynccontextmanager
async def saying(listener: Listener) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(listener.say())
    try:
        yield task
    finally:
        listener.mouth.stop()
        await task


# -- a listener that buffers and plays by itself ---------------------------------------------------


async def test_unpaced_audio_goes_out_as_soon_as_it_exists() -> None:
    listener = Listener()
    await listener.say()
    assert listener.now == 0.0
    assert listener.data == pcm.to_bytes(SPEECH)
    assert listener.mouth.sent_ms == 1000.0


async def test_unpaced_playback_is_estimated_from_the_first_sample_on() -> None:
    listener = Listener()
    mouth = listener.mouth
    await asyncio.sleep(3)
    assert mouth.played_ms() == 0.0
    await listener.say()
    await asyncio.sleep(0.25)
    assert mouth.played_ms() == pytest.approx(250)
    await asyncio.sleep(5)
    assert mouth.played_ms() == 1000.0, "no more than was sent"


async def test_gap_in_the_audio_is_not_counted_as_played() -> None:
    listener = Listener()
    mouth = listener.mouth
    await listener.speak(SPEECH[:1600])
    await asyncio.sleep(2)  # the listener ran dry after 100 ms
    await listener.speak(SPEECH[1600:])
    assert mouth.played_ms() == pytest.approx(100)
    await asyncio.sleep(0.3)
    assert mouth.played_ms() == pytest.approx(400)


async def test_audio_that_comes_in_time_plays_on_without_a_gap() -> None:
    listener = Listener()
    mouth = listener.mouth
    await listener.speak(SPEECH[:8000])
    await asyncio.sleep(0.2)
    await listener.speak(SPEECH[8000:])
    await asyncio.sleep(0.5)
    assert mouth.played_ms() == pytest.approx(700)


async def test_pause_cannot_reach_a_listener_that_has_it_all() -> None:
    listener = Listener()
    listener.mouth.pause()
    await listener.say()
    assert listener.mouth.sent_ms == 1000.0
    await asyncio.sleep(0.5)
    assert listener.mouth.played_ms() == pytest.approx(500)


@pytest.mark.parametrize("lead_ms", [None, 60.0])
async def test_played_out_waits_for_the_last_sample(lead_ms: float | None) -> None:
    listener = Listener(lead_ms=lead_ms)
    await listener.say()
    await listener.mouth.played_out()
    assert listener.now == pytest.approx(1.0, abs=0.002)
    assert listener.mouth.played_ms() == pytest.approx(1000, abs=1)


async def test_nothing_said_is_played_out_at_once() -> None:
    await Listener().mouth.played_out()
    assert Listener().mouth.stop() == 0.0


# -- a listener that plays what arrives ------------------------------------------------------------


@pytest.mark.parametrize("wire", [PCM_16K, PCM_24K, PCMU_8K], ids=lambda w: str(w.rate))
@pytest.mark.parametrize("lead_ms", [0.0, 20.0, 50.0, 60.0, 200.0])
async def test_paced_audio_is_never_further_ahead_than_the_lead(
    wire: AudioFormat, lead_ms: float
) -> None:
    listener = Listener(wire, lead_ms)
    await listener.say()
    assert listener.most_buffered_ms <= max(lead_ms, SLICE_MS) + 0.1
    assert listener.starved_ms < 0.1
    encoder = Encoder(RATE, wire)
    chunks = [encoder.encode(SPEECH[at : at + 1600]) for at in range(0, RATE, 1600)]
    assert listener.data == b"".join([*chunks, encoder.flush()])


async def test_pacing_does_not_drift() -> None:
    listener = Listener(lead_ms=60.0)
    await listener.say(np.tile(SPEECH, 60))
    assert listener.now == pytest.approx(60 - 0.06, abs=0.02)
    assert listener.starved_ms < 0.1


async def test_pause_holds_and_resume_goes_on_at_the_same_sample() -> None:
    listener = Listener(lead_ms=60.0)
    async with saying(listener) as speech:
        await asyncio.sleep(0.3)
        listener.mouth.pause()
        sent = len(listener.data)
        await asyncio.sleep(2)
        assert len(listener.data) == sent
        listener.mouth.resume()
        await speech
    assert listener.data == pcm.to_bytes(SPEECH)
    assert listener.most_buffered_ms <= 60.1


async def test_lead_that_was_out_at_a_pause_counts_as_played_and_is_built_up_again() -> None:
    listener = Listener(lead_ms=60.0)
    async with saying(listener) as speech:
        await asyncio.sleep(0.3)
        listener.mouth.pause()
        await asyncio.sleep(1)
        assert listener.mouth.played_ms() == listener.mouth.sent_ms
        listener.mouth.resume()
        await asyncio.sleep(0.1)
        assert listener.mouth.sent_ms - listener.mouth.played_ms() > 39
        await speech
    held_ms = 1000 - 60  # the pause, less what the listener still had
    assert listener.starved_ms == pytest.approx(held_ms, abs=25)


async def test_resume_without_a_pause_and_pause_twice_change_nothing() -> None:
    listener = Listener(lead_ms=60.0)
    async with saying(listener) as speech:
        listener.mouth.resume()
        await asyncio.sleep(0.2)
        listener.mouth.pause()
        listener.mouth.pause()
        listener.mouth.resume()
        await speech
    assert listener.starved_ms < 0.1
    assert listener.data == pcm.to_bytes(SPEECH)


async def test_reply_paused_before_its_first_sample_waits() -> None:
    listener = Listener(lead_ms=60.0)
    listener.mouth.pause()
    async with saying(listener) as speech:
        await asyncio.sleep(1)
        assert listener.data == b""
        listener.mouth.resume()
        await speech
    assert listener.data == pcm.to_bytes(SPEECH)


async def test_stop_ends_the_output_and_tells_what_was_heard() -> None:
    listener = Listener(lead_ms=60.0)
    async with saying(listener) as speech:
        await asyncio.sleep(0.5)
        assert listener.mouth.stop() == pytest.approx(500)
        sent = len(listener.data)
        await speech
        assert len(listener.data) == sent
        await listener.speak(SPEECH)
        assert len(listener.data) == sent
        await listener.mouth.played_out()
    assert listener.now == pytest.approx(0.5, abs=0.03)


async def test_stop_reaches_a_paused_mouth() -> None:
    listener = Listener(lead_ms=60.0)
    async with saying(listener) as speech:
        await asyncio.sleep(0.3)
        listener.mouth.pause()
        await asyncio.sleep(1)
        heard_ms = listener.mouth.stop()
        await asyncio.wait_for(speech, 0.1)
    assert heard_ms == listener.mouth.sent_ms, "the lead that was out has been played"
    assert 300 < heard_ms <= 360


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), max_size=6),
    st.integers(40, 5000),
    st.sampled_from([20.0, 60.0, 90.0]),
)
def test_any_pauses_lose_and_double_no_sample(
    pauses: list[tuple[int, int]], chunk: int, lead_ms: float
) -> None:
    async def talk() -> None:
        listener = Listener(lead_ms=lead_ms)
        speech = asyncio.create_task(listener.say(SPEECH, chunk))
        for talk_ms, hold_ms in pauses:
            await asyncio.sleep(talk_ms / 1000)
            listener.mouth.pause()
            sent = len(listener.data)
            await asyncio.sleep(hold_ms / 1000)
            assert len(listener.data) == sent
            listener.mouth.resume()
        await speech
        assert listener.data == pcm.to_bytes(SPEECH)
        assert listener.most_buffered_ms <= lead_ms + 0.1

    run_virtual(talk())
