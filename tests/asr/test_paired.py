"""Two recognizers that listen at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import numpy as np
import pytest

from tests.virtual_time import LoopClock
from voicepipe.asr.contract import AsrOptions, Hypothesis, Transcript
from voicepipe.asr.engines.simulated import SimulatedRecognizer
from voicepipe.asr.paired import PairedRecognizer, PairedUtterance
from voicepipe.audio.pcm import Int16
from voicepipe.config import LatencySettings, SimulatedSettings
from voicepipe.config.loading import load_settings
from voicepipe.runtime.errors import EngineError
from voicepipe.server.assembly import build_engines

pytestmark = pytest.mark.virtual_time
SECOND = np.zeros(16_000, dtype=np.int16)


def pair(first: str = "first heard", second: str = "second heard") -> PairedRecognizer:
    fast, slow = (SimulatedSettings(asr=LatencySettings(mean_ms=mean)) for mean in (100, 300))
    return PairedRecognizer(
        SimulatedRecognizer(fast, (first,), LoopClock()),
        SimulatedRecognizer(slow, (second,), LoopClock()),
        sure=0.7,
        sure_word=0.8,
    )


@pytest.mark.parametrize(
    ("first", "second", "taken"),
    [
        (("turn it on", 0.71), ("turn a ton", 0.9), "turn it on"),
        (("turn it on", 0.69), ("turn a ton", 0.1), "turn a ton"),
        (("set it for five", 0.66), ("should it for five", 0.9), "set it for five"),
        (("set it for five", 0.64), ("should it for five", 0.9), "should it for five"),
        (("set it for five", 0.66), ("send her a fire", 0.9), "send her a fire"),
        (("yes", 0.79), ("guess", 0.2), "guess"),
        (("yes", 0.81), ("guess", 0.9), "yes"),
        (("", 1.0), ("hello there", 0.4), "hello there"),
        (("hello there", 0.2), ("", 0.0), ""),
        (("", 1.0), ("", 0.0), ""),
    ],
)
def test_the_first_ones_words_count_where_it_is_sure(
    first: tuple[str, float], second: tuple[str, float], taken: str
) -> None:
    engine = pair()
    chosen = engine.choose(
        Transcript(first[0], confidence=first[1], work_s=1), Transcript(second[0], work_s=2)
    )

    assert chosen.text == taken
    assert chosen.work_s == 3
    assert chosen.route["asr"] == ("first" if taken == first[0] else "second")
    assert engine.decisions.total() == 1


@pytest.mark.parametrize(("sure", "took_s"), [(0.7, 0.1), (1.1, 0.3)])
async def test_nobody_waits_for_the_second_one_where_the_first_is_sure(
    sure: float, took_s: float
) -> None:
    engine = pair()
    engine.sure = sure
    utterance = engine.open(AsrOptions())
    utterance.feed(SECOND)
    began = asyncio.get_running_loop().time()
    transcript = await utterance.final()

    assert transcript.text == ("first heard" if sure < 1 else "second heard")
    assert asyncio.get_running_loop().time() - began == pytest.approx(took_s, abs=0.01)
    utterance.cancel()


async def test_partials_are_those_of_the_one_whose_final_it_would_be() -> None:
    engine = pair("one two", "three four")
    seen: list[Hypothesis] = []
    utterance = engine.open(AsrOptions())

    async def read() -> None:
        async for hypothesis in utterance.hypotheses():
            seen.append(hypothesis)

    reader = asyncio.create_task(read())
    for _ in range(4):
        utterance.feed(SECOND[:4000])
        await asyncio.sleep(0.25)
    utterance.cancel()
    await reader  # ends with both

    assert [one.text for one in seen][-1] in {"one two", "one"}
    assert {one.stable for one in seen} == {""}


async def test_partials_may_be_left_unread() -> None:
    """A reader that goes away leaves no task behind (the suite fails on one)."""
    utterance = pair().open(AsrOptions())
    hypotheses = utterance.hypotheses()
    waiting = asyncio.ensure_future(anext(hypotheses))
    await asyncio.sleep(0.1)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    utterance.cancel()


async def test_an_error_of_one_is_an_error() -> None:
    engine = pair()
    engine.sure = 1.1  # so the second one is needed
    utterance = engine.open(AsrOptions())
    utterance.feed(SECOND)
    utterance.second.cancel()
    with pytest.raises(EngineError):
        await utterance.final()
    utterance.cancel()


class Scripted:
    """An utterance whose partials have the confidences that are put into it."""

    def __init__(self) -> None:
        self.confidences: asyncio.Queue[float | None] = asyncio.Queue()
        self.fed, self.finals, self.cancelled = 0, 0, False
        self.transcript = Transcript("turn it on", confidence=0.2)

    def feed(self, pcm: Int16) -> None:
        self.fed += len(pcm)

    async def hypotheses(self) -> AsyncIterator[Hypothesis]:
        while (confidence := await self.confidences.get()) is not None:
            yield Hypothesis("", "turn it", self.fed / 16_000, confidence=confidence)

    async def final(self) -> Transcript:
        self.finals += 1
        return self.transcript

    def cancel(self) -> None:
        self.cancelled = True
        self.confidences.put_nowait(None)


@pytest.mark.parametrize(
    ("confidences", "lost"),
    [
        ((0.45, 0.45), True),  # 0.65 of 0.7 is 0.455
        ((0.46, 0.46), False),
        ((0.1, 0.9, 0.1), False),
        ((0.1, 0.6, 0.1, 0.1), True),
        ((0.1, 0.9, 0.1, 0.1), False),  # it was trusted once
    ],
)
async def test_the_first_one_is_let_go_after_two_partials_in_a_row_that_say_little(
    confidences: tuple[float, ...], lost: bool
) -> None:
    utterance = pair().open(AsrOptions())
    utterance.first = first = Scripted()
    reader = asyncio.create_task(_read(utterance))
    utterance.feed(SECOND[:8000])
    first.confidences.put_nowait(0.1)  # of half a second: too little to tell
    await asyncio.sleep(0.01)
    utterance.feed(SECOND[:8000])
    for confidence in confidences:
        first.confidences.put_nowait(confidence)
        await asyncio.sleep(0.01)
    utterance.feed(SECOND)
    transcript = await utterance.final()

    assert (first.cancelled, first.fed, first.finals) == (
        lost,
        16_000 if lost else 32_000,
        not lost,
    )
    assert transcript.text == "second heard"
    utterance.cancel()
    await reader


async def test_what_the_second_one_says_is_said_whole_where_the_first_is_let_go() -> None:
    engine = pair()
    utterance = engine.open(AsrOptions())
    utterance.first, utterance.second = first, second = Scripted(), Scripted()
    second.transcript = Transcript("", refused="noise", audio_s=3.0, language="en")
    seen: list[str] = []

    async def read() -> None:
        async for hypothesis in utterance.hypotheses():
            seen.append(hypothesis.text)

    reader = asyncio.create_task(read())
    utterance.feed(SECOND)
    for confidence in (0.1, 0.1, 0.9):  # the last one waited to be read
        first.confidences.put_nowait(confidence)
    await asyncio.sleep(0.01)
    for _ in range(2):
        second.confidences.put_nowait(0.5)
        await asyncio.sleep(0.01)
    transcript = await utterance.final()

    assert seen == ["turn it", "turn it"]  # the second one's, both
    assert (transcript.refused, transcript.audio_s, transcript.language) == ("noise", 3.0, "en")
    assert transcript.route["asr"] == "second"
    assert engine.decisions == {"second": 1}
    utterance.cancel()
    await reader


async def test_the_first_one_is_not_let_go_while_its_final_is_waited_for() -> None:
    utterance = pair().open(AsrOptions())
    utterance.first = first = Scripted()
    reader = asyncio.create_task(_read(utterance))
    utterance.feed(SECOND)
    final = asyncio.create_task(utterance.final())  # the second one's takes 0.3 s
    await asyncio.sleep(0.01)
    for _ in range(3):
        first.confidences.put_nowait(0.1)
    await asyncio.sleep(0.01)

    assert not first.cancelled
    assert (await final).text == "second heard"
    utterance.cancel()
    await reader


async def _read(utterance: PairedUtterance) -> None:
    async for _ in utterance.hypotheses():
        pass


def test_settings_name_the_second_one() -> None:
    asr = {"asr.engine": "simulated", "asr.second.engine": "simulated", "asr.second.sure": "0.5"}
    settings = load_settings("simulated", environ={}, overrides=asr)
    engine = build_engines(settings, LoopClock()).recognizer

    assert isinstance(engine, PairedRecognizer)
    assert (engine.sure, engine.name) == (0.5, "simulated+simulated")
