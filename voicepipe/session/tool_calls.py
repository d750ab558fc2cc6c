"""The tools that one reply calls: which of them run here, when, and how long it took."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from voicepipe.conversation.items import McpCallItem
from voicepipe.ledger.records import ToolSpan
from voicepipe.llm.contract import Tool, ToolCall
from voicepipe.runtime.clock import Clock
from voicepipe.tools.contract import ToolOptions, ToolResult
from voicepipe.tools.running import error_text
from voicepipe.tools.toolbox import ToolBox


class ToolCalls:
    """Of one reply. `theirs`: tools that the client declares and runs itself; `turn`: an id of the
    user's turn that is answered."""

    def __init__(self, tools: ToolBox, theirs: Sequence[Tool], turn: str, clock: Clock) -> None:
        self._tools, self._turn, self._clock = tools, turn, clock
        self._theirs = frozenset(tool.name for tool in theirs)
        self.said = ""  # the caller's words that are answered
        self.spans: list[ToolSpan] = []

    def __contains__(self, name: object) -> bool:
        """Whether it runs here."""
        return name not in self._theirs and name in self._tools

    @property
    def first(self) -> tuple[str, ...]:
        """Those that are asked before the model."""
        return tuple(name for name in self._tools.first if name not in self._theirs)

    def options(self, name: str) -> ToolOptions:
        """How a tool takes part."""
        return self._tools.options(name)

    def may_be_early(self, calls: Sequence[ToolCall]) -> bool:
        """Whether they may run before the user's turn is surely over, and be thrown away."""
        return all(self._only_reads(call) for call in calls)

    def side_by_side(self, calls: Sequence[ToolCall]) -> Iterator[list[ToolCall]]:
        """In the model's order; neighbours that change nothing are run at once."""
        for reads, group in groupby(calls, self._only_reads):
            together = list(group)
            yield from [together] if reads else ([call] for call in together)

    def _only_reads(self, call: ToolCall) -> bool:
        options = self._tools.options(call.name)
        waited_for = options.wait == "block" and not options.confirm
        return options.read_only and waited_for and not self.needs_approval(call)

    def mcp_label(self, call: ToolCall) -> str:
        """The client's MCP server that is called; "" where it is another tool."""
        return self._tools.mcp_label(call.name)

    def needs_approval(self, call: ToolCall) -> bool:
        """Whether it waits for the client's word, and runs when that has come."""
        return self._tools.needs_approval(call.name)

    def words_for(self, calls: Sequence[ToolCall]) -> tuple[str, float]:
        """What the caller is told while they run, and after how many seconds; "" for nothing."""
        for call in calls:
            options = self._tools.options(call.name)
            if options.say and options.wait == "block" and not self.needs_approval(call):
                return options.say, options.say_after_ms / 1000
        return "", 0.0

    async def run(self, call: ToolCall, *, early: bool, first: bool = False) -> ToolResult:
        """Run one; one that is asked ``first`` is not the model's to call. Who interrupts the reply
        ends the call only if the tool wants that, or if it ran early; else it goes on in the
        background, and what it comes to is told later. So is what it has come to in that very
        moment."""
        if self._tools.options(call.name).first and not first:
            return ToolResult(call.name, error_text(f"there is no tool {call.name!r}"), failed=True)
        began = self._clock.now()
        wanted = self._tools.call(call, self._turn, self.said)
        running = asyncio.create_task(wanted, name=f"tool {call.name}")
        try:
            result = await asyncio.shield(running)
        except asyncio.CancelledError:
            options = self._tools.options(call.name)
            if options.first:
                early = True  # the next turn asks again, with all that was said
            ends = options.cancel_on_interrupt and not running.done()
            if early or ends or self._tools.background is None:
                running.cancel()
                await asyncio.wait([running])
            else:
                self._tools.background.adopt(call, running)
            raise
        now = self._clock.now()
        self.spans.append(
            ToolSpan(call.name, round(began * 1e6), round(now * 1e6), failed=result.failed)
        )
        return result

    def cut_off(self) -> None:
        """The caller has heard less than half of the reply, so not what it asked them."""
        self._tools.not_asked(self._turn)


def mcp_result(item: McpCallItem, result: ToolResult) -> McpCallItem:
    """The item of a call that has ended."""
    if not result.failed:
        return replace(item, output=result.text, status="completed")
    return replace(item, error=str(json.loads(result.text)["error"]), status="completed")
