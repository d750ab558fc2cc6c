"""MCP servers that a client has named for its session: connected, listed, offered to the model, and
given up when the client names them no more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from voicepipe.config import McpServerSettings
from voicepipe.conversation.items import (
    Item,
    McpApprovalRequestItem,
    McpCallItem,
    McpTool,
    McpToolsItem,
)
from voicepipe.llm.contract import ToolCall
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import VoicepipeError
from voicepipe.session import events as ev
from voicepipe.session.ids import new_id
from voicepipe.session.settings import McpServer
from voicepipe.session.tasks import Tasks
from voicepipe.session.tool_calls import mcp_result
from voicepipe.tools.toolbox import ToolBox

if TYPE_CHECKING:
    from voicepipe.tools.mcp import McpTools

START_DEADLINE_MS = 10_000


class ClientMcp:
    """Of one session. `add` puts an item at the conversation's end and tells the client of its
    beginning; `finish` replaces it and tells of its end."""

    def __init__(
        self,
        tools: ToolBox,
        tasks: Tasks,
        clock: Clock,
        emit: Callable[[ev.SessionEvent], None],
        add: Callable[[Item], bool],
        finish: Callable[[Item], None],
        approved: set[asyncio.Task[None]],
    ) -> None:
        """`approved`: where calls are kept that the client has approved, while they run."""
        self._approved = approved
        self._tools, self._tasks, self._clock = tools, tasks, clock
        self._emit, self._add, self._finish = emit, add, finish
        self._connected: dict[McpServer, McpTools] = {}
        self._leaving: set[McpTools] = set()  # their end may not have begun when the session ends

    def apply(self, servers: tuple[McpServer, ...]) -> None:
        """Connect to those that are new, leave those that are gone."""
        for server in [one for one in self._connected if one not in servers]:
            source = self._connected.pop(server)
            self._tools.detach(source)
            self._leaving.add(source)
            self._tasks.spawn(self._leave(source), f"mcp {server.label} ends")
        for server in servers:
            if server not in self._connected:
                self._connect(server)

    def approve(self, request: McpApprovalRequestItem) -> None:
        """The client wants the call made. What it comes to is in the conversation; the answer is
        for the client to ask for, as after a result of its own functions."""
        item = McpCallItem(
            new_id("item"),
            request.server_label,
            request.name,
            request.arguments,
            approval_request_id=request.id,
        )
        if self._add(item):
            self._emit(ev.McpCall(item.id, 0, "in_progress"))
            task = self._tasks.spawn(self._call(item), f"mcp {item.name}")
            self._approved.add(task)
            task.add_done_callback(self._approved.discard)

    async def _call(self, item: McpCallItem) -> None:
        done = mcp_result(
            item, await self._tools.call(ToolCall(item.id, item.name, item.arguments))
        )
        self._emit(ev.McpCall(item.id, 0, "completed" if done.error is None else "failed"))
        self._finish(done)

    async def aclose(self) -> None:
        sources = (*self._connected.values(), *self._leaving)
        await asyncio.gather(*(source.aclose() for source in sources))

    async def _leave(self, source: McpTools) -> None:
        await source.aclose()
        self._leaving.discard(source)

    def _connect(self, server: McpServer) -> None:
        item = McpToolsItem(new_id("item"), server.label)
        if not self._add(item):
            return
        self._emit(ev.McpListing(item.id, "in_progress"))
        try:
            from voicepipe.tools.mcp import McpTools  # heavy; there since start where it is allowed

            source = McpTools(
                _settings(server),
                {},
                self._clock,
                "session.tools",
                of_client=True,
                approval=server.approval.wanted,
            )
        except VoicepipeError:  # what looks like one of our variables
            self._emit(ev.McpListing(item.id, "failed"))
            self._finish(replace(item, status="incomplete"))
            return
        self._connected[server] = source
        self._tasks.spawn(self._list(item, source), f"mcp {server.label}")

    async def _list(self, item: McpToolsItem, source: McpTools) -> None:
        await source.start()
        if source.problem:  # it is tried again; the client is told how it stands
            self._emit(ev.McpListing(item.id, "failed"))
            self._finish(replace(item, status="incomplete"))
        else:
            listed = (tool.declaration for tool in source.tools())
            tools = tuple(McpTool(t.name, t.description, t.parameters) for t in listed)
            self._emit(ev.McpListing(item.id, "completed"))
            self._finish(replace(item, tools=tools, status="completed"))
        if source in self._connected.values():
            self._tools.attach(source)


def _settings(server: McpServer) -> McpServerSettings:
    headers = dict(server.headers)
    if server.authorization:
        headers["Authorization"] = f"Bearer {server.authorization}"
    return McpServerSettings.model_validate(
        {
            "label": server.label,
            "url": server.url,
            "headers": headers,
            "allowed_tools": server.allowed_tools,
            "start_timeout_ms": START_DEADLINE_MS,
        }
    )
