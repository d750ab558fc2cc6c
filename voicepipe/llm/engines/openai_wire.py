"""The chat-completions wire format, sans-I/O: requests to JSON, streamed chunks to deltas."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from voicepipe.llm.answer_reader import AnswerReader, callable_names
from voicepipe.llm.call_ids import CallIds
from voicepipe.llm.contract import (
    ChatRequest,
    Delta,
    Finish,
    FinishReason,
    Message,
    ToolCall,
    ToolCallDelta,
    Usage,
)
from voicepipe.llm.encodable import encodable
from voicepipe.llm.engines.openai_usage import usage_of
from voicepipe.llm.thinking import ThoughtFilter
from voicepipe.llm.token_clock import TokenClock

_FILTERED = "content_filter"  # the server cut the answer off

_FINISH_REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    _FILTERED: "stop",
}

_THOUGHTS = ("reasoning_content", "reasoning")
"""Where servers put the thoughts that they take out of the text themselves."""


def request_body(
    request: ChatRequest, model: str, ids: CallIds, *, logprobs: bool = False
) -> dict[str, Any]:
    """The JSON body of a streamed chat completion. `logprobs`: ask for those of the tokens."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [_message(m, ids) for m in request.messages],
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.seed is not None:
        body["seed"] = request.seed
    if logprobs:
        body["logprobs"] = True
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": dict(tool.parameters) or {"type": "object", "properties": {}},
                },
            }
            for tool in request.tools
        ]
        body["tool_choice"] = _tool_choice(request.tool_choice)
        if not request.parallel_tools:
            body["parallel_tool_calls"] = False
    return body


def _tool_choice(choice: str) -> str | dict[str, Any]:
    if choice in ("auto", "none", "required"):
        return choice
    return {"type": "function", "function": {"name": choice}}


def _message(message: Message, ids: CallIds) -> dict[str, Any]:
    wire: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        wire["content"] = message.content or None
        wire["tool_calls"] = [
            {
                "id": ids.theirs(call.call_id),
                "type": "function",
                "function": {"name": call.name, "arguments": _readable(call.arguments)},
            }
            for call in message.tool_calls
        ]
    if message.call_id is not None:
        wire["tool_call_id"] = ids.theirs(message.call_id)
    return wire


def _readable(arguments: str) -> str:
    """Of a call that was cut off: servers read them for the chat template, and one that cannot
    would refuse the conversation for good. What was wrong stands in the call's result."""
    try:
        return arguments if isinstance(json.loads(arguments), dict) else "{}"
    except (ValueError, RecursionError):
        return "{}"


class ServerFault(Exception):
    """The server reported an error inside the stream; the text is its own."""


