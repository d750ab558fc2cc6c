from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from tests.llm.reading import ask, read_all
from voicepipe.config import LatencySettings, SimulatedSettings
from voicepipe.llm.contract import ChatRequest, TextDelta
from voicepipe.llm.engines.simulated import MAX_REQUESTS, Answer, SimulatedModel
from voicepipe.runtime.errors import EngineError

SETTINGS = SimulatedSettings(
    llm_first_token=LatencySettings(mean_ms=100), llm_per_token=LatencySettings(mean_ms=10)
)


def now() -> float:
    return asyncio.get_running_loop().time()


@pytest.mark.virtual_time
async def test_first_and_later_tokens_come_when_set() -> None:
    model = SimulatedModel(SETTINGS, ["One two three."])
    began = now()
    times = []
    async for delta in model.stream(ask("hi")):
        if isinstance(delta, TextDelta):
            times.append((delta.text, round((now() - began) * 1000)))
    assert times == [("One", 100), (" two", 110), (" three.", 120)]


@pytest.mark.virtual_time
async def test_answer_is_whole_whatever_its_white_space() -> None:
    text = "  It is\n half past seven. \n"
    read = await read_all(SimulatedModel(SETTINGS, [text]), ask("hi"))
    assert read.text == text
    assert read.finish is not None
    assert read.finish.reason == "stop"
    assert read.finish.usage.completion_tokens == 5


@pytest.mark.virtual_time
async def test_default_answer_and_sequence_and_function() -> None:
    assert (await read_all(SimulatedModel(SETTINGS), ask("hi"))).text == SETTINGS.answer
    model = SimulatedModel(SETTINGS, ["a", Answer("b")])
    assert [(await read_all(model, ask("hi"))).text for _ in range(3)] == ["a", "b", "a"]

    def echo(request: ChatRequest) -> str:
        return request.messages[-1].content.upper()

    assert (await read_all(SimulatedModel(SETTINGS, echo), ask("hi"))).text == "HI"


@pytest.mark.virtual_time
async def test_same_seed_same_delays() -> None:
    async def duration(seed: int) -> float:
        slow = LatencySettings(mean_ms=100, sd_ms=50, kind="lognormal")
        settings = SimulatedSettings(seed=seed, llm_first_token=slow, llm_per_token=slow)
        began = now()
        await read_all(SimulatedModel(settings), ask("hi"))
        return round(now() - began, 6)

    assert await duration(1) == await duration(1)
    assert await duration(1) != await duration(2)


@pytest.mark.virtual_time
async def test_scripted_tool_call() -> None:
    model = SimulatedModel(SETTINGS, [Answer("Let me see.", tool=("get_time", "{}"))])
    read = await read_all(model, ask("time"))
    assert read.text == "Let me see."
    assert [(c.name, c.arguments) for c in read.calls] == [("get_time", "{}")]
    assert read.finish is not None
    assert read.finish.reason == "tool_calls"


@pytest.mark.virtual_time
async def test_max_tokens_cuts_the_answer() -> None:
    model = SimulatedModel(SETTINGS, [Answer("a b c d", tool=("x", "{}"))])
    read = await read_all(model, ask("hi", max_tokens=2))
    assert (read.text, read.calls) == ("a b", [])
    assert read.finish is not None
    assert read.finish.reason == "length"


@pytest.mark.virtual_time
@pytest.mark.parametrize(("after", "retryable"), [(0, True), (2, False)])
async def test_scripted_failure(after: int, retryable: bool) -> None:
    model = SimulatedModel(SETTINGS, [Answer("a b c", fail_after_tokens=after), "fine"])
    texts: list[str] = []

    async def read() -> None:
        async for delta in model.stream(ask("hi")):
            assert isinstance(delta, TextDelta)
            texts.append(delta.text)

    with pytest.raises(EngineError) as caught:
        await read()
    assert len(texts) == after
    assert caught.value.retryable is retryable
    assert model.active_requests == 0
    assert model.cancelled_requests == 0
    assert (await read_all(model, ask("hi"))).text == "fine"


@pytest.mark.virtual_time
async def test_hang_ends_with_its_reader() -> None:
    model = SimulatedModel(SETTINGS, [Answer("a b c", hang_after_tokens=1)])
    task = asyncio.create_task(read_all(model, ask("hi")))
    await asyncio.sleep(100)
    assert not task.done()
    assert model.active_requests == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (model.active_requests, model.cancelled_requests) == (0, 1)


@pytest.mark.virtual_time
async def test_closing_stops_the_stream() -> None:
    model = SimulatedModel(SETTINGS)
    async with aclosing(model.stream(ask("hi"))) as stream:
        await anext(stream)
    assert (model.active_requests, model.cancelled_requests) == (0, 1)


@pytest.mark.virtual_time
async def test_memory_of_requests_is_bounded() -> None:
    model = SimulatedModel(SETTINGS, ["a"])
    for number in range(MAX_REQUESTS + 5):
        await read_all(model, ask(str(number)))
    assert len(model.requests) == MAX_REQUESTS
    assert model.requests[-1].messages[-1].content == str(MAX_REQUESTS + 4)
    assert model.started_requests == MAX_REQUESTS + 5


def test_empty_script_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one answer"):
        SimulatedModel(SETTINGS, [])
