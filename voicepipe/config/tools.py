"""Tools that the server runs: HTTP endpoints, MCP servers, Python files; see docs/tools.md."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, SecretStr, model_validator

from voicepipe.config.budget import BreakerSettings
from voicepipe.config.section import Ms, Section


def _is_pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"is not a regular expression: {error}") from None
    return text


Pattern = Annotated[str, AfterValidator(_is_pattern)]
ToolName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


class ToolOptionSettings(Section):
    """How a tool takes part in a conversation."""

    deadline_ms: int = Field(10_000, ge=50, le=600_000)  # a call that takes longer has failed
    say: str = Field("", max_length=300)  # to the caller while it runs: "One moment, please."
    say_after_ms: Ms = 300  # not before it has run so long: most are quicker
    wait: Literal["block", "background"] = "block"  # background: the conversation goes on, the
    # result opens a turn of its own when both are silent
    read_only: bool = False  # it changes nothing: may run before the caller's turn is surely over,
    # and is thrown away if it was not
    cancel_on_interrupt: bool = False  # a caller who interrupts ends the call too
    confirm: bool = False  # runs only when the caller has spoken again and the model still asks
    breaker: BreakerSettings = BreakerSettings()


class FirstToolSettings(ToolOptionSettings):
    """Of a tool that is given by itself."""

    first: bool = False  # it is asked in every turn of the caller's, before the model, which is not
    # offered it
    say_failed: str = Field("", max_length=300)  # to the caller, where one that is asked first
    # fails; "" = the model is asked as if it had nothing to tell

    @model_validator(mode="after")
    def _asked_as_it_can_be(self) -> FirstToolSettings:
        if self.first and (self.confirm or self.wait == "background"):
            raise ValueError("first: is waited for and asks for no yes: no confirm, no background")
        if self.say_failed and not self.first:
            raise ValueError("say_failed: is of a tool with first = true")
        return self


class HttpToolSettings(FirstToolSettings):
    """An HTTP endpoint. `${NAME}` in `url` and `headers` is a variable of the environment."""

    name: ToolName
    description: str = ""  # for the model: what it does, and when to use it
    parameters: dict[str, Any] = Field(default_factory=dict)  # JSON Schema of the arguments
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] = "POST"
    url: str = Field(min_length=1)  # {name} in its path or query is a required argument
    headers: dict[str, SecretStr] = Field(default_factory=dict)
    facts: tuple[str, ...] = ()  # sent along, and unknown to the model: "caller", "call_id", ...
    redirects: Literal["same_origin", "public", "any"] = "same_origin"  # how far one is followed
    max_result_bytes: int = Field(16_384, ge=64, le=1_048_576)  # a longer answer is a failure


class McpServerSettings(ToolOptionSettings):
    """An MCP server: streamable HTTP at `url`, or a program that is started by `command`."""

    label: ToolName  # what logs and figures call it
    url: str = ""
    command: tuple[str, ...] = ()  # and its arguments; no shell reads it. "${PYTHON}" is
    # the interpreter that runs voicepipe
    headers: dict[str, SecretStr] = Field(default_factory=dict)  # with `url`
    env: dict[str, SecretStr] = Field(default_factory=dict)  # with `command`
    cwd: Path | None = None
    allowed_tools: tuple[str, ...] = ()  # () = all that the server lists
    read_only_tools: tuple[str, ...] = ()  # those that change nothing, as `read_only`
    confirm_tools: tuple[str, ...] = ()  # those that the caller must agree to, as `confirm`
    prefix: str = Field("", pattern=r"^[A-Za-z0-9_-]{0,32}$")  # put before each tool's name
    required: bool = False  # the server does not start without it
    start_timeout_ms: Ms = 10_000  # connecting and listing
    max_result_bytes: int = Field(16_384, ge=64, le=1_048_576)

    @model_validator(mode="after")
    def _one_way(self) -> McpServerSettings:
        if bool(self.url) == bool(self.command):
            raise ValueError("give either url or command")
        if self.url and not self.url.startswith(("http://", "https://", "${")):
            raise ValueError("url must begin with http:// or https://")
        return self


class ToolRuleSettings(Section):
    """A tool that is called by the caller's words, without asking the model; of any kind, a
    call's own (`hang_up`, `transfer_call`) and `hand_over` included."""

    when: tuple[Pattern, ...] = ()  # regular expressions; named groups are the call's arguments
    answer: str = Field("", max_length=1000)  # said of its result, {name} being a field of that;
    # "" = the model says something of it
    answer_failed: str = Field("", max_length=300)  # said when the call has failed


class ToolSettings(Section):
    files: tuple[Path, ...] = ()  # Python files; each public async function with types is a tool
    plugins: tuple[str, ...] = ()  # names of entry points `voicepipe.tools` of installed packages
    http: tuple[HttpToolSettings, ...] = ()
    mcp: tuple[McpServerSettings, ...] = ()
    client_mcp: tuple[str, ...] = ()  # addresses of MCP servers that clients of the Realtime API
    # may have called from here ({"type": "mcp", "server_url": ...}), and what lies below them
    rules: dict[str, ToolRuleSettings] = Field(default_factory=dict)  # by the tool's name
