"""`hand_over`: the agent gives the caller to another one. The conversation stays; instructions,
voice and tools change when the words said with it have been played, so never in mid-clause, and a
caller who interrupts those goes on talking to the first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from voicepipe.llm.contract import Tool
from voicepipe.tools.contract import Arguments, Facts, Output, ServerTool

HAND_OVER = "hand_over"

_NOTE = "It is done as soon as you have finished speaking: say in a few words who takes over."


def hand_over_tool(targets: Sequence[str], switch: Callable[[str], None]) -> ServerTool:
    """`switch(name)` is called when the words are over; `targets` are names of agents."""
    to = {"type": "string", "enum": list(targets), "description": "which colleague takes over"}
    declaration = Tool(
        HAND_OVER,
        "Give the conversation to a colleague who is there for what the caller wants.",
        {"type": "object", "properties": {"to": to}, "required": ["to"]},
    )

    async def run(arguments: Arguments, facts: Facts) -> Output:
        name = arguments["to"]
        return Output(json.dumps({"ok": True, "note": _NOTE}), lambda: switch(name))

    return ServerTool(declaration, run, source="agents")
