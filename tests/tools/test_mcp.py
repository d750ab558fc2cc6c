"""MCP servers: a real program over stdio, a real one over HTTP, and the ways in which they end."""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import sys
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import JSONRPCError, ToolListChangedNotification

from tests.quick_server import QuickServer
from tests.scripted_server import Reply
from tests.serving import free_port
from tests.tools.mcp_server import build
from tests.tools.service import service
from voicepipe.config.tools import McpServerSettings
from voicepipe.llm.contract import ToolCall
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import ConfigError, EngineUnavailable
from voicepipe.tools import mcp, mcp_stdio
from voicepipe.tools.contract import ToolResult
from voicepipe.tools.mcp import McpTools
from voicepipe.tools.running import run_tool

CLOCK = MonotonicClock()


def program(**given: Any) -> McpServerSettings:
    command = (sys.executable, "-m", "tests.tools.mcp_server")
    return McpServerSettings(label="bookings", command=command, **given)


def broken(how: str, **given: Any) -> McpServerSettings:
    command = (sys.executable, "-m", "tests.tools.broken_mcp_server", how)
    return McpServerSettings(label="bookings", command=command, **given)


@asynccontextmanager
async def connected(
    settings: McpServerSettings, environ: dict[str, str] | None = None
) -> AsyncIterator[McpTools]:
    tools = McpTools(settings, environ or {}, CLOCK, "tools.mcp[0]")
    try:
        await tools.start()
        yield tools
    finally:
        await tools.aclose()


@asynccontextmanager
async def over_http(port: int = 0) -> AsyncIterator[str]:
    """The server's address; it stops with the block."""
    port = port or free_port()
    app = build().streamable_http_app()
    config = uvicorn.Config(app, port=port, log_config=None, timeout_graceful_shutdown=1)
    server = QuickServer(config)
    task = asyncio.create_task(server.serve())
    try:
        await until(lambda: server.started)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        await server.stop(task)


async def until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


async def call(tools: McpTools, tool: str, **arguments: Any) -> ToolResult:
    one = next(t for t in tools.tools() if t.name == tool)
    return await run_tool(one, ToolCall("c", tool, json.dumps(arguments)), {}, CLOCK)


async def serves(tools: McpTools) -> None:
    """What any connection can do."""
    found = await call(tools, "find_table", people=2)
    assert json.loads(found.text)["tables"] == [4, 7]
    booked = await call(tools, "book", table=4)
    assert "booked table 4" in booked.text
    refused = await call(tools, "book", table=13)
    assert refused.failed
    assert "no table 13" in refused.text
    wrong = await call(tools, "find_table", people="two")
    assert "people: 'two' is not of type 'integer'" in wrong.text
    assert (await call(tools, "picture")).text == "our room:\n[image]"


async def test_a_program_over_stdio() -> None:
    async with connected(program()) as tools:
        assert tools.problem == ""
        assert {t.name for t in tools.tools()} > {"find_table", "book"}
        await serves(tools)


async def test_a_server_over_http() -> None:
    async with over_http() as url:
        async with connected(McpServerSettings(label="bookings", url=url)) as tools:
            await serves(tools)


async def test_a_hanging_call_ends_at_its_deadline_and_the_server_goes_on() -> None:
    async with connected(program(deadline_ms=300)) as tools:
        began = time.monotonic()
        told = await call(tools, "hang")
        assert time.monotonic() - began < 3
        assert "did not answer within 0.3 s" in told.text
        await serves(tools)


@pytest.mark.parametrize("http", [False, True])
async def test_ten_megabytes_are_no_result(http: bool, caplog: pytest.LogCaptureFixture) -> None:
    async with over_http() as url:
        way = McpServerSettings(label="bookings", url=url) if http else program()
        async with connected(way) as tools:
            told = await call(tools, "much")
            assert told.failed
            assert len(told.text) < 200
            await until(lambda: not tools.problem)
            await serves(tools)


async def test_a_program_that_floods_its_stdout_is_ended_and_started_anew(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_stdio, "MAX_SKIPPED", 2**20)
    tracemalloc.start()
    try:
        async with connected(broken("floods")) as tools:
            await until(lambda: "trying again" in caplog.text)
            assert not tools.tools()
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert "does not end" in caplog.text


