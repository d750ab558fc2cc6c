"""How answers were generated, so that history is encoded into the same tokens."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Generic, TypeVar

from voicepipe.llm.contract import Message, ToolCall

MAX_ANSWERS = 1024
"""Of all sessions together: the last few minutes of a busy server, under a megabyte."""

T = TypeVar("T")
_Key = tuple[str, tuple[tuple[str, str], ...]]


class Said(Generic[T]):
    """Answers by what became of them in the history. Those that were cut short by the caller have
    another text there, and are encoded anew.
    """

    def __init__(self, limit: int = MAX_ANSWERS) -> None:
        self._limit = limit
        self._answers: OrderedDict[_Key, T] = OrderedDict()

    def remember(self, text: str, calls: Sequence[ToolCall], generated: T) -> None:
        """An answer that was given whole."""
        key = _key(text, calls)
        self._answers[key] = generated
        self._answers.move_to_end(key)
        if len(self._answers) > self._limit:
            self._answers.popitem(last=False)

    def found(self, message: Message) -> T | None:
        """None: not an answer that was given in these words."""
        if message.role != "assistant":
            return None
        return self._answers.get(_key(message.content, message.tool_calls))


class SaidTokens(Said[tuple[int, ...]]):
    """A tokenizer has one way to write a text, a model may have used another; and a chat template
    writes a tool call with its own spacing. An engine's prefix cache matches only the tokens that
    were really generated, without the one that ended the answer.
    """

    def remember(self, text: str, calls: Sequence[ToolCall], generated: Sequence[int]) -> None:
        """As above; the tokens are copied."""
        super().remember(text, calls, tuple(generated))

    def ids_of(self, message: Message) -> tuple[int, ...] | None:
        """As `found`."""
        return self.found(message)


def _key(text: str, calls: Sequence[ToolCall]) -> _Key:
    return text.strip(), tuple((call.name, call.arguments) for call in calls)
