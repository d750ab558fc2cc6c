"""From the conversation to the prompt: the one layout, chosen so that its beginning stays the same
from turn to turn and an engine's prefix cache keeps matching.

Order: instructions, history word for word. When the history outgrows its budget
the oldest turns go in big steps, so the beginning changes rarely instead of at every turn.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from voicepipe.conversation.items import (
    FunctionCallItem,
    FunctionOutputItem,
    Item,
    McpApprovalRequestItem,
    McpApprovalResponseItem,
    McpCallItem,
    McpToolsItem,
    MessageItem,
    TextPart,
)
from voicepipe.llm.contract import Message, ToolCall
from voicepipe.llm.encodable import encodable

MAX_HISTORY_CHARS = 16_000
"""About 4,000 tokens: a quarter of an hour of talk, and a prefill any engine here can bear."""

RETENTION = 0.5
"""What stays of a history that has outgrown its budget, in parts of that budget."""

CHARS_PER_TOKEN = 4
"""Of English, about: prompts are cut before anybody counts their tokens."""

WAITING_OUTPUT = '{"status": "waits for approval"}'
"""Stands in for a result whose call the client has still to approve."""

MESSAGE_OVERHEAD_CHARS = 16  # role and turn marks of a chat template, about four tokens

PENDING_OUTPUT = '{"status": "pending"}'
"""Stands in for a result that has not come yet: chat servers refuse a call without one, and a model
that does not see its call makes it again."""

LOST_OUTPUT = '{"error": "the result was too long to be kept"}'
"""Stands in for a result that the conversation has no room for: its call is over."""


def build_messages(
    instructions: str,
    items: Iterable[Item],
    *,
    max_history_chars: int | None = MAX_HISTORY_CHARS,
    retention: float = RETENTION,
) -> tuple[Message, ...]:
    """The prompt for a reply to `items` (oldest first). `max_history_chars` None: nothing of them
    is dropped; `retention`: how much of the budget is kept, at least, when something must go.

    Neighbouring messages of one speaker become one turn, messages without text (a reply nobody
    heard, speech not yet transcribed) are left out, function calls join the assistant message
    before them and are followed at once by their outputs.
    """
    turns = _turns(_history(tuple(_spelled_out(items))))
    history = _fit(turns, max_history_chars, retention)
    head = (Message("system", instructions),) if instructions else ()
    return (*head, *history)


def limit_history(messages: Sequence[Message], max_chars: int) -> tuple[Message, ...]:
    """A prompt with its oldest turns dropped until the history keeps to `max_chars`, for an engine
    whose model holds less. System messages at its beginning and end stay, and the last turn.
    """
    begin = 1 if messages and messages[0].role == "system" else 0
    end = len(messages)
    if end - 1 > begin and messages[-1].role == "system":
        end -= 1
    history = _fit(_turns(messages[begin:end]), max_chars)
    return (*messages[:begin], *history, *messages[end:])


def history_chars(messages: Sequence[Message]) -> int:
    """Length of a prompt without its instructions, as budgets count it."""
    return sum(_size(message) for message in messages if message.role != "system")


def _history(items: Sequence[Item]) -> list[Message]:
    outputs = {
        i.call_id: one_spelling(i.output) for i in items if isinstance(i, FunctionOutputItem)
    }
    messages: list[Message] = []
    for item in _in_one_breath(items):
        match item:
            case MessageItem():
                _add_text(messages, item, outputs)
            case FunctionCallItem():
                _add_call(messages, item)
            case FunctionOutputItem():  # an output whose call was deleted answers nothing
                _answer_calls(messages, outputs)
    _answer_calls(messages, outputs)
    return messages


def _spelled_out(items: Iterable[Item]) -> Iterator[Item]:
    """Calls of MCP tools as calls of functions: to the model they are the same. One that had to be
    approved stands where it was asked for, with what came of it."""
    known = list(items)
    requests = {item.id for item in known if isinstance(item, McpApprovalRequestItem)}
    calls = {i.approval_request_id: i for i in known if isinstance(i, McpCallItem)}
    refusals = {i.approval_request_id: i for i in known if isinstance(i, McpApprovalResponseItem)}
    for item in known:
        match item:
            case McpCallItem() if item.approval_request_id not in requests:
                yield from _as_function(item, _outcome(item))
            case McpApprovalRequestItem(id=asked):
                yield from _as_function(item, _decision(calls.get(asked), refusals.get(asked)))
            case McpToolsItem() | McpCallItem() | McpApprovalResponseItem():
                pass
            case _:
                yield item


def _as_function(item: McpCallItem | McpApprovalRequestItem, result: str) -> Iterator[Item]:
    yield FunctionCallItem(item.id, item.id, item.name, item.arguments)
    yield FunctionOutputItem(item.id, item.id, result)


def _outcome(call: McpCallItem) -> str:
    result = call.output if call.error is None else json.dumps({"error": call.error})
    return result or PENDING_OUTPUT


def _decision(call: McpCallItem | None, said: McpApprovalResponseItem | None) -> str:
    if call is not None:
        return _outcome(call)
    if said is None or said.approve:
        return WAITING_OUTPUT if said is None else PENDING_OUTPUT
    return json.dumps({"error": f"the call was not approved{said.reason and ': '}{said.reason}"})


def _in_one_breath(items: Sequence[Item]) -> Iterator[Item]:
    """What one speaker said in several items as one: joined at once, since a thousand joined one by
    one would be copied a thousand times."""
    for role, group in groupby(items, lambda i: i.role if isinstance(i, MessageItem) else None):
        run = list(group)
        said = [i for i in run if isinstance(i, MessageItem)]
        if role is None or len(said) == 1:
            yield from run
        else:
            texts = (text for item in said if (text := item.text.strip()))
            yield replace(said[0], content=(TextPart(" ".join(texts)),))


def one_spelling(output: str) -> str:
    """JSON as our own tools write it: JavaScript leaves the spaces out, and a small model that has
    never seen that spelling does not understand it. Anything else as it is."""
    try:
        return encodable(json.dumps(json.loads(output), ensure_ascii=False))
    except (ValueError, RecursionError):
        return encodable(output)


def _add_text(messages: list[Message], item: MessageItem, outputs: dict[str, str]) -> None:
    text = encodable(item.text).strip()
    if not text:
        return
    _answer_calls(messages, outputs)
    if messages and messages[-1].role == item.role:
        messages[-1] = replace(messages[-1], content=f"{messages[-1].content} {text}")
    else:
        messages.append(Message(item.role, text))


def _add_call(messages: list[Message], item: FunctionCallItem) -> None:
    call = ToolCall(item.call_id, item.name, encodable(item.arguments))
    if messages and messages[-1].role == "assistant":
        messages[-1] = replace(messages[-1], tool_calls=(*messages[-1].tool_calls, call))
    else:
        messages.append(Message("assistant", "", tool_calls=(call,)))


def _answer_calls(messages: list[Message], outputs: dict[str, str]) -> None:
    """If the last message makes calls, put their outputs behind it, however late they came."""
    for call in messages[-1].tool_calls if messages else ():
        output = outputs.get(call.call_id, PENDING_OUTPUT)
        messages.append(Message("tool", output, call_id=call.call_id))


def _turns(messages: Sequence[Message]) -> list[list[Message]]:
    """Split before every user message; what precedes the first is a turn of its own."""
    turns: list[list[Message]] = []
    for message in messages:
        if message.role == "user" or not turns:
            turns.append([])
        turns[-1].append(message)
    return turns


def _fit(
    turns: Sequence[Sequence[Message]], max_chars: int | None, retention: float = RETENTION
) -> list[Message]:
    """Drop whole turns from the front, a large step at a time; the last turn always stays.

    How much goes depends only on the length of the whole history, so that between two steps
    successive prompts begin alike.
    """
    sizes = [sum(map(_size, turn)) for turn in turns]
    excess = 0 if max_chars is None else sum(sizes) - max_chars
    step = max(round((max_chars or 0) * (1 - retention)), 1)
    to_drop = 0 if excess <= 0 else -(-excess // step) * step
    first = 0
    while to_drop > 0 and first < len(turns) - 1:
        to_drop -= sizes[first]
        first += 1
    return [message for turn in turns[first:] for message in turn]


def _size(message: Message) -> int:
    calls = sum(len(c.name) + len(c.arguments) for c in message.tool_calls)
    return MESSAGE_OVERHEAD_CHARS + len(message.content) + calls
