"""The tools of one conversation, and those of the process."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from tests.virtual_time import LoopClock
from voicepipe.config.tools import HttpToolSettings, McpServerSettings, ToolSettings
from voicepipe.llm.contract import Tool, ToolCall
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import ConfigError
from voicepipe.tools.background import Background, Finished
from voicepipe.tools.contract import Arguments, Facts, Output, ServerTool, ToolError, ToolOptions
from voicepipe.tools.running import STOP_DEADLINE_S, run_tool
from voicepipe.tools.schema import object_schema, read_arguments
from voicepipe.tools.sources import ToolSources, build_sources
from voicepipe.tools.toolbox import ToolBox

ANY = {"type": "object", "properties": {}}


def tool(
    name: str,
    result: str = "done",
    *,
    after_s: float = 0.0,
    error: Exception | None = None,
    schema: dict[str, Any] | None = None,
    **options: Any,
) -> ServerTool:
    async def run(arguments: Arguments, facts: Facts) -> Output:
        await asyncio.sleep(after_s)
        if error is not None:
            raise error
        return Output(result)

    return ServerTool(Tool(name, "", schema or ANY), run, ToolOptions(**options), "test")


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall("call_1", name, json.dumps(arguments))


def box(*tools: ServerTool, **given: Any) -> ToolBox:
    return ToolBox(lambda: tools, LoopClock(), **given)


async def test_an_unknown_name_is_answered_with_those_there_are() -> None:
    result = await box(tool("order"), tool("menu")).call(call("odrer"))
    assert json.loads(result.text)["error"] == "there is no tool 'odrer'; there are: order, menu"


def test_a_conversation_uses_some_of_the_processes_tools_and_its_own() -> None:
    one = box(tool("order"), tool("menu"), names=frozenset({"order"}), own=[tool("hang_up")])
    one.offer(tool("order", "mine", read_only=True))
    assert [t.name for t in one.declarations] == ["order", "hang_up"]
    assert one.options("order").read_only
    assert "menu" not in one
    assert one.options("menu") == ToolOptions()


def test_a_tool_of_the_processes_with_a_built_in_ones_name_is_there_beside_a_clients() -> None:
    one = box(tool("get_time"), tool("menu"))
    one.add_builtin([tool("get_time"), tool("set_timer")])
    assert [t.name for t in one.beside([Tool("light")])] == ["light", "get_time", "menu"]


def test_tools_come_and_go() -> None:
    there: list[ServerTool] = []
    one = ToolBox(lambda: there, MonotonicClock())
    assert one.declarations == ()
    there.append(tool("order"))
    assert "order" in one


async def test_a_tool_that_needs_a_yes_runs_in_a_later_turn_only() -> None:
    one = box(tool("order", confirm=True))
    cup = call("order", drink="tea", size=1)
    assert "not_done_yet" in (await one.call(cup, "turn_1")).text
    assert "not_done_yet" in (await one.call(cup, "turn_1")).text  # it asked itself
    other = ToolCall("call_2", "order", '{"drink": "gin", "size": 1}')
    assert "not_done_yet" in (await one.call(other, "turn_2")).text
    same = ToolCall("call_3", "order", '{"size":1,  "drink":"tea"}')
    assert (await one.call(same, "turn_2")).text == "done"
    assert "not_done_yet" in (await one.call(cup, "turn_3")).text  # a yes is good for once


async def test_the_caller_is_asked_only_of_what_can_be_done() -> None:
    schema = {"properties": {"cups": {"type": "integer"}}, "required": ["cups"]}
    one = box(tool("order", confirm=True, schema=schema))
    wrong = await one.call(call("order", cups="two"), "turn_1")
    assert wrong.failed
    assert "cups: 'two' is not of type 'integer'" in wrong.text
    assert "not_done_yet" in (await one.call(call("order", cups=2), "turn_1")).text
    assert (await one.call(call("order", cups=2, sugar=None), "turn_2")).text == "done"


@pytest.mark.virtual_time
async def test_how_long_a_call_took_is_known_and_bounded() -> None:
    clock = LoopClock()
    well = await run_tool(tool("order", after_s=0.25), call("order"), {}, clock)
    assert (well.failed, round(well.took_ms)) == (False, 250)
    late = await run_tool(tool("order", after_s=9, deadline_ms=400), call("order"), {}, clock)
    assert (late.failed, round(late.took_ms)) == (True, 400)


@pytest.mark.virtual_time
@pytest.mark.parametrize("stubborn", [False, True])
async def test_to_cancel_a_call_is_to_cancel_the_tool(stubborn: bool) -> None:
    ended: list[str] = []

    async def run(arguments: Arguments, facts: Facts) -> Output:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            if stubborn:
                await asyncio.sleep(2 * STOP_DEADLINE_S)
            ended.append("cancelled")
            raise
        return Output("late")

    clock = LoopClock()
    began = clock.now()
    running = asyncio.create_task(
        run_tool(ServerTool(Tool("order", "", ANY), run), call("order"), {}, clock)
    )
    await asyncio.sleep(1)
    running.cancel()
    await asyncio.wait([running])
    assert running.cancelled()
    assert clock.now() - began <= 1 + STOP_DEADLINE_S + 0.01
    await asyncio.sleep(2 * STOP_DEADLINE_S)
    assert ended == ["cancelled"]


ARGUMENTS = [
    ("{", "the arguments are not JSON"),
    ("[1]", "the arguments are not an object"),
    ("[" * 100_000, "longer than"),
    ("[" * 20_000, "not JSON"),
    ('{"a": 1}', "a: 1 is not of type 'string'"),
    ('{"b": 1}', "'a' is a required property"),
    ("", "'a' is a required property"),
]


@pytest.mark.parametrize(("text", "told"), ARGUMENTS, ids=[told for _, told in ARGUMENTS])
async def test_what_a_model_writes_wrong_is_said_in_words(text: str, told: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    one = tool("order", schema=schema)
    result = await run_tool(one, ToolCall("c", "order", text), {}, MonotonicClock())
    assert told in json.loads(result.text)["error"]
    assert len(result.text) < 400


@pytest.mark.parametrize("schema", [{"$ref": "#"}, {"$ref": "#/$defs/none"}])
async def test_a_schema_that_runs_in_circles_fails_the_call_only(schema: dict[str, Any]) -> None:
    result = await run_tool(tool("order", schema=schema), call("order"), {}, MonotonicClock())
    assert "could not be checked" in result.text


async def test_a_refusal_is_no_fault_of_the_service(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    no = ToolError("we are closed", fault=False)
    result = await run_tool(tool("order", error=no), call("order"), {}, MonotonicClock())
    assert json.loads(result.text) == {"error": "we are closed"}
    assert "WARNING" not in caplog.text


# The process's -----------------------------------------------------------------------------------


class Source:
    """One that is set by a test."""

    problem = ""

    def __init__(
        self,
        name: str,
        tools: Sequence[ServerTool] = (),
        start: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.name, self._tools, self._start, self.closed = name, tuple(tools), start, False

    async def start(self) -> None:
        if self._start is not None:
            await self._start()

    def tools(self) -> tuple[ServerTool, ...]:
        return self._tools

    async def aclose(self) -> None:
        self.closed = True
        if self.problem == "stuck":
            raise RuntimeError("cannot close")


def test_two_tools_of_one_name_are_an_error_at_start() -> None:
    with pytest.raises(ConfigError, match="test has the same name, 'order'"):
        ToolSources([Source("a", [tool("order")]), Source("b", [tool("order")])])


def test_one_that_turns_up_later_gives_way(caplog: pytest.LogCaptureFixture) -> None:
    late = Source("b")
    sources = ToolSources([Source("a", [tool("order", "first")]), late])
    late._tools = (tool("order"), tool("menu"))
    assert [t.name for t in sources.tools()] == ["order", "menu"]
    sources.tools()
    assert caplog.text.count("has a tool 'order' too") == 1


async def test_if_one_does_not_start_the_others_are_closed() -> None:
    async def fail() -> None:
        raise ConfigError("tools.mcp[0]: no")

    well, stuck = Source("a"), Source("b")
    stuck.problem = "stuck"
    with pytest.raises(ConfigError, match="no"):
        await ToolSources([stuck, well, Source("c", start=fail)]).start()
    assert well.closed


async def test_everything_wrong_is_said_at_once() -> None:
    settings = ToolSettings(
        http=(HttpToolSettings(name="order", url="ftp://x"),),
        mcp=(McpServerSettings(label="bookings", url="http://x/", headers={"a": "${NONE_1}"}),),
        plugins=("none",),
    )
    with pytest.raises(ConfigError) as raised:
        build_sources(settings, {}, MonotonicClock())
    lines = str(raised.value).splitlines()
    assert [line.partition(" ")[0] for line in lines] == [
        "tools.plugins:",
        "tools.http[0]",
        "tools.mcp[0]",
    ]


async def test_nothing_named_is_nothing_there() -> None:
    sources = build_sources(ToolSettings(), {}, MonotonicClock())
    await sources.start()
    assert sources.tools() == ()
    assert sources.problems == {}
    await sources.aclose()


async def test_half_a_character_of_a_tools_is_dropped() -> None:
    """In the history it would fail every later request."""
    result = await box(tool("look_up", '{"name": "Jo \ud83d"}')).call(call("look_up"))
    assert result.text == '{"name": "Jo "}'
    failing = tool("look_up", error=ToolError("no \ud83d there"))
    assert (await box(failing).call(call("look_up"))).text == '{"error": "no  there"}'


async def test_half_a_character_reaches_no_tool() -> None:
    ran: list[Arguments] = []

    async def run(arguments: Arguments, facts: Facts) -> Output:
        ran.append(arguments)
        return Output("done")

    one = ServerTool(Tool("look_up", "", ANY), run, ToolOptions(), "test")
    result = await box(one).call(ToolCall("call_1", "look_up", '{"name": "\\ud83d"}'))
    assert (result.failed, ran) == (True, [])
    assert "not JSON" in result.text


@pytest.mark.parametrize("odd", [float("nan"), "\ud83d"])
def test_a_schema_that_no_request_can_hold_is_refused(odd: object) -> None:
    with pytest.raises(ConfigError, match="no JSON text can hold"):
        object_schema({"properties": {"size": {"default": odd}}}, "here")


async def test_a_call_taken_over_as_the_conversation_ends_is_ended_too() -> None:
    background = Background(lambda finished: True, lambda finished: None)
    running = asyncio.create_task(box(tool("wait", after_s=5)).call(call("wait")))
    await asyncio.sleep(0)
    background.adopt(call("wait"), running)
    await background.aclose()  # in the same breath: its task never takes a first step
    await asyncio.sleep(0.1)
    assert running.done()


async def test_results_whose_delivery_fails_are_told_all_the_same() -> None:
    told: list[str] = []

    def deliver(finished: Sequence[Finished]) -> bool:
        told.extend(one.result.text for one in finished)
        if len(told) == 1:
            raise RuntimeError("broken")
        return True

    background = Background(deliver, lambda finished: None)
    running = box(tool("wait")).call(call("wait"))
    background.start(call("wait"), running, cancel_on_interrupt=False)
    await asyncio.sleep(1)
    await background.aclose()
    assert told == ["done", "done"]


TWICE = {f"s{n}": {"allOf": 2 * [{"$ref": f"#/$defs/s{n + 1}"}]} for n in range(60)}


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"$defs": {**TWICE, "s60": {}}, "$ref": "#/$defs/s0"}, "{}"),
        ({"properties": {"a": {"pattern": "^(a+)+$"}}}, json.dumps({"a": "a" * 60 + "!"})),
        ({"patternProperties": {"^(a+)+$": {}}}, json.dumps({"a" * 60 + "!": 1})),
        (
            {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False},
            json.dumps({"a" * 60 + "!": 1}),
        ),
    ],
)
def test_no_clients_schema_keeps_the_others_waiting(schema: dict[str, Any], text: str) -> None:
    began = time.process_time()
    with contextlib.suppress(ToolError):
        read_arguments(ToolCall("c", "f", text), object_schema(schema, "here"))
    assert time.process_time() - began < 2


async def test_an_operators_patterns_are_checked() -> None:
    one = tool("look_up", schema={**ANY, "properties": {"zip": {"pattern": "^[0-9]{5}$"}}})
    assert "does not match" in (await box(one).call(call("look_up", zip="x"))).text
    assert (await box(one).call(call("look_up", zip="12345"))).text == "done"
