"""The CTranslate2 engine with the built-in model: real weights, real threads, real processes."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.llm.reading import GET_TIME, ask, read_all, until
from voicepipe.config import LlmSettings
from voicepipe.llm.contract import (
    ChatRequest,
    Message,
    Role,
    TextDelta,
    Tool,
    ToolCall,
    ToolCallUnusable,
)
from voicepipe.llm.engines.ctranslate2 import CTranslate2Model
from voicepipe.runtime.errors import EngineError, EngineUnavailable

MODEL_DIR = Path(__file__).parents[3] / "models" / "builtin" / "llm"
SYSTEM = Message("system", LlmSettings().instructions)
TOOLS = tuple(Tool(name) for name in LlmSettings().tools)


def chat(*texts: str, max_tokens: int = 120, tools: tuple[Tool, ...] = TOOLS) -> ChatRequest:
    """User and assistant in turns, after the default instructions."""
    roles: tuple[Role, ...] = ("user", "assistant")
    spoken = tuple(Message(roles[n % 2], text) for n, text in enumerate(texts))
    return ChatRequest((SYSTEM, *spoken), tools, max_tokens=max_tokens)


GET_TIME_RESULT = {"time": "19:30", "date": "2026-05-04", "weekday": "Monday"}

ENDLESS = replace(chat("tell me a joke", max_tokens=800), tool_choice="none")
"""To a model made `tireless`: something to cancel."""


def tireless(model: CTranslate2Model) -> None:
    """Let it talk on until `max_tokens`: no token that it would choose ends an answer."""
    unused = model._require_prompts().tokenizer.token_to_id("ÿ")  # the byte FF, in no text at all
    assert unused is not None
    model._stop_ids = frozenset({unused})


@asynccontextmanager
async def running(workers: int = 1, **settings: object) -> AsyncIterator[CTranslate2Model]:
    model = CTranslate2Model(LlmSettings.model_validate(settings), MODEL_DIR, workers=workers)
    await model.start()
    try:
        yield model
    finally:
        await model.aclose()


async def test_answers_in_pieces_of_whole_words_with_usage() -> None:
    async with running() as model:
        read = await read_all(model, chat("hello"))
    assert len(read.texts) > 2, "the answer must stream"
    assert len(read.text.split()) >= 2
    assert "<|" not in read.text
    assert read.finish is not None
    assert read.finish.reason == "stop"
    usage = read.finish.usage
    assert usage.prompt_tokens > 10
    assert 3 <= usage.completion_tokens < 120


@pytest.mark.parametrize(
    "messages",
    [
        (Message("system", "Greet the user and offer your help."),),
        (Message("system", "Be brief.\n\nGreet the user."),),
        (SYSTEM,),
        (SYSTEM, Message("assistant", "Good morning.")),
    ],
)
async def test_before_anybody_has_spoken_it_greets(messages: tuple[Message, ...]) -> None:
    async with running() as model:
        for tools in ((), TOOLS):
            read = await read_all(model, ChatRequest(messages, tools))
            assert read.text.endswith("! How can I help you?")


async def test_the_result_of_a_tool_is_no_beginning() -> None:
    call = ToolCall("c1", "get_time", "{}")
    told = Message("tool", json.dumps(GET_TIME_RESULT), call_id="c1")
    asked = Message("assistant", "", tool_calls=(call,))
    async with running() as model:
        read = await read_all(model, ChatRequest((SYSTEM, asked, told), TOOLS))
    assert "half past seven" in read.text or "Monday" in read.text, "it speaks of the result"
    assert "How can I help" not in read.text


async def test_a_forced_call_that_ends_where_it_begins_is_no_silent_answer() -> None:
    asked = replace(chat("what time is it"), tool_choice="get_time")
    async with running() as model:
        tokens = model._require_prompts().tokenizer.get_vocab_size()
        model._stop_ids = frozenset(range(tokens))  # whatever it says ends the answer
        with pytest.raises(ToolCallUnusable):
            await read_all(model, asked)


async def test_greedy_answers_repeat_and_the_kept_system_message_changes_nothing() -> None:
    async with running() as model:
        reads = [await read_all(model, chat("how are you")) for _ in range(3)]
    assert len({read.text for read in reads}) == 1
    cached = [read.finish.usage.cached_tokens for read in reads if read.finish]
    assert cached[:2] == [0, 0]
    assert cached[2] > 0


async def test_warming_keeps_the_system_message_for_the_first_request() -> None:
    async with running() as model:
        await model.warm(chat("hello"))
        read = await read_all(model, chat("hello"))
        assert read.finish is not None
        assert read.finish.usage.cached_tokens > 0
        steps = model.tokens_generated
        await model.warm(chat("hello"))
        assert model.tokens_generated == steps, "nothing left to warm"


async def test_what_time_is_it_calls_the_tool_and_its_result_is_answered() -> None:
    async with running() as model:
        asked = chat("what time is it")
        read = await read_all(model, asked)
        assert [call.name for call in read.calls] == ["get_time"]
        assert isinstance(json.loads(read.calls[0].arguments), dict)
        assert "tool_call" not in read.text
        assert read.finish is not None
        assert read.finish.reason == "tool_calls"
        call = read.calls[0]
        told = replace(
            asked,
            messages=(
                *asked.messages,
                Message("assistant", read.text, tool_calls=(call,)),
                Message("tool", json.dumps(GET_TIME_RESULT), call_id=call.call_id),
            ),
        )
        answer = await read_all(model, told)
    # How well it tells the result is for the model's own evaluation; here it must have got it.
    assert answer.text
    assert answer.calls == []
    assert answer.finish is not None
    assert answer.finish.usage.prompt_tokens > read.finish.usage.prompt_tokens + 20


async def test_where_words_are_wanted_no_call_comes_whatever_was_called_before() -> None:
    said = "a table on friday please"
    called = ToolCall("call_1", "note_booking", json.dumps({"what": said}))
    noted = '{"booking": "a table on Friday", "ask": "For what time?"}'
    messages = (
        Message("system", "You are the kitchen of our company. Answer in one short sentence."),
        Message("user", said),
        Message("assistant", "", tool_calls=(called,)),
        Message("tool", noted, call_id="call_1"),
        Message("assistant", "Okay, a table on Friday. For what time?"),
        Message("user", "at eight"),
    )
    asked = ChatRequest(messages, max_tokens=60, tool_choice="none")
    async with running() as model:
        read = await read_all(model, asked)
    assert read.text
    assert read.calls == []


async def test_a_forced_call_is_made() -> None:
    async with running() as model:
        read = await read_all(model, replace(chat("hello"), tool_choice="list_timers"))
    assert read.text == ""
    assert [call.name for call in read.calls] == ["list_timers"]


async def test_some_call_is_made_where_one_is_required() -> None:
    async with running() as model:
        asked = replace(chat("set a timer for ten minutes"), tool_choice="required")
        read = await read_all(model, asked)
    assert [call.name for call in read.calls] == ["set_timer"]
    assert read.text == ""


async def test_logprobs_come_with_the_text_where_they_are_asked_for() -> None:
    async with running(logprobs=True) as model:
        found = [d.logprob async for d in model.stream(chat("hello")) if isinstance(d, TextDelta)]
    assert all(logprob is not None and -5 < logprob <= 0 for logprob in found)
    async with running() as model:
        found = [d.logprob async for d in model.stream(chat("hello")) if isinstance(d, TextDelta)]
    assert set(found) == {None}


async def test_the_finish_tells_when_the_tokens_came() -> None:
    async with running() as model:
        read = await read_all(model, chat("hello"))
    assert read.finish is not None
    times = read.finish.times
    assert times is not None
    assert times.first_ms > 0
    assert times.step_p50_ms is not None
    assert times.step_max_ms is not None
    assert 0 < times.step_p50_ms <= times.step_max_ms


async def test_max_tokens_ends_the_answer() -> None:
    async with running() as model:
        read = await read_all(model, chat("hello", max_tokens=2))
        assert read.finish is not None
        assert read.finish.reason == "length"
        assert read.finish.usage.completion_tokens == 2


async def test_closing_the_stream_stops_the_generation() -> None:
    async with running() as model:
        tireless(model)
        await read_all(model, ENDLESS)
        assert model.tokens_generated == 800, "left alone it talks to the limit"
        before = model.tokens_generated
        async with aclosing(model.stream(ENDLESS)) as stream:
            assert isinstance(await anext(stream), TextDelta)
        await until(lambda: model.active_requests == 0)
        assert model.tokens_generated - before < 400
        assert (await read_all(model, chat("hello"))).finish is not None


async def test_cancelling_the_reader_stops_the_generation() -> None:
    async with running() as model:
        tireless(model)
        before = model.tokens_generated
        task = asyncio.create_task(read_all(model, ENDLESS))
        await until(lambda: model.active_requests == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: model.active_requests == 0)
        assert model.tokens_generated - before < 400


async def test_eight_at_once_answer_as_one_alone() -> None:
    questions = ["hello", "how are you", "turn on the light", "thank you"] * 2
    async with running(workers=2) as model:
        alone = [await read_all(model, chat(q)) for q in questions[:4]]
        together = await asyncio.gather(*(read_all(model, chat(q)) for q in questions))
        assert (model.active_requests, model.waiting_requests) == (0, 0)
    assert [read.text for read in together] == [read.text for read in alone] * 2


async def test_urgent_requests_pass_waiting_ones() -> None:
    finished: list[str] = []

    async def run(model: CTranslate2Model, name: str, priority: int) -> None:
        await read_all(model, replace(chat("hello"), priority=priority))
        finished.append(name)

    async with running() as model, asyncio.TaskGroup() as group:
        for name, priority in (("running", 2), ("warm", 2), ("early", 1), ("late", 0)):
            group.create_task(run(model, name, priority))
            await asyncio.sleep(0)
    assert finished == ["running", "late", "early", "warm"]


async def test_deadlines() -> None:
    async with running(first_token_timeout_ms=0) as model:
        with pytest.raises(EngineError, match=r"no token within 0 ms.*first_token") as caught:
            await read_all(model, chat("hello"))
        assert caught.value.retryable
        await until(lambda: model.active_requests == 0)
    async with running(total_timeout_ms=30) as model:
        tireless(model)
        with pytest.raises(EngineError, match=r"within 30 ms \(llm\.total_timeout_ms\)"):
            await read_all(model, ENDLESS)
        await until(lambda: model.active_requests == 0)


async def test_closing_the_engine_ends_running_and_waiting_requests() -> None:
    async with running() as model:
        tireless(model)
        tasks = [asyncio.create_task(read_all(model, ENDLESS)) for _ in range(3)]
        await until(lambda: (model.active_requests, model.waiting_requests) == (1, 2))
        await model.aclose()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(r) for r in results[1:]] == [EngineError, EngineError]
        with pytest.raises(EngineError, match="not started"):
            await read_all(model, chat("hello"))
        await model.start()
        assert (await read_all(model, chat("hello"))).finish is not None


async def test_who_asks_while_it_closes_is_told_at_once() -> None:
    async with running() as model:
        tireless(model)
        first = asyncio.create_task(read_all(model, ENDLESS))
        await until(lambda: model.active_requests == 1)
        closing = asyncio.create_task(model.aclose())
        await asyncio.sleep(0)
        with pytest.raises(EngineError, match="shutting down"):
            await read_all(model, ENDLESS)
        assert not closing.done()
        await closing
        await asyncio.gather(first, return_exceptions=True)


async def test_callers_are_told_of_a_fault_s_kind_only(caplog: pytest.LogCaptureFixture) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no memory at 0x7f00 for /home/me/model.bin")

    async with running() as model:
        model._generate = broken  # type: ignore[method-assign, assignment]
        with pytest.raises(EngineError, match=r"CTranslate2 failed .*RuntimeError") as caught:
            await read_all(model, chat("hello"))
    assert "/home" not in str(caught.value)
    assert "/home" in caplog.text


async def test_a_system_message_of_the_client_s_own_is_no_obstacle() -> None:
    async with running() as model:
        read = await read_all(model, ask("hello", GET_TIME))
    assert read.finish is not None


async def test_later_prompts_begin_with_earlier_ones() -> None:
    async with running() as model:
        prompts = model._require_prompts()
        first = prompts.make(chat("hello")).tokens
        answer = (await read_all(model, chat("hello"))).text
        later = prompts.make(chat("hello", answer, "thank you"))
        whole = later.static + later.tokens
    assert whole[: len(first)] == first


async def test_thoughts_are_taken_out_of_the_answer() -> None:
    async with running() as model:
        plain = (await read_all(model, chat("hello"))).text
    word = plain.split()[2]
    async with running(thinking_tags=[word]) as model:  # as if the model opened a thought with it
        assert (await read_all(model, chat("hello"))).text == plain[: plain.index(word)].rstrip()


async def test_template_that_opens_a_thought_is_noticed(tmp_path: Path) -> None:
    for file in MODEL_DIR.iterdir():
        (tmp_path / file.name).symlink_to(file)
    config = json.loads((MODEL_DIR / "tokenizer_config.json").read_text())
    config["chat_template"] += "{% if add_generation_prompt %}<think>\n{% endif %}"
    (tmp_path / "tokenizer_config.json").unlink()
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    model = CTranslate2Model(LlmSettings(), tmp_path, workers=1)
    await model.start()
    try:
        with pytest.raises(EngineError, match="thought and then said nothing"):
            await read_all(model, chat("hello"))
        forced = replace(chat("what time is it"), tool_choice="get_time")
        assert [call.name for call in (await read_all(model, forced)).calls] == ["get_time"]
    finally:
        await model.aclose()


async def test_missing_model_says_what_to_do(tmp_path: Path) -> None:
    model = CTranslate2Model(LlmSettings(), tmp_path)
    with pytest.raises(EngineUnavailable, match=r"model\.bin is missing.*models pull"):
        await model.start()


async def test_broken_weights_say_so(tmp_path: Path) -> None:
    for file in MODEL_DIR.iterdir():
        if file.is_file():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "model.bin").write_bytes(b"not a model")
    model = CTranslate2Model(LlmSettings(), tmp_path)
    with pytest.raises(EngineUnavailable, match="cannot load the model"):
        await model.start()
    with pytest.raises(EngineUnavailable, match="cannot load the model"):
        await model.start()  # not half started


PROGRAM = """
    import asyncio, sys
    from pathlib import Path
    from voicepipe.config import LlmSettings
    from voicepipe.llm.contract import ChatRequest, Message
    from voicepipe.llm.engines.ctranslate2 import CTranslate2Model

    model = CTranslate2Model(LlmSettings(), Path(sys.argv[1]))
    request = ChatRequest((Message("user", "hello"),), max_tokens=500, temperature=2.0)

    async def main():
        await model.start()
        stream = model.stream(request)
        print(await anext(stream))
        if sys.argv[2] == "orderly":
            await stream.aclose()
            await model.aclose()
        elif sys.argv[2] == "crash":
            raise KeyboardInterrupt

    asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("end", "status", "runs"),
    # The abort this guards against came in about half of the runs that forgot the engine. A
    # process that leaves a KeyboardInterrupt uncaught ends as if killed by SIGINT.
    [("orderly", 0, 1), ("forgotten", 0, 3), ("crash", -2, 1)],
)
def test_the_process_ends_cleanly_even_in_mid_answer(end: str, status: int, runs: int) -> None:
    for _ in range(runs):
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(PROGRAM), str(MODEL_DIR), end],
            capture_output=True,
            text=True,
            timeout=280,
            check=False,
        )
        assert "TextDelta" in done.stdout, done.stderr
        assert done.returncode == status, done.stderr
        assert "terminate" not in done.stderr
