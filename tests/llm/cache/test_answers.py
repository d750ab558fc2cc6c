"""The caching model around a simulated one: what is kept, what is not, what a hit looks like."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.llm.cache.resp_server import resp_server
from tests.llm.reading import GET_TIME, Read, ask, read_all
from tests.virtual_time import LoopClock
from voicepipe.config import LatencySettings, SimulatedSettings
from voicepipe.llm.cache.model import CachingModel
from voicepipe.llm.cache.question import first_turn, question_of, standalone
from voicepipe.llm.cache.redis_store import RedisStore
from voicepipe.llm.cache.store import Answer, MemoryStore
from voicepipe.llm.contract import IDLE_PRIORITY, ChatRequest, Message, TextDelta, Usage
from voicepipe.llm.engines import simulated
from voicepipe.llm.engines.simulated import SimulatedModel
from voicepipe.llm.routing.cascade import CascadeModel
from voicepipe.llm.routing.hedged import HedgedModel
from voicepipe.runtime.clock import ManualClock, MonotonicClock
from voicepipe.runtime.errors import EngineUnavailable

SLOW = SimulatedSettings(llm_first_token=LatencySettings(mean_ms=500))
CAPITAL = "What is the capital of France?"


def caching(
    answers: Sequence[simulated.Answer | str] = ("It is Paris, on the Seine.",),
    *,
    patterns: tuple[str, ...] = (),
) -> tuple[CachingModel, SimulatedModel]:
    inner, clock = SimulatedModel(SLOW, answers), LoopClock()
    store = MemoryStore(clock, max_bytes=100_000, ttl_s=60)
    needs_no_context = standalone(tuple(re.compile(p) for p in patterns))
    model = CachingModel(
        inner,
        exact=store,
        needs_no_context=needs_no_context,
    )
    return model, inner


def cached(read: Read) -> str | None:
    assert read.finish is not None
    return read.finish.route.get("cache")


@pytest.mark.virtual_time
async def test_the_second_time_the_answer_is_there_at_once_and_is_marked() -> None:
    model, inner = caching()
    first = await read_all(model, ask(CAPITAL))
    await asyncio.sleep(0)  # answers are kept beside the turn, not in it
    clock = LoopClock()
    began = clock.now()
    again = await read_all(model, ask("what is the capital of france"))
    assert clock.now() == began
    assert again.text == first.text
    assert len(again.texts) == 6  # word by word, as if it were generated
    assert cached(first) is None
    assert cached(again) == "exact"
    assert again.finish is not None
    assert again.finish.usage == Usage(
        prompt_tokens=first.finish.usage.prompt_tokens,  # type: ignore[union-attr]
        completion_tokens=6,
        cached_tokens=first.finish.usage.prompt_tokens,  # type: ignore[union-attr]
    )
    assert inner.started_requests == 1
    assert model.decisions == {"miss": 1, "exact": 1}
    await model.aclose()


@pytest.mark.virtual_time
async def test_another_system_prompt_another_model_or_other_tools_share_nothing() -> None:
    model, inner = caching(("One.", "Two.", "Three."))
    await read_all(model, ask(CAPITAL))
    other = ask(CAPITAL)
    other = replace(other, messages=(Message("system", "You are a pirate."), other.messages[1]))
    assert (await read_all(model, other)).text == "Two."
    assert (await read_all(model, ask(CAPITAL, GET_TIME))).text == "Three."
    assert inner.started_requests == 3
    keys = {
        question_of(ask(CAPITAL), name, first_turn).key  # type: ignore[union-attr]
        for name in ("one", "two")
    }
    assert len(keys) == 2
    await model.aclose()


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    "answer",
    [
        simulated.Answer("One moment.", tool=("get_time", "{}")),
        simulated.Answer(""),
        simulated.Answer("word " * 40),  # cut off at max_tokens
    ],
)
async def test_tool_calls_empty_and_cut_off_answers_are_not_kept(answer: simulated.Answer) -> None:
    model, inner = caching((answer,))
    request = ask("tell me a story", GET_TIME, max_tokens=20)
    await read_all(model, request)
    await read_all(model, request)
    assert inner.started_requests == 2
    await model.aclose()


@pytest.mark.virtual_time
async def test_an_answer_nobody_heard_out_is_not_kept() -> None:
    model, inner = caching()
    stream = model.stream(ask(CAPITAL))
    assert isinstance(await anext(stream), TextDelta)
    await stream.aclose()
    assert inner.active_requests == 0
    await read_all(model, ask(CAPITAL))
    assert inner.started_requests == 2
    await model.aclose()


@pytest.mark.virtual_time
async def test_a_fallbacks_answer_is_not_kept() -> None:
    broken = SimulatedModel(SLOW, (simulated.Answer(fail_after_tokens=0), "The real one."))
    second = SimulatedModel(SLOW, ("The stand-in.",))
    clock = LoopClock()
    store = MemoryStore(clock, max_bytes=100_000, ttl_s=60)
    model = CachingModel(HedgedModel(broken, second, 0, clock), exact=store)
    assert (await read_all(model, ask(CAPITAL))).text == "The stand-in."
    assert (await read_all(model, ask(CAPITAL))).text == "The real one."
    await asyncio.sleep(0)
    assert cached(await read_all(model, ask(CAPITAL))) == "exact"
    await model.aclose()


@pytest.mark.virtual_time
async def test_what_a_small_model_says_in_doubt_is_not_kept() -> None:
    """In idle time it is asked alone; who asks in earnest gets the large one's answer."""
    clock = LoopClock()
    small, large = (SimulatedModel(SLOW, (text,)) for text in ("I don't know.", "Paris."))
    store = MemoryStore(clock, max_bytes=100_000, ttl_s=60)
    model = CachingModel(CascadeModel(small, large), exact=store)
    idle = replace(ask(CAPITAL), priority=IDLE_PRIORITY)
    assert (await read_all(model, idle)).text == "I don't know."
    await asyncio.sleep(0)
    assert (await read_all(model, ask(CAPITAL))).text == "Paris."
    await model.aclose()


