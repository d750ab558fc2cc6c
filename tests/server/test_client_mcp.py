"""A client names an MCP server in `session.update`: it is called from here, with the protocol's own
events, read by the official SDK."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from openai import AsyncOpenAI

from tests.server.harness import RunningServer, running_server, simulated_engines
from tests.server.test_limits import nothing_left
from tests.tools.test_mcp import over_http
from voicepipe.llm.contract import ChatRequest
from voicepipe.llm.engines.simulated import Answer
from voicepipe.session.engines import Engines

ANSWER_S = 20.0
FIND = Answer("Let me see.", tool=("find_table", '{"people": 2}'))


def mcp_tool(url: str, **given: Any) -> dict[str, Any]:
    return {
        "type": "mcp",
        "server_label": "bookings",
        "server_url": url,
        "require_approval": "never",
        "authorization": "hush",
        "allowed_tools": ["find_table", "book"],
        **given,
    }


class Client:
    """The official SDK's connection; every event it gave."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.events: list[Any] = []

    async def update(self, *tools: dict[str, Any]) -> None:
        session = {"type": "realtime", "output_modalities": ["text"], "tools": list(tools)}
        await self._connection.session.update(session=session)

    async def ask(self) -> None:
        content = [{"type": "input_text", "text": "a table for two"}]
        item = {"type": "message", "role": "user", "content": content}
        await self._connection.conversation.item.create(item=item)
        await self._connection.response.create()

    async def until(self, kind: str) -> Any:
        async with asyncio.timeout(ANSWER_S):
            while True:
                event = await self._connection.recv()
                self.events.append(event)
                if event.type == kind:
                    return event

    def kinds(self, *parts: str) -> list[str]:
        return [e.type for e in self.events if any(part in e.type for part in parts)]


def requests(engines: Engines) -> list[ChatRequest]:
    found: list[ChatRequest] = engines.model.requests  # type: ignore[attr-defined]
    return found


async def talk(server: RunningServer, connection: Any, url: str) -> Client:
    client = Client(connection)
    await client.update(mcp_tool(url))
    await client.until("session.updated")
    await client.until("mcp_list_tools.completed")
    await client.until("conversation.item.done")
    return client


async def test_a_server_is_listed_called_and_its_result_told() -> None:
    engines = simulated_engines(answers=(FIND, "Table four is free.", "Anything else?"))
    async with over_http() as url:
        async with running_server(engines, tools={"client_mcp": [url]}) as server:
            sdk = AsyncOpenAI(api_key="none", base_url=f"{server.http}/v1")
            async with sdk, sdk.realtime.connect(model="voicepipe") as connection:
                client = await talk(server, connection, url)
                listed = client.events[-1].item
                assert listed.type == "mcp_list_tools"
                assert [tool.name for tool in listed.tools] == ["find_table", "book"]
                assert listed.tools[0].input_schema["required"] == ["people"]
                await client.ask()
                done = await client.until("response.done")
            await nothing_left(server)
    assert client.kinds("mcp_call", "mcp_list") == [
        "mcp_list_tools.in_progress",
        "mcp_list_tools.completed",
        "response.mcp_call_arguments.delta",
        "response.mcp_call_arguments.done",
        "response.mcp_call.in_progress",
        "response.mcp_call.completed",
    ]
    kinds = [item.type for item in done.response.output]
    assert kinds == ["message", "mcp_call", "message"]
    call = done.response.output[1]
    assert (call.server_label, call.name) == ("bookings", "find_table")
    assert json.loads(call.output)["tables"] == [4, 7]
    assert json.loads(requests(engines)[1].messages[-1].content)["tables"] == [4, 7]
    updated = next(e for e in client.events if e.type == "session.updated")
    assert "hush" not in updated.to_json()
    assert "hush" not in str([e.to_json() for e in client.events])


async def test_the_next_prompt_knows_the_call_and_a_failure_is_a_failure() -> None:
    wrong = Answer(tool=("book", '{"table": 13}'))
    engines = simulated_engines(answers=(wrong, "No such table.", "Yes?"))
    async with over_http() as url:
        async with running_server(engines, tools={"client_mcp": [url]}) as server:
            sdk = AsyncOpenAI(api_key="none", base_url=f"{server.http}/v1")
            async with sdk, sdk.realtime.connect(model="voicepipe") as connection:
                client = await talk(server, connection, url)
                await client.ask()
                done = await client.until("response.done")
                await client.ask()
                await client.until("response.done")
            await nothing_left(server)
    assert "response.mcp_call.failed" in client.kinds("mcp_call")
    assert "no table 13" in done.response.output[0].error.message
    roles = [message.role for message in requests(engines)[-1].messages]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]


async def test_a_server_that_is_not_there_is_told_and_the_session_lives() -> None:
    engines = simulated_engines()
    url = "http://127.0.0.1:9/mcp"
    async with running_server(engines, tools={"client_mcp": [url]}) as server:
        sdk = AsyncOpenAI(api_key="none", base_url=f"{server.http}/v1")
        async with sdk, sdk.realtime.connect(model="voicepipe") as connection:
            client = Client(connection)
            await client.update(mcp_tool(url))
            await client.until("mcp_list_tools.failed")
            await client.ask()
            await client.until("response.done")
            await client.update()  # and is given up again
            await client.until("session.updated")
        await nothing_left(server)


REFUSED = [
    ({"server_url": "http://169.254.169.254/"}, "server_url"),
    ({"server_url": "http://127.0.0.1:9/mcpx"}, "server_url"),
    ({"server_url": "http://127.0.0.1:9/mcp/../x"}, "server_url"),
    ({"server_url": "http://a@127.0.0.1:9/mcp"}, "server_url"),
    ({"require_approval": "always"}, "require_approval"),
    ({"require_approval": None}, "require_approval"),
    ({"connector_id": "connector_gmail"}, "connector_id"),
    ({"server_label": "a b"}, "server_label"),
]


@pytest.mark.parametrize(("given", "field"), REFUSED)
async def test_what_is_not_allowed_is_refused_and_named(given: dict[str, Any], field: str) -> None:
    url = "http://127.0.0.1:9/mcp"
    async with running_server(tools={"client_mcp": [url]}) as server:
        sdk = AsyncOpenAI(api_key="none", base_url=f"{server.http}/v1")
        async with sdk, sdk.realtime.connect(model="voicepipe") as connection:
            client = Client(connection)
            await client.update(mcp_tool(url, **given))
            error = (await client.until("error")).error
            assert error.param == f"session.tools[0].{field}"
        await nothing_left(server)
