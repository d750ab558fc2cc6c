"""Python tools: schemas from signatures, results, and everything a user's file can do wrong."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from tests.tools import shop
from voicepipe.llm.contract import ToolCall
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import ConfigError
from voicepipe.tools import python
from voicepipe.tools.contract import ServerTool, ToolResult
from voicepipe.tools.python import PythonTools
from voicepipe.tools.running import run_tool

SHOP = Path(shop.__file__)
LINES = SHOP.read_text().splitlines()
TOOLS = {tool.name: tool for tool in PythonTools([SHOP], []).tools()}


async def run(name: str, facts: Mapping[str, str] | None = None, **arguments: Any) -> ToolResult:
    call = ToolCall("c", name, json.dumps(arguments))
    return await run_tool(TOOLS[name], call, facts or {}, MonotonicClock())


def properties(tool: ServerTool) -> Mapping[str, Any]:
    found: Mapping[str, Any] = tool.declaration.parameters["properties"]
    return found


def test_a_signature_and_a_docstring_are_the_declaration() -> None:
    order = TOOLS["order"].declaration
    assert order.description == "Order a drink.\n\nSay the price afterwards."
    assert order.parameters["required"] == ["drink"]
    assert properties(TOOLS["order"])["drink"] == {
        "type": "string",
        "description": "what to drink",
    }
    assert properties(TOOLS["order"])["count"] == {"type": "integer", "default": 1}
    hours = properties(TOOLS["opening_hours"])["day"]
    assert hours["enum"] == ["weekday", "weekend"]
    assert TOOLS["count_beans"].options.read_only
    assert TOOLS["count_beans"].options.say == "One moment."
    assert "facts" not in properties(TOOLS["my_number"])  # the model need not know them
    assert not TOOLS.keys() & {"_helper", "plain", "number_of", "tool"}


async def test_results_reach_the_model_as_text_or_json() -> None:
    receipt = await run("order", drink="tea", size="large", count=2)
    assert json.loads(receipt.text) == {"drink": "large tea", "cents": 500}
    assert (await run("opening_hours", day="weekend")).text == "9 to 18"
    assert (await run("count_beans", bags=[1, 2])).text == "3"
    assert (await run("my_number", {"caller": "+15550100"})).text == "+15550100"
    assert (await run("nothing")).text == '{"ok": true}'


WRONG = [
    ("order", {}, "'drink' is a required property"),
    ("order", {"drink": "tea", "size": "huge"}, "size: 'huge' is not one of"),
    ("order", {"drink": "tea", "sugar": 1}, "'sugar' was unexpected"),
    ("count_beans", {"bags": ["one"]}, "bags.0: 'one' is not of type 'integer'"),
    ("refuse", {}, "the machine is being cleaned"),
    ("much", {}, "too long"),
    ("odd", {}, "cannot be read"),
    ("crash", {"secret": "hush"}, "crash failed"),
]


@pytest.mark.parametrize(("name", "arguments", "told"), WRONG)
async def test_a_failure_is_a_sentence_for_the_model(
    name: str, arguments: dict[str, Any], told: str, caplog: pytest.LogCaptureFixture
) -> None:
    result = await run(name, **arguments)
    assert result.failed
    assert told in json.loads(result.text)["error"]
    assert "hush" not in caplog.text + result.text


@pytest.mark.parametrize("kind", ["async def", "def"])
async def test_a_tool_that_wants_to_exit_ends_its_own_call_only(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "leaving.py"
    marked = "from voicepipe.tools.python import tool\n@tool()\n"
    file.write_text(f'{marked}{kind} leave() -> str:\n    "Leaves."\n    raise SystemExit(1)\n')
    (leave,) = PythonTools([file], []).tools()
    result = await run_tool(leave, ToolCall("c", "leave", "{}"), {}, MonotonicClock())
    assert (result.failed, result.text) == (True, '{"error": "leave failed"}')


@pytest.mark.parametrize("kind", ["async def", "def"])
async def test_a_search_that_finds_nothing_fails_at_once(kind: str, tmp_path: Path) -> None:
    """`next` without a default raises what no future can hold: nobody would hear of it."""
    file = tmp_path / "searching.py"
    marked = "from voicepipe.tools.python import tool\n@tool(deadline_ms=2000)\n"
    file.write_text(f'{marked}{kind} find() -> str:\n    "Finds."\n    return next(iter([]))\n')
    (find,) = PythonTools([file], []).tools()
    result = await run_tool(find, ToolCall("c", "find", "{}"), {}, MonotonicClock())
    assert (result.failed, result.text) == (True, '{"error": "find failed"}')
    assert result.took_ms < 1000


async def test_functions_that_hang_hold_up_nobody_elses_threads(tmp_path: Path) -> None:
    """Those of the loop look names up, encode prompts and much more."""
    file = tmp_path / "hanging.py"
    file.write_text(
        "import time\nfrom voicepipe.tools.python import tool\n@tool(deadline_ms=50)\n"
        'def hang() -> None:\n    "Hangs."\n    time.sleep(1)\n'
    )
    (hang,) = PythonTools([file], []).tools()
    call = ToolCall("c", "hang", "{}")
    running = (run_tool(hang, call, {}, MonotonicClock()) for _ in range(40))
    calls = asyncio.gather(*running)
    await asyncio.sleep(0.1)
    async with asyncio.timeout(0.5):
        assert await asyncio.to_thread(int) == 0
    assert all(result.failed for result in await calls)


async def test_a_crash_is_logged_with_its_line_and_without_its_words(
    caplog: pytest.LogCaptureFixture,
) -> None:
    await run("crash", secret="hush")
    line = 1 + LINES.index('    raise RuntimeError(f"cannot do {secret}")')
    assert f"RuntimeError at {SHOP}:{line}" in caplog.text


@pytest.mark.parametrize("name", ["hang", "block", "stubborn"])
async def test_deadlines_hold(name: str, caplog: pytest.LogCaptureFixture) -> None:
    began = time.monotonic()
    assert "did not answer within 0.1 s" in (await run(name)).text
    assert time.monotonic() - began < 1.4
    if name == "stubborn":
        assert "does not stop" in caplog.text
        await asyncio.sleep(1)  # it ends by itself, and leaves no task behind


FIRST = "from voicepipe.tools import tool\n@tool"
BROKEN_FILES = [
    ("import sys\nsys.exit('no till')\n", "tools.py: line 2: SystemExit: no till"),
    ("async def f(a):\n    'x'\n", r"tools.py:1 \(f\): a needs a type"),
    ("async def f(a: int):\n    pass\n", "needs a docstring"),
    ("async def f(*a: int):\n    'x'\n", "cannot be described"),
    ("async def f(a: int, /):\n    'x'\n", "positional only"),
    ("async def f(a: Nope):\n    'x'\n", "'Nope' is not defined"),
    ("import socket\nasync def f(a: socket.socket):\n    'x'\n", "no JSON Schema"),
    ("def f():\n    'x'\n", "holds no tool"),
    ("x = 1\n1/0\n", "line 2: ZeroDivisionError"),
    ("def f(:\n", "line 1: SyntaxError"),
    (f"{FIRST}(first=True)\nasync def f(a: int):\n    'x'\n", "is given no arguments"),
    (f"{FIRST}(first=True, confirm=True)\ndef f():\n    'x'\n", "can't be confirm"),
    ("import no_such_module_here\n", "ModuleNotFoundError"),
]


@pytest.mark.parametrize(("text", "told"), BROKEN_FILES)
def test_a_broken_file_says_what_and_where(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "tools.py"
    path.write_text(text)
    with pytest.raises(ConfigError, match=told) as raised:
        PythonTools([path], [])
    assert str(path) in str(raised.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        PythonTools([tmp_path / "none.py"], [])


def test_a_file_may_import_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "beside_it_xyz.py").write_text("PRICE = 3\n")
    path = tmp_path / "tools.py"
    path.write_text(
        "from beside_it_xyz import PRICE\nasync def price() -> int:\n    'It.'\n    return PRICE\n"
    )
    assert PythonTools([path], []).tools()[0].name == "price"


def test_an_installed_package_brings_tools_when_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    points = [
        EntryPoint("shop", "tests.tools.shop", python.GROUP),
        EntryPoint("hours", "tests.tools.shop:opening_hours", python.GROUP),
        EntryPoint("size", "tests.tools.shop:Size", python.GROUP),
        EntryPoint("gone", "tests.tools.no_such", python.GROUP),
    ]
    monkeypatch.setattr(python, "entry_points", lambda group: points)
    assert len(PythonTools([], ["shop"]).tools()) == len(TOOLS)
    assert [t.name for t in PythonTools([], ["hours"]).tools()] == ["opening_hours"]
    for name, told in (("size", "neither"), ("gone", "cannot be loaded"), ("sho", "Known: gone")):
        with pytest.raises(ConfigError, match=told):
            PythonTools([], [name])
