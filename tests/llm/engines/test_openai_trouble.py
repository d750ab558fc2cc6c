"""What the engine does where a server is late, refuses, breaks off, or nobody listens any more."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from tests.llm.chat_server import (
    DONE,
    Reply,
    Step,
    call_event,
    chat_server,
    event,
    finish_event,
    text_event,
)
from tests.llm.openai_model import KEY, connected
from tests.llm.reading import GET_TIME, ask, read_all, until
from voicepipe.llm.contract import TextDelta, Tool
from voicepipe.runtime.errors import EngineError


async def test_closing_the_stream_reaches_the_server_at_once() -> None:
    pauses = (text_event("One"), 5.0, text_event(" two"))
    async with chat_server(Reply(pauses)) as server, connected(server) as model:
        async with aclosing(model.stream(ask("count"))) as stream:
            assert await anext(stream) == TextDelta("One")
        async with asyncio.timeout(0.2):
            await server.client_gone.wait()
        assert server.chunks_sent == 1
        assert model.active_requests == 0
        assert (await read_all(model, ask("hi"))).text == "Hello."


@pytest.mark.parametrize("steps", [(5.0,), (text_event("One"), 5.0)])
async def test_cancelling_the_reader_reaches_the_server(steps: tuple[bytes | float, ...]) -> None:
    async with chat_server(Reply(steps)) as server, connected(server) as model:
        task = asyncio.create_task(read_all(model, ask("count")))
        await until(lambda: bool(server.bodies) and server.chunks_sent >= len(steps) - 1)
        await asyncio.sleep(0.02)
        task.cancel()
        async with asyncio.timeout(0.2):
            await server.client_gone.wait()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert model.active_requests == 0


async def test_late_first_token_trips_its_own_deadline() -> None:
    async with (
        chat_server(Reply((5.0, text_event("late")))) as server,
        connected(server, first_token_timeout_ms=100) as model,
    ):
        with pytest.raises(
            EngineError, match=r"no token within 100 ms \(llm.first_token"
        ) as caught:
            await read_all(model, ask("hi"))
        assert caught.value.retryable
        async with asyncio.timeout(0.2):
            await server.client_gone.wait()


async def test_a_total_deadline_shorter_than_the_first_token_s_is_the_one_named() -> None:
    async with (
        chat_server(Reply((5.0, text_event("late")))) as server,
        connected(server, total_timeout_ms=100) as model,
    ):
        with pytest.raises(EngineError, match=r"no token within 100 ms \(llm\.total_timeout_ms"):
            await read_all(model, ask("hi"))


async def test_role_only_chunks_do_not_count_as_a_first_token() -> None:
    steps = (event({"choices": [{"delta": {"role": "assistant", "content": ""}}]}), 5.0)
    async with (
        chat_server(Reply(steps)) as server,
        connected(server, first_token_timeout_ms=100) as model,
    ):
        with pytest.raises(EngineError, match="no token within 100 ms"):
            await read_all(model, ask("hi"))


def thought_event(text: str) -> bytes:
    return event({"choices": [{"delta": {"reasoning_content": text}}]})


LONG_BEGINNINGS: list[tuple[Step, ...]] = [  # tokens that come, though nothing can be said yet
    (thought_event("Hm."), 0.15, thought_event("Ah."), 0.15, text_event("Yes.")),
    (text_event("<think>Hm."), 0.3, text_event("</think>Yes.")),
    (
        call_event(index=0, id="a", function={"name": "get_time", "arguments": '{"city": "Rome'}),
        0.15,
        call_event(index=0, function={"arguments": ", Via Appia"}),
        0.15,
        call_event(index=0, function={"arguments": '"}'}),
    ),
]


@pytest.mark.parametrize("steps", LONG_BEGINNINGS, ids=["thoughts", "tags", "call"])
async def test_tokens_that_are_not_said_yet_are_tokens(steps: tuple[Step, ...]) -> None:
    async with (
        chat_server(Reply((*steps, finish_event(), DONE))) as server,
        connected(server, first_token_timeout_ms=200, total_timeout_ms=5000) as model,
    ):
        read = await read_all(model, ask("hi", GET_TIME))
        assert read.text == "Yes." or read.calls
        assert len(server.bodies) == 1


async def test_who_thinks_and_breaks_off_late_is_told_as_that() -> None:
    steps: tuple[Step, ...] = (thought_event("Hm."), 0.3, None)
    async with (
        chat_server(Reply(steps)) as server,
        connected(server, first_token_timeout_ms=200, total_timeout_ms=5000) as model,
    ):
        with pytest.raises(EngineError, match="broke the answer off") as caught:
            await read_all(model, ask("hi"))
    assert caught.value.retryable


async def test_slow_answer_trips_the_total_deadline_only() -> None:
    slow = [step for word in "a b c d e f".split() for step in (text_event(word), 0.1)]
    async with (
        chat_server(Reply(slow)) as server,
        connected(server, first_token_timeout_ms=80, total_timeout_ms=250) as model,
    ):
        with pytest.raises(EngineError, match=r"did not finish within 250 ms") as caught:
            await read_all(model, ask("hi"))
        assert server.chunks_sent >= 2
    assert not caught.value.retryable


@pytest.mark.parametrize("status", [500, 503, 429])
async def test_one_refusal_is_retried(status: int) -> None:
    async with chat_server(Reply((), status=status)) as server, connected(server) as model:
        assert (await read_all(model, ask("hi"))).text == "Hello."
        assert len(server.bodies) == 2


async def test_two_refusals_are_an_error_that_names_host_and_status() -> None:
    refusal = Reply((b'{"error": {"message": "busy, ' + KEY.encode() + b'"}}',), status=503)
    async with chat_server(refusal, refusal) as server, connected(server) as model:
        with pytest.raises(EngineError) as caught:
            await read_all(model, ask("hi"))
        message = str(caught.value)
        host = server.base_url.removeprefix("http://").removesuffix("/v1")
        assert f"at {host} answered with status 503: busy, ***" in message
        assert KEY not in message
        assert caught.value.retryable
        assert len(server.bodies) == 2


async def test_client_errors_are_not_retried() -> None:
    async with chat_server(Reply((b"{}",), status=404)) as server, connected(server) as model:
        with pytest.raises(EngineError, match=r"status 404.*base_url") as caught:
            await read_all(model, ask("hi"))
        assert not caught.value.retryable
        assert len(server.bodies) == 1


@pytest.mark.parametrize("trouble", [None, event({"error": {"message": "out of memory"}})])
async def test_failure_after_the_first_token_is_not_retried(trouble: bytes | None) -> None:
    async with (
        chat_server(Reply((text_event("One"), trouble))) as server,
        connected(server) as model,
    ):
        with pytest.raises(EngineError) as caught:
            await read_all(model, ask("hi"))
        assert not caught.value.retryable
        assert len(server.bodies) == 1
        if trouble:
            assert "out of memory" in str(caught.value)


async def test_end_without_a_reason_is_a_broken_answer() -> None:
    async with chat_server(Reply((text_event("One"),))) as server, connected(server) as model:
        with pytest.raises(EngineError, match="broke the answer off"):
            await read_all(model, ask("hi"))


OUT_OF_MEMORY = event({"error": {"message": "out of memory"}})


@pytest.mark.parametrize("steps", [(None,), (event({"choices": []}), None), (OUT_OF_MEMORY,), ()])
async def test_what_breaks_before_the_first_token_is_retried(steps: tuple[Step, ...]) -> None:
    async with chat_server(Reply(steps)) as server, connected(server) as model:
        assert (await read_all(model, ask("hi"))).text == "Hello."
        assert len(server.bodies) == 2


async def test_what_breaks_twice_is_an_error_that_a_fallback_may_mend() -> None:
    broken = Reply((None,))
    async with chat_server(broken, broken) as server, connected(server) as model:
        with pytest.raises(EngineError, match="broke the answer off") as caught:
            await read_all(model, ask("hi"))
        assert caught.value.retryable
        assert len(server.bodies) == 2
        assert model.active_requests == 0


async def test_the_retry_shares_the_first_attempt_s_deadline() -> None:
    refusal = Reply((), status=503, headers={"retry-after": "10"})
    async with (
        chat_server(refusal) as server,
        connected(server, first_token_timeout_ms=100) as model,
    ):
        with pytest.raises(EngineError, match="no token within 100 ms"):
            await read_all(model, ask("hi"))
        assert len(server.bodies) == 1


BEHIND = [None, 5.0, b"data: gateway timeout\n\n", event({"error": {"message": "no usage"}})]


@pytest.mark.parametrize("rest", BEHIND)
async def test_an_answer_that_has_ended_is_whole_whatever_comes_behind(
    rest: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voicepipe.llm.engines.openai.USAGE_S", 0.1)
    reply = Reply((text_event("One."), finish_event("length"), rest))
    async with chat_server(reply) as server, connected(server) as model:
        async with asyncio.timeout(2):
            read = await read_all(model, ask("hi"))
        assert read.text == "One."
        assert read.finish is not None
        assert read.finish.reason == "length"


NONSENSE = [
    b'data: {"choices": [], "usage": {"prompt_tokens": 1e999}}\n\n',
    b"data: " + b"[" * 100_000 + b"\n\n",
    b'data: {"choices": [{"delta": {"tool_calls": [{"index": [1]}]}}]}\n\n',
]


@pytest.mark.parametrize("nonsense", NONSENSE)
async def test_nonsense_of_any_kind_is_an_engine_error(nonsense: bytes) -> None:
    async with chat_server(Reply((nonsense,))) as server, connected(server) as model:
        with pytest.raises(EngineError, match="no chat completion"):
            await read_all(model, ask("hi"))


async def test_a_refusal_without_sense_is_a_refusal() -> None:
    async with (
        chat_server(Reply((b"[" * 10_000,), status=400)) as server,
        connected(server) as model,
    ):
        with pytest.raises(EngineError, match="status 400"):
            await read_all(model, ask("hi"))


async def test_half_a_character_of_the_servers_is_dropped() -> None:
    """In the history it would fail every later request: no body can hold it."""
    steps = (text_event("Hi \ud83d"), text_event("\ude00 there."), finish_event(), DONE)
    async with chat_server(Reply(steps)) as server, connected(server) as model:
        assert (await read_all(model, ask("hi"))).text == "Hi  there."


async def test_a_tool_that_no_request_can_hold_is_an_engine_error() -> None:
    odd = Tool("odd", "", {"type": "object", "properties": {"size": {"default": float("nan")}}})
    async with chat_server() as server, connected(server) as model:
        with pytest.raises(EngineError, match=r"cannot be asked this \(ValueError\)"):
            await read_all(model, ask("hi", odd))
        assert model.active_requests == 0
