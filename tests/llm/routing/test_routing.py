"""Hedge, breaker and cascade around simulated models, in virtual time."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.llm.reading import GET_TIME, Read, ask, read_all
from tests.virtual_time import LoopClock
from voicepipe.config import LatencySettings, SimulatedSettings
from voicepipe.llm.contract import ChatRequest, LanguageModel, TextDelta
from voicepipe.llm.engines.simulated import Answer, SimulatedModel
from voicepipe.llm.routing.cascade import CascadeModel, CascadeRules
from voicepipe.llm.routing.confidence import OpeningWords
from voicepipe.llm.routing.guarded import GuardedModel
from voicepipe.llm.routing.hedged import HedgedModel
from voicepipe.resilience.breaker import Breaker, BreakerOptions, BreakerState
from voicepipe.runtime.errors import EngineError, RequestRefused

pytestmark = pytest.mark.virtual_time


def model(first_token_ms: float, *answers: Answer | str) -> SimulatedModel:
    settings = SimulatedSettings(
        llm_first_token=LatencySettings(mean_ms=first_token_ms),
        llm_per_token=LatencySettings(mean_ms=10),
    )
    return SimulatedModel(settings, answers or ("One two three four five.",))


def hedge(primary: LanguageModel, fallback: LanguageModel, after_ms: float = 200) -> HedgedModel:
    return HedgedModel(primary, fallback, after_ms, LoopClock())


def route(read: Read) -> dict[str, str]:
    assert read.finish is not None
    return dict(read.finish.route)


async def test_a_quick_primary_is_heard_alone() -> None:
    primary, fallback = model(100, "I am first."), model(10, "I am second.")
    read = await read_all(hedge(primary, fallback), ask("hello"))
    assert read.text == "I am first."
    assert route(read) == {"llm": "primary"}
    assert fallback.started_requests == 0


async def test_a_late_first_token_starts_the_fallback_and_the_slower_one_is_stopped() -> None:
    clock, primary, fallback = LoopClock(), model(5000, "I am first."), model(100, "I am second.")
    engine = hedge(primary, fallback)
    began = clock.now()
    read = await read_all(engine, ask("hello"))
    assert read.text == "I am second."
    assert route(read) == {"llm": "fallback_late"}
    assert clock.now() - began == pytest.approx(0.2 + 0.1 + 2 * 0.01, abs=0.001)
    assert primary.active_requests == 0
    assert primary.cancelled_requests == 1
    assert engine.decisions == {"fallback_late": 1}


async def test_the_primary_still_wins_if_it_speaks_first_after_all() -> None:
    primary, fallback = model(250, "I am first."), model(100, "I am second.")
    read = await read_all(hedge(primary, fallback), ask("hello"))
    assert read.text == "I am first."
    assert route(read) == {"llm": "primary"}
    assert fallback.cancelled_requests == 1
    assert fallback.active_requests == 0


async def test_an_error_before_the_first_token_asks_the_fallback_at_once() -> None:
    primary = model(20, Answer("I am first.", fail_after_tokens=0))
    clock, engine = LoopClock(), hedge(primary, model(100, "I am second."), 10_000)
    began = clock.now()
    read = await read_all(engine, ask("hello"))
    assert read.text == "I am second."
    assert route(read) == {"llm": "fallback_error"}
    assert clock.now() - began == pytest.approx(0.02 + 0.1 + 0.02, abs=0.001)


async def test_after_the_first_token_there_is_no_way_back() -> None:
    primary = model(20, Answer("I am first.", fail_after_tokens=2))
    fallback = model(10)
    with pytest.raises(EngineError):
        await read_all(hedge(primary, fallback), ask("hello"))
    assert fallback.started_requests == 0


async def test_a_primary_that_stalls_after_its_first_token_is_not_replaced() -> None:
    primary, fallback = model(20, Answer("I am", hang_after_tokens=1)), model(10)
    stream = hedge(primary, fallback).stream(ask("hello"))
    assert isinstance(await anext(stream), TextDelta)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(60):
            await anext(stream)
    await stream.aclose()
    assert fallback.started_requests == 0
    assert primary.active_requests == 0


async def test_if_both_fail_the_primarys_error_is_told() -> None:
    broken = Answer(fail_after_tokens=0)
    primary, fallback = model(20, broken), model(500, broken)
    with pytest.raises(EngineError) as failed:
        await read_all(hedge(primary, fallback), ask("hello"))
    assert failed.value.stage == "llm"
    assert failed.value.retryable
    assert primary.active_requests == fallback.active_requests == 0


@pytest.mark.parametrize("after_ms", [50, 250, 350])
async def test_closing_stops_both_at_any_point(after_ms: int) -> None:
    primary, fallback = model(400), model(100)
    stream = hedge(primary, fallback).stream(ask("hello"))
    reading = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(after_ms / 1000)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    await stream.aclose()
    assert primary.active_requests == fallback.active_requests == 0


async def test_the_wait_for_the_primary_is_accounted_for() -> None:
    stream = hedge(model(5000), model(100)).stream(ask("hello"))
    first = await anext(stream)
    assert isinstance(first, TextDelta)
    assert first.planned_s == pytest.approx(0.3)
    await stream.aclose()


async def test_an_open_breaker_sends_requests_to_the_fallback_without_asking() -> None:
    clock = LoopClock()
    breaker = Breaker(BreakerOptions(p95_ms=300, min_calls=3, calls=10, open_s=10), clock)
    primary, fallback = model(800, "I am first."), model(50, "I am second.")
    engine = hedge(GuardedModel(primary, breaker, clock), fallback, 400)
    routes = [route(await read_all(engine, ask("hello")))["llm"] for _ in range(5)]
    assert routes == ["fallback_late"] * 3 + ["fallback_open"] * 2
    assert breaker.state.value == "open"
    assert primary.started_requests == 3
    await asyncio.sleep(10)
    probed = route(await read_all(engine, ask("hello")))["llm"]  # still slow: open again
    assert probed == "fallback_late"
    assert primary.started_requests == 4
    assert breaker.counts.opened == 2


async def test_a_recovered_primary_is_taken_back_after_one_probe() -> None:
    clock = LoopClock()
    breaker = Breaker(BreakerOptions(min_calls=2, open_s=5), clock)
    broken = Answer(fail_after_tokens=0)
    primary = model(20, broken, broken, "I am first.")
    engine = hedge(GuardedModel(primary, breaker, clock), model(50, "I am second."))
    for _ in range(3):
        assert (await read_all(engine, ask("hello"))).text == "I am second."
    await asyncio.sleep(5)
    assert (await read_all(engine, ask("hello"))).text == "I am first."
    assert breaker.state.value == "closed"
    await engine.warm(ask("hello"))
    assert primary.warmed_requests == 1


async def test_what_nobody_waits_for_is_the_primarys_alone_and_no_news_for_its_breaker() -> None:
    clock = LoopClock()
    breaker = Breaker(BreakerOptions(p95_ms=300, min_calls=1, calls=10, open_s=10), clock)
    broken = Answer(fail_after_tokens=0)
    primary, fallback = model(800, *["I am first."] * 4, broken, broken), model(50)
    engine = hedge(GuardedModel(primary, breaker, clock), fallback, 400)
    for _ in range(4):
        assert (await read_all(engine, ask("sum it up", priority=2))).text == "I am first."
    for _ in range(2):
        with pytest.raises(EngineError):
            await read_all(engine, ask("sum it up", priority=2))
    assert fallback.started_requests == 0
    assert breaker.state.value == "closed"
    assert engine.decisions == {}


async def test_what_nobody_waits_for_is_no_probe_of_an_open_breaker() -> None:
    clock = LoopClock()
    breaker = Breaker(BreakerOptions(min_calls=2, open_s=5), clock)
    primary = model(20, *[Answer(fail_after_tokens=0)] * 2, "I am first.")
    engine = hedge(GuardedModel(primary, breaker, clock), model(50, "I am second."))
    for _ in range(2):
        await read_all(engine, ask("hello"))
    await asyncio.sleep(5)
    with pytest.raises(EngineError, match="breaker"):
        await read_all(engine, ask("sum it up", priority=2))
    assert (await read_all(engine, ask("hello"))).text == "I am first."


# -- cascade -----------------------------------------------------------------------------------


def cascade(
    small: Sequence[Answer | str] = ("Small talk is easy.",), **rules: object
) -> tuple[CascadeModel, SimulatedModel, SimulatedModel]:
    cheap, dear = model(30, *small), model(150, "The large model thinks.")
    return CascadeModel(cheap, dear, CascadeRules(**rules)), cheap, dear  # type: ignore[arg-type]


async def test_a_small_models_good_answer_goes_out_with_its_first_word() -> None:
    engine, _, dear = cascade()
    clock = LoopClock()
    began = clock.now()
    stream = engine.stream(ask("how are you"))
    assert isinstance(await anext(stream), TextDelta)
    assert clock.now() - began == pytest.approx(0.03)
    await stream.aclose()
    read = await read_all(engine, ask("how are you"))
    assert read.text == "Small talk is easy."
    assert route(read) == {"cascade": "small"}
    assert dear.started_requests == 0


@pytest.mark.parametrize("refusal", ["I'm not sure about that.", "I don't know.", "Sorry"])
async def test_a_refusal_is_never_heard_and_the_large_model_answers(refusal: str) -> None:
    engine, cheap, _ = cascade((refusal,))
    read = await read_all(engine, ask("why is the sky blue"))
    assert read.text == "The large model thinks."
    assert route(read) == {"cascade": "large_unsure"}
    assert cheap.active_requests == 0
    assert cheap.started_requests == 1


async def test_words_held_back_are_all_released_in_order() -> None:
    engine, _, _ = cascade(("I am no refusal at all.",))  # "I am" could still become one
    read = await read_all(engine, ask("who are you"))
    assert read.text == "I am no refusal at all."
    assert len(read.texts) == 6


@pytest.mark.parametrize(
    ("text", "answer", "decision"),
    [
        ("how are you", "I am well.", "small"),
        ("how are you", "I'm not sure about that.", "small_unsure"),
        ("please explain gravity", "It pulls.", "small_unsure"),
    ],
)
async def test_what_nobody_waits_for_is_the_small_models_alone(
    text: str, answer: str, decision: str
) -> None:
    engine, _, dear = cascade((answer,), patterns=(re.compile("explain"),))
    read = await read_all(engine, ask(text, priority=2))
    assert read.text == answer
    assert route(read) == {"cascade": decision}, "a caller would not have been told this"
    assert (dear.started_requests, engine.decisions) == (0, {})


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("please explain gravity", "large_rule"),
        ("x" * 50, "large_rule"),
        ("good morning", "small"),
    ],
)
async def test_rules_send_questions_straight_to_the_large_model(text: str, decision: str) -> None:
    engine, cheap, _ = cascade(patterns=(re.compile("explain|why"),), max_chars=40)
    assert route(await read_all(engine, ask(text))) == {"cascade": decision}
    assert cheap.started_requests == (decision == "small")


class Warmed(SimulatedModel):
    """Knows which requests it was warmed with, and no model but its own."""

    def __init__(self) -> None:
        super().__init__(SimulatedSettings())
        self.warmed: list[str] = []

    async def warm(self, request: ChatRequest) -> None:
        if request.model == "the large one's other":
            raise EngineError("no such model", stage="llm")
        self.warmed.append(request.model)


class Several(Warmed):
    async def warm(self, request: ChatRequest) -> None:
        self.warmed.append(request.model)


async def test_who_will_answer_is_warmed() -> None:
    cheap, dear = Warmed(), Several()
    engine = CascadeModel(cheap, dear)
    await engine.warm(replace(ask("hello"), model="the large one's other"))
    assert (cheap.warmed, dear.warmed) == ([], ["the large one's other"])
    await engine.warm(ask("hello"))
    assert (cheap.warmed, dear.warmed) == ([""], ["the large one's other", ""])


async def test_a_small_model_that_cannot_be_warmed_keeps_the_large_one_cold_no_longer() -> None:
    class Cold(Warmed):
        async def warm(self, request: ChatRequest) -> None:
            await asyncio.sleep(60)
            raise EngineError("no place", stage="llm")

    dear = Several()
    warming = asyncio.create_task(CascadeModel(Cold(), dear).warm(ask("hello")))
    await asyncio.sleep(1)
    assert dear.warmed == [""]
    with pytest.raises(EngineError, match="no place"):
        await warming


async def test_tool_calls_and_failures_of_the_small_model() -> None:
    engine, _, dear = cascade((Answer(tool=("get_time", "{}")),))
    read = await read_all(engine, ask("what time is it", GET_TIME))
    assert [call.name for call in read.calls] == ["get_time"]
    assert dear.started_requests == 0
    engine, _, dear = cascade((Answer("Well", fail_after_tokens=0),))
    read = await read_all(engine, ask("hello"))
    assert read.text == "The large model thinks."
    assert engine.decisions == {"large_error": 1}
    engine, _, _ = cascade(("",))  # nothing said is no answer
    assert route(await read_all(engine, ask("hello"))) == {"cascade": "large_unsure"}


class Faulty(SimulatedModel):
    """Raises what no engine should."""

    def __init__(self) -> None:
        super().__init__(SimulatedSettings())

    def _next_answer(self, request: ChatRequest) -> Answer:
        self.started_requests += 1
        raise KeyError("a fault of its own")


async def test_a_fault_of_the_small_model_asks_the_large_one_too() -> None:
    engine = CascadeModel(Faulty(), model(0, "The large model thinks."))
    assert (await read_all(engine, ask("hello"))).text == "The large model thinks."


async def test_a_model_with_a_fault_trips_its_breaker() -> None:
    breaker = Breaker(BreakerOptions(min_calls=2), LoopClock())
    primary = Faulty()
    engine = hedge(GuardedModel(primary, breaker, LoopClock()), model(0, "fine"))
    for _ in range(4):
        assert (await read_all(engine, ask("hello"))).text == "fine"
    assert primary.started_requests == 2


class Refusing(SimulatedModel):
    """What it is asked does not fit."""

    def __init__(self) -> None:
        super().__init__(SimulatedSettings())

    def _next_answer(self, request: ChatRequest) -> Answer:
        raise RequestRefused("the prompt does not fit", stage="llm")


async def test_what_one_caller_asks_too_much_is_no_fault_of_the_model() -> None:
    breaker = Breaker(BreakerOptions(min_calls=2), LoopClock())
    guarded = GuardedModel(Refusing(), breaker, LoopClock())
    for _ in range(6):
        with pytest.raises(RequestRefused):
            await read_all(guarded, ask("hello"))
    assert breaker.state is BreakerState.CLOSED


class Interrupted(SimulatedModel):
    """Something it waits for within is cancelled, by nobody outside."""

    def __init__(self) -> None:
        super().__init__(SimulatedSettings())

    def _next_answer(self, request: ChatRequest) -> Answer:
        raise asyncio.CancelledError


@pytest.mark.parametrize("after_ms", [0, 200])
async def test_a_model_that_is_cancelled_within_is_no_wait_for_ever(after_ms: float) -> None:
    engine = hedge(Interrupted(), model(0, "fine"), after_ms)
    async with asyncio.timeout(10):
        assert (await read_all(engine, ask("hello"))).text == "fine"


async def test_closing_a_cascade_stops_the_small_model_too() -> None:
    engine, cheap, _ = cascade((Answer("I am", hang_after_tokens=1),))
    stream = engine.stream(ask("hello"))
    reading = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(1)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    await stream.aclose()
    assert cheap.active_requests == 0


async def test_guesses_are_doubted_where_the_engine_gives_log_probabilities() -> None:
    judge = OpeningWords(min_logprob=-1.0, logprob_pieces=3).judge
    assert judge("Paris is", [-0.1, -0.2], complete=False) == "undecided"
    assert judge("Paris is the", [-0.1, -0.2, -0.3], complete=False) == "sure"
    assert judge("Paris is the", [-3.0, -2.0, -0.3], complete=False) == "unsure"
    assert judge("Paris", [-3.0], complete=True) == "unsure"
    assert judge("Paris", [], complete=False) == "sure"  # the engine gives none
    assert judge("I", [], complete=False) == "undecided"
    assert judge("I", [], complete=True) == "sure"
    assert judge("Sorrel is a herb", [], complete=False) == "sure"


@pytest.mark.parametrize("refusal", ["I don't know.", "I DON’T KNOW, sorry", "Sorry!", "I'm sorry"])
async def test_refusal_is_one_however_its_apostrophe_is_written(refusal: str) -> None:
    judge = OpeningWords().judge
    assert judge(refusal, [], complete=True) == "unsure"
    for end in range(1, len(refusal)):
        assert judge(refusal[:end], [], complete=False) != "sure"
