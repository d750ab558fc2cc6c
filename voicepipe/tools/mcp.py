"""Tools of an MCP server: a program of one's own, spoken to over its stdin and stdout, or an
address that speaks streamable HTTP. The connection belongs to one task; when it is lost it is made
again, with growing pauses, and meanwhile the server's tools are not offered.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import sys
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

import httpx2
import mcp_types as types
from mcp.client import Client
from mcp.client.session import IncomingMessage
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.exceptions import MCPError

from voicepipe.config.tools import McpServerSettings
from voicepipe.llm.contract import Tool
from voicepipe.resilience.breaker import Breaker, BreakerOptions
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import ConfigError, EngineUnavailable
from voicepipe.runtime.trusted_tls import trusted_tls
from voicepipe.tools.contract import (
    NAME,
    Arguments,
    Facts,
    Output,
    ServerTool,
    ToolError,
    ToolOptions,
)
from voicepipe.tools.mcp_stdio import bounded_stdio
from voicepipe.tools.mcp_transport import BoundedHttp, StderrTail, Watched
from voicepipe.tools.schema import object_schema
from voicepipe.tools.secrets import filled

log = logging.getLogger(__name__)

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
"""Between two attempts to connect again."""

RELIST_S = 1.0
"""Between two lists, however often a server says that its tools have changed."""

STEADY_S = 60.0
"""A connection that held so long was well: the next pause is the first again."""

CLOSE_DEADLINE_S = 10.0
"""For a server to end; the library kills its process after 4 s."""

SESSION_IS_GONE = "Session terminated"
"""How the library tells that a server over HTTP has forgotten us: it was started anew."""

MAX_TOOLS, MAX_PAGES = 200, 20

_read_tls = partial(httpx2.create_ssl_context, trust_env=False)


class McpTools:
    """The tools of one server. `start` makes the task that owns the connection."""

    def __init__(
        self,
        settings: McpServerSettings,
        environ: Mapping[str, str],
        clock: Clock,
        where: str,
        *,
        of_client: bool = False,
        approval: Callable[[str], bool] = lambda tool: False,
    ) -> None:
        """`of_client`: a client of the session has named it, and wants to be asked before those of
        its tools are called that `approval` says. Raises ConfigError for a variable that is not
        set."""
        self._mcp_label = settings.label if of_client else ""
        self._approval = approval
        self.name = f"{where} ({settings.label})"
        self.problem = "not connected yet"
        self._settings, self._clock = settings, clock
        self._way = _Way(settings, environ, self.name)
        self._breaker = Breaker(BreakerOptions(**settings.breaker.model_dump()), clock)
        self._tools: tuple[ServerTool, ...] = ()
        self._client: Client | None = None
        self._owner: asyncio.Task[None] | None = None
        self._tried = asyncio.Event()  # connected, or failed for the first time
        self._changed = asyncio.Event()  # lost, closed, or its tools are others now
        self._over = asyncio.Event()  # lost or closed
        self._closing = False

    async def start(self) -> None:
        """Connect; without `required` a server that cannot be reached is tried again later.

        Raises EngineUnavailable where it is required.
        """
        self._owner = asyncio.create_task(self._own(), name=f"mcp {self._settings.label}")
        await self._tried.wait()  # owner: `_own`, which has a deadline
        if self.problem and self._settings.required:
            await self.aclose()
            raise EngineUnavailable(f"{self.name}: {self.problem}", stage="tools")

    def tools(self) -> tuple[ServerTool, ...]:
        return self._tools

    async def aclose(self) -> None:
        self._closing = True
        self._on_lost()
        owner, self._owner = self._owner, None
        if owner is None:
            return
        done, _ = await asyncio.wait([owner], timeout=CLOSE_DEADLINE_S)
        if not done:
            log.error("%s does not close; it is left behind", self.name)
            owner.cancel()
            await asyncio.wait([owner], timeout=CLOSE_DEADLINE_S)

    # -- the connection -------------------------------------------------------------------------

    async def _own(self) -> None:
        pause_s = FIRST_PAUSE_S
        while not self._closing:
            began = self._clock.now()
            try:
                await self._hold()
                self.problem = "its connection was lost"
            except Exception as error:  # a library's own, or a group of them
                started = self._client is not None
                self.problem = _words(error, "" if started else self._way.last_words)
            self._client, self._tools = None, ()
            self._tried.set()
            if self._closing:
                return
            if self._clock.now() - began > STEADY_S:
                pause_s = FIRST_PAUSE_S
            log.warning("%s: %s; trying again in %.1f s", self.name, self.problem, pause_s)
            await self._pause(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
        self._tried.set()  # also where it was closed before it began

    async def _pause(self, seconds: float) -> None:
        self._changed.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0 if self._closing else seconds):
                await self._changed.wait()

    async def _hold(self) -> None:
        """Connect, list, and keep the connection until it is lost or closed."""
        self._over.clear()
        self._changed.clear()
        async with AsyncExitStack() as stack:
            async with asyncio.timeout(self._settings.start_timeout_ms / 1000):
                transport = self._way.open(self._on_lost)
                client = Client(transport, message_handler=self._on_message, cache=None)
                await stack.enter_async_context(client)
                self._tools = await self._list(client)
            self._client, self.problem = client, ""
            self._tried.set()
            log.info("%s: connected, %d tools", self.name, len(self._tools))
            async with asyncio.TaskGroup() as group:
                listener = group.create_task(self._listen(client), name=f"{self.name} changes")
                await self._keep(client)
                listener.cancel()

    async def _keep(self, client: Client) -> None:
        """List anew whenever the tools have changed, until the connection is lost or closed."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            if self._over.is_set():
                return
            async with asyncio.timeout(self._settings.start_timeout_ms / 1000):
                self._tools = await self._list(client)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(RELIST_S):
                    await self._over.wait()

    async def _listen(self, client: Client) -> None:
        """Hear of changes, as servers since 2026-07-28 tell them; older ones send messages."""
        offered = client.server_capabilities.tools
        while offered is not None and offered.list_changed:
            try:
                async with client.listen(tools_list_changed=True) as changes:
                    self._changed.set()  # they may have changed before anybody listened
                    async for _ in changes:
                        self._changed.set()
            except ListenNotSupportedError:
                return
            except (SubscriptionLost, MCPError, TimeoutError):
                log.debug("%s: its news of changes broke off", self.name)
            await asyncio.sleep(LONGEST_PAUSE_S)

    def _on_lost(self) -> None:
        self._over.set()
        self._changed.set()

    async def _on_message(self, message: IncomingMessage) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._changed.set()

    async def _list(self, client: Client) -> tuple[ServerTool, ...]:
        listed: list[types.Tool] = []
        cursor: str | None = None
        for _ in range(MAX_PAGES):
            page = await client.list_tools(cursor=cursor)
            listed += page.tools
            cursor = page.next_cursor
            if cursor is None or len(listed) > MAX_TOOLS:
                break
        if len(listed) > MAX_TOOLS:
            log.warning("%s: lists over %d tools; the first are taken", self.name, MAX_TOOLS)
        return self._chosen(listed[:MAX_TOOLS])

    def _chosen(self, listed: list[types.Tool]) -> tuple[ServerTool, ...]:
        allowed, names = self._settings.allowed_tools, {tool.name for tool in listed}
        for setting in ("allowed_tools", "read_only_tools", "confirm_tools"):
            for name in getattr(self._settings, setting):
                if name not in names:
                    known = ", ".join(sorted(names)) or "none"
                    log.warning("%s: %s: it has no %r; it has %s", self.name, setting, name, known)
        tools = [self._tool(tool) for tool in listed if not allowed or tool.name in allowed]
        return tuple(tool for tool in tools if tool is not None)

    def _tool(self, listed: types.Tool) -> ServerTool | None:
        name = self._settings.prefix + listed.name
        if not NAME.fullmatch(name):
            log.warning("%s: %r is no name for a model; it is left out", self.name, listed.name)
            return None
        try:
            schema = object_schema(listed.input_schema, f"{self.name}: {listed.name}")
        except ConfigError as error:
            log.warning("%s; it is left out", error)
            return None
        options = ToolOptions.of(
            self._settings.model_copy(
                update={
                    "read_only": self._settings.read_only
                    or listed.name in self._settings.read_only_tools,
                    "confirm": self._settings.confirm
                    or listed.name in self._settings.confirm_tools,
                }
            )
        )

        async def run(arguments: Arguments, facts: Facts) -> Output:
            return await self._call(listed.name, arguments)

        declaration = Tool(name, listed.description or listed.title or "", schema)
        return ServerTool(
            declaration,
            run,
            options,
            self.name,
            self._breaker,
            mcp_label=self._mcp_label,
            approval=self._approval(listed.name),
        )

    # -- calls ------------------------------------------------------------------------------------

    async def _call(self, name: str, arguments: Arguments) -> Output:
        client, label = self._client, self._settings.label
        if client is None:
            raise ToolError(f"{label} is not available at the moment", detail=self.problem)
        try:
            result = await client.call_tool(name, dict(arguments))
        except MCPError as error:
            raise self._failed(error) from error
        except Exception as error:  # what a server's odd answer does to the library
            detail = f"its answer cannot be used ({type(error).__name__})"
            raise ToolError(f"{label} gave an answer that cannot be read", detail=detail) from error
        text = result_text(result)
        if len(text.encode()) > self._settings.max_result_bytes:
            detail = f"over {self._settings.max_result_bytes} bytes (max_result_bytes)"
            raise ToolError(f"{label} gave an answer that is too long", detail=detail)
        if result.is_error:
            raise ToolError(text or f"{name} failed", fault=False)
        return Output(text or '{"ok": true}')

    def _failed(self, error: MCPError) -> ToolError:
        if error.code == types.INVALID_PARAMS:
            return ToolError(f"wrong arguments: {error.message[:200]}", fault=False)
        if error.code == types.CONNECTION_CLOSED or error.message == SESSION_IS_GONE:
            self._on_lost()
        detail = f"MCP error {error.code}"
        return ToolError(f"{self._settings.label} failed", detail=detail)


