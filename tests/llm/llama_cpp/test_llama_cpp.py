"""What is llama.cpp's own: slots, drafts, grammars, warm-ups, its worker's death, bad files."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.llm.batching_contract import JOKE, tireless
from tests.llm.engines.test_ctranslate2 import SYSTEM, TOOLS, chat
from tests.llm.llama_cpp.conftest import new_model, running
from tests.llm.reading import read_all, until
from voicepipe.llm.contract import ChatRequest, Delta, Message, TextDelta, Tool
from voicepipe.llm.engines.llama_cpp import LlamaCppModel
from voicepipe.runtime.errors import EngineError, EngineUnavailable


async def test_a_draft_model_guesses_and_the_words_stay_the_same(folder: Path) -> None:
    questions = ("hello", "tell me a joke", "how are you")
    async with running(folder) as model:
        plain = [await read_all(model, chat(question)) for question in questions]
    draft = {"method": "draft_model", "model": "set", "tokens": 3}
    async with running(folder, own={"speculative": draft}) as model:
        drafted = [await read_all(model, chat(question)) for question in questions]
    usages = [read.finish.usage for read in drafted if read.finish]
    assert 0 < sum(u.accepted_tokens for u in usages) <= sum(u.drafted_tokens for u in usages)
    assert [read.text for read in drafted] == [read.text for read in plain]
    assert all(u.accepted_tokens < u.completion_tokens for u in usages)


async def test_copying_from_the_prompt(folder: Path) -> None:
    ngram = {"method": "ngram", "tokens": 4, "lookup_min": 3}
    async with running(folder, own={"speculative": ngram}) as model:
        first = await read_all(model, chat(JOKE))
        more = await read_all(model, chat(*[JOKE, first.text] * 3, JOKE))
    assert more.finish is not None
    assert more.finish.usage.drafted_tokens > 0


async def test_conversations_run_at_once_and_each_finds_its_own_history(folder: Path) -> None:
    async with running(folder, own={"slots": 3}) as model:
        questions = ("hello", JOKE, "how are you")
        firsts = await asyncio.gather(*(read_all(model, chat(q)) for q in questions))
        seconds = await asyncio.gather(
            *(
                read_all(model, chat(q, first.text, "another one"))
                for q, first in zip(questions, firsts, strict=True)
            )
        )
    for first, second in zip(firsts, seconds, strict=True):
        assert first.finish is not None
        assert second.finish is not None
        said = first.finish.usage.prompt_tokens + first.finish.usage.completion_tokens
        assert second.finish.usage.cached_tokens >= said - 4


async def test_a_session_is_known_by_its_id(folder: Path) -> None:
    """Two callers begin with the same words; what one says next is computed in its own slot."""
    async with running(folder, own={"slots": 2}) as model:
        one, two = (replace(chat("hello"), session_id=name) for name in ("one", "two"))
        first = await read_all(model, one)
        await read_all(model, two)
        texts = ("hello", first.text, JOKE)
        again = await read_all(model, replace(chat(*texts), session_id="one"))
        other = await read_all(model, replace(chat(*texts), session_id="two"))
    for read in (again, other):
        assert read.finish is not None
        assert read.finish.usage.cached_tokens > 40


async def test_a_call_follows_its_tools_schema(folder: Path) -> None:
    """What the model likes to call its argument is not what this tool takes."""
    minutes = {
        "type": "object",
        "properties": {"minutes": {"enum": [5, 10, 15]}, "unit": {"enum": ["min"]}},
        "required": ["minutes", "unit"],
    }
    tools = (Tool("set_timer", parameters=minutes),)
    request = chat("set a timer for ten minutes", tools=tools)
    async with running(folder) as model:
        free = [await read_all(model, request)]
        free.append(await read_all(model, replace(request, tool_choice="set_timer")))
        free.append(await read_all(model, replace(request, tool_choice="required")))
    async with running(folder, own={"constrain_tools": False}) as model:
        own = await read_all(model, chat("set a timer for ten minutes"))
    assert own.calls
    assert "minutes" not in json.loads(own.calls[0].arguments), "else this proves nothing"
    for read in free:
        (call,) = read.calls
        arguments = json.loads(call.arguments)
        assert arguments["minutes"] in (5, 10, 15)
        assert arguments["unit"] == "min"
        assert read.finish is not None
        assert read.finish.reason == "tool_calls"


async def test_a_tool_that_is_not_offered_cannot_be_demanded(folder: Path) -> None:
    async with running(folder) as model:
        with pytest.raises(EngineError, match="get_time, set_timer"):
            await read_all(model, replace(chat("hello"), tool_choice="fly"))
        with pytest.raises(EngineError, match="there are no tools"):
            await read_all(model, replace(chat("hello", tools=()), tool_choice="required"))
        assert (await read_all(model, chat("hello"))).text


async def test_a_long_prompt_is_left_at_the_next_batch(folder: Path) -> None:
    """Cancelled before its first word, it leaves what it has computed and frees its slot."""
    long = Message("user", "tell me a joke and then another one " * 100)
    request = ChatRequest((SYSTEM, long), TOOLS, max_tokens=20)
    async with running(folder, own={"slots": 1, "batch_tokens": 8}) as model:
        reading = asyncio.create_task(read_all(model, request))
        await until(lambda: model._worker is not None and model._worker.active == 1)
        await asyncio.sleep(0.02)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        read = await read_all(model, request)
    assert read.finish is not None
    assert 0 < read.finish.usage.cached_tokens < read.finish.usage.prompt_tokens - 8


async def test_a_warm_up_gives_way_and_keeps_what_it_has_done(folder: Path) -> None:
    long = Message("user", "tell me a joke and then another one " * 100)
    ahead = ChatRequest((SYSTEM, long), TOOLS, max_tokens=20)
    async with running(folder, own={"slots": 2, "batch_tokens": 8}) as model:
        warming = asyncio.create_task(model.warm(ahead))
        await until(lambda: len(model._warm_ups) == 1)
        await asyncio.sleep(0.1)  # so that it has done some of it
        read = await read_all(model, ahead)
        await warming
        assert read.finish is not None
        assert read.finish.usage.cached_tokens > 0
        assert len(model._warm_ups) == 0


async def test_a_warm_up_that_gave_way_to_another_conversation_is_taken_up_again(
    folder: Path,
) -> None:
    long = Message("user", "tell me a joke and then another one " * 100)
    ahead = ChatRequest((SYSTEM, long), TOOLS, max_tokens=20, session_id="a")
    async with running(folder, own={"slots": 2, "batch_tokens": 8}) as model:
        warming = asyncio.create_task(model.warm(ahead))
        await until(lambda: len(model._warm_ups) == 1)
        await read_all(model, replace(chat("hello"), session_id="b"))
        await warming
        read = await read_all(model, ahead)
        assert read.finish is not None
        assert read.finish.usage.cached_tokens >= read.finish.usage.prompt_tokens - 8


async def test_a_warm_up_waits_for_its_time_until_its_conversation_asks(folder: Path) -> None:
    ahead = replace(chat("how are you"), session_id="a")
    async with running(folder, own={"slots": 2}) as model:
        model.ignore_eos = True
        answer = model.stream(replace(tireless(chat(JOKE)), session_id="b"))
        async with aclosing(answer):
            await anext(answer)
            warming = asyncio.create_task(model.warm(ahead))
            await asyncio.sleep(0.05)
            assert not warming.done()
            read = await read_all(model, replace(ahead, max_tokens=4))
        await warming
        assert read.text
        assert not model._ahead


async def read_aside(model: LlamaCppModel, request: ChatRequest) -> list[Delta]:
    return [delta async for delta in model.stream(replace(request, priority=2))]


async def test_what_nobody_waits_for_takes_no_callers_slot(folder: Path) -> None:
    """A summary, on a server of one slot: the answer does not wait for its end."""
    hello = chat("hello", max_tokens=20)
    async with running(folder, own={"slots": 1}) as model:
        model.ignore_eos = True
        summing = asyncio.create_task(read_aside(model, chat(JOKE, max_tokens=900)))
        await until(lambda: len(model._warm_ups) == 1)
        await asyncio.sleep(0.05)
        assert not summing.done()
        model.ignore_eos = False
        read = await read_all(model, hello)
        assert await summing == []
        found = await read_aside(model, hello)
        assert "".join(d.text for d in found if isinstance(d, TextDelta)) == read.text
        answering = asyncio.create_task(read_all(model, chat(JOKE, max_tokens=200)))
        await until(lambda: model.active_requests == 1)
        assert await read_aside(model, hello) == []
        await answering


async def test_old_turns_go_when_the_slot_is_full(folder: Path) -> None:
    talk = [text for _ in range(40) for text in (JOKE, "Why did the clock go to school?")]
    async with running(folder, own={"context_tokens": 256}) as model:
        read = await read_all(model, chat(*talk, JOKE, max_tokens=30))
        assert read.finish is not None
        assert read.text
        assert read.finish.usage.prompt_tokens <= 256 - 30
        with pytest.raises(EngineError, match="do not fit the 256 tokens"):
            await read_all(model, chat("tell me " * 300, max_tokens=30))


async def test_an_unborn_answer_survives_its_worker(folder: Path) -> None:
    """Asked while the worker dies: the supervisor starts another, which answers."""
    long = Message("user", "tell me a joke and then another one " * 100)
    async with running(folder, own={"slots": 1, "batch_tokens": 8}) as model:
        reading = asyncio.create_task(
            read_all(model, ChatRequest((SYSTEM, long), TOOLS, max_tokens=20))
        )
        await until(lambda: model._worker is not None and model._worker.active == 1)
        assert model.pid is not None
        os.kill(model.pid, signal.SIGKILL)
        read = await reading
        assert read.finish is not None
        assert model.restarts == 1


async def test_too_many_are_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voicepipe.llm.engines.llama_cpp.MAX_WAITING", 1)
    async with running(folder, own={"slots": 1}) as model:
        model.ignore_eos = True
        async with aclosing(model.stream(tireless(chat(JOKE)))) as first:
            assert isinstance(await anext(first), TextDelta)
            waiting = asyncio.create_task(read_all(model, chat("hello", max_tokens=2)))
            await until(lambda: model._places.waiting == 1)
            with pytest.raises(EngineError, match="overloaded"):
                await read_all(model, chat("hello"))
            await first.aclose()
            assert (await waiting).finish is not None


async def test_a_late_first_token_is_told_with_its_setting(folder: Path) -> None:
    async with running(folder, own={"slots": 1}) as model:
        model.ignore_eos = True
        async with aclosing(model.stream(tireless(chat(JOKE)))) as first:
            assert isinstance(await anext(first), TextDelta)
            model._settings = model._settings.model_copy(update={"first_token_timeout_ms": 1})
            with pytest.raises(EngineError, match=r"llm\.first_token_timeout_ms") as late:
                await read_all(model, chat("hello"))
            assert late.value.retryable


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "does not begin with GGUF"),
        (b"<html>not found</html>", "does not begin with GGUF"),
        (b"GGUF\x03\0\0\0" + b"\0" * 8 + b"\x01" + b"\0" * 7, "ends in the middle"),
    ],
)
async def test_a_file_that_is_no_model_is_told(tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "model.gguf").write_bytes(content)
    model = new_model(tmp_path, own={})
    with pytest.raises(EngineUnavailable, match=why):
        await model.start()
    await model.aclose()


async def test_a_model_cut_off_in_its_weights_is_told(folder: Path, tmp_path: Path) -> None:
    data = (folder / "model.gguf").read_bytes()
    (tmp_path / "model.gguf").write_bytes(data[: len(data) // 2])
    model = new_model(tmp_path, own={})
    with pytest.raises(EngineUnavailable, match="may be cut off"):
        await model.start()
    assert model.pid is None


def listening_ports(pid: int) -> set[str]:
    """Inodes of the TCP sockets on which a process listens."""
    rows = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]
    ]
    links = [os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir()]
    own = {link[8:-1] for link in links if link.startswith("socket:[")}
    return own & {row[9] for row in rows if row[3] == "0A"}


async def test_nobody_else_can_reach_it(folder: Path) -> None:
    """llama.cpp opens a socket of its own; no port of the worker's may listen."""
    async with running(folder) as model:
        assert model.pid is not None
        assert not await asyncio.to_thread(listening_ports, model.pid)


def test_settings_that_llama_cpp_has_not_are_named(folder: Path) -> None:
    model = new_model(folder, own={"speculative": {"method": "eagle"}})
    with pytest.raises(EngineUnavailable, match=r"llm\.llama_cpp\.speculative\.method"):
        asyncio.run(model.start())
