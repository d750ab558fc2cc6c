"""The engine of chat servers: what it asks, what it reads, what it makes of thoughts and calls."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import aclosing
from dataclasses import replace

import pytest

from tests.llm.chat_server import (
    DONE,
    USAGE,
    Reply,
    answer,
    call_event,
    chat_server,
    event,
    finish_event,
    text_event,
)
from tests.llm.openai_model import KEY, connected
from tests.llm.reading import GET_TIME, ask, read_all
from voicepipe.config import LlmSettings
from voicepipe.llm.cache.model import CachingModel
from voicepipe.llm.cache.store import MemoryStore
from voicepipe.llm.contract import ChatRequest, Finish, Message, TextDelta, ToolCall, Usage
from voicepipe.llm.engines.openai import OpenAICompatibleModel
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import EngineError, EngineUnavailable


async def test_a_request_may_name_another_model_of_the_server() -> None:
    steps = (text_event("Yes."), finish_event(), USAGE, DONE)
    async with chat_server(Reply(steps)) as server, connected(server) as model:
        await read_all(model, replace(ask("are you there"), model="large"))
    assert server.bodies[-1]["model"] == "large"


async def test_a_session_has_one_key_and_it_reveals_nothing() -> None:
    replies = tuple(answer() for _ in range(3))
    async with chat_server(*replies) as server, connected(server) as model:
        for session in ("sess_one", "sess_one", "sess_two"):
            await read_all(model, replace(ask("hello"), session_id=session))
    keys = [headers["x-session-id"] for headers in server.headers[-3:]]
    assert keys[0] == keys[1] != keys[2]
    assert "sess" not in keys[0]
    assert len(keys[0]) == 32
    assert not {"user", "prompt_cache_key"} & set(server.bodies[-1])


async def test_the_way_to_the_server_is_measured() -> None:
    async with chat_server(answer()) as server, connected(server) as model:
        read = await read_all(model, ask("hello"))
    assert read.finish is not None
    times = read.finish.times
    assert times is not None
    assert times.hop_ms is not None
    assert 0 < times.hop_ms < 1000


async def test_the_key_goes_where_the_router_reads_it() -> None:
    wanted = {"session_header": "x-user-id", "session_field": "prompt_cache_key"}
    async with chat_server(answer()) as server, connected(server, **wanted) as model:
        await read_all(model, replace(ask("hello"), session_id="sess_one"))
    assert "x-session-id" not in server.headers[-1]
    assert server.bodies[-1]["prompt_cache_key"] == server.headers[-1]["x-user-id"]


async def test_a_server_that_wants_no_key_gets_none() -> None:
    async with chat_server(answer(), answer()) as server:
        async with connected(server, session_header="") as model:
            await read_all(model, replace(ask("hello"), session_id="sess_one"))
        async with connected(server) as model:
            await read_all(model, ask("hello"))
    assert all("x-session-id" not in headers for headers in server.headers)


async def test_streams_text_usage_and_finish() -> None:
    steps = (text_event("It is "), text_event("noon."), finish_event(), USAGE, DONE)
    async with chat_server(Reply(steps)) as server, connected(server) as model:
        read = await read_all(model, ask("what time is it"))
    assert read.text == "It is noon."
    assert read.finish == Finish("stop", Usage(40, 7, 32))
    body = server.bodies[0]
    assert body["model"] == "tiny"
    assert body["messages"][1] == {"role": "user", "content": "what time is it"}
    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}
    assert "tools" not in body
    assert server.headers[-1]["authorization"] == f"Bearer {KEY}"


async def test_answer_that_a_filter_cut_off_says_so_and_is_not_remembered() -> None:
    steps = (text_event("To open the"), finish_event("content_filter"), DONE)
    async with chat_server(Reply(steps)) as server, connected(server) as inner:
        store = MemoryStore(MonotonicClock(), max_bytes=10_000, ttl_s=60)
        model = CachingModel(inner, exact=store)
        read = await read_all(model, ask("how do I open it"))
        await asyncio.sleep(0)
        assert read.finish is not None
        assert read.finish.route == {"filter": "content_filter"}
        assert len(store) == 0


async def test_each_delta_arrives_while_the_next_is_not_sent_yet() -> None:
    steps = (text_event("Now"), 5.0, text_event(" late"), finish_event(), DONE)
    async with (
        chat_server(Reply(steps)) as server,
        connected(server) as model,
        aclosing(model.stream(ask("hi"))) as stream,
        asyncio.timeout(1),
    ):
        assert await anext(stream) == TextDelta("Now")


async def test_one_connection_serves_many_requests() -> None:
    async with chat_server() as server, connected(server) as model:
        for _ in range(5):
            assert (await read_all(model, ask("hi"))).text == "Hello."
        assert len(server.bodies) == 5
        assert server.connections == 1


def scored_event(text: str, *logprobs: float) -> bytes:
    tokens = [{"token": "x", "logprob": logprob} for logprob in logprobs]
    choice = {"index": 0, "delta": {"content": text}, "logprobs": {"content": tokens}}
    return event({"choices": [choice]})


async def test_logprobs_are_asked_for_and_handed_on_with_their_text() -> None:
    steps = (
        scored_event("<think>Hm", -9.0),
        scored_event("</think>", -9.0),
        scored_event("It", -0.2),
        scored_event(" is ", -0.5, -0.7),  # the blank is held back until a word follows
        text_event("noon"),
        finish_event(),
        DONE,
    )
    async with chat_server(Reply(steps)) as server, connected(server, logprobs=True) as model:
        deltas = [d async for d in model.stream(ask("time")) if isinstance(d, TextDelta)]
        assert server.bodies[0]["logprobs"] is True
    assert [delta.text for delta in deltas] == ["It", " is", " noon"]
    assert [delta.logprob for delta in deltas] == [-0.2, pytest.approx(-0.6), None]


@pytest.mark.parametrize(
    ("chunks", "usage"),
    [
        (  # llama.cpp: a count of the prompt without what was kept
            [
                {"choices": [], "usage": {"prompt_tokens": 40, "completion_tokens": 7}},
                {
                    "choices": [],
                    "timings": {
                        **{"cache_n": 30, "prompt_n": 10, "predicted_n": 7},
                        **{"draft_n": 6, "draft_n_accepted": 4},
                    },
                },
            ],
            Usage(40, 7, 30, 6, 4),
        ),
        ([{"choices": [], "timings": {"cache_n": 30, "prompt_n": 10}}], Usage(40, 0, 30)),
        (  # Ollama's own names
            [{"prompt_eval_count": 40, "prompt_eval_cached_count": 32, "eval_count": 7}],
            Usage(40, 7, 32),
        ),
        (  # DeepSeek
            [{"choices": [], "usage": {"prompt_tokens": 40, "prompt_cache_hit_tokens": 16}}],
            Usage(40, 0, 16),
        ),
        (  # vLLM with --enable-per-request-metrics and a drafter
            [
                {
                    "choices": [],
                    "usage": {"prompt_tokens": 40, "prompt_tokens_details": None},
                    "metrics": {
                        "speculative_decoding": {
                            "num_draft_tokens": 9,
                            "num_accepted_draft_tokens": 5,
                        }
                    },
                }
            ],
            Usage(40, 0, 0, 9, 5),
        ),
    ],
)
async def test_usage_in_the_shapes_of_different_servers(
    chunks: list[dict[str, object]], usage: Usage
) -> None:
    steps = (text_event("Hi."), finish_event(), *map(event, chunks), DONE)
    async with chat_server(Reply(steps)) as server, connected(server) as model:
        assert (await read_all(model, ask("hi"))).finish == Finish("stop", usage)


async def test_the_finish_tells_when_the_tokens_came() -> None:
    steps = (0.05, text_event("One"), 0.3, text_event(" two"), finish_event(), DONE)
    async with chat_server(Reply(steps)) as server, connected(server) as model:
        read = await read_all(model, ask("count"))
    assert read.finish is not None
    times = read.finish.times
    assert times is not None
    assert times.first_ms >= 50
    assert times.step_p50_ms is not None
    assert times.step_p50_ms >= 150  # less what a busy machine reads late


async def test_tool_calls_in_pieces_come_out_whole() -> None:
    steps = (
        text_event("One moment. "),
        call_event(index=0, id="call_a", function={"name": "get_time", "arguments": ""}),
        call_event(index=0, function={"arguments": '{"city"'}),
        call_event(index=0, function={"arguments": ': "Rome"}'}),
        call_event(index=1, id="call_b", function={"name": "get_time", "arguments": "{}"}),
        finish_event("tool_calls"),
        USAGE,
        DONE,
    )
    async with chat_server(Reply(steps)) as server, connected(server) as model:
        wanted = replace(ask("time", GET_TIME, tool_choice="get_time"), parallel_tools=False)
        read = await read_all(model, wanted)
    assert [(call.name, call.arguments) for call in read.calls] == [
        ("get_time", '{"city": "Rome"}'),
        ("get_time", "{}"),
    ]
    assert read.finish == Finish("tool_calls", Usage(40, 7, 32))
    assert server.bodies[0]["tools"][0]["function"]["name"] == "get_time"
    assert server.bodies[0]["tool_choice"] == {"type": "function", "function": {"name": "get_time"}}
    assert server.bodies[0]["parallel_tool_calls"] is False


ONE, TWO = {"name": "get_time", "arguments": '{"a"'}, {"name": "get_time", "arguments": '{"b"'}
MIXED = (  # each call goes on after the other has begun
    call_event(index=0, id="a", function=ONE),
    call_event(index=1, id="b", function=TWO),
    call_event(index=0, function={"arguments": ": 1}"}),
    call_event(index=1, function={"arguments": ": 2}"}),
)
UNNUMBERED = (
    call_event(id="a", function=ONE),
    call_event(function={"arguments": ": 1}"}),
    call_event(id="b", function=TWO),
    call_event(id="other", function={"arguments": ": 2}"}),
)
WHOLE = (  # neither numbered nor named, as Gemini has sent them
    call_event(index=0, id="", function={"name": "get_time", "arguments": '{"a": 1}'}),
    call_event(index=0, id="", function={"name": "get_time", "arguments": '{"b": 2}'}),
)


@pytest.mark.parametrize("pieces", [MIXED, UNNUMBERED, WHOLE])
async def test_pieces_of_several_calls_find_their_own(pieces: tuple[bytes, ...]) -> None:
    reply = Reply((*pieces, finish_event("tool_calls"), DONE))
    async with chat_server(reply) as server, connected(server) as model:
        read = await read_all(model, ask("time", GET_TIME))
    assert [call.arguments for call in read.calls] == ['{"a": 1}', '{"b": 2}']


@pytest.mark.parametrize("nothing", [None, "", "null"])
async def test_a_call_without_arguments_has_none(nothing: str | None) -> None:
    """Servers written in Go say null; a client's function would be given it for an object."""
    call = call_event(index=0, id="a", function={"name": "get_time", "arguments": nothing})
    async with (
        chat_server(Reply((call, finish_event("tool_calls"), DONE))) as server,
        connected(server) as model,
    ):
        (made,) = (await read_all(model, ask("time", GET_TIME))).calls
    assert made.arguments == "{}"