@given(
    st.lists(st.integers(0, 300), max_size=12),
    st.lists(st.integers(1, 400), min_size=1, max_size=30),
)
def test_lines_come_whole_however_they_are_cut_and_none_too_long(
    lengths: list[int], cuts: list[int]
) -> None:
    sent = [
        {"jsonrpc": "2.0", "id": number, "result": {"text": "x" * length}}
        for number, length in enumerate(lengths)
    ]
    data = b"".join(json.dumps(one).encode() + b"\n" for one in sent)
    lines, found = mcp_stdio._Lines(200), []
    for cut in itertools.cycle(cuts):
        piece, data = data[:cut], data[cut:]
        found += lines.feed(piece)
        if not data:
            break
    answers = [one.message for one in found if not isinstance(one, Exception)]
    assert [answer.id for answer in answers] == [one["id"] for one in sent]  # type: ignore[union-attr]
    for one, answer in zip(sent, answers, strict=True):
        assert isinstance(answer, JSONRPCError) == (len(json.dumps(one)) > 200)


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ('{"jsonrpc":"2.0","id":7,"result":{"id":8,"text":"TEXT"}}', 7),
        ('{ "id": 7, "jsonrpc": "2.0", "result": {"text": "TEXT"} }', 7),
        ('{"result":{"id":8,"text":"TEXT"},"jsonrpc":"2.0","id":7}', 7),
        ('{"result":{"text":"TEXT","id":8},"id":7,"jsonrpc":"2.0"}', 7),
        ('{"result":{"id":8,"text":"TEXT","id":9},"jsonrpc":"2.0"}', None),
        ('{"jsonrpc":"2.0","method":"log","params":{"id":8,"text":"TEXT"}}', None),
        ('{"jsonrpc":"2.0","id":7,"method":"roots/list","params":{"text":"TEXT"}}', None),
        ('{"method":"roots/list","params":{"text":"TEXT"},"jsonrpc":"2.0","id":7}', None),
        ('{"jsonrpc":"2.0","id":' + "7" * 5000 + ',"result":{}}', None),
    ],
)
def test_a_line_that_is_too_long_fails_the_request_that_it_answers(
    line: str, refused: int | None
) -> None:
    lines = mcp_stdio._Lines(200)
    data = line.replace("TEXT", "x" * 1000).encode() + b"\n"
    found = [one for at in range(0, len(data), 90) for one in lines.feed(data[at : at + 90])]
    found += lines.feed(b'{"jsonrpc":"2.0","id":10,"result":{}}\n')
    ids = [one.message.id for one in found if not isinstance(one, Exception)]  # type: ignore[union-attr]
    assert ids == [*([] if refused is None else [refused]), 10]


@pytest.mark.parametrize("odd", [b"\\ud83d", b"\xf0\x9f", b"\xe9"])
def test_half_a_character_fails_no_call(odd: bytes) -> None:
    """A program that cuts a text in the middle of an emoji writes it: whoever has called waits."""
    line = b'{"jsonrpc":"2.0","id":7,"result":{"text":"cake ' + odd + b'"}}\n'
    (found,) = mcp_stdio._Lines(200).feed(line)
    assert not isinstance(found, Exception)
    assert found.message.id == 7  # type: ignore[union-attr]
    assert found.message.result["text"].startswith("cake ")  # type: ignore[union-attr]


async def test_a_server_that_dies_in_a_call_comes_back(caplog: pytest.LogCaptureFixture) -> None:
    async with connected(program()) as tools:
        told = await call(tools, "die")
        assert told.failed
        await until(lambda: tools.problem)
        assert not tools.tools()  # the model is not offered what cannot be had
        await until(lambda: not tools.problem)
        await serves(tools)
    assert "tools.mcp[0] (bookings)" in caplog.text
    assert "trying again" in caplog.text


async def test_a_server_over_http_that_was_started_anew_is_found_again() -> None:
    port = free_port()
    async with over_http(port) as url:
        tools = McpTools(McpServerSettings(label="bookings", url=url), {}, CLOCK, "tools.mcp[0]")
        await tools.start()
        await serves(tools)
    try:
        async with over_http(port):
            deadline = time.monotonic() + 20
            while (not tools.tools() or (await call(tools, "book", table=1)).failed) and (
                time.monotonic() < deadline
            ):
                await asyncio.sleep(0.1)
            await serves(tools)
    finally:
        await tools.aclose()


async def test_new_tools_are_offered() -> None:
    async with connected(program()) as tools:
        await call(tools, "grow")
        await until(lambda: "grown" in {t.name for t in tools.tools()})
        assert (await call(tools, "grown")).text == '{"result":"new"}'


