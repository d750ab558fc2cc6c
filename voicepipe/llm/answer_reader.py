"""From an engine's raw text to what the contract hands on: spoken text and complete tool calls,
without the thoughts of a reasoning model."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator

from voicepipe.llm.contract import (
    ChatRequest,
    Delta,
    FinishReason,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    ToolCallUnusable,
)
from voicepipe.llm.logprobs import LogprobTally
from voicepipe.llm.thinking import ThoughtFilter
from voicepipe.llm.tool_parser import BrokenCall, HermesToolParser, Parsed, SpokenText
from voicepipe.runtime.errors import EngineError

_LOG = logging.getLogger(__name__)


def callable_names(request: ChatRequest) -> frozenset[str]:
    """Tools whose calls are taken: none where words are wanted, whatever the model is used to."""
    if request.tool_choice == "none":
        return frozenset()
    return frozenset(tool.name for tool in request.tools)


class AnswerReader:
    """One answer. Thoughts, calls of tools that were not offered, and calls that cannot be read are
    left out; if nothing else came the answer fails instead of being silently empty.
    """

    def __init__(self, tool_names: Collection[str], thoughts: ThoughtFilter | None = None) -> None:
        """`thoughts`: takes them out; None: all text is said."""
        self._tool_names = tool_names
        self._thoughts = thoughts or ThoughtFilter(())
        self._parser = HermesToolParser()
        self._logprobs = LogprobTally()
        self._calls = 0
        self._broken: str | None = None
        self.delivered = False

    def feed(self, text: str, logprobs: Iterable[float] = ()) -> Iterator[Delta]:
        """Deltas that `text` completes. `logprobs`: of its tokens, where the engine gives them; the
        next text handed on bears their mean.
        """
        self._logprobs.add(logprobs)
        was_silent = self._silent
        said = self._thoughts.feed(text) if text else ""
        if said:
            yield from self._logprobs.marked(self._deltas(self._parser.feed(said)))
        if was_silent or self._silent:
            self._logprobs.forget()

    def close(self) -> Iterator[Delta]:
        """The rest. Raises ToolCallUnusable if all the answer held was one, EngineError if it was
        thought."""
        rest = [*self._parser.feed(self._thoughts.close()), *self._parser.close()]
        yield from self._logprobs.marked(self._deltas(rest))
        if self.delivered:
            return
        if self._broken is not None:
            raise ToolCallUnusable(self._broken)
        if self._thoughts.has_thought:
            raise EngineError(
                "The language model thought and then said nothing; raise llm.max_tokens, or tell "
                "its server not to let it think.",
                stage="llm",
                retryable=True,
            )

    @property
    def in_call(self) -> bool:
        """A call is open."""
        return self._parser.in_call

    def take_back(self) -> str:
        """Forget what has come of the open call behind its tag; that is returned."""
        return self._parser.take_back()

    @property
    def has_thought(self) -> bool:
        """Some of the answer was thought, not said."""
        return self._thoughts.has_thought

    def count_thought(self) -> None:
        """A thought came by another way than the text (servers that part them themselves)."""
        self._thoughts.has_thought = True

    def count_call(self) -> None:
        """A call came by another way than the text (servers that parse calls themselves)."""
        self._calls += 1
        self.delivered = True

    @property
    def has_left_out(self) -> bool:
        """A call of it was left out."""
        return self._broken is not None

    def finish_reason(self, otherwise: FinishReason) -> FinishReason:
        """That there were calls, also where one was left out of an answer that did not break off:
        its words are not all that the model wanted."""
        wanted = self._calls or (self.has_left_out and otherwise == "stop")
        return "tool_calls" if wanted else otherwise

    @property
    def _silent(self) -> bool:
        """What comes now is not to be said."""
        return self._thoughts.thinking or self._parser.in_call

    def _deltas(self, parsed: Iterable[Parsed]) -> Iterator[Delta]:
        for item in parsed:
            if isinstance(item, SpokenText):
                self.delivered = True
                yield TextDelta(item.text)
            elif isinstance(item, ToolCall) and item.name in self._tool_names:
                self.count_call()
                yield ToolCallDelta(item)
            else:
                reason = item.reason if isinstance(item, BrokenCall) else "it was not offered"
                self._broken = reason
                _LOG.warning("tool call left out: %s", reason)
