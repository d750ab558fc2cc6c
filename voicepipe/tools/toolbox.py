"""The tools of one conversation: which there are, and the way to call one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from voicepipe.llm.contract import Tool, ToolCall
from voicepipe.runtime.clock import Clock
from voicepipe.tools.background import Background
from voicepipe.tools.contract import (
    Facts,
    ServerTool,
    ToolError,
    ToolOptions,
    ToolResult,
    ToolSource,
)
from voicepipe.tools.running import error_text, run_tool
from voicepipe.tools.schema import read_arguments

Offered = Callable[[], Iterable[ServerTool]]
"""What the process has at the moment: an MCP server may come and go."""

_ASK_FIRST = {
    "not_done_yet": True,
    "note": "The caller must agree first. Tell them in one sentence what you are about to do and "
    "ask whether that is right. Call the tool again with the same arguments when they said yes.",
}

MAX_UNCONFIRMED = 50
"""Calls that wait for a yes; the oldest is forgotten."""


FRESH_S = 30.0
"""A result that was asked for beforehand is used for so long."""

MAX_FORESEEN = 32

MAX_SAID_CHARS = 2_000
"""Of the caller's words that a tool is told: the last."""


@dataclass(frozen=True, slots=True)
class _Foreseen:
    result: ToolResult
    at_s: float  # monotonic


