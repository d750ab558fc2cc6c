"""Tools that the server runs in a session: timers, their place in the prompt, unusable calls."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.session.harness import SIMULATED, conversation
from tests.tools.test_toolbox import tool
from tests.virtual_time import LoopClock
from voicepipe.config import LimitSettings, Settings
from voicepipe.conversation.items import (
    FunctionCallItem,
    FunctionOutputItem,
    MessageItem,
)
from voicepipe.llm.contract import ToolCallUnusable
from voicepipe.llm.engines.simulated import Answer
from voicepipe.llm.prompt import LOST_OUTPUT
from voicepipe.session import events as ev
from voicepipe.tools.toolbox import ToolBox

pytestmark = pytest.mark.virtual_time


async def test_a_timer_rings_when_nobody_speaks() -> None:
    answers = (Answer("", ("set_timer", '{"seconds": 5, "label": "pizza"}')), "Done.", "Hm.")
    async with conversation(answers=answers, lead_ms=60) as talk:
        await talk.speak(600)
        await talk.quiet(3000)
        await talk.speak(2600)  # into the moment
        assert not any("timer" in item.text for item in talk.said_by_agent())
        await talk.quiet(6000)
        spoken = [item.text for item in talk.said_by_agent()]
        assert "Your pizza timer is done." in spoken
        assert talk.session.at_rest


async def test_a_cancelled_timer_does_not_ring_and_none_outlives_the_session() -> None:
    answers = (
        Answer("", ("set_timer", '{"seconds": 5}')),
        "Done.",
        Answer("", ("cancel_timer", "{}")),
        "Cancelled.",
    )
    async with conversation(heard=("set it", "cancel it"), answers=answers) as talk:
        await talk.speak(600)
        await talk.quiet(2000)
        await talk.speak(600)
        await talk.quiet(9000)
        assert [item.text for item in talk.said_by_agent()] == ["Done.", "Cancelled."]


async def test_call_and_result_are_in_the_next_prompt() -> None:
    answers = (Answer("Let me see.", ("get_time", "{}")), "It is noon.", "You are welcome.")
    async with conversation(heard=("what time is it", "thank you"), answers=answers) as talk:
        await talk.speak(600)
        await talk.quiet(5000)
        await talk.speak(600)
        await talk.quiet(5000)
        request: Any = talk.engines.model.requests[-1]  # type: ignore[attr-defined]
        roles = [m.role for m in request.messages]
        assert roles == ["user", "assistant", "tool", "assistant", "user"]
        assert request.messages[1].tool_calls[0].name == "get_time"
        assert "weekday" in request.messages[2].content
        assert request.messages[1].content == "Let me see."
        assert request.messages[3].content == "It is noon."


async def test_a_result_stands_though_the_words_about_it_were_interrupted() -> None:
    story = "It is noon and there is a lot more to say about that than anybody wants to hear."
    answers = (Answer("", ("get_time", "{}")), story, "Fine.")
    async with conversation(
        heard=("what time is it", "wait stop now"), answers=answers, lead_ms=60
    ) as talk:
        await talk.speak(600)
        await talk.quiet(1200)
        await talk.speak(800)
        await talk.quiet(5000)
        kinds = [type(item) for item in talk.session.conversation.items[:4]]
        assert kinds == [MessageItem, FunctionCallItem, FunctionOutputItem, MessageItem]
        request: Any = talk.engines.model.requests[-1]  # type: ignore[attr-defined]
        assert [m.role for m in request.messages][:3] == ["user", "assistant", "tool"]


@pytest.mark.parametrize("times", [1, 2])
async def test_the_model_is_asked_once_more_and_then_for_words(times: int) -> None:
    async with conversation(answers=("It is noon.",)) as talk:
        whole, asked = talk.engines.model.stream, list[Any]()

        async def unusable(request: Any) -> AsyncIterator[Any]:
            asked.append(request)
            if len(asked) <= times:
                raise ToolCallUnusable("bad JSON in a call")
            async for delta in whole(request):
                yield delta

        talk.engines.model.stream = unusable  # type: ignore[method-assign]
        await talk.speak(600)
        await talk.quiet(4000)
        assert [item.text for item in talk.said_by_agent()] == ["It is noon."]
        assert [bool(request.tools) for request in asked] == [True, True, False][: times + 1]


async def test_a_result_too_long_for_the_history_is_answered_and_displaces_nothing() -> None:
    long = ToolBox(lambda: (tool("look_up", "x" * 2000),), LoopClock())
    config = Settings(simulated=SIMULATED, limits=LimitSettings(max_conversation_chars=1024))
    answers = ("Hello.", Answer("", ("look_up", "{}")), "I found it.")
    async with conversation(answers=answers, config=config, tools=long) as talk:
        for _ in range(2):
            await talk.speak(600)
            await talk.quiet(4000)
        assert [item.text for item in talk.said_by_agent()] == ["Hello.", "I found it."]
        (told,) = talk.of(ev.SessionError)
        assert told.code == "limit_exceeded"
        assert not talk.of(ev.ItemDeleted)
        await talk.speak(600)
        await talk.quiet(4000)
        assert [p for p in talk.prompts()[-1] if p.startswith("tool")] == [f"tool: {LOST_OUTPUT}"]


async def test_a_late_result_too_long_for_the_history_does_not_run_for_ever() -> None:
    slow = tool("look_up", "x" * 2000, after_s=3, wait="background")
    config = Settings(simulated=SIMULATED, limits=LimitSettings(max_conversation_chars=1024))
    answers = (Answer("", ("look_up", "{}")), "I look.", "I found it.")
    box = ToolBox(lambda: (slow,), LoopClock())
    async with conversation(answers=answers, config=config, tools=box) as talk:
        await talk.speak(600)
        await talk.quiet(9000)
        assert talk.prompts()[-1][-1] == f"tool: {LOST_OUTPUT}"
