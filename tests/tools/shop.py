"""A user's file of tools, as `voicepipe serve --tools shop.py` takes it."""

from __future__ import annotations

import asyncio
import enum
import time
from dataclasses import dataclass
from typing import Annotated, Literal

from voicepipe.tools import Facts, ToolError, tool


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


@dataclass
class Receipt:
    drink: str
    cents: int


async def order(
    drink: Annotated[str, "what to drink"], size: Size = Size.SMALL, count: int = 1
) -> Receipt:
    """Order a drink.

    Say the price afterwards.
    """
    return Receipt(f"{size.value} {drink}", 250 * count)


async def opening_hours(day: Literal["weekday", "weekend"]) -> str:
    """When the bar is open."""
    return {"weekday": "7 to 18", "weekend": "9 to 18"}[day]


@tool(read_only=True, say="One moment.", deadline_ms=300)
def count_beans(bags: list[int]) -> int:
    """How many beans there are."""
    return sum(bags)


@tool(name="my_number")
async def number_of(facts: Facts) -> str:
    """The caller's number."""
    return facts.get("caller", "unknown")


async def refuse() -> None:
    """Always refuses."""
    raise ToolError("the machine is being cleaned")


async def crash(secret: str) -> None:
    """Always crashes."""
    raise RuntimeError(f"cannot do {secret}")


@tool(deadline_ms=100)
async def hang() -> None:
    """Never ends."""
    await asyncio.sleep(600)


@tool(deadline_ms=100)
async def stubborn() -> None:
    """Swallows its cancellation."""
    try:
        await asyncio.sleep(600)
    except asyncio.CancelledError:
        await asyncio.sleep(1.5)


@tool(deadline_ms=100)
def block() -> None:
    """Blocks its thread."""
    time.sleep(0.5)


async def much() -> str:
    """Too much."""
    return "x" * 100_000


async def odd() -> object:
    """Nothing that JSON can hold."""
    return object()


async def nothing() -> None:
    """Gives nothing."""


async def _helper() -> None:
    """Is no tool."""


def plain() -> None:
    """Is no tool either."""
