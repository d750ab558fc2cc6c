"""An MCP server for the tests: as a program it speaks over stdio; `build` gives it to others."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ImageContent, TextContent


def build() -> MCPServer:
    server = MCPServer("bookings")

    @server.tool()
    async def find_table(people: int, day: str = "today") -> dict[str, Any]:
        """Free tables for so many people."""
        return {"people": people, "day": day, "tables": [4, 7]}

    @server.tool()
    async def book(table: int) -> str:
        """Book a table."""
        if table == 13:
            raise ToolError("there is no table 13")
        return f"booked table {table}"

    @server.tool(structured_output=False)
    async def picture() -> list[TextContent | ImageContent]:
        """The room."""
        return [TextContent(text="our room:"), ImageContent(data="AAAA", mime_type="image/png")]

    @server.tool(structured_output=False)
    async def much() -> str:
        """Ten megabytes."""
        return "x" * 10_000_000

    @server.tool()
    async def hang() -> str:
        """Never answers."""
        await asyncio.sleep(600)
        return "late"

    @server.tool()
    async def die() -> str:
        """The process is gone."""
        os._exit(3)

    @server.tool()
    async def grow(context: Context[Any]) -> str:
        """One more tool from now on."""

        @server.tool()
        async def grown() -> str:
            """New."""
            return "new"

        await context.notify_tools_changed()
        return "ok"

    return server


if __name__ == "__main__":
    print(f"token={os.environ.get('BOOKINGS_TOKEN')}", file=sys.stderr)
    build().run("stdio")
