"""A tool that is asked in every turn before the model, in virtual time: what it says is said, what
it tells the model knows, and where it has nothing to tell the turn is the model's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.session.harness import Conversation, conversation
from tests.session.test_anticipation import expecting
from tests.session.test_tool_turns import QUICK, calls, requests, turn
from tests.tools.test_toolbox import tool
from tests.virtual_time import LoopClock
from voicepipe.conversation.items import MessageItem, TextPart
from voicepipe.llm.contract import Message, Tool
from voicepipe.llm.engines.simulated import Answer
from voicepipe.session import commands as cmd
from voicepipe.session.asked_first import told
from voicepipe.tools.contract import Arguments, Facts, Output, ServerTool, ToolError, ToolOptions
from voicepipe.tools.toolbox import ToolBox

pytestmark = pytest.mark.virtual_time

MODEL = "It is half past seven. Can I do more for you?"


class Desk:
    """Answers in turn, and knows what it was asked."""

    def __init__(self, *answers: str | Exception, after_s: float = 0.0, **options: Any) -> None:
        self.answers, self.after_s = list(answers), after_s
        self.asked: list[tuple[str, str]] = []  # what was said, and in which turn
        declaration = Tool("hear", "", {"type": "object", "properties": {}})
        self.tool = ServerTool(declaration, self._run, ToolOptions(first=True, **options), "test")

    async def _run(self, arguments: Arguments, facts: Facts) -> Output:
        self.asked.append((facts["said"], facts["turn"]))
        answer = self.answers.pop(0) if self.answers else "{}"
        await asyncio.sleep(self.after_s)
        if isinstance(answer, Exception):
            raise answer
        return Output(answer)


@asynccontextmanager
async def talk(
    *desks: Desk, more: tuple[ServerTool, ...] = (), **given: Any
) -> AsyncIterator[Conversation]:
    box = ToolBox(lambda: (*(desk.tool for desk in desks), *more), LoopClock())
    async with conversation(tools=box, lead_ms=200, simulated=QUICK, **given) as one:
        yield one


def agent_said(one: Conversation) -> list[str]:
    return [
        "".join(
            getattr(part, "text", "") or getattr(part, "transcript", "") for part in item.content
        )
        for item in one.said_by_agent()
    ]


async def test_what_it_says_is_said_and_no_model_is_asked() -> None:
    desk = Desk('{"say": "At ten, then.", "heard": ["note"]}')
    async with talk(desk) as one:
        await one.speak(600)
        await one.quiet(3000)
        assert agent_said(one) == ["At ten, then."]
        assert requests(one) == []
        assert desk.asked[0][0] == "what time is it"
        assert calls(one) == [], "the history has what was said, and no call"
        record = turn(one)
        assert record.route["llm"] == "tool"
        assert record.critical is not None
        assert sum(record.critical.values()) == record.marks["audio_out"]
        assert [span.name for span in record.tools] == ["hear"]


@pytest.mark.parametrize(
    "nothing", ["{}", "[]", "null", "", '{"ok":true}', '{"say":""}', '{"say":null,"documents":[]}']
)
async def test_where_it_has_nothing_to_tell_the_turn_is_the_models(nothing: str) -> None:
    async with talk(Desk(nothing), more=(tool("order"),)) as one:
        await one.speak(600)
        await one.quiet(6000)
        assert agent_said(one) == [MODEL]
        (asked,) = requests(one)
        assert asked.messages[-1] == Message("user", "what time is it")
        assert [t.name for t in asked.tools if t.name in ("hear", "order")] == ["order"]
        assert turn(one).route.get("llm") != "tool"


async def test_what_it_tells_the_model_knows_in_this_turn() -> None:
    documents = '{"documents": ["We open at nine."]}'
    async with talk(Desk(documents, "{}", read_only=True), heard=("when", "thanks")) as one:
        await one.speak(600)
        await one.quiet(3000)
        await one.speak(600)
        await one.quiet(3000)
        first, second = requests(one)[0], requests(one)[-1]
        assert first.messages[-1].content == documents
        assert documents not in [message.content for message in second.messages]
        assert calls(one) == []


async def test_one_that_only_reads_is_asked_before_the_turn_is_over_and_another_is_not() -> None:
    began: list[int] = []
    for read_only in (True, False):
        desk = Desk('{"say": "Yes."}', read_only=read_only)
        async with talk(desk) as one:
            await one.speak(600)
            await one.quiet(3000)
            record = turn(one)
            began.append(record.tools[0].start_us - record.marks["endpoint"])
    assert began[0] < 0 <= began[1]


async def test_who_goes_on_while_it_runs_is_answered_once_and_asked_with_all_words() -> None:
    desk = Desk('{"say": "Which day?"}', '{"say": "At ten."}', after_s=0.8)
    heard = ("a cut on friday", "at ten")
    async with talk(desk, heard=heard) as one:
        await one.speak(600)
        await one.quiet(600)
        await one.speak(600)
        await one.quiet(5000)
        assert agent_said(one) == ["At ten."]
        assert desk.asked[-1][0].endswith("at ten")
        assert len({turn for _, turn in desk.asked}) == 1, "it is one turn"
        assert requests(one) == []


async def test_where_it_fails_its_words_are_said_or_the_model_answers() -> None:
    for words, said in (("I can't see the diary.", "I can't see the diary."), ("", MODEL)):
        desk = Desk(ToolError("down"), say_failed=words)
        async with talk(desk) as one:
            await one.speak(600)
            await one.quiet(6000)
            assert agent_said(one) == [said]
            assert [m for r in requests(one) for m in r.messages if "down" in m.content] == []


async def test_several_are_asked_in_turn_until_one_says_something() -> None:
    quiet, knows, last = Desk("{}"), Desk('{"price": 3}'), Desk('{"say": "Three."}')
    knows.tool = ServerTool(Tool("look_up"), knows.tool.run, knows.tool.options, "test")
    last.tool = ServerTool(Tool("say"), last.tool.run, last.tool.options, "test")
    async with talk(quiet, knows, last) as one:
        await one.speak(600)
        await one.quiet(3000)
        assert [len(desk.asked) for desk in (quiet, knows, last)] == [1, 1, 1]
        assert agent_said(one) == ["Three."]


async def test_it_costs_the_model_none_of_its_rounds() -> None:
    answers = [*[Answer(tool=("order", "{}"))] * 3, "Done."]
    async with talk(Desk(), more=(tool("order", read_only=True),), answers=answers) as one:
        await one.speak(600)
        await one.quiet(6000)
        assert agent_said(one)[-1] == "Done."


def item(text: str) -> MessageItem:
    return MessageItem("item_mine", "user", (TextPart(text),))


OWN_AFFAIRS = [
    cmd.CreateResponse(out_of_band=True, input=(item("is this rude: give me a cut"),)),
    cmd.CreateResponse(out_of_band=True),
    cmd.CreateResponse(input=(item("a cut"),)),
    cmd.CreateResponse(instructions="Say what was said so far."),
    cmd.CreateResponse(tools=()),
    cmd.CreateResponse(tools=(Tool("mine", "", {"type": "object"}),)),
    cmd.CreateResponse(tool_choice="required"),
    cmd.CreateResponse(tool_choice="none"),
]


@pytest.mark.parametrize("wanted", OWN_AFFAIRS)
async def test_what_a_client_asks_the_model_is_the_models(wanted: cmd.CreateResponse) -> None:
    desk = Desk('{"say": "At ten."}', '{"say": "Never."}')
    async with talk(desk) as one:
        one.session.handle(cmd.CreateItem(item("a cut at ten")))
        one.session.handle(wanted)
        await one.quiet(3000)
        assert desk.asked == []
        assert requests(one)


async def test_what_is_typed_is_asked_too_and_an_answer_is_not_asked_for_again() -> None:
    desk = Desk('{"say": "At ten."}')
    async with talk(desk) as one:
        one.session.handle(cmd.CreateItem(item("a cut at ten")))
        one.session.handle(cmd.CreateResponse())
        await one.quiet(2000)
        assert agent_said(one) == ["At ten."]
        one.session.handle(cmd.CreateResponse())
        await one.quiet(2000)
        assert len(desk.asked) == 1, "nobody has spoken since"


async def test_a_model_that_calls_it_by_its_name_is_told_that_there_is_none() -> None:
    desk = Desk()
    async with talk(desk, answers=[Answer(tool=("hear", "{}")), "I am here."]) as one:
        await one.speak(600)
        await one.quiet(6000)
        assert len(desk.asked) == 1
        assert json.loads(calls(one)[1]) == {"error": "there is no tool 'hear'"}
        assert agent_said(one)[-1] == "I am here."


async def test_a_slow_one_has_its_words_said_meanwhile() -> None:
    desk = Desk('{"say": "At ten."}', after_s=3, say="One moment, please.", say_after_ms=400)
    async with talk(desk) as one:
        await one.speak(600)
        await one.quiet(8000)
        record = turn(one)
        assert record.marks["filler_out"] < record.marks["audio_out"] - 1_000_000
        assert record.critical is not None
        assert record.critical["tool"] == pytest.approx(3_000_000, abs=5000)
        assert agent_said(one) == ["At ten."]


async def test_what_the_model_is_left_with_waits_behind_no_speculation() -> None:
    async with talk(Desk("{}")) as one:
        await one.speak(600)
        await one.quiet(3000)
        assert [request.priority for request in requests(one)] == [0]


async def test_a_note_of_the_clients_behind_the_words_hides_none() -> None:
    desk = Desk('{"say": "At ten."}')
    async with talk(desk) as one:
        one.session.handle(cmd.CreateItem(item("a cut at ten")))
        note = MessageItem("item_note", "system", (TextPart("the page is /cuts"),))
        one.session.handle(cmd.CreateItem(note))
        one.session.handle(cmd.CreateResponse())
        await one.quiet(3000)
        assert agent_said(one) == ["At ten."]


async def test_nothing_is_foreseen_where_a_tool_is_asked_first() -> None:
    desk = Desk(read_only=True)
    config = expecting("What time is it?")
    box = ToolBox(lambda: (desk.tool,), LoopClock())
    async with conversation(config=config, simulated=config.simulated, tools=box) as one:
        await one.quiet(4000)
        assert desk.asked == []
        assert requests(one) == []


@pytest.mark.parametrize(
    ("result", "is_told"),
    [
        ('{"say": "Yes.", "heard": []}', ("Yes.", False)),
        ('{"say": " "}', ("", False)),
        ('{"say": 3}', ("", True)),
        ('{"say": "", "documents": ["a"]}', ("", True)),
        ('{"documents": []}', ("", False)),
        ('{"open": false}', ("", True)),
        ('{"free_seats": 0}', ("", True)),
        ("false", ("", True)),
        ('{"ok": true, "say": ""}', ("", False)),
        ('{"say": "Yes\\ud83d."}', ("Yes.", False)),
        ('["a"]', ("", True)),
        ("plain words", ("", True)),
        ("[" * 100_000, ("", True)),
        (json.dumps({"ok": True, "more": 1}), ("", True)),
    ],
)
def test_what_a_result_is_taken_for(result: str, is_told: tuple[str, bool]) -> None:
    assert told(result) == is_told