class ToolBox:
    """`call` runs one; never raises for what a model wrote or a tool did.

    `names`: those of the process, and of the built-in ones, that this conversation may use, None
    for all. `own`: tools of the conversation itself (a call's hang-up); they go before others of
    the same name, as those of the process go before the built-in ones.
    """

    def __init__(
        self,
        offered: Offered,
        clock: Clock,
        *,
        facts: Facts | None = None,
        names: frozenset[str] | None = None,
        own: Sequence[ServerTool] = (),
    ) -> None:
        self._offered, self._clock, self._names = offered, clock, names
        self.facts: Facts = facts or {}
        self._own = {tool.name: tool for tool in own}
        self._builtin: dict[str, ServerTool] = {}
        self._sources: list[ToolSource] = []  # that the client has named
        self.background: Background | None = None  # None: every call is waited for
        self._foreseen: dict[str, _Foreseen] = {}  # by call id
        self._unconfirmed: dict[str, str] = {}  # a call that waits for a yes -> its turn

    def offer(self, tool: ServerTool) -> None:
        """One more of the conversation's own."""
        self._own[tool.name] = tool

    def add_builtin(self, tools: Iterable[ServerTool]) -> None:
        """The clock and the timers, which are the session's."""
        self._builtin |= {tool.name: tool for tool in tools}

    def attach(self, source: ToolSource) -> None:
        """The client wants these too."""
        self._sources.append(source)

    def detach(self, source: ToolSource) -> None:
        """The client wants them no more."""
        if source in self._sources:
            self._sources.remove(source)

    def mcp_label(self, name: str) -> str:
        """The client's MCP server to which a tool belongs; "" for all others."""
        tool = self._all().get(name)
        return "" if tool is None else tool.mcp_label

    def needs_approval(self, name: str) -> bool:
        """Whether the client is asked before it is called."""
        tool = self._all().get(name)
        return tool is not None and tool.approval

    def withdraw(self, name: str) -> None:
        """No longer one of the conversation's own, if it was."""
        self._own.pop(name, None)

    def restrict(self, names: frozenset[str] | None) -> None:
        """From now on only these of the process's tools; None for all."""
        self._names = names

    @property
    def declarations(self) -> tuple[Tool, ...]:
        """For the model, in an order that does not change while the tools do not."""
        return tuple(t.declaration for t in self._all().values() if not t.options.first)

    @property
    def first(self) -> tuple[str, ...]:
        """Those that are asked in every turn, before the model."""
        return tuple(name for name, tool in self._all().items() if tool.options.first)

    def beside(self, theirs: Sequence[Tool]) -> tuple[Tool, ...]:
        """The declarations of a client's own tools and ours. Whoever declares tools has no use for
        the built-in ones, and of two with one name the client's is meant."""
        if not theirs:
            return self.declarations
        hidden = {tool.name for tool in theirs}
        ours = (
            tool.declaration
            for name, tool in self._all().items()
            if name not in hidden and tool is not self._builtin.get(name) and not tool.options.first
        )
        return (*theirs, *ours)

    def __contains__(self, name: object) -> bool:
        return name in self._all()

    def options(self, name: str) -> ToolOptions:
        """How it takes part; of an unknown one the defaults, since its call fails at once."""
        tool = self._all().get(name)
        return ToolOptions() if tool is None else tool.options

    async def call(self, call: ToolCall, turn: str = "", said: str = "") -> ToolResult:
        """Run it. `turn`: an id of the caller's turn that is being answered, `said`: its words; a
        tool that needs the caller's yes is run when the same call comes again in another turn."""
        kept = self._foreseen.get(call.call_id)
        if kept is not None and self._clock.now() - kept.at_s <= FRESH_S:
            return kept.result  # and stays: the reply that asks may yet be thrown away
        tool = self._all().get(call.name)
        if tool is None:
            there = ", ".join(one.name for one in self.declarations) or "none"
            text = error_text(f"there is no tool {call.name!r}; there are: {there}")
            return ToolResult(call.name, text, failed=True)
        if tool.options.confirm and self._must_ask(tool, call, turn):
            return ToolResult(call.name, json.dumps(_ASK_FIRST))
        facts = {"said": said[-MAX_SAID_CHARS:], "turn": turn, **self.facts}
        running = run_tool(tool, call, facts, self._clock)
        if tool.options.wait == "background" and self.background is not None:
            ends = tool.options.cancel_on_interrupt
            return self.background.start(call, running, cancel_on_interrupt=ends)
        return await running

    def not_asked(self, turn: str) -> None:
        """The caller has not heard the question that the calls of this turn wait for."""
        waiting = self._unconfirmed.items()
        self._unconfirmed = {key: asked_in for key, asked_in in waiting if asked_in != turn}

    async def foresee(self, call: ToolCall, said: str = "") -> ToolResult:
        """Run one that only reads before anybody has asked for it: when just this call is made,
        soon, its result is there. A failure is not kept: it may be over by then."""
        result = await self.call(call, said=said)
        if result.failed:
            return result
        self._foreseen[call.call_id] = _Foreseen(result, self._clock.now())
        while len(self._foreseen) > MAX_FORESEEN:
            del self._foreseen[next(iter(self._foreseen))]
        return result

    def close(self) -> None:
        """The conversation is over: nothing is offered, results nobody asked for are forgotten."""
        self._own.clear()
        self._builtin.clear()
        self._sources.clear()
        self._foreseen.clear()
        self.background = None

    def _all(self) -> dict[str, ServerTool]:
        common = [*self._builtin.values(), *self._offered()]
        named = [tool for source in self._sources for tool in source.tools()]
        allowed = [tool for tool in common if self._allows(tool.name)]
        return {**{tool.name: tool for tool in (*named, *allowed)}, **self._own}

    def _allows(self, name: str) -> bool:
        return self._names is None or name in self._names

    def _must_ask(self, tool: ServerTool, call: ToolCall, turn: str) -> bool:
        """Whether the caller has still to agree. Of what will be refused nobody is asked."""
        try:
            arguments = read_arguments(
                call, tool.declaration.parameters, regexes=not tool.mcp_label
            )
        except ToolError:
            return False
        return not self._confirmed(f"{call.name} {json.dumps(arguments, sort_keys=True)}", turn)

    def _confirmed(self, key: str, turn: str) -> bool:
        """Whether it was asked for before, in another turn: the caller has heard of it since."""
        asked_in = self._unconfirmed.pop(key, None)
        if asked_in is not None and asked_in != turn:
            return True
        self._unconfirmed[key] = turn if asked_in is None else asked_in
        while len(self._unconfirmed) > MAX_UNCONFIRMED:
            del self._unconfirmed[next(iter(self._unconfirmed))]
        return False
