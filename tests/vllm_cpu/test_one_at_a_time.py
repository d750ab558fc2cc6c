"""An engine that runs one request at a time, so that who goes first can be told apart."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from dataclasses import replace
from multiprocessing import active_children
from typing import Any

import pytest

from tests.llm.engines.test_ctranslate2 import TOOLS, chat
from tests.llm.reading import read_all, until
from tests.vllm_cpu.conftest import BLOCK, Serve
from voicepipe.llm.contract import ChatRequest, Finish, Message, TextDelta
from voicepipe.llm.engines.vllm import VllmModel
from voicepipe.llm.engines.vllm_keeper import EngineState
from voicepipe.runtime.errors import EngineError

LONG_TOKENS = 600
JOKE = "tell me a joke"


@pytest.fixture(scope="module")
def model(serve: Serve) -> VllmModel:
    return serve(vllm__max_num_seqs=1, logprobs=True)


def tireless(request: ChatRequest) -> ChatRequest:
    """So long that it would be noticed if it ran on; told to a model without stop tokens."""
    return replace(request, max_tokens=LONG_TOKENS, tool_choice="none")


@contextmanager
def endless(model: VllmModel) -> Iterator[None]:
    """Within it, no token that the model would choose ends an answer."""
    sampling, stop_ids = model._sampling, model._stop_ids

    def never_ending(*args: Any) -> Any:
        params = sampling(*args)
        params.ignore_eos = True
        return params

    model._stop_ids = frozenset()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "_sampling", never_ending)
        yield
    model._stop_ids = stop_ids


def usage_of(finish: Finish | None) -> tuple[int, int]:
    assert finish is not None
    return finish.usage.prompt_tokens, finish.usage.cached_tokens


async def test_an_answer_streams_and_ends_with_what_it_took(model: VllmModel) -> None:
    read = await read_all(model, chat("hello"))
    assert len(read.texts) > 2, "the answer must stream"
    assert len(read.text.split()) >= 2
    assert "<|" not in read.text
    assert read.finish is not None
    assert read.finish.reason == "stop"
    assert read.finish.usage.completion_tokens >= len(read.texts)
    times = read.finish.times
    assert times is not None
    assert times.first_ms > 0
    assert times.step_p50_ms is not None
    assert model.active_requests == 0


async def test_the_tokens_have_log_probabilities(model: VllmModel) -> None:
    deltas = [d async for d in model.stream(chat("hello")) if isinstance(d, TextDelta)]
    assert all(d.logprob is not None and -5 < d.logprob <= 0 for d in deltas)


async def test_max_tokens_ends_the_answer(model: VllmModel) -> None:
    read = await read_all(model, chat(JOKE, max_tokens=3))
    assert read.finish is not None
    assert (read.finish.reason, read.finish.usage.completion_tokens) == ("length", 3)


async def test_tool_calls_are_parsed_while_they_stream(model: VllmModel) -> None:
    read = await read_all(model, chat("what time is it"))
    assert [call.name for call in read.calls] == ["get_time"]
    assert "tool_call" not in read.text
    assert read.finish is not None
    assert read.finish.reason == "tool_calls"
    forced = await read_all(model, replace(chat("hello"), tool_choice="list_timers"))
    assert [call.name for call in forced.calls] == ["list_timers"]
    assert forced.text == ""


async def test_the_history_is_found_in_the_prefix_cache(model: VllmModel) -> None:
    first = await read_all(model, chat(JOKE))
    second = chat(JOKE, first.text, "another one")
    assert first.finish is not None
    so_far = first.finish.usage.prompt_tokens + first.finish.usage.completion_tokens
    prompt, cached = usage_of((await read_all(model, second)).finish)
    assert cached >= so_far - BLOCK, "the answer's own tokens match too"
    assert cached < prompt


async def test_a_call_and_its_result_are_found_there_too(model: VllmModel) -> None:
    asked = chat("set a timer for ten minutes")
    read = await read_all(model, asked)
    assert read.finish is not None
    (call,) = read.calls
    told = replace(
        asked,
        messages=(
            *asked.messages,
            Message("assistant", read.text, tool_calls=(call,)),
            Message("tool", '{"status": "ok"}', call_id=call.call_id),
        ),
    )
    so_far = read.finish.usage.prompt_tokens + read.finish.usage.completion_tokens
    _, cached = usage_of((await read_all(model, told)).finish)
    assert cached >= so_far - BLOCK


async def test_warming_fills_the_prefix_cache(model: VllmModel) -> None:
    strange = Message("system", "You keep the lighthouse at the end of the world. " * 8)
    cold = ChatRequest((strange, Message("user", "hello")), TOOLS)
    other = ChatRequest((Message("system", "Now then. You do it."), Message("user", "hello")))
    assert usage_of((await read_all(model, other)).finish)[1] == 0
    await model.warm(cold)
    prompt, cached = usage_of((await read_all(model, cold)).finish)
    assert cached >= prompt - BLOCK - 1


@pytest.mark.parametrize("how", ["closed", "cancelled"])
async def test_what_is_not_wanted_any_more_makes_room(model: VllmModel, how: str) -> None:
    with endless(model):
        whole = await read_all(model, tireless(chat(JOKE)))
        assert whole.finish is not None
        assert whole.finish.usage.completion_tokens == LONG_TOKENS, "left alone it runs on"
        if how == "closed":
            async with aclosing(model.stream(tireless(chat(JOKE)))) as stream:
                assert isinstance(await anext(stream), TextDelta)
        else:
            reading = asyncio.create_task(read_all(model, tireless(chat(JOKE))))
            await until(lambda: model.active_requests == 1)
            await asyncio.sleep(0)
            reading.cancel()
            with pytest.raises(asyncio.CancelledError):
                await reading
    assert model.active_requests == 0
    read = await read_all(model, chat("hello"))
    assert read.finish is not None
    assert read.finish.times is not None
    assert whole.finish.times is not None
    assert whole.finish.times.step_p50_ms is not None
    run_on_ms = whole.finish.times.step_p50_ms * LONG_TOKENS
    assert read.finish.times.first_ms < run_on_ms / 3, "the only place was free"
    assert model._keeper.engine.get_num_unfinished_requests() == 0  # type: ignore[attr-defined]


async def test_committed_goes_before_speculative_before_warm_up(model: VllmModel) -> None:
    order: list[int] = []

    async def ask(priority: int) -> None:
        request = replace(chat("hello", max_tokens=4), priority=priority)
        async for _ in model.stream(request):
            if priority not in order:
                order.append(priority)

    with endless(model):
        async with aclosing(model.stream(tireless(chat(JOKE)))) as running:
            assert isinstance(await anext(running), TextDelta)
            async with asyncio.TaskGroup() as group:
                for priority in (2, 1, 0):
                    group.create_task(ask(priority))
                    await until(lambda asked=3 - priority: model.active_requests == 1 + asked)  # type: ignore[misc]
                await asyncio.sleep(0.2)  # they have reached the engine's process
                await running.aclose()
    assert order == [0, 1, 2]


async def test_an_engine_that_dies_is_noticed_told_and_replaced(model: VllmModel) -> None:
    with endless(model):
        stream = model.stream(tireless(chat(JOKE)))
        assert isinstance(await anext(stream), TextDelta)
        _kill_engine()
        with pytest.raises(EngineError, match="died") as caught:
            async for _ in stream:
                pass
    assert not caught.value.retryable, "some of it was said"
    await until(lambda: model.state is EngineState.DEAD)
    with pytest.raises(EngineError, match="died and is being started again") as refused:
        await read_all(model, chat("hello"))
    assert refused.value.retryable
    while model.state is not EngineState.READY:
        await asyncio.sleep(0.1)
    assert model.restarts == 1
    assert (await read_all(model, chat("hello"))).text
    assert model.active_requests == 0


async def test_an_idle_engine_that_dies_is_noticed_and_closing_does_not_wait_for_its_heir(
    model: VllmModel,
) -> None:
    _kill_engine()
    await until(lambda: model.state is EngineState.DEAD)
    await until(lambda: model.restarts == 2)
    await model.aclose()
    assert model.state is EngineState.STOPPED
    with pytest.raises(EngineError, match="not started"):
        await read_all(model, chat("hello"))


def _kill_engine() -> None:
    (core,) = [child for child in active_children() if child.name.startswith("EngineCore")]
    assert core.pid is not None
    os.kill(core.pid, signal.SIGKILL)
