"""What of a long conversation is summed up before it leaves the prompt, and how that reads to who
sums it up. Pure.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from voicepipe.conversation.items import (
    FunctionCallItem,
    FunctionOutputItem,
    Item,
    McpCallItem,
    McpToolsItem,
    MessageItem,
)

OVERHEAD_CHARS = 16
"""Of an item in a prompt, beside its text."""

MAX_RESULT_CHARS = 500
"""Of a tool's result, for who sums up."""


@dataclass(frozen=True, slots=True)
class Summary:
    """In force: the item that holds it, and the items that are not in the prompt because of it."""

    item_id: str
    covered: frozenset[str]


def is_kept(item: Item) -> bool:
    """What is never summed up: what a client has put there for the model, and lists of tools, which
    are no part of the conversation."""
    return isinstance(item, McpToolsItem) or (
        isinstance(item, MessageItem) and item.role == "system"
    )


def size(items: Iterable[Item]) -> int:
    """Characters in a prompt, about."""
    return sum(item.chars + OVERHEAD_CHARS for item in items if not is_kept(item))


def without(items: Iterable[Item], summary: Summary | None) -> Iterator[Item]:
    """What is in the prompt word for word: also a call that was summed up before its result came,
    which means nothing alone."""
    if summary is None:
        yield from items
        return
    known = [item for item in items if item.id != summary.item_id]
    late = {
        item.call_id
        for item in known
        if isinstance(item, FunctionOutputItem) and item.id not in summary.covered
    }
    for item in known:
        answered_late = isinstance(item, FunctionCallItem) and item.call_id in late
        if answered_late or item.id not in summary.covered:
            yield item


def oldest_turns(items: Sequence[Item], max_chars: int) -> list[Item]:
    """Whole turns from the beginning: those that begin within `max_chars`, never the last one."""
    turns = _turns([item for item in items if not is_kept(item)])
    found: list[Item] = []
    for turn in turns[:-1]:
        if found and size(found) + size(turn) > max_chars:
            break
        found += turn
    return found


def _turns(items: Iterable[Item]) -> list[list[Item]]:
    turns: list[list[Item]] = []
    for item in items:
        if not turns or (isinstance(item, MessageItem) and item.role == "user"):
            turns.append([])
        turns[-1].append(item)
    return turns


def transcript(items: Collection[Item]) -> str:
    """A line for each thing that was said or done."""
    return "\n".join(line for item in items if (line := _line(item)))


def _line(item: Item) -> str:
    match item:
        case MessageItem(role="user"):
            return f"User: {item.text}" if item.text else ""
        case MessageItem(role="assistant"):
            return f"Agent: {item.text}" if item.text else ""
        case FunctionCallItem(name=name, arguments=arguments):
            return f"Agent calls {name}({arguments})"
        case FunctionOutputItem(output=output):
            return f"Result: {output[:MAX_RESULT_CHARS]}"
        case McpCallItem(name=name, arguments=arguments, output=output, error=error):
            return f"Agent calls {name}({arguments})\nResult: {(output or error or '')[:500]}"
        case _:
            return ""