async def test_ids_that_a_server_repeats_are_ours_and_unique_and_its_own_go_back_to_it() -> None:
    call = call_event(index=0, id="call_0", function={"name": "get_time", "arguments": "{}"})
    reply = Reply((call, finish_event("tool_calls"), DONE))
    async with chat_server(reply, reply) as server, connected(server) as model:
        messages = [Message("user", "time")]
        for _ in range(2):
            read = await read_all(model, ChatRequest(tuple(messages), (GET_TIME,)))
            (made,) = read.calls
            messages.append(Message("assistant", "", tool_calls=(made,)))
            messages.append(Message("tool", "7:30", call_id=made.call_id))
        ids = [message.call_id for message in messages if message.call_id]
        assert len(set(ids)) == 2
        await read_all(model, ChatRequest(tuple(messages), (GET_TIME,)))
    sent = server.bodies[-1]["messages"]
    assert [c["id"] for m in sent for c in m.get("tool_calls", ())] == ["call_0", "call_0"]
    assert [m["tool_call_id"] for m in sent if m["role"] == "tool"] == ["call_0", "call_0"]


@pytest.mark.parametrize("came", ["", '{"who": "Ann'])
async def test_a_call_that_was_cut_off_is_not_made_and_does_not_end_the_conversation(
    came: str,
) -> None:
    """Without arguments it would be another call; with half of them servers refuse the history."""
    call = call_event(index=0, id="c", function={"name": "get_time", "arguments": came})
    reply = Reply((call, finish_event("length"), DONE))
    async with chat_server(reply, reply) as server, connected(server) as model:
        (made,) = (await read_all(model, ask("time", GET_TIME))).calls
        with pytest.raises(ValueError, match=r"Expecting|Unterminated"):
            json.loads(made.arguments)  # so that the toolbox refuses it
        said = (Message("user", "time"), Message("assistant", "", tool_calls=(made,)))
        result = Message("tool", '{"error": "not JSON"}', call_id=made.call_id)
        await read_all(model, ChatRequest((*said, result), (GET_TIME,)))
    (sent,) = server.bodies[-1]["messages"][1]["tool_calls"]
    assert sent["function"]["arguments"] == "{}"


