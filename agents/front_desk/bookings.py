"""The diary of a front desk: an MCP server over stdin and stdout, started by voicepipe itself."""

from __future__ import annotations

from typing import Any, Literal

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

Day = Literal["monday", "tuesday", "wednesday", "thursday", "friday"]

FREE: dict[str, list[str]] = {
    "monday": ["nine", "ten"],
    "tuesday": ["eleven"],
    "wednesday": [],
    "thursday": ["two", "three"],
    "friday": ["nine"],
}

diary = MCPServer("diary")


@diary.tool()
async def free_times(day: Day) -> dict[str, Any]:
    """When there is time for a visit on a day."""
    times = FREE[day]
    words = " and ".join(times) or "nothing"
    return {"day": day, "times": times, "words": f"On {day} there is {words} free"}


@diary.tool()
async def book_visit(day: Day, time: str) -> dict[str, Any]:
    """Book a visit at a time that is free."""
    if time not in FREE[day]:
        raise ToolError(f"{time} on {day} is taken; free is {', '.join(FREE[day]) or 'nothing'}")
    FREE[day].remove(time)
    return {"booked": f"{day} at {time}"}


if __name__ == "__main__":
    diary.run("stdio")
