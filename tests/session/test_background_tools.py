"""Tools that run in the background, in virtual time: the conversation goes on, and the results open
a turn when both are silent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.session.harness import Conversation, conversation
from tests.tools.test_toolbox import tool
from voicepipe.conversation.items import FunctionOutputItem
from voicepipe.llm.contract import ChatRequest
from voicepipe.llm.engines.simulated import Answer
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.tools.background import MAX_RUNNING
from voicepipe.tools.contract import ServerTool
from voicepipe.tools.toolbox import ToolBox

pytestmark = pytest.mark.virtual_time
_ENDED = {"error": "it was ended when the caller interrupted, and has no result"}
LOOK_UP = Answer(tool=("look_up", "{}"))


@asynccontextmanager
async def talk(
    *tools: ServerTool, answers: tuple[Any, ...], lead_ms: float | None = 200
) -> AsyncIterator[Conversation]:
    """`lead_ms` None: a client that plays by itself."""
    box = ToolBox(lambda: tools, clock=None)  # type: ignore[arg-type]
    async with conversation(answers=answers, tools=box, lead_ms=lead_ms) as one:
        box._clock = one.session._context.clock
        yield one


def requests(one: Conversation) -> list[ChatRequest]:
    found: list[ChatRequest] = one.engines.model.requests  # type: ignore[attr-defined]
    return found


def outputs(one: Conversation) -> list[str]:
    items = one.session.conversation.items
    found = [item.output for item in items if isinstance(item, FunctionOutputItem)]
    return [text for text in found if "running" not in text]


async def test_the_result_opens_a_turn_when_both_are_silent() -> None:
    slow = tool("look_up", '{"found": 3}', after_s=5, wait="background")
    answers = (LOOK_UP, "I am looking it up.", "I found three.")
    async with talk(slow, answers=answers) as one:
        await one.speak(600)
        await one.quiet(3000)
        assert json.loads(requests(one)[1].messages[-1].content)["running"]
        assert len(one.of(ev.ResponseDone)) == 1
        await one.quiet(6000)
        assert outputs(one) == ['{"found": 3}']
        assert len(one.of(ev.ResponseDone)) == 2
        assert requests(one)[-1].messages[-1].content == '{"found": 3}'


async def test_a_caller_who_speaks_is_heard_out_first() -> None:
    slow = tool("look_up", after_s=2, wait="background")
    answers = (LOOK_UP, "I am looking it up.", "Yes, you may.", "It is done.")
    async with talk(slow, answers=answers) as one:
        await one.speak(600)
        await one.quiet(1200)
        await one.speak(2500)  # over the moment at which it finishes
        assert not outputs(one)
        await one.quiet(8000)
        assert outputs(one) == ["done"]
        assert len(one.of(ev.ResponseDone)) == 3


async def test_several_results_are_told_together() -> None:
    tools = [tool(f"look_up_{n}", str(n), after_s=3.0, wait="background") for n in range(2)]
    answers = (
        Answer(tool=("look_up_0", "{}")),
        "Looking.",
        Answer(tool=("look_up_1", "{}")),
        "I am looking that up too, and it may well take a while; let me tell you a story.",
        "Both are there.",
    )
    async with talk(*tools, answers=answers) as one:
        await one.speak(600)
        await one.quiet(1500)
        await one.speak(600)
        await one.quiet(12000)
        assert outputs(one) == ["0", "1"]
        assert len(requests(one)) == len(answers)
        assert [m.content for m in requests(one)[-1].messages[-4:] if m.role == "tool"] == [
            "0",
            "1",
        ]


@pytest.mark.parametrize("lead_ms", [200, None])
@pytest.mark.parametrize("ends", [False, True])
async def test_an_interruption_ends_only_what_wants_it(ends: bool, lead_ms: float | None) -> None:
    """Where the client plays by itself too: there the response is done long before it is heard."""
    slow = tool("look_up", after_s=6, wait="background", cancel_on_interrupt=ends)
    answers = (LOOK_UP, "I am looking it up for you right now, " * 4, "Well?", "It is done.")
    async with talk(slow, answers=answers, lead_ms=lead_ms) as one:
        await one.speak(600)
        await one.quiet(1500)
        await one.speak(1500)
        await one.quiet(12000)
        ended = [json.dumps(_ENDED)]
        assert outputs(one) == (ended if ends else ["done"])
        if ends:  # the model was told that it is running, and knows when it answers that it is not
            assert requests(one)[2].messages[-2].content == ended[0]
            assert len(requests(one)) == 3


async def test_who_leaves_takes_the_running_calls_along() -> None:
    slow = tool("look_up", after_s=60, wait="background")
    async with talk(slow, answers=(LOOK_UP, "I am looking it up.")) as one:
        await one.speak(600)
        await one.quiet(2000)
    assert not [t for t in asyncio.all_tasks() if t.get_name().startswith("tool ")]


async def test_there_is_a_bound() -> None:
    slow = tool("look_up", after_s=600, wait="background", deadline_ms=600_000)
    many = (LOOK_UP, "Looking.") * (MAX_RUNNING + 1)
    async with talk(slow, answers=many) as one:
        for _ in range(MAX_RUNNING + 1):
            one.session.handle(cmd.CreateResponse())
            await asyncio.sleep(3)
        assert "running already" in requests(one)[-1].messages[-1].content
