"""A client that wants a call gets one that fits, or is told that there is none; and one at a time
if it wants that."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.session.harness import SIMULATED, Conversation, conversation
from voicepipe.conversation.items import FunctionCallItem
from voicepipe.llm.contract import ChatRequest, Delta, Finish, TextDelta, Tool, ToolCall
from voicepipe.llm.contract import ToolCallDelta as Call
from voicepipe.llm.engines.simulated import Answer, SimulatedModel
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.settings import SessionSettings

pytestmark = pytest.mark.virtual_time

BOOK = Tool(
    "book",
    "Book a table.",
    {"type": "object", "properties": {"people": {"type": "integer"}}, "required": ["people"]},
)
CANCEL = Tool("cancel", "", {"type": "object", "properties": {}})
GOOD, WRONG, BROKEN = '{"people": 2}', '{"people": "two"}', '{"people": '


def requests(talk: Conversation) -> list[ChatRequest]:
    assert isinstance(talk.engines.model, SimulatedModel)
    return talk.engines.model.requests


async def asked(answers: Sequence[Answer | str], choice: str = "required") -> Conversation:
    settings = SessionSettings(tools=(BOOK, CANCEL), tool_choice=choice, modality="text")
    async with conversation(answers=answers, settings=settings) as talk:
        await talk.speak(600)
        await talk.quiet(2000)
    return talk


def calls(talk: Conversation) -> list[tuple[str, Any]]:
    (done,) = talk.of(ev.ResponseDone)
    return [
        (item.name, json.loads(item.arguments))
        for item in done.response.output
        if isinstance(item, FunctionCallItem)
    ]


@pytest.mark.parametrize("choice", ["required", "book"])
@pytest.mark.parametrize("first", [WRONG, BROKEN, "[]", None])
async def test_what_does_not_fit_is_asked_for_once_more_and_never_seen(
    choice: str, first: str | None
) -> None:
    bad = "At your service." if first is None else Answer(tool=("book", first))
    talk = await asked((bad, Answer(tool=("book", GOOD))), choice)

    assert calls(talk) == [("book", {"people": 2})]
    assert not talk.of(ev.TextDelta)
    before, after = (request.messages for request in requests(talk))
    assert after[0].role == "system"
    assert "Now call" in after[0].content
    assert after[1:] == before[len(before) - len(after) + 1 :]


async def test_a_call_of_another_tool_than_the_named_one_is_none() -> None:
    talk = await asked((Answer(tool=("cancel", "{}")), Answer(tool=("book", GOOD))), "book")

    assert calls(talk) == [("book", {"people": 2})]


async def test_a_model_that_will_not_call_fails_the_response_and_says_why() -> None:
    talk = await asked(("I would rather not.",))

    (done,) = talk.of(ev.ResponseDone)
    assert done.response.status == "failed"
    assert "did not call a tool" in (done.response.error or "")
    assert len(requests(talk)) >= 2
    assert not talk.of(ev.TextDelta)


class TwoCalls(SimulatedModel):
    """Wants two things at once."""

    async def stream(self, request: ChatRequest) -> Any:
        deltas: tuple[Delta, ...] = (
            TextDelta("Certainly."),
            Call(ToolCall("call_1", "book", GOOD)),
            Call(ToolCall("call_2", "cancel", "{}")),
            Finish("tool_calls"),
        )
        for delta in deltas:
            yield delta


@pytest.mark.parametrize(("parallel", "wanted"), [(None, 2), (True, 2), (False, 1)])
async def test_calls_come_one_at_a_time_if_the_client_wants_that(
    parallel: bool | None, wanted: int
) -> None:
    settings = SessionSettings(tools=(BOOK, CANCEL), parallel_tools=parallel, modality="text")
    async with conversation(settings=settings) as talk:
        talk.engines.model = TwoCalls(SIMULATED)
        talk.session.handle(cmd.CreateResponse())
        await talk.quiet(1000)

        assert [name for name, _ in calls(talk)] == ["book", "cancel"][:wanted]