class ChunkReader:
    """Chunks of one streamed completion to deltas; tool calls are handed on whole, thoughts not at
    all."""

    def __init__(
        self, request: ChatRequest, ids: CallIds, thoughts: ThoughtFilter | None = None
    ) -> None:
        """`thoughts`: those within the text, as `AnswerReader` takes them."""
        self._ids = ids
        self._answer = AnswerReader(callable_names(request), thoughts)
        self._calls: dict[int, _PartialCall] = {}
        self._finish: FinishReason | None = None
        self._filtered = False
        self._usage = Usage()
        self._clock = TokenClock()  # from here: make it with the request
        self.hop_ms: float | None = None
        self.begun = False
        """A token has come, be it of a thought or of a call that is not whole yet."""

    @property
    def finished(self) -> bool:
        """The server said that it stopped; usage may still follow."""
        return self._finish is not None

    def end(self) -> None:
        """The server sent its end mark; some say no reason before it."""
        self._finish = self._finish or "stop"

    def feed(self, chunk: Any) -> Iterator[Delta]:
        """Deltas that one chunk (parsed JSON) completes. Raises ServerFault, and ValueError for a
        chunk of the wrong shape."""
        if not isinstance(chunk, dict):
            raise ValueError("a chunk that is not a JSON object")
        if chunk.get("error"):
            raise ServerFault(_error_text(chunk["error"]))
        self._usage = usage_of(chunk, self._usage)
        for choice in chunk.get("choices") or ():
            yield from self._choice(choice)

    def close(self) -> Iterator[Delta]:
        """What was held back, and the `Finish`. Raises EngineError for an unusable answer."""
        yield from self._complete_calls()
        yield from self._answer.close()
        reason = self._answer.finish_reason(self._finish or "stop")
        route = {"filter": _FILTERED} if self._filtered else {}
        yield Finish(reason, self._usage, route, self._clock.times(self.hop_ms))

    def _choice(self, choice: dict[str, Any]) -> Iterator[Delta]:
        delta = choice.get("delta") or {}
        content, thought = delta.get("content"), any(delta.get(name) for name in _THOUGHTS)
        if content or thought or delta.get("tool_calls"):
            self._clock.step()
            self.begun = True
        if thought:
            self._answer.count_thought()
        if isinstance(content, str):
            text = encodable(content)
            yield from self._answer.feed(text, () if thought else _logprobs(choice))
        for piece in delta.get("tool_calls") or ():
            yield from self._piece(piece)
        if reason := choice.get("finish_reason"):
            self._finish = _FINISH_REASONS.get(reason, "stop")
            self._filtered = reason == _FILTERED
            yield from self._complete_calls()

    def _piece(self, piece: dict[str, Any]) -> Iterator[Delta]:
        """Of a call. Some servers mix the pieces of several, some number none of them."""
        index = piece.get("index") or 0
        partial = self._calls.get(index)
        if partial is None:
            yield from self._complete_calls(only_whole=True)
        elif partial.is_over(piece):
            yield from self._complete_calls()
            partial = None
        if partial is None:
            partial = self._calls[index] = _PartialCall()
        partial.add(piece)

    def _complete_calls(self, *, only_whole: bool = False) -> Iterator[Delta]:
        for partial in self._calls.values():
            if not partial.handed_on and (partial.is_whole or not only_whole):
                partial.handed_on = True
                self._answer.count_call()
                yield ToolCallDelta(partial.call(self._ids, cut=self._finish == "length"))


class _PartialCall:
    def __init__(self) -> None:
        self.handed_on = False
        self._id = ""
        self._name = ""
        self._arguments: list[str] = []

    def add(self, piece: dict[str, Any]) -> None:
        function = piece.get("function") or {}
        self._id = self._id or piece.get("id") or ""
        self._name = self._name or function.get("name") or ""
        self._arguments.append(function.get("arguments") or "")

    def is_over(self, piece: dict[str, Any]) -> bool:
        """`piece` begins another call. An id alone does not: some give each piece a new one. Some
        give none: then a whole call is over when a name comes with arguments again."""
        function, theirs = piece.get("function") or {}, piece.get("id")
        if not function.get("name"):
            return False
        if theirs:
            return bool(theirs != self._id)
        return bool(function.get("arguments")) and self.is_whole

    @property
    def is_whole(self) -> bool:
        """Nothing can follow."""
        try:
            json.loads("".join(self._arguments))
        except ValueError:
            return False
        return True

    def call(self, ids: CallIds, *, cut: bool) -> ToolCall:
        """`cut`: the answer broke off. A call without arguments may then have lost them."""
        if not self._name:
            raise ValueError("a tool call without a name")
        arguments = encodable("".join(self._arguments)) or ("{" if cut else "{}")
        if arguments == "null":
            arguments = "{}"
        return ToolCall(ids.ours(self._id), encodable(self._name), arguments)


def _logprobs(choice: dict[str, Any]) -> list[float]:
    """Of the tokens in one chunk, where the server gives them."""
    tokens = (choice.get("logprobs") or {}).get("content") or ()
    return [float(token["logprob"]) for token in tokens if token.get("logprob") is not None]


def error_message(body: bytes) -> str:
    """The message inside an error reply's body, at most 200 characters of it."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    return _error_text(value.get("error", value)) if isinstance(value, dict) else ""


def _error_text(error: Any) -> str:
    text = error.get("message", "") if isinstance(error, dict) else error
    return encodable(str(text)[:200])
