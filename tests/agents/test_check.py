"""`voicepipe agents check`: what is wrong beyond the syntax."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from voicepipe.agents.check import World, checked, unknown_rules
from voicepipe.agents.definition import Agent
from voicepipe.cli.main import app
from voicepipe.config import AgentSettings
from voicepipe.llm.contract import Message, Tool


def tokens(messages: tuple[Message, ...], tools: tuple[Tool, ...]) -> int:
    return sum(len(m.content.split()) for m in messages) + 10 * len(tools)


def world(**given: Any) -> World:
    usual: dict[str, Any] = {
        "tools": (Tool("order"), Tool("menu")),
        "phone_tools": (Tool("hang_up"),),
        "missing_tools": (),
        "voices": ("anna", "bert"),
        "default_instructions": "be good to them",
        "tokens": tokens,
        "context": 100,
    }
    return World(**{**usual, **given})


def test_a_good_agent_has_its_tools_and_its_size() -> None:
    report = checked(Agent("bar", AgentSettings(tools=("order",), voice="anna")), world())
    assert (report.problems, report.tools, report.tokens) == ((), ("order",), 24)


def test_what_hands_over_and_hangs_up_is_counted_too() -> None:
    settings = AgentSettings(tools=("order", "hang_up"), hand_over=("kitchen",))
    report = checked(Agent("bar", settings), world())
    assert (report.problems, report.tokens) == ((), 34)
    assert report.tools == ("order", "hand_over")


@pytest.mark.parametrize("hand_over", [(), ("kitchen",)])
def test_a_rule_for_a_tool_that_nobody_has_is_named(hand_over: tuple[str, ...]) -> None:
    agents = [Agent("bar", AgentSettings(hand_over=hand_over))]
    found = list(unknown_rules(("order", "hang_up", "hand_over", "oder"), agents, world()))
    told = ["tools.rules.oder: there is no tool 'oder'; did you mean 'order'?"]
    if not hand_over:
        told.insert(0, "tools.rules.hand_over: there is no tool 'hand_over'")
    assert [one[: len(text)] for one, text in zip(found, told, strict=True)] == told
    assert not list(unknown_rules(("oder",), agents, world(missing_tools=("tools.mcp[0]",))))


def test_a_tool_that_is_asked_first_is_in_no_prompt_and_has_no_rule() -> None:
    one = world(first=("menu",))
    report = checked(Agent("bar", AgentSettings(tools=("order", "menu"))), one)
    assert (report.problems, report.tools, report.tokens) == ((), ("order", "menu"), 24)
    (told,) = unknown_rules(("order", "menu"), [], one)
    assert told == "tools.rules.menu: it is asked first, in every turn: no rule is for it"


def test_of_many_names_the_first_are_told() -> None:
    voices = tuple(f"voice{n}" for n in range(100))
    (problem,) = checked(Agent("bar", AgentSettings(voice="x")), world(voices=voices)).problems
    assert problem.endswith("voice11 and 88 more")


def test_a_model_that_nobody_has_is_named() -> None:
    """Calls would be answered by the server's own, and nobody be told."""
    there = world(several_models=True, models=("small", "large"))
    (problem,) = checked(Agent("bar", AgentSettings(model="lagre")), there).problems
    assert problem == "model: there is no 'lagre'; did you mean 'large'?"
    assert not checked(Agent("bar", AgentSettings(model="large")), there).problems
    unknown = world(several_models=True)  # a server that may have more than it is known to
    assert not checked(Agent("bar", AgentSettings(model="lagre")), unknown).problems


OTHER_MODELS = """
[llm.others.large]
engine = "simulated"
[agents.bar]
model = "lagre"
[agents.desk]
model = "large"
"""


def test_the_command_knows_which_models_there_are(tmp_path: Path) -> None:
    file = tmp_path / "voicepipe.toml"
    file.write_text(OTHER_MODELS)
    options = ["--profile", "simulated", "--config", str(file), "--offline"]
    done = CliRunner().invoke(app, ["agents", "check", *options])
    assert "agents.bar.model: there is no 'lagre'; did you mean 'large'?" in done.output
    assert "desk is well" in done.output
    assert done.exit_code == 1


WRONG = [
    ({"tools": ("ordr",)}, {}, "tools: there is no 'ordr'; did you mean 'order'?"),
    (
        {"tools": ("book",)},
        {"missing_tools": ("tools.mcp[0] (bookings)",)},
        "tools: 'book' cannot be reached: tools.mcp[0] (bookings) gives no tools now",
    ),
    ({"tools": ("transfer_call",)}, {}, "telephony.tools has it, and telephony.transfer_targets"),
    ({"voice": "carla"}, {}, "voice: there is no 'carla'; there are: anna, bert"),
    ({"model": "large"}, {}, "model: the language model here is one"),
    ({"instructions": "word " * 60}, {}, "the prompt has 90 tokens, of 100"),
]


@pytest.mark.parametrize(("settings", "there", "told"), WRONG)
def test_what_is_wrong_is_said(settings: dict[str, Any], there: dict[str, Any], told: str) -> None:
    (problem,) = checked(Agent("bar", AgentSettings(**settings)), world(**there)).problems
    assert told in problem
