"""The tools that one reply runs, and what is written of them: at once, or when the gate opens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from voicepipe.conversation.items import McpApprovalRequestItem, McpCallItem
from voicepipe.llm.contract import ToolCall
from voicepipe.llm.prompt import WAITING_OUTPUT
from voicepipe.runtime.clock import Clock
from voicepipe.session.ids import new_id
from voicepipe.session.tool_calls import ToolCalls, mcp_result
from voicepipe.session.turn_notes import ReplyTimes
from voicepipe.session.writer import ResponseWriter
from voicepipe.tools.contract import ToolResult


class ToolRuns:
    """`gate`: set when the reply is committed; of one that is thrown away nobody hears."""

    def __init__(
        self,
        calls: ToolCalls,
        writer: ResponseWriter,
        times: ReplyTimes,
        gate: asyncio.Event,
        clock: Clock,
    ) -> None:
        self._calls, self._writer, self._times = calls, writer, times
        self._gate, self._clock = gate, clock
        self.untold: list[Callable[[], None]] = []  # what those that ran early have to write

    async def run(self, calls: Sequence[ToolCall]) -> list[ToolResult]:
        """Side by side where they may be. What a tool did stands in the history, whatever becomes
        of the words about it."""
        ran: list[ToolResult] = []
        for group in self._calls.side_by_side(calls):
            began = self._clock.now()
            items = [self._mcp_item(call) for call in group]
            found = await self._run_together(group)
            if self._times.marks.get("first_clause") is None:
                self._times.spent("tool", None, began)
            for call, item, done in zip(group, items, found, strict=True):
                self._write_down(call, item, done)
            ran += found
        return ran

    async def _run_together(self, group: Sequence[ToolCall]) -> Sequence[ToolResult]:
        if len(group) == 1:  # awaited here: gathered, what it did could come to its end unseen in
            return [await self._run_one(group[0])]  # the moment in which the reply is stopped
        return await asyncio.gather(*map(self._run_one, group))

    async def _run_one(self, call: ToolCall) -> ToolResult:
        if self._calls.needs_approval(call):
            self.tell(partial(self._writer.asks_approval, self._approval_item(call)))
            return ToolResult(call.name, WAITING_OUTPUT, in_history=False)
        return await self._calls.run(call, early=not self._gate.is_set())

    def _write_down(self, call: ToolCall, item: McpCallItem | None, done: ToolResult) -> None:
        if item is not None:
            self.tell(partial(self._writer.mcp_ends, mcp_result(item, done)))
        elif done.in_history:
            self.tell(partial(self._writer.ran, call, done.text))

    def tell(self, write: Callable[[], None]) -> None:
        """Write now, or when the gate opens."""
        self.untold.append(write)
        if self._gate.is_set():
            self.tell_all()

    def tell_all(self) -> None:
        """The gate is open."""
        untold, self.untold = self.untold, []
        for write in untold:
            write()

    def _mcp_item(self, call: ToolCall) -> McpCallItem | None:
        """The item of a call of the client's MCP server, begun; None for other tools, and where the
        client is asked first."""
        label = self._calls.mcp_label(call)
        if not label or self._calls.needs_approval(call):
            return None
        item = McpCallItem(new_id("item"), label, call.name, call.arguments)
        self.tell(partial(self._writer.mcp_begins, item))
        return item

    def _approval_item(self, call: ToolCall) -> McpApprovalRequestItem:
        label = self._calls.mcp_label(call)
        return McpApprovalRequestItem(new_id("item"), label, call.name, call.arguments)
