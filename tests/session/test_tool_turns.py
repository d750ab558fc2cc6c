"""A turn that waits for a tool, in virtual time: its place in the ledger, the words that bridge it,
tools that run before the endpoint, and calls that an interruption does not end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from tests.session.harness import SIMULATED, Conversation, conversation
from tests.tools.test_toolbox import tool
from tests.virtual_time import LoopClock
from voicepipe.config import FillerSettings, LatencySettings, Settings
from voicepipe.conversation.items import FunctionCallItem, FunctionOutputItem
from voicepipe.ledger.records import TurnRecord
from voicepipe.llm.contract import ChatRequest, Message, Tool, ToolCall
from voicepipe.llm.engines.simulated import Answer
from voicepipe.runtime.errors import ProtocolError
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.prompting import words_answered
from voicepipe.session.settings import SessionSettings, Transcription
from voicepipe.tools.contract import Arguments, Facts, Output, ServerTool
from voicepipe.tools.toolbox import ToolBox

pytestmark = pytest.mark.virtual_time

QUICK = SIMULATED.model_copy(
    update={
        "asr": LatencySettings(mean_ms=20),
        "llm_first_token": LatencySettings(mean_ms=20),
    }
)
"""Engines that leave a tool time before the endpoint."""

LOOK_UP = Answer(tool=("look_up", "{}"))
ANSWERS = (LOOK_UP, "I found three of them.")


@asynccontextmanager
async def talk(
    *tools: ServerTool, answers: Any = ANSWERS, **given: Any
) -> AsyncIterator[Conversation]:
    box = ToolBox(lambda: tools, LoopClock())
    async with conversation(answers=answers, tools=box, lead_ms=200, **given) as one:
        yield one


def requests(one: Conversation) -> list[ChatRequest]:
    found: list[ChatRequest] = one.engines.model.requests  # type: ignore[attr-defined]
    return found


def calls(one: Conversation) -> list[str]:
    """What the history holds of tools."""
    return [
        item.name if isinstance(item, FunctionCallItem) else item.output
        for item in one.session.conversation.items
        if isinstance(item, FunctionCallItem | FunctionOutputItem)
    ]


def turn(one: Conversation) -> TurnRecord:
    return one.log.recent(1)[0]


async def test_the_ledger_has_a_tool_segment_and_still_adds_up() -> None:
    async with talk(tool("look_up", after_s=0.5)) as one:
        await one.speak(600)
        await one.quiet(5000)
        record = turn(one)
        assert record.critical is not None
        assert record.critical["tool"] == pytest.approx(500_000, abs=2000)
        assert sum(record.critical.values()) == record.marks["audio_out"]
        assert "tool" in record.over_budget
        (span,) = record.tools
        assert (span.name, span.failed) == ("look_up", False)
        assert span.start_us >= record.marks["endpoint"]
        assert record.overhead_us is not None
        assert record.overhead_us < 20_000  # the tool's time is nobody's overhead
        assert calls(one) == ["look_up", "done"]


async def test_a_turn_without_a_tool_has_no_such_segment() -> None:
    async with talk(tool("look_up"), answers=("Hello there.",)) as one:
        await one.speak(600)
        await one.quiet(3000)
        assert "tool" not in (turn(one).critical or {})
        assert turn(one).tools == ()


async def test_a_failed_call_is_told_and_counted() -> None:
    async with talk(tool("look_up", after_s=9, deadline_ms=400)) as one:
        await one.speak(600)
        await one.quiet(5000)
        assert turn(one).tools[0].failed
        assert "did not answer within 0.4 s" in json.loads(calls(one)[1])["error"]
        assert turn(one).end == "completed"


# Words that bridge the wait ---------------------------------------------------------------------


async def test_a_slow_tool_has_its_words_said_and_they_are_not_the_answer() -> None:
    slow = tool("look_up", after_s=3, say="One moment, I look that up.", say_after_ms=400)
    async with talk(slow) as one:
        await one.speak(600)
        await one.quiet(8000)
        record = turn(one)
        assert "filler_out" in record.marks
        said_after_us = record.marks["filler_out"] - record.tools[0].start_us
        assert 400_000 <= said_after_us < 600_000
        assert record.marks["audio_out"] > record.tools[0].end_us
        assert "One moment" not in str(one.session.conversation.items)


async def test_a_quick_tool_needs_no_words() -> None:
    async with talk(tool("look_up", after_s=0.2, say="One moment, I look that up.")) as one:
        await one.speak(600)
        await one.quiet(5000)
        assert "filler_out" not in turn(one).marks


async def test_who_has_said_something_already_says_no_more() -> None:
    slow = tool("look_up", after_s=2, say="One moment, I look that up.")
    answers = (Answer("Let me see.", tool=("look_up", "{}")), "There are three.")
    async with talk(slow, answers=answers) as one:
        await one.speak(600)
        await one.quiet(8000)
        assert "filler_out" not in turn(one).marks


async def test_of_a_filler_and_a_tools_words_the_sooner_is_said_once() -> None:
    slow = tool("look_up", after_s=4, say="One moment, I look that up.", say_after_ms=500)
    fillers = FillerSettings(after_ms=1500, phrases=("Well.",))
    async with talk(slow, config=Settings(simulated=SIMULATED, filler=fillers)) as one:
        await one.speak(600)
        await one.quiet(9000)
        said_us = turn(one).marks["filler_out"] - turn(one).tools[0].start_us
        assert 500_000 <= said_us < 700_000


@pytest.mark.parametrize("read_only", [True, False])
async def test_calls_that_only_read_are_run_side_by_side(read_only: bool) -> None:
    """Those that change something keep the model's order, one after the other."""
    both = Answer(tool=("slow", "{}"), more_tools=(("quick", "{}"),))
    slow = tool("slow", "slow one", after_s=0.8, read_only=read_only)
    quick = tool("quick", "quick one", after_s=0.5, read_only=read_only)
    async with talk(slow, quick, answers=(both, "I found both.")) as one:
        await one.speak(600)
        await one.quiet(6000)
        record = turn(one)
        assert record.critical is not None
        assert sum(record.critical.values()) == record.marks["audio_out"]
        if read_only:  # they may begin before the endpoint, and take no longer than the slower
            first = min(span.start_us for span in record.tools)
            last = max(span.end_us for span in record.tools)
            assert last - first == pytest.approx(800_000, abs=2000)
        else:
            assert record.critical["tool"] == pytest.approx(1_300_000, abs=4000)
        assert record.overhead_us is not None
        assert -1000 <= record.overhead_us < 20_000
        assert calls(one) == ["slow", "slow one", "quick", "quick one"]


