"""A client names an MCP server in `session.update`: it is called from here, with the protocol's own
events, read by the official SDK."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from openai import AsyncOpenAI

from tests.server.harness import FAST, RunningServer, running_server, simulated_engines
from tests.server.test_limits import nothing_left
from tests.tools.test_mcp import over_http
from voicepipe.config import LatencySettings
from voicepipe.llm.contract import ChatRequest
from voicepipe.llm.engines.simulated import Answer
from voicepipe.protocols.openai_realtime import session_fields
from voicepipe.session.engines import Engines

ANSWER_S = 20.0
BOOK = {"tool_names": ["book"]}
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


async def talk(server: RunningServer, connection: Any, url: str, **given: Any) -> Client:
    client = Client(connection)
    await client.update(mcp_tool(url, **given))
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
    ({"require_approval": "sometimes"}, "require_approval"),
    ({"require_approval": {"often": {}}}, "require_approval"),
    ({"require_approval": {"never": {"read_only": True}}}, "require_approval.never.read_only"),
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


async def test_who_asks_for_the_answer_behind_each_call_gets_it_once() -> None:
    """As OpenAI's Agents SDK does: here the response that has called goes on by itself."""
    engines = simulated_engines(answers=(FIND, "Table four is free."))
    async with over_http() as url:
        async with running_server(engines, tools={"client_mcp": [url]}) as server:
            sdk = AsyncOpenAI(api_key="none", base_url=f"{server.http}/v1")
            async with sdk, sdk.realtime.connect(model="voicepipe") as connection:
                client = await talk(server, connection, url)
                await client.ask()
                await client.until("response.mcp_call.completed")
                await connection.response.create()
                done = await client.until("response.done")
                kinds = [item.type for item in done.response.output]
                assert kinds == ["message", "mcp_call", "message"]
                await connection.conversation.item.retrieve(item_id="none")
                assert (await client.until("error")).error.param == "item_id"
            await nothing_left(server)
    assert client.kinds("response.created", "error") == ["response.created", "error"]


async def test_a_second_wish_for_an_answer_is_refused_while_the_response_goes_on() -> None:
    """One call's answer is asked for once: whoever asks again is told, not passed over."""
    thinks = LatencySettings(mean_ms=2000)
    slow = FAST.model_copy(update={"llm_first_token": thinks})
    engines = simulated_engines(slow, answers=(FIND, "Table four is free."))
    async with over_http() as url:
        async with running_server(engines, tools={"client_mcp": [url]}) as server:
            sdk = AsyncOpenAI(api_key="none", base_url=f"{server.http}/v1")
            async with sdk, sdk.realtime.connect(model="voicepipe") as connection:
                client = await talk(server, connection, url)
                await client.ask()
                await client.until("response.mcp_call.completed")
                await connection.response.create()
                await connection.response.create()
                error = (await client.until("error")).error
                assert error.code == "conversation_already_has_active_response"
                await client.until("response.done")
            await nothing_left(server)
    assert client.kinds("response.created") == ["response.created"]


async def approve(connection: Any, request_id: str, approve: bool, **more: Any) -> None:
    item = {"type": "mcp_approval_response", "approval_request_id": request_id, "approve": approve}
    await connection.conversation.item.create(item={**item, **more})


async def test_a_call_waits_for_approval_and_its_result_is_answered() -> None:
    engines = simulated_engines(answers=(FIND, "Table four is free."))
    async with over_http() as url:
        async with running_server(engines, tools={"client_mcp": [url]}) as server:
            sdk = AsyncOpenAI(api_key="none", base_url=f"{server.http}/v1")
            async with sdk, sdk.realtime.connect(model="voicepipe") as connection:
                client = await talk(server, connection, url, require_approval="always")
                await client.ask()
                done = await client.until("response.done")
                asked = done.response.output[-1]
                assert [item.type for item in done.response.output] == [
                    "message",
                    "mcp_approval_request",
                ]
                assert (asked.server_label, asked.name) == ("bookings", "find_table")
                assert json.loads(asked.arguments) == {"people": 2}
                assert not client.kinds("mcp_call"), "nothing has run"
                await approve(connection, asked.id, True)
                await connection.response.create()  # at once: it waits for the result
                answered = await client.until("response.done")
                await approve(connection, asked.id, True)
                assert (await client.until("error")).error.param == "item.approval_request_id"
            await nothing_left(server)
    assert client.kinds("mcp_call.") == [
        "response.mcp_call.in_progress",
        "response.mcp_call.completed",
    ]
    ran = next(
        e.item
        for e in client.events
        if e.type == "conversation.item.done" and e.item.type == "mcp_call"
    )
    assert ran.approval_request_id == asked.id
    assert json.loads(ran.output)["tables"] == [4, 7]
    assert [item.type for item in answered.response.output] == ["message"]
    prompt = requests(engines)[-1].messages
    assert [message.role for message in prompt[1:]] == ["user", "assistant", "tool"]
    assert json.loads(prompt[-1].content)["tables"] == [4, 7]


async def test_a_call_that_is_not_approved_never_runs_and_the_model_learns_why() -> None:
    book = Answer(tool=("book", '{"table": 4}'))
    engines = simulated_engines(answers=(book, "As you wish.", "Yes?"))
    async with over_http() as url:
        async with running_server(engines, tools={"client_mcp": [url]}) as server:
            sdk = AsyncOpenAI(api_key="none", base_url=f"{server.http}/v1")
            async with sdk, sdk.realtime.connect(model="voicepipe") as connection:
                wanted = {"never": {"tool_names": ["find_table"]}}
                client = await talk(server, connection, url, require_approval=wanted)
                updated = next(e for e in client.events if e.type == "session.updated")
                shown = updated.to_dict()["session"]["tools"][0]["require_approval"]
                assert shown == wanted
                await client.ask()
                asked = (await client.until("response.done")).response.output[-1]
                await client.ask()  # the caller goes on meanwhile
                await client.until("response.done")
                assert "waits for approval" in requests(engines)[-1].messages[3].content
                await approve(connection, asked.id, False, reason="too dear")
                await connection.response.create()
                await client.until("response.done")
            await nothing_left(server)
    assert not client.kinds("mcp_call")
    told = requests(engines)[-1].messages[3].content
    assert json.loads(told) == {"error": "the call was not approved: too dear"}


@pytest.mark.parametrize(
    ("wanted", "asked_for"),
    [
        ("never", []),
        (None, ["book", "find_table"]),
        ({"always": BOOK}, ["book"]),
        ({"never": BOOK}, ["find_table"]),
        (
            {"always": {"tool_names": ["book"]}, "never": {"tool_names": ["book"]}},
            ["book", "find_table"],
        ),
    ],
)
def test_which_calls_are_put_to_the_client(wanted: Any, asked_for: list[str]) -> None:
    declared = session_fields.tools([mcp_tool("http://x/", require_approval=wanted)], "tools")
    (server,) = session_fields.mcp_settings(declared)
    assert [name for name in ("book", "find_table") if server.approval.wanted(name)] == asked_for
