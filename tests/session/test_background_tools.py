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


async def test_a_caller_who_keys_in_a_number_is_not_talked_to_meanwhile() -> None:
    """The next key would silence the agent, and nobody would hear of the result."""
    slow = tool("look_up", after_s=3, wait="background")
    answers = (LOOK_UP, "I am looking it up.", "It is done, thank you.", "It is done.")
    async with talk(slow, answers=answers) as one:
        await one.speak(600)
        await one.quiet(2000)
        for key in "123456#":  # over the moment at which it finishes
            one.session.handle(cmd.Dtmf(key))
            await one.quiet(500)
        await one.quiet(6000)
        assert outputs(one) == ["done"]
        assert {done.response.status for done in one.of(ev.ResponseDone)} == {"completed"}


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


async def test_who_cancels_a_response_beside_the_conversation_interrupts_nobody() -> None:
    slow = tool("look_up", after_s=3, wait="background", cancel_on_interrupt=True)
    answers = (LOOK_UP, "I am looking it up.", "One two three four. " * 20, "It is done.")
    async with talk(slow, answers=answers) as one:
        await one.speak(600)
        await one.quiet(2000)
        one.session.handle(cmd.CreateResponse(out_of_band=True, modality="text"))
        await one.quiet(200)
        aside = one.of(ev.ResponseCreated)[-1].response
        one.session.handle(cmd.CancelResponse(aside.id))
        await one.quiet(6000)
        assert outputs(one) == ["done"]


async def test_who_hangs_up_while_a_call_runs_that_ends_with_it_asks_the_model_no_more(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    slow = tool("look_up", after_s=60, wait="background", cancel_on_interrupt=True)
    warmed: list[ChatRequest] = []

    async def warm(request: ChatRequest) -> None:
        warmed.append(request)

    async with talk(slow, answers=(LOOK_UP, "I am looking it up for you, " * 8)) as one:
        await one.speak(600)
        await one.quiet(2000)
        monkeypatch.setattr(one.engines.model, "warm", warm)
        await one.session.aclose()
        await asyncio.sleep(1)
    assert not warmed
    assert [r.getMessage() for r in caplog.records if r.levelname == "ERROR"] == []


async def test_a_result_that_comes_by_itself_is_no_yes_of_the_callers() -> None:
    slow = tool("look_up", after_s=5, wait="background")
    cancel = tool("cancel", "cancelled", confirm=True)
    again = Answer(tool=("cancel", "{}"))
    answers = (LOOK_UP, "Looking.", again, "Shall I cancel it?", again, "It is found.")
    async with talk(slow, cancel, answers=answers) as one:
        await one.speak(600)
        await one.quiet(2000)
        await one.speak(600)
        await one.quiet(9000)
        assert len(requests(one)) == len(answers)
        assert outputs(one)[1] == "done"
        assert "cancelled" not in outputs(one), "nobody has agreed to it"


async def test_the_callers_yes_is_one() -> None:
    cancel = tool("cancel", "cancelled", confirm=True)
    again = Answer(tool=("cancel", "{}"))
    async with talk(cancel, answers=(again, "Shall I cancel it?", again, "It is done.")) as one:
        await one.speak(600)
        await one.quiet(4000)
        assert "cancelled" not in outputs(one)
        await one.speak(600)
        await one.quiet(4000)
        assert outputs(one)[-1] == "cancelled"


@pytest.mark.parametrize(("heard_ms", "agreed"), [(300, False), (1500, True)])
async def test_a_question_that_was_cut_off_at_its_first_word_was_not_asked(
    heard_ms: int, agreed: bool
) -> None:
    cancel = tool("cancel", "cancelled", confirm=True)
    again = Answer(tool=("cancel", "{}"))
    asks = "Shall I cancel your table at eight?"  # 2.3 s
    async with talk(cancel, answers=(again, asks, again, "Well.")) as one:
        await one.speak(600)
        while not one.of(ev.OutputAudioStarted):
            await one.quiet(20)
        await one.quiet(heard_ms)
        await one.speak(600)
        await one.quiet(5000)
        assert one.of(ev.OutputAudioCleared)
        assert ("cancelled" in outputs(one)) == agreed


async def test_who_goes_on_before_they_were_asked_has_not_agreed() -> None:
    cancel = tool("cancel", "cancelled", confirm=True)
    again = Answer(tool=("cancel", "{}"))
    asks = "Shall I cancel it?"
    async with talk(cancel, answers=(again, asks, again, asks, again, asks)) as one:
        await one.speak(600)
        await one.quiet(400)
        assert outputs(one), "the model has been told to ask"
        assert not one.of(ev.OutputAudioStarted)
        await one.speak(600)
        await one.quiet(4000)
        assert "cancelled" not in outputs(one)
