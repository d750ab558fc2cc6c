"""What is asked of every engine that batches by itself: vLLM, llama.cpp.

A test module of an engine imports all of this (`from tests.llm.batching_contract import *`) and has
a fixture `rig`, with an engine that runs one request at a time, so that who goes first can be told
apart, and that gives log-probabilities.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import AbstractContextManager, aclosing
from dataclasses import replace
from typing import Protocol

import pytest

from tests.llm.engines.test_ctranslate2 import TOOLS, chat
from tests.llm.reading import read_all, until
from voicepipe.llm.contract import ChatRequest, Delta, Finish, LanguageModel, Message, TextDelta
from voicepipe.runtime.errors import EngineError

LONG_TOKENS = 600
JOKE = "tell me a joke"
BACK_S = 120.0  # an engine that died is back by then


class BatchingModel(LanguageModel, Protocol):
    """What these engines have beyond the contract."""

    active_requests: int

    @property
    def restarts(self) -> int: ...

    def stream(self, request: ChatRequest) -> AsyncGenerator[Delta, None]: ...


class Rig(Protocol):
    """An engine on the built-in model. `block`: its prefix cache knows whole blocks of so many
    tokens only."""

    model: BatchingModel
    block: int

    def endless(self) -> AbstractContextManager[None]:
        """Within it, no token that the model would choose ends an answer."""

    def kill(self) -> None:
        """SIGKILL for the engine's process."""

    def is_dead(self) -> bool: ...

    def is_ready(self) -> bool: ...

    async def asked_while_dead(self) -> None:
        """A request now is refused so that it can be asked elsewhere, or waits for the heir."""

    def works_on_nothing(self) -> bool:
        """Nor has left anything running in its process."""


def tireless(request: ChatRequest) -> ChatRequest:
    """So long that it would be noticed if it ran on; told to a model without stop tokens."""
    return replace(request, max_tokens=LONG_TOKENS, tool_choice="none")


def usage_of(finish: Finish | None) -> tuple[int, int]:
    assert finish is not None
    return finish.usage.prompt_tokens, finish.usage.cached_tokens


async def test_an_answer_streams_and_ends_with_what_it_took(rig: Rig) -> None:
    read = await read_all(rig.model, chat("hello"))
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
    assert rig.model.active_requests == 0


async def test_the_tokens_have_log_probabilities(rig: Rig) -> None:
    deltas = [d async for d in rig.model.stream(chat("hello")) if isinstance(d, TextDelta)]
    assert all(d.logprob is not None and -5 < d.logprob <= 0 for d in deltas)


async def test_max_tokens_ends_the_answer(rig: Rig) -> None:
    read = await read_all(rig.model, chat(JOKE, max_tokens=3))
    assert read.finish is not None
    assert (read.finish.reason, read.finish.usage.completion_tokens) == ("length", 3)


async def test_tool_calls_are_parsed_while_they_stream(rig: Rig) -> None:
    read = await read_all(rig.model, chat("what time is it"))
    assert [call.name for call in read.calls] == ["get_time"]
    assert "tool_call" not in read.text
    assert read.finish is not None
    assert read.finish.reason == "tool_calls"
    forced = await read_all(rig.model, replace(chat("hello"), tool_choice="list_timers"))
    assert [call.name for call in forced.calls] == ["list_timers"]
    assert forced.text == ""


async def test_the_history_is_found_in_the_prefix_cache(rig: Rig) -> None:
    first = await read_all(rig.model, chat(JOKE))
    second = chat(JOKE, first.text, "another one")
    assert first.finish is not None
    so_far = first.finish.usage.prompt_tokens + first.finish.usage.completion_tokens
    prompt, cached = usage_of((await read_all(rig.model, second)).finish)
    assert cached >= so_far - rig.block, "the answer's own tokens match too"
    assert cached < prompt


async def test_a_call_and_its_result_are_found_there_too(rig: Rig) -> None:
    asked = chat("set a timer for ten minutes")
    read = await read_all(rig.model, asked)
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
    _, cached = usage_of((await read_all(rig.model, told)).finish)
    assert cached >= so_far - rig.block


async def test_warming_fills_the_prefix_cache(rig: Rig) -> None:
    strange = Message("system", "You keep the lighthouse at the end of the world. " * 8)
    cold = ChatRequest((strange, Message("user", "hello")), TOOLS)
    other = ChatRequest((Message("system", "Now then. You do it."), Message("user", "hello")))
    assert usage_of((await read_all(rig.model, other)).finish)[1] < rig.block
    await rig.model.warm(cold)
    prompt, cached = usage_of((await read_all(rig.model, cold)).finish)
    assert cached >= prompt - rig.block - 1