async def test_one_that_says_without_end_that_its_tools_are_others_is_listed_now_and_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lists, list_anew = itertools.count(), McpTools._list

    async def counted(tools: McpTools, client: Any) -> Any:
        next(lists)
        return await list_anew(tools, client)

    monkeypatch.setattr(McpTools, "_list", counted)
    async with connected(program()) as tools:
        for _ in range(100):
            await tools._on_message(ToolListChangedNotification())
            await asyncio.sleep(0.005)
        began = time.monotonic()
    assert next(lists) <= 3
    assert time.monotonic() - began < mcp.RELIST_S, "its end waits for no list"


async def test_only_some_of_its_tools_under_names_of_ones_own(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with over_http() as url:
        settings = McpServerSettings(
            label="bookings",
            url=url,
            allowed_tools=("find_table", "book", "bok"),
            read_only_tools=("find_table",),
            confirm_tools=("book",),
            prefix="bar_",
            say="One moment.",
        )
        async with connected(settings) as tools:
            options = {t.name: t.options for t in tools.tools()}
    assert set(options) == {"bar_find_table", "bar_book"}
    assert options["bar_find_table"].read_only
    assert options["bar_book"].confirm
    assert options["bar_book"].say == "One moment."
    assert "allowed_tools: it has no 'bok'; it has book, die" in caplog.text


BROKEN = [
    (broken("dies"), "it wrote: no database: set DATABASE_URL"),
    (broken("slow", start_timeout_ms=300), "did not answer in time"),
    (McpServerSettings(label="bookings", command=("no-such-program",)), "no-such-program"),
    (McpServerSettings(label="bookings", url="http://127.0.0.1:9/mcp"), "connect"),
]


@pytest.mark.parametrize(("settings", "told"), BROKEN, ids=["dies", "slow", "absent", "nobody"])
async def test_one_that_does_not_come_up_is_tried_again_and_said(
    settings: McpServerSettings, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with connected(settings) as tools:
        assert tools.tools() == ()
        assert told in tools.problem
        await until(lambda: "trying again" in caplog.text)


@pytest.mark.parametrize("ticks", [0, 1])
async def test_one_that_is_closed_as_it_begins_keeps_nobody_waiting(ticks: int) -> None:
    tools = McpTools(broken("slow"), {}, CLOCK, "tools.mcp[0]")
    starting = asyncio.create_task(tools.start())
    for _ in range(ticks):
        await asyncio.sleep(0)
    await tools.aclose()
    async with asyncio.timeout(2):
        await starting
    assert tools.tools() == ()


async def test_one_that_is_required_keeps_the_server_from_starting() -> None:
    tools = McpTools(broken("dies", required=True), {}, CLOCK, "tools.mcp[0]")
    with pytest.raises(EngineUnavailable, match=r"tools.mcp\[0\] \(bookings\).*no database"):
        await tools.start()


@pytest.mark.parametrize("kind", ["text/html", "application/json"])
async def test_an_address_that_speaks_no_mcp(kind: str) -> None:
    async with service(mcp=Reply((b"<html>hello</html>",), 200, {"content-type": kind})) as web:
        settings = McpServerSettings(
            label="bookings", url=f"{web.origin}/mcp", start_timeout_ms=2000
        )
        async with connected(settings) as tools:
            assert tools.problem
            assert tools.tools() == ()


async def test_a_secret_goes_to_the_program_and_to_no_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    settings = program(env={"BOOKINGS_TOKEN": "${TOKEN}"})
    async with connected(settings, {"TOKEN": "hush"}) as tools:
        await serves(tools)
        assert "hush" not in repr(settings) + tools.problem
    assert "hush" not in caplog.text


def test_a_variable_that_is_not_set_is_named() -> None:
    settings = program(env={"BOOKINGS_TOKEN": "${TOKEN}"})
    with pytest.raises(ConfigError, match=r"\(bookings\): env.BOOKINGS_TOKEN .* TOKEN"):
        McpTools(settings, {}, CLOCK, "tools.mcp[0]")


def test_a_server_is_reached_in_one_way() -> None:
    with pytest.raises(ValueError, match="either url or command"):
        McpServerSettings(label="x")
    with pytest.raises(ValueError, match="either url or command"):
        McpServerSettings(label="x", url="http://x/", command=("y",))
