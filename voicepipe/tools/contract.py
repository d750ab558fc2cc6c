"""What a tool is that the server runs. The whole contract; the kinds live beside it: `http.py`,
`mcp.py`, `python.py`. A transport adds tools of its own by the same dataclass (a call's hang-up).
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, Protocol

from voicepipe.config.tools import ToolOptionSettings
from voicepipe.llm.contract import Tool
from voicepipe.resilience.breaker import Breaker
from voicepipe.runtime.errors import VoicepipeError

Arguments = Mapping[str, Any]
"""What the model wrote, read as JSON and found to fit the tool's schema."""

Facts = Mapping[str, str]
"""What is known of the conversation: session_id, call_id, caller, called, agent and the agent's
variables. A tool may be given them; the model need not know them."""

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What models take for a tool's name."""

Wait = Literal["block", "background"]


class ToolError(VoicepipeError):
    """A call failed. The message is for the model: no address, no secret.

    `detail` is for the log, and never holds what a caller said. `fault`: the tool is to blame, not
    the arguments, which counts for its breaker.
    """

    def __init__(self, message: str, *, detail: str = "", fault: bool = True) -> None:
        super().__init__(message)
        self.detail = detail
        self.fault = fault


@dataclass(frozen=True, slots=True)
class ToolOptions:
    """How a tool takes part in a conversation."""

    deadline_ms: int = 10_000  # a call that takes longer has failed
    say: str = ""  # to the caller, while the call runs and nothing else has been said
    say_after_ms: int = 300  # not before it has run so long: most are quicker
    wait: Wait = "block"  # "background": the conversation goes on, the result opens a turn later
    read_only: bool = False  # changes nothing: may run before the caller's turn is surely over
    cancel_on_interrupt: bool = False  # a caller who interrupts ends the call too
    confirm: bool = False  # runs only when the model asks again after the caller's next words
    first: bool = False  # asked in every turn, before the model, which is not offered it
    say_failed: str = ""  # to the caller, where one that is asked first fails

    @staticmethod
    def of(settings: ToolOptionSettings) -> ToolOptions:
        """As a section of the settings says."""
        names = {field.name for field in fields(ToolOptions)}
        return ToolOptions(**settings.model_dump(include=names))


@dataclass(frozen=True, slots=True)
class Output:
    """What a tool gave. `afterwards` is called when the reply that asked for it has been played to
    its end, and never if the caller interrupts it; where words were said before, such a result
    closes the reply and the model is not asked for more."""

    text: str  # for the model: JSON, or plain words
    afterwards: Callable[[], None] | None = None


Run = Callable[[Arguments, Facts], Awaitable[Output]]
"""Raises ToolError; whatever else it raises is told to the model as a plain failure."""


@dataclass(frozen=True, slots=True)
class ServerTool:
    """One tool. `source` says where it comes from, in the words of the settings."""

    declaration: Tool
    run: Run
    options: ToolOptions = ToolOptions()
    source: str = ""  # "tools.http[0]", "tools.mcp[1]", "my_tools.py:12"
    breaker: Breaker | None = None  # of the service behind it, which other tools may share
    in_history: bool = True  # its call and result become items; False: it writes its own
    mcp_label: str = ""  # of the client's MCP server that it belongs to: its calls are items of
    # another kind
    approval: bool = False  # the client is asked before it is called

    @property
    def name(self) -> str:
        return self.declaration.name


@dataclass(frozen=True, slots=True)
class ToolResult:
    """One call that was run: what the model is told, and what the ledger and the log are."""

    name: str
    text: str
    failed: bool = False
    took_ms: float = 0.0
    afterwards: Callable[[], None] | None = None
    in_history: bool = True


class ToolSource(Protocol):
    """Where tools come from, for the whole process. Its tools may come and go as it does."""

    name: str  # in the words of the settings, e.g. "tools.mcp[0] (bookings)"

    async def start(self) -> None:
        """Raises ConfigError or EngineUnavailable where the server must not start without it."""
        ...

    def tools(self) -> tuple[ServerTool, ...]:
        """Those that can be called now."""
        ...

    @property
    def problem(self) -> str:
        """Why it gives no tools at the moment; "" if all is well."""
        ...

    async def aclose(self) -> None: ...