async def test_who_interrupts_calls_that_run_side_by_side_leaves_none_behind() -> None:
    both = Answer(tool=("one", "{}"), more_tools=(("two", "{}"),))
    tools = [tool(name, after_s=3, read_only=True) for name in ("one", "two")]
    async with talk(*tools, answers=(both, "Yes?", "Both are done.", "Well.")) as one:
        await one.speak(600)
        await one.quiet(1500)
        await one.speak(800)
        await one.quiet(9000)
        assert calls(one) == ["one", "done", "two", "done"], "told when they had ended, once"
        assert not [t for t in asyncio.all_tasks() if t.get_name().startswith("tool ")]


# Before the endpoint ----------------------------------------------------------------------------


async def test_a_read_only_tool_hides_behind_the_wait() -> None:
    critical = {}
    for read_only in (False, True):
        async with talk(tool("look_up", after_s=0.15, read_only=read_only), simulated=QUICK) as one:
            await one.speak(600)
            await one.quiet(5000)
            record = turn(one)
            assert record.critical is not None
            critical[read_only] = sum(record.critical.values())
            assert calls(one) == ["look_up", "done"]
            if read_only:
                assert record.tools[0].start_us < record.marks["endpoint"]
            assert record.overhead_us is not None
            assert -1000 <= record.overhead_us < 20_000
    assert critical[True] < critical[False] - 100_000


