"""What the model is asked for one reply - the conversation (or the given input) in its order - and
which of the calls that it answers with are taken.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace

from voicepipe.conversation.items import AudioPart, Item, MessageItem, transcribed
from voicepipe.conversation.summary import without
from voicepipe.llm.contract import ChatRequest, Message, ToolCall, ToolCallUnusable
from voicepipe.llm.prompt import CHARS_PER_TOKEN, build_messages, history_chars, one_spelling
from voicepipe.runtime.errors import ConfigError, EngineError
from voicepipe.session.commands import CreateResponse, ItemReference
from voicepipe.session.context import Context
from voicepipe.session.settings import Truncation
from voicepipe.session.turn import Turn
from voicepipe.tools.contract import ToolError, ToolResult
from voicepipe.tools.schema import object_schema, read_arguments

log = logging.getLogger(__name__)

SUMMARY_HEAD = "Summary of the conversation before what follows:"
"""It stands in the one system message: many chat templates know no second one."""


def make_request(context: Context, turn: Turn, options: CreateResponse, spoken: str) -> ChatRequest:
    """`spoken`: what the user said in `turn`; it stands where the turn's item stands, and at the
    end while it has none. Raises EngineError for a history that is too long and may not be cut.
    """
    settings, llm = context.settings, context.config.llm
    theirs = settings.tools if options.tools is None else options.tools
    instructions = settings.instructions if options.instructions is None else options.instructions
    parallel = settings.parallel_tools if options.parallel_tools is None else options.parallel_tools
    if options.input is None and (before := context.summary_text):
        instructions = f"{instructions}\n\n{SUMMARY_HEAD}\n{before}".strip()
    wanted = options.max_output_tokens or settings.max_output_tokens or llm.max_tokens
    return ChatRequest(
        messages=_messages(
            settings.truncation,
            context.language.instructed(instructions),
            _items(context, turn, options, spoken),
        ),
        tools=() if options.tools == () else context.tools.beside(theirs),
        tool_choice=options.tool_choice or settings.tool_choice,
        max_tokens=min(wanted, llm.max_tokens),
        temperature=llm.temperature if settings.temperature is None else settings.temperature,
        priority=0 if turn.over else 1,
        request_id=turn.id,
        model=settings.model,
        session_id=context.session_id,
        parallel_tools=parallel is not False,
        whole=not settings.truncation.enabled,
    )


def after_calls(
    request: ChatRequest, said: str, calls: Sequence[ToolCall], results: Sequence[ToolResult]
) -> ChatRequest:
    """What is asked next, when the tools that the model called have answered."""
    told = [
        Message("tool", one_spelling(done.text), call_id=call.call_id)
        for call, done in zip(calls, results, strict=True)
    ]
    asked = Message("assistant", said, tool_calls=tuple(calls))
    # What had to be called was: what the model makes of it is its own affair.
    choice = "auto" if request.must_call else request.tool_choice
    return replace(request, messages=(*request.messages, asked, *told), tool_choice=choice)


def words_answered(request: ChatRequest) -> str:
    """What the caller has said since the agent's last words, tools called since or not; "" where
    nobody has spoken."""
    spoken: list[str] = []
    for message in reversed(request.messages):
        if message.role == "assistant" and message.content and not message.tool_calls:
            break
        if message.role == "user":
            spoken.append(message.content)
    return " ".join(reversed(spoken))


def reminded(request: ChatRequest) -> ChatRequest:
    """The same once more, and in words: at the beginning, where every chat template takes them."""
    choice = request.tool_choice
    which = "one of your tools" if choice == "required" else f"the tool {choice}"
    told = (
        f"Now call {which}, and say nothing. Its arguments are one JSON object that fits the "
        "parameters declared for it."
    )
    head, rest = request.messages[:1], request.messages[1:]
    if head and head[0].role == "system":
        return replace(
            request, messages=(replace(head[0], content=f"{head[0].content}\n\n{told}"), *rest)
        )
    return replace(request, messages=(Message("system", told), *request.messages))


def _messages(
    truncation: Truncation, instructions: str, items: Iterator[Item]
) -> tuple[Message, ...]:
    limit = truncation.max_tokens * CHARS_PER_TOKEN
    if truncation.enabled:
        return build_messages(
            instructions, items, max_history_chars=limit, retention=truncation.retention
        )
    messages = build_messages(instructions, items, max_history_chars=None)
    if (length := history_chars(messages)) > limit:
        raise EngineError(
            f"The conversation of about {length // CHARS_PER_TOKEN} tokens is longer than the "
            f"{truncation.max_tokens} that are answered, and truncation is disabled; delete items.",
            stage="llm",
        )
    return messages


def _items(context: Context, turn: Turn, options: CreateResponse, spoken: str) -> Iterator[Item]:
    if options.input is not None:
        known = context.conversation
        for item in options.input:
            if isinstance(item, ItemReference):
                continue
            newest = known.get(item.id) if _unwritten(item) and item.id in known else item
            yield _said(newest, spoken) if newest.id == turn.item_id else newest
        return
    items = context.conversation.items
    for item in items if context.summary is None else without(items, context.summary):
        yield _said(item, spoken) if item.id == turn.item_id else item
    if spoken and not turn.over:  # one that is over has its item, or its client has deleted it
        yield MessageItem(turn.item_id, "user", (AudioPart(spoken),))


def _unwritten(item: Item) -> bool:
    """What was said in it was not known yet when the client asked."""
    parts = item.content if isinstance(item, MessageItem) else ()
    return any(isinstance(part, AudioPart) and part.transcript is None for part in parts)


def _said(item: Item, spoken: str) -> Item:
    return transcribed(item, spoken) if isinstance(item, MessageItem) else item


class WantedCalls:
    """Which calls of one generation are taken: one at a time if the client wants that, and where
    the model must call, only what fits the tool."""

    def __init__(self, request: ChatRequest) -> None:
        self._request = request
        self._taken = 0

    def take(self, call: ToolCall) -> bool:
        """Whether it counts. Raises ToolCallUnusable for one that had to fit and does not, while
        nothing was taken."""
        if self._taken and not self._request.parallel_tools:
            log.debug("%s is left out: one call at a time is wanted", call.name)
            return False
        fault = self._fault(call) if self._request.must_call else ""
        if fault and self._taken:
            log.warning("a further call of %s is left out: %s", call.name, fault)
            return False
        if fault:
            raise ToolCallUnusable(fault)
        self._taken += 1
        return True

    def check(self) -> None:
        """The answer is over. Raises ToolCallUnusable where a call had to be in it."""
        if self._request.must_call and not self._taken:
            raise ToolCallUnusable("no tool was called, and one must be")

    def _fault(self, call: ToolCall) -> str:
        """In words that quote nothing of the model's."""
        choice = self._request.tool_choice
        if choice not in ("required", call.name):
            return "another tool was called than had to be"
        offered = {tool.name: tool for tool in self._request.tools}
        if call.name not in offered:
            return "it was not offered"
        try:
            read_arguments(call, object_schema(offered[call.name].parameters, call.name))
        except ToolError as error:
            return "" if error.fault else "its arguments do not fit"
        except ConfigError:  # the client's schema is none: then nothing can be said of them
            return ""
        return ""
