from __future__ import annotations

import asyncio

import numpy as np
import pytest

from tests.asr.test_utterance import House, house
from tests.asr.toy_speech import ToyEngine, say
from tests.virtual_time import LoopClock
from voicepipe.asr.contract import AsrOptions, Transcript, Utterance
from voicepipe.asr.engines.simulated import SimulatedRecognizer, SimulatedUtterance
from voicepipe.asr.fallback import MAX_KEPT_S, FallbackRecognizer
from voicepipe.audio.pcm import SAMPLE_RATE
from voicepipe.config import LatencySettings, SimulatedSettings
from voicepipe.resilience.breaker import Breaker, BreakerOptions
from voicepipe.runtime.errors import EngineError, RequestRefused

pytestmark = pytest.mark.virtual_time
SECOND = np.zeros(16_000, dtype=np.int16)


class Broken(SimulatedRecognizer):
    """Its finals fail while `broken`."""

    broken = True
    error: Exception = EngineError("the model is gone", stage="asr")

    def open(self, options: AsrOptions) -> SimulatedUtterance:
        utterance = super().open(options)
        heard = utterance.final

        async def final() -> Transcript:
            if self.broken:
                raise self.error
            return await heard()

        utterance.final = final  # type: ignore[method-assign]
        return utterance


def recognizer(delay_ms: float, text: str, kind: type[SimulatedRecognizer]) -> SimulatedRecognizer:
    return kind(SimulatedSettings(asr=LatencySettings(mean_ms=delay_ms)), (text,), LoopClock())


def both(
    primary_ms: float = 100,
    kind: type[SimulatedRecognizer] = SimulatedRecognizer,
    final_ms: float = 300,
) -> tuple[FallbackRecognizer, SimulatedRecognizer, SimulatedRecognizer]:
    first = recognizer(primary_ms, "first heard", kind)
    second = recognizer(50, "second heard", SimulatedRecognizer)
    clock = LoopClock()
    breaker = Breaker(BreakerOptions(min_calls=2, calls=4, open_s=10), clock)
    return FallbackRecognizer(first, second, breaker, final_ms, clock), first, second


class Housed(SimulatedRecognizer):
    """A scheduler of a toy engine."""

    def __init__(self, house: House) -> None:
        super().__init__(SimulatedSettings())
        self._house = house

    def open(self, options: AsrOptions) -> Utterance:  # type: ignore[override]
        return self._house.open(options)


async def hear(engine: FallbackRecognizer) -> Transcript:
    utterance = engine.open(AsrOptions())
    utterance.feed(SECOND)
    try:
        return await utterance.final()
    finally:
        utterance.cancel()


async def test_a_final_in_time_is_the_primarys_and_the_fallback_is_not_even_opened() -> None:
    engine, _, second = both()
    transcript = await hear(engine)
    assert transcript.text == "first heard"
    assert transcript.route == {"asr": "primary"}
    assert second._opened == 0
    await engine.start()
    await engine.aclose()


async def test_a_late_final_comes_from_the_fallback_which_hears_all_the_audio() -> None:
    engine, _, _ = both(primary_ms=5000)
    clock = LoopClock()
    utterance = engine.open(AsrOptions())
    utterance.feed(SECOND)
    utterance.feed(SECOND)
    began = clock.now()
    transcript = await utterance.final()
    assert clock.now() - began == pytest.approx(0.35, abs=0.001)
    assert transcript.text == "second heard"
    assert transcript.audio_s == pytest.approx(2.0)
    assert transcript.planned_s == pytest.approx(0.35)
    utterance.feed(SECOND)  # the user went on
    again = await utterance.final()
    assert again.audio_s == pytest.approx(3.0)
    assert engine.decisions == {"fallback_late": 2}
    utterance.cancel()