@pytest.mark.parametrize("read_only", [True, False])
async def test_the_dialog_knows_that_an_answer_will_change_something(read_only: bool) -> None:
    async with talk(tool("look_up", read_only=read_only), answers=ANSWERS, simulated=QUICK) as one:
        await one.speak(600)
        await one.quiet(260)  # the eager end, and no endpoint
        (reply,) = one.session.explain()["replies"]
        assert (reply["stage"], reply["acts"]) == ("prepared", not read_only)
        await one.quiet(4000)
        assert calls(one) == ["look_up", "done"]


async def test_what_ran_too_early_is_thrown_away_with_its_reply() -> None:
    ended: list[str] = []
    answers = (LOOK_UP, *ANSWERS)
    early = tool("look_up", after_s=5, read_only=True)
    async with talk(early, answers=answers, simulated=QUICK) as one:
        await one.speak(600)
        await one.quiet(260)  # the tool is running; the user had only paused
        tools = [t for t in asyncio.all_tasks() if t.get_name() == "tool look_up"]
        assert len(tools) == 1
        tools[0].add_done_callback(lambda task: ended.append(str(task.cancelled())))
        await one.speak(600)
        assert ended == ["True"]
        assert calls(one) == []
        await one.quiet(9000)
        assert calls(one) == ["look_up", "done"]
        assert turn(one).discards >= 1


@pytest.mark.parametrize("options", [{"confirm": True}, {"wait": "background"}])
async def test_what_is_more_than_reading_waits_for_the_endpoint(options: dict[str, Any]) -> None:
    early = tool("look_up", read_only=True, **options)
    async with talk(early) as one:
        await one.speak(600)
        await one.quiet(5000)
        for span in turn(one).tools:
            assert span.start_us >= turn(one).marks["endpoint"]


# Interruptions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("ends", [False, True])
async def test_an_interruption_ends_a_call_only_if_that_is_wanted(ends: bool) -> None:
    ordered: list[str] = []
    slow = tool("look_up", after_s=4, cancel_on_interrupt=ends)

    async def run(arguments: Any, facts: Any) -> Any:
        output = await slow.run(arguments, facts)
        ordered.append("done")
        return output

    one_tool = ServerTool(slow.declaration, run, slow.options, "test")
    answers = (LOOK_UP, "Yes?", "Your order is done.")
    async with talk(one_tool, answers=answers) as one:
        await one.speak(600)
        await one.quiet(1500)
        await one.speak(800)
        await one.quiet(9000)
        assert ordered == ([] if ends else ["done"])
        assert calls(one) == ([] if ends else ["look_up", "done"])
        assert len(one.of(ev.ResponseDone)) >= (1 if ends else 2)


# Beside a client's own tools --------------------------------------------------------------------


async def test_a_client_with_tools_of_its_own_keeps_those_of_the_server() -> None:
    theirs = (Tool("look_up", "theirs"), Tool("other"))
    settings = SessionSettings(tools=theirs, transcription=Transcription())
    ours = (tool("look_up"), tool("order"))
    answers = (Answer(tool=("order", "{}")), Answer("Wait.", tool=("look_up", "{}")))
    async with talk(*ours, answers=answers, settings=settings) as one:
        one.session.handle(cmd.CreateResponse())
        await asyncio.sleep(5)
        names = [t.name for t in requests(one)[0].tools]
        assert names == ["look_up", "other", "order"]  # and none of the built-in ones
        assert requests(one)[0].tools[0].description == "theirs"
        assert [event.item.name for event in one.of(ev.ArgumentsDone)] == ["look_up"]
        assert calls(one)[:2] == ["order", "done"]


async def test_a_response_that_is_to_have_no_tools_has_none() -> None:
    async with talk(tool("order"), answers=("Fine.", "Fine.")) as one:
        for tools in (None, ()):
            one.session.handle(cmd.CreateResponse(tools=tools))
            await asyncio.sleep(5)
        assert [bool(request.tools) for request in requests(one)] == [True, False]


