"""What the agent can do with the call itself: end it, put it through. Both wait until the words
said with them have been played; a caller who interrupts those goes on talking to the agent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from voicepipe.llm.contract import Tool
from voicepipe.runtime.errors import ConfigError
from voicepipe.tools.contract import Arguments, Facts, Output, ServerTool

HANG_UP, TRANSFER = "hang_up", "transfer_call"

_AFTER_WORDS = "It is done as soon as you have finished speaking: take your leave in a few words."


def transfer_targets(texts: tuple[str, ...]) -> dict[str, str]:
    """`telephony.transfer_targets` by name. Raises ConfigError naming the entry."""
    targets = {}
    for text in texts:
        name, separator, number = (part.strip() for part in text.partition("="))
        if not separator or not name or not number:
            raise ConfigError(
                f"telephony.transfer_targets: {text!r}: write it as name=number, "
                "e.g. sales=+15550100"
            )
        targets[name] = number
    return targets


def call_tools(
    hang_up: Callable[[], None],
    transfer: Callable[[str], None],
    targets: Mapping[str, str],
) -> tuple[ServerTool, ...]:
    """`hang_up` and `transfer(name)` are called when the words are over; `targets` empty: nothing
    to put through to, so it is not offered."""
    done = json.dumps({"ok": True, "note": _AFTER_WORDS})

    async def run_hang_up(arguments: Arguments, facts: Facts) -> Output:
        return Output(done, hang_up)

    async def run_transfer(arguments: Arguments, facts: Facts) -> Output:
        name = arguments["to"]
        return Output(done, lambda: transfer(name))

    ending = ServerTool(
        Tool(
            HANG_UP,
            "End the call, when the caller takes their leave or wants nothing more.",
            {"type": "object", "properties": {}},
        ),
        run_hang_up,
        source="telephony.tools",
    )
    if not targets:
        return (ending,)
    to = {"type": "string", "enum": list(targets), "description": "who shall take the call"}
    putting_through = ServerTool(
        Tool(
            TRANSFER,
            "Put the caller through to a person or a department.",
            {"type": "object", "properties": {"to": to}, "required": ["to"]},
        ),
        run_transfer,
        source="telephony.tools",
    )
    return (ending, putting_through)