async def test_failures_go_to_the_fallback_and_then_past_the_primary_until_it_is_back() -> None:
    engine, first, _ = both(kind=Broken)
    for _ in range(2):
        assert (await hear(engine)).route == {"asr": "fallback_error"}
    assert engine.breaker.state.value == "open"
    assert (await hear(engine)).route == {"asr": "fallback_open"}
    Broken.broken = False
    try:
        await asyncio.sleep(10)
        assert (await hear(engine)).route == {"asr": "primary"}
    finally:
        Broken.broken = True
    assert engine.breaker.state.value == "closed"
    assert first.finals == 1


async def test_what_is_no_engines_error_opens_the_breaker_too() -> None:
    engine, first, _ = both(kind=Broken)
    assert isinstance(first, Broken)
    first.error = RuntimeError("a library's own")
    for _ in range(2):
        assert (await hear(engine)).text == "second heard"
    assert engine.breaker.state.value == "open"


async def test_what_one_caller_asks_in_vain_is_no_failure_of_the_engine() -> None:
    engine, first, _ = both(kind=Broken)
    first.error = RequestRefused("no language 'xx'", stage="asr")  # type: ignore[attr-defined]
    for _ in range(4):
        assert (await hear(engine)).route == {"asr": "fallback_error"}
    first.broken = False  # type: ignore[attr-defined]
    assert (await hear(engine)).route == {"asr": "primary"}  # of all others


async def test_while_the_breaker_is_open_partials_come_from_the_fallback() -> None:
    engine, _, _ = both(kind=Broken)
    for _ in range(2):
        await hear(engine)
    utterance = engine.open(AsrOptions())
    utterance.feed(SECOND)
    utterance.cancel()
    hypotheses = [hypothesis.text async for hypothesis in utterance.hypotheses()]
    assert hypotheses == ["second heard"]


async def test_cancelling_a_final_leaves_no_decode_running() -> None:
    engine, _, _ = both(primary_ms=5000)
    utterance = engine.open(AsrOptions())
    utterance.feed(SECOND)
    waiting = asyncio.ensure_future(utterance.final())
    await asyncio.sleep(0.32)  # both are at work
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    utterance.cancel()
    assert not [t for t in asyncio.all_tasks() if t.get_name().startswith("hedge")]


async def test_a_cancelled_utterance_asks_nobody() -> None:
    """Else the breaker would count a caller's change of mind as a failure, and the fallback's
    utterance would stay open."""
    engine, _, second = both()
    utterance = engine.open(AsrOptions())
    utterance.feed(SECOND)
    utterance.cancel()
    with pytest.raises(EngineError, match="cancelled"):
        await utterance.final()
    assert engine.breaker.counts.failures == 0
    assert second._opened == 0


@pytest.mark.parametrize("final_ms", [0, 20])
async def test_one_that_is_cancelled_in_its_final_is_no_failure_either(final_ms: float) -> None:
    slow = ToyEngine(delay_s=0.1)
    async with house(slow) as first, house(slow) as second:
        breaker = Breaker(BreakerOptions(), LoopClock())
        pair = (Housed(first), Housed(second))
        engine = FallbackRecognizer(*pair, breaker, final_ms, LoopClock())
        utterance = engine.open(AsrOptions(partials=False))
        utterance.feed(say([1, 2]))
        waiting = asyncio.create_task(utterance.final())
        await asyncio.sleep(0.05)
        utterance.cancel()
        (told,) = await asyncio.gather(waiting, return_exceptions=True)
        assert isinstance(told, EngineError)
        assert "cancelled" in str(told)
        assert breaker.counts.failures == 0


async def test_the_fallback_hears_the_beginning_of_what_is_too_long() -> None:
    """An item of a client's comes in one piece."""
    engine, _, _ = both(kind=Broken)
    utterance = engine.open(AsrOptions())
    utterance.feed(np.zeros(round((MAX_KEPT_S + 1) * SAMPLE_RATE), dtype=np.int16))
    utterance.feed(SECOND)
    transcript = await utterance.final()
    assert transcript.text == "second heard"
    assert transcript.audio_s == MAX_KEPT_S
    utterance.cancel()