@pytest.mark.parametrize("ticks", range(8))
@pytest.mark.parametrize("ends", [True, False])
async def test_what_a_tool_did_stands_if_the_reply_is_stopped_in_that_moment(
    ticks: int, ends: bool
) -> None:
    booked = asyncio.Event()

    async def run(arguments: Arguments, facts: Facts) -> Output:
        await booked.wait()
        return Output("booked")

    book = replace(tool("book", cancel_on_interrupt=ends), run=run)
    async with talk(book, answers=(Answer(tool=("book", "{}")), "Fine.")) as one:
        await one.speak(600)
        await one.quiet(2000)
        booked.set()
        for _ in range(ticks):
            await asyncio.sleep(0)
        one.session.handle(cmd.CancelResponse())
        await one.quiet(3000)
        assert calls(one) == (["book", "booked"] if ticks or not ends else [])


async def test_a_response_beside_the_conversation_ends_no_other_ones_calls() -> None:
    """A client that asks for the answer behind each call of its MCP server is not refused because
    another response has ended meanwhile."""
    mcp = replace(tool("find_table", '"four"', after_s=1.0), mcp_label="bookings")
    answers = (Answer(tool=("find_table", "{}")), "Fine.", "Table four is free. " * 8)
    async with talk(mcp, answers=answers) as one:
        one.session.handle(cmd.CreateResponse())
        await asyncio.sleep(0.5)
        one.session.handle(cmd.CreateResponse(out_of_band=True, modality="text", tools=()))
        await asyncio.sleep(1.0)
        assert [e.state for e in one.of(ev.McpCall)] == ["in_progress", "completed"]
        assert len(one.of(ev.ResponseDone)) == 1
        one.session.handle(cmd.CreateResponse())  # the same response goes on
        await asyncio.sleep(20)
        assert len(one.of(ev.ResponseDone)) == 2


async def test_what_one_tool_cannot_do_behind_the_reply_keeps_no_other_from_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Nor has the reply failed, which was heard whole."""
    done: list[str] = []

    def refuse() -> None:
        raise ProtocolError("There is an active response.", code="invalid_value")

    def closing(name: str, act: Callable[[], None]) -> ServerTool:
        async def run(arguments: Arguments, facts: Facts) -> Output:
            return Output("ok", act)

        return ServerTool(Tool(name, "", {"type": "object"}), run, source="test")

    tools = (closing("hand_over", refuse), closing("hang_up", lambda: done.append("hang_up")))
    answers = (Answer(tool=("hand_over", "{}")), Answer(tool=("hang_up", "{}")), "Goodbye!")
    async with talk(*tools, answers=answers) as one:
        one.session.handle(cmd.CreateResponse())
        await asyncio.sleep(5)
        assert done == ["hang_up"]
        assert "reply failed" not in caplog.text
        assert "There is an active response." in caplog.text


async def test_a_tool_is_told_the_callers_own_words() -> None:
    told: list[str] = []
    turns: set[str] = set()

    async def run(arguments: Arguments, facts: Facts) -> Output:
        told.append(facts["said"])
        turns.add(facts["turn"])
        return Output("done")

    look_up = ServerTool(Tool("look_up"), run, source="test")
    async with talk(look_up) as one:
        await one.speak(600)
        await one.quiet(5000)
        asked = requests(one)[0].messages[-1]
    assert asked.role == "user"
    assert told == [asked.content]
    assert len(turns - {""}) == 1, "and which of their turns it is"


def test_what_was_said_since_the_last_answer_is_answered() -> None:
    def said(*messages: Message) -> str:
        return words_answered(ChatRequest(messages))

    one, two = Message("user", "a cut"), Message("user", "on friday")
    assert said(one, two) == "a cut on friday", "an answer that was cut off before it was heard"
    assert said(one, Message("assistant", "Yes?"), two) == "on friday"
    assert said(Message("system", "You book.")) == "", "a greeting answers nobody"
    called = Message("assistant", "", tool_calls=(ToolCall("1", "look", "{}"),))
    assert said(one, called, Message("tool", "3", call_id="1")) == "a cut", "a call is no answer"
