"""All tools that the settings name, for the whole process: made, started and closed together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from voicepipe.config.tools import ToolSettings
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import ConfigError
from voicepipe.tools.contract import ServerTool, ToolSource
from voicepipe.tools.http import HttpTools
from voicepipe.tools.python import PythonTools

log = logging.getLogger(__name__)


class ToolSources:
    """Start it, ask it for `tools` whenever they are needed, close it."""

    def __init__(self, sources: Sequence[ToolSource]) -> None:
        """Raises ConfigError where two fixed tools have one name."""
        self.sources = tuple(sources)
        self._told: set[str] = set()  # names that two sources give, told once
        seen: dict[str, ServerTool] = {}
        for tool in (tool for source in self.sources for tool in source.tools()):
            if tool.name in seen:
                other = seen[tool.name].source
                raise ConfigError(f"{tool.source}: {other} has the same name, {tool.name!r}")
            seen[tool.name] = tool

    async def start(self) -> None:
        """All side by side. Raises ConfigError or EngineUnavailable of one that is required, the
        others closed."""
        try:
            async with asyncio.TaskGroup() as group:
                for source in self.sources:
                    group.create_task(source.start(), name=f"start {source.name}")
        except BaseExceptionGroup as failures:
            await self.aclose()
            raise failures.exceptions[0] from None

    def tools(self) -> tuple[ServerTool, ...]:
        """Those that can be called now, each name once: the first source that has it."""
        found: dict[str, ServerTool] = {}
        for tool in (tool for source in self.sources for tool in source.tools()):
            if tool.name not in found:
                found[tool.name] = tool
            elif tool.name not in self._told:
                self._told.add(tool.name)
                first = found[tool.name].source
                log.warning("%s: %s has a tool %r too; that is used", tool.source, first, tool.name)
        return tuple(found.values())

    @property
    def problems(self) -> dict[str, str]:
        """Sources that give no tools at the moment, and why."""
        return {source.name: source.problem for source in self.sources if source.problem}

    async def aclose(self) -> None:
        """Close all; one that fails keeps none of the others open."""
        closed = await asyncio.gather(
            *(source.aclose() for source in self.sources), return_exceptions=True
        )
        for source, error in zip(self.sources, closed, strict=True):
            if isinstance(error, Exception):
                log.error("%s: closing failed: %s", source.name, type(error).__name__)


def build_sources(settings: ToolSettings, environ: Mapping[str, str], clock: Clock) -> ToolSources:
    """What `[tools]` names, not yet started. Raises ConfigError that lists everything wrong."""
    sources: list[ToolSource] = []
    problems: list[str] = []
    for make in _makers(settings, environ, clock):
        try:
            sources.append(make())
        except ConfigError as error:
            problems.append(str(error))
    if problems:
        raise ConfigError("\n".join(problems))
    return ToolSources(sources)


def _makers(
    settings: ToolSettings, environ: Mapping[str, str], clock: Clock
) -> Iterator[Callable[[], ToolSource]]:
    if settings.files or settings.plugins:
        yield lambda: PythonTools(settings.files, settings.plugins)
    if settings.http:
        yield lambda: HttpTools(settings.http, environ, clock)
    if settings.mcp or settings.client_mcp:
        from voicepipe.tools.mcp import (
            McpTools,  # a quarter of a server's imports, and no call waits
        )

        for index, server in enumerate(settings.mcp):
            yield partial(McpTools, server, environ, clock, f"tools.mcp[{index}]")