async def test_calls_that_the_server_left_in_the_text_are_not_spoken() -> None:
    steps = [text_event(t) for t in ("Sure.", "<tool", '_call>{"name": "get_time"}</tool_call>')]
    async with (
        chat_server(Reply((*steps, finish_event(), DONE))) as server,
        connected(server) as model,
    ):
        read = await read_all(model, ask("time", GET_TIME))
    assert read.text == "Sure."
    assert [call.name for call in read.calls] == ["get_time"]
    assert read.finish is not None
    assert read.finish.reason == "tool_calls"


async def test_a_model_that_must_not_call_calls_nothing() -> None:
    """It has the habit from the history, though nobody has told it of tools this time."""
    steps = (text_event('Sure. <tool_call>{"name": "get_time"}</tool_call>'), finish_event(), DONE)
    async with chat_server(Reply(steps), Reply(steps[1:])) as server, connected(server) as model:
        read = await read_all(model, ask("time", GET_TIME, tool_choice="none"))
    assert (read.text, read.calls) == ("Sure.", [])


async def test_thoughts_within_the_text_are_not_spoken_and_calls_in_them_not_made() -> None:
    thought = '<think>Call <tool_call>{"name": "get_time"}</tool_call>?</think>\n\nNo.'
    steps = [text_event(thought[at : at + 7]) for at in range(0, len(thought), 7)]
    reply = Reply((*steps, finish_event(), DONE))
    async with chat_server(reply) as server, connected(server) as model:
        read = await read_all(model, ask("hi", GET_TIME))
    assert read.text == "No."
    assert read.calls == []