@pytest.mark.parametrize("how", ["closed", "cancelled"])
async def test_what_is_not_wanted_any_more_makes_room(rig: Rig, how: str) -> None:
    """Three times, of which one counts: on a busy machine anything may be late once, but what runs
    on in the only place is late every time."""
    model = rig.model
    shares = []
    for _ in range(3):
        with rig.endless():
            began = time.perf_counter()
            whole = await read_all(model, tireless(chat(JOKE)))
            run_on_ms = (time.perf_counter() - began) * 1000
            assert whole.finish is not None
            assert whole.finish.usage.completion_tokens == LONG_TOKENS, "left alone it runs on"
            await leave_one(rig, how)
        assert model.active_requests == 0
        read = await read_all(model, chat("hello"))
        assert rig.works_on_nothing()
        assert read.finish is not None
        assert read.finish.times is not None
        shares.append(read.finish.times.first_ms / run_on_ms)
    assert min(shares) < 1 / 3, "the only place was free"


async def leave_one(rig: Rig, how: str) -> None:
    """Ask for a long answer and do not wait for it."""
    if how == "closed":
        async with aclosing(rig.model.stream(tireless(chat(JOKE)))) as stream:
            assert isinstance(await anext(stream), TextDelta)
        return
    reading = asyncio.create_task(read_all(rig.model, tireless(chat(JOKE))))
    await until(lambda: rig.model.active_requests == 1)
    await asyncio.sleep(0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading


async def test_committed_goes_before_speculative_before_warm_up(rig: Rig) -> None:
    model = rig.model
    order: list[int] = []

    async def ask(priority: int) -> None:
        request = replace(chat("hello", max_tokens=4), priority=priority)
        async for _ in model.stream(request):
            if priority not in order:
                order.append(priority)

    with rig.endless():
        async with aclosing(model.stream(tireless(chat(JOKE)))) as running:
            assert isinstance(await anext(running), TextDelta)
            async with asyncio.TaskGroup() as group:
                group.create_task(ask(2))  # an engine may refuse what nobody waits for ...
                await asyncio.sleep(0.1)
                before = model.active_requests
                for asked, priority in enumerate((1, 0), start=1):
                    group.create_task(ask(priority))
                    await until(lambda asked=asked: model.active_requests == before + asked)  # type: ignore[misc]
                await asyncio.sleep(0.2)  # they have reached the engine's process
                await running.aclose()
    assert order[:2] == [0, 1]
    assert order[2:] in ([2], []), "... but never answers it first"


async def test_an_engine_that_dies_is_noticed_told_and_replaced(rig: Rig) -> None:
    before = rig.model.restarts
    error = await die_in_mid_answer(rig)
    if error is None:  # all of it had come before the blow: this process was kept from the cores
        await back(rig)
        before = rig.model.restarts
        error = await die_in_mid_answer(rig)
    assert error is not None
    assert "died" in str(error)
    assert not error.retryable, "some of it was said"
    await until(lambda: rig.is_dead() or rig.model.restarts > before)
    await rig.asked_while_dead()
    await back(rig)
    assert rig.model.restarts == before + 1
    assert (await read_all(rig.model, chat("hello"))).text
    assert rig.model.active_requests == 0


async def die_in_mid_answer(rig: Rig) -> EngineError | None:
    """What its reader is told."""
    with rig.endless():
        stream = rig.model.stream(tireless(chat(JOKE)))
        assert isinstance(await anext(stream), TextDelta)
        rig.kill()
        try:
            async for _ in stream:
                pass
        except EngineError as error:
            return error
    return None


async def back(rig: Rig) -> None:
    """Until an heir serves."""
    async with asyncio.timeout(BACK_S):
        while not rig.is_ready():
            await asyncio.sleep(0.05)


async def test_an_idle_engine_that_dies_is_noticed_and_closing_does_not_wait_for_its_heir(
    rig: Rig,
) -> None:
    before = rig.model.restarts
    rig.kill()
    await until(rig.is_dead)
    await until(lambda: rig.model.restarts == before + 1)
    await rig.model.aclose()
    with pytest.raises(EngineError, match="not started"):
        await read_all(rig.model, chat("hello"))
