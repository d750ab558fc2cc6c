"""`voicepipe agents check`: what is wrong beyond the syntax."""

from __future__ import annotations

from typing import Any

import pytest

from voicepipe.agents.check import World, checked
from voicepipe.agents.definition import Agent
from voicepipe.config import AgentSettings
from voicepipe.llm.contract import Message, Tool


def tokens(messages: tuple[Message, ...], tools: tuple[Tool, ...]) -> int:
    return sum(len(m.content.split()) for m in messages) + 10 * len(tools)


def world(**given: Any) -> World:
    usual: dict[str, Any] = {
        "tools": (Tool("order"), Tool("menu")),
        "missing_tools": (),
        "voices": ("anna", "bert"),
        "default_instructions": "be good to them",
        "tokens": tokens,
        "context": 100,
    }
    return World(**{**usual, **given})


def test_a_good_agent_has_its_tools_and_its_size() -> None:
    report = checked(Agent("bar", AgentSettings(tools=("order",), voice="anna")), world())
    assert (report.problems, report.tools, report.tokens) == ((), ("order",), 14)


WRONG = [
    ({"tools": ("ordr",)}, {}, "tools: there is no 'ordr'; did you mean 'order'?"),
    (
        {"tools": ("book",)},
        {"missing_tools": ("tools.mcp[0] (bookings)",)},
        "tools: 'book' cannot be reached: tools.mcp[0] (bookings) gives no tools now",
    ),
    ({"voice": "carla"}, {}, "voice: there is no 'carla'; there are: anna, bert"),
    ({"model": "large"}, {}, "model: the language model here is one"),
    ({"instructions": "word " * 60}, {}, "the prompt has 80 tokens, of 100"),
]


@pytest.mark.parametrize(("settings", "there", "told"), WRONG)
def test_what_is_wrong_is_said(settings: dict[str, Any], there: dict[str, Any], told: str) -> None:
    (problem,) = checked(Agent("bar", AgentSettings(**settings)), world(**there)).problems
    assert told in problem