async def test_thoughts_of_a_template_that_opens_them_are_not_spoken_if_settings_say_so() -> None:
    reply = Reply((text_event("Hm."), text_event("[/plan]Yes."), finish_event(), DONE))
    thinking = {"thinking_begun": True, "thinking_tags": ["[plan]"]}
    async with chat_server(reply) as server, connected(server, **thinking) as model:
        assert (await read_all(model, ask("hi"))).text == "Yes."


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_thoughts_that_the_server_parts_from_the_text_are_not_spoken(field: str) -> None:
    thought = event({"choices": [{"delta": {field: "The user greets me.", "content": None}}]})
    replies = (
        Reply((thought, text_event("Hello."), finish_event(), DONE)),
        Reply((thought, finish_event("length"), DONE)),
    )
    async with chat_server(*replies) as server, connected(server) as model:
        assert (await read_all(model, ask("hi"))).text == "Hello."
        with pytest.raises(EngineError, match=r"said nothing; raise llm\.max_tokens") as caught:
            await read_all(model, ask("hi"))
        assert caught.value.retryable


async def test_history_with_calls_takes_the_wire_s_shape() -> None:
    call = ToolCall("call_1", "get_time", "{}")
    messages = (
        Message("user", "time"),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "7:30", call_id="call_1"),
    )
    async with chat_server() as server, connected(server) as model:
        await read_all(model, ChatRequest(messages, (GET_TIME,), seed=5))
    body = server.bodies[0]
    assert body["messages"][1] == {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "get_time", "arguments": "{}"},
            }
        ],
    }
    assert body["messages"][2] == {"role": "tool", "content": "7:30", "tool_call_id": "call_1"}
    assert body["seed"] == 5


async def test_events_split_anywhere_even_inside_a_character() -> None:
    whole = b": hello\r\n\r\n" + text_event("Grüße 😀") + finish_event() + DONE
    pieces = [whole[i : i + 3] for i in range(0, len(whole), 3)]
    async with chat_server(Reply(pieces)) as server, connected(server) as model:
        assert (await read_all(model, ask("hi"))).text == "Grüße 😀"


async def test_nonsense_from_the_server_is_an_engine_error() -> None:
    async with chat_server(Reply((b"data: {oops\n\n",))) as server, connected(server) as model:
        with pytest.raises(EngineError, match="no chat completion"):
            await read_all(model, ask("hi"))


async def test_warm_asks_only_if_told_to() -> None:
    async with chat_server() as server, connected(server) as model:
        await model.warm(ask("hi"))
        assert server.bodies == []
        eager = OpenAICompatibleModel(
            LlmSettings(model="tiny", base_url=server.base_url, prefill_on_warm=True)
        )
        await eager.start()
        await eager.warm(ask("hi"))
        await eager.aclose()
        assert [body["max_tokens"] for body in server.bodies] == [1]


async def test_the_server_s_first_model_is_taken_where_none_is_set() -> None:
    async with chat_server() as server, connected(server, model="builtin/llm") as model:
        await read_all(model, ask("hi"))
        assert server.bodies[0]["model"] == "tiny"


async def test_start_says_what_is_wrong() -> None:
    with pytest.raises(EngineUnavailable, match=r"llm\.base_url"):
        OpenAICompatibleModel(LlmSettings())
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        model = OpenAICompatibleModel(LlmSettings(base_url=f"http://127.0.0.1:{port}/v1"))
        with pytest.raises(EngineUnavailable, match=f"answers at 127.0.0.1:{port}"):
            await model.start()
    async with chat_server() as server:
        server.models_status = 401
        with pytest.raises(EngineUnavailable, match="refuses the key"):
            async with connected(server):
                pass
        server.models_status, server.models = 200, ()
        with pytest.raises(EngineUnavailable, match=r"lists no models.*set llm\.model"):
            async with connected(server, model=""):
                pass


async def test_not_started_is_an_error() -> None:
    model = OpenAICompatibleModel(LlmSettings(base_url="http://127.0.0.1:1/v1"))
    with pytest.raises(EngineError, match="not started"):
        await read_all(model, ask("hi"))