def later(text: str, *before: Message) -> ChatRequest:
    request = ask(text)
    history = before or (Message("user", "hi"), Message("assistant", "Hello."))
    return replace(request, messages=(request.messages[0], *history, request.messages[1]))


@pytest.mark.parametrize(
    ("request_", "kept"),
    [
        (ask(CAPITAL), True),
        (ask("what time is it"), False),
        (ask("will it rain tomorrow"), False),
        (ask("set a timer for ten minutes"), False),
        (ask("x" * 400), False),
        (ask("..."), False),
        (ask(CAPITAL, tool_choice="required"), False),
        (later(CAPITAL), False),
        (later("and its population", Message("user", "hi")), False),
        (replace(ask(CAPITAL), messages=(*ask(CAPITAL).messages, Message("system", "now"))), False),
        (later(CAPITAL, Message("tool", "{}", call_id="1")), False),
    ],
)
def test_which_questions_are_looked_up(request_: ChatRequest, kept: bool) -> None:
    assert (question_of(request_, "m", first_turn) is not None) == kept


@pytest.mark.parametrize(
    ("one", "other"),
    [("What is 5 plus 10?", "What is -5 plus 10?"), ("Do you teach C?", "Do you teach C++?")],
)
def test_signs_tell_questions_apart(one: str, other: str) -> None:
    questions = [question_of(ask(text), "m", first_turn) for text in (one, other)]
    assert len({question.key for question in questions if question}) == 2


def test_patterns_let_standing_questions_be_looked_up_in_mid_conversation() -> None:
    standing = standalone((re.compile("capital|opening hours"),))
    assert question_of(later(CAPITAL), "m", standing) is not None
    assert question_of(later("is that its capital"), "m", standing) is None  # leans on the past
    assert question_of(later("tell me a joke"), "m", standing) is None
    assert question_of(ask("tell me a joke"), "m", standing) is not None


async def test_memory_is_bounded_by_bytes_and_age() -> None:
    clock = ManualClock()
    store = MemoryStore(clock, max_bytes=2000, ttl_s=60)
    for name in "abcde":
        await store.put(name, Answer("x" * 100))
    assert store.bytes <= 2000
    assert len(store) == 4
    assert await store.get("a") is None  # the longest unused went
    assert await store.get("b") is not None
    await store.put("f", Answer("x" * 100))
    assert await store.get("c") is None  # b had just been used
    await store.put("huge", Answer("x" * 5000))
    assert len(store) == 4
    clock.advance(61)
    assert await store.get("b") is None
    for name in "def":
        assert await store.get(name) is None
    assert (store.bytes, len(store)) == (0, 0)


# -- questions in other words --------------------------------------------------------------------


# -- Redis ---------------------------------------------------------------------------------------


def redis_store(url: str, timeout_ms: float = 500) -> RedisStore:
    return RedisStore(url, MonotonicClock(), ttl_s=120, timeout_ms=timeout_ms)


async def test_two_processes_share_answers_through_redis() -> None:
    async with resp_server() as server:
        ones = CachingModel(SimulatedModel(SLOW, ("Paris.",)), exact=redis_store(server.url))
        others = CachingModel(SimulatedModel(SLOW, ("Rome!",)), exact=redis_store(server.url))
        await read_all(ones, ask(CAPITAL))
        await ones.aclose()  # waits for the answer on its way
        (key,) = server.values
        assert b"France" not in key
        assert server.lifetimes_ms[key] == 120_000
        again = await read_all(others, ask(CAPITAL))
        assert (again.text, cached(again)) == ("Paris.", "exact")
        for odd in (b"something of somebody else's", b"[" * 100_000, b'["a", 1e999, 1]'):
            server.values[key] = odd
            assert (await read_all(others, ask(CAPITAL))).text == "Rome!"
        await others.aclose()


@pytest.mark.parametrize("trouble", ["hang", "error"])
async def test_a_redis_in_trouble_costs_its_deadline_and_then_nothing(trouble: str) -> None:
    async with resp_server() as server:
        server.trouble = trouble
        store = redis_store(server.url, timeout_ms=40)
        for _ in range(3):
            assert await store.get("k") is None
        assert store.breaker.state.value == "open"
        asked = len(server.commands)
        assert await store.get("k") is None
        await store.put("k", Answer("x"))
        assert len(server.commands) == asked
        await store.aclose()


async def test_no_redis_at_all_means_no_answers() -> None:
    async with resp_server() as server:
        url = server.url
    await asyncio.sleep(0.01)
    store = redis_store(url)
    assert await store.get("k") is None
    await store.put("k", Answer("x"))
    await store.aclose()
    with pytest.raises(EngineUnavailable, match=r"llm\.cache\.redis_url"):
        redis_store("127.0.0.1:6379")