class _Way:
    """How a server is reached; opened anew for each connection."""

    def __init__(self, settings: McpServerSettings, environ: Mapping[str, str], where: str) -> None:
        self.is_http = bool(settings.url)
        self._max_bytes = settings.max_result_bytes
        self._stderr = StderrTail()
        self._url = filled(settings.url, environ, f"{where}: url")
        self._headers = {
            name: filled(value.get_secret_value(), environ, f"{where}: headers.{name}")
            for name, value in settings.headers.items()
        }
        known = {"PYTHON": sys.executable, **environ}
        command = [filled(part, known, f"{where}: command") for part in settings.command]
        self._program = (
            None
            if self.is_http
            else StdioServerParameters(
                command=command[0],
                args=command[1:],
                env={
                    name: filled(value.get_secret_value(), environ, f"{where}: env.{name}")
                    for name, value in settings.env.items()
                },
                cwd=settings.cwd,
            )
        )

    @property
    def last_words(self) -> str:
        """What the program wrote to stderr last."""
        return self._stderr.text

    def open(self, on_lost: Any) -> AbstractAsyncContextManager[Any]:
        """A transport for the client; `on_lost` is called when it ends by itself."""
        return self._http(on_lost) if self._program is None else self._stdio(on_lost)

    @asynccontextmanager
    async def _stdio(self, on_lost: Any) -> AsyncGenerator[Any]:
        assert self._program is not None
        async with (
            self._stderr.open() as errlog,
            bounded_stdio(self._program, errlog, 4 * self._max_bytes) as (read, write),
        ):
            yield Watched(read, on_lost), write

    @asynccontextmanager
    async def _http(self, on_lost: Any) -> AsyncGenerator[Any]:
        plain = httpx2.AsyncHTTPTransport(trust_env=False, verify=await trusted_tls(_read_tls))
        transport = BoundedHttp(plain, 4 * self._max_bytes)
        async with (
            httpx2.AsyncClient(
                headers={**self._headers, "accept-encoding": "identity"},
                timeout=httpx2.Timeout(30.0, read=300.0),
                transport=transport,
                trust_env=False,
            ) as client,
            streamable_http_client(
                self._url, http_client=client, max_sse_event_size=4 * self._max_bytes
            ) as (read, write),
        ):
            yield Watched(read, on_lost), write


def result_text(result: types.CallToolResult) -> str:
    """A result for the model: its JSON where there is some, else its words."""
    if result.structured_content is not None:
        return json.dumps(result.structured_content, ensure_ascii=False, separators=(",", ":"))
    return "\n".join(_block(block) for block in result.content)


def _block(block: types.ContentBlock) -> str:
    if isinstance(block, types.TextContent):
        return block.text
    if isinstance(block, types.EmbeddedResource) and isinstance(
        block.resource, types.TextResourceContents
    ):
        return block.resource.text
    return f"[{block.type}]"  # a picture or a sound: nothing that can be spoken


def _words(error: BaseException, last_words: str) -> str:
    """Why there is no connection, for the log and for `doctor`."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        what = "it did not answer in time"
    elif isinstance(error, FileNotFoundError):
        what = f"there is no program {error.filename!r}"
    elif isinstance(error, MCPError) and error.code == types.CONNECTION_CLOSED:
        what = "it ended"
    elif isinstance(error, MCPError):
        what = f"it refused: {error.message[:200]}"
    else:
        what = f"{type(error).__name__}: {error}"[:200]
    wrote = " ".join(last_words.split())
    return f"{what}; it wrote: {wrote}" if wrote else what
