"""Functions that a session's door adds: asynchronous, with a deadline, and with something to do
when the words are over.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

from voicepipe.llm.contract import Tool, ToolCall
from voicepipe.runtime.clock import ManualClock
from voicepipe.session.tools import CALL_DEADLINE_S, ServerTool, ServerTools, ToolResult

pytestmark = pytest.mark.virtual_time


def tools(run: Any) -> ServerTools:
    declaration = Tool("ring_bell", "Ring the bell.", {"type": "object", "properties": {}})
    return ServerTools(("get_time",), ManualClock(), extra=(ServerTool(declaration, run),))


async def ring(found: ServerTools, arguments: str = "{}", name: str = "ring_bell") -> Any:
    return json.loads((await found.call(ToolCall("c1", name, arguments))).text)


async def test_function_of_the_door_is_offered_and_run_with_its_arguments() -> None:
    async def run(arguments: Mapping[str, Any]) -> ToolResult:
        await asyncio.sleep(1)
        return ToolResult({"rung": arguments["times"]})

    found = tools(run)
    assert [tool.name for tool in found.declarations] == ["get_time", "ring_bell"]
    assert "ring_bell" in found
    assert await ring(found, '{"times": 3}') == {"rung": 3}
    assert "time" in await ring(found, name="get_time")
    assert "no function" in (await ring(found, name="other"))["error"]


async def test_one_that_hangs_is_given_up_and_one_that_raises_is_told() -> None:
    async def hang(_: Mapping[str, Any]) -> ToolResult:
        await asyncio.get_running_loop().create_future()
        raise AssertionError

    async def fail(arguments: Mapping[str, Any]) -> ToolResult:
        return ToolResult({"rung": arguments["missing"]})

    began = asyncio.get_running_loop().time()
    assert "longer than 10 s" in (await ring(tools(hang)))["error"]
    assert asyncio.get_running_loop().time() - began == pytest.approx(CALL_DEADLINE_S)
    assert await ring(tools(fail)) == {"error": "ring_bell failed"}


@pytest.mark.parametrize("arguments", ["[1]", "{", "3"])
async def test_arguments_that_are_no_object_never_reach_it(arguments: str) -> None:
    async def run(_: Mapping[str, Any]) -> ToolResult:
        raise AssertionError

    assert "the arguments are not" in (await ring(tools(run), arguments))["error"]
