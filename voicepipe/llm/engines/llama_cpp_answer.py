"""One answer of llama.cpp's: its replies to deltas, and what is to be known of it at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from voicepipe.llm.answer_reader import AnswerReader
from voicepipe.llm.contract import Delta, FinishReason, TextDelta, ToolCall, ToolCallDelta, Usage
from voicepipe.llm.said_tokens import Said
from voicepipe.llm.thinking import ThoughtFilter
from voicepipe.llm.token_clock import TokenClock
from voicepipe.llm.tool_parser import OPEN


class LlamaAnswer:
    """Feed it replies. An answer may be generated in several parts, of which the later ones
    continue the earlier: `raw` is all of it so far.
    """

    def __init__(self, reader: AnswerReader, thoughts: ThoughtFilter) -> None:
        self.cut_at_calls = False
        """Forget what comes after the tag that opens a call: it will be generated anew."""
        self._reader = reader
        self._thoughts = thoughts
        self._said: list[str] = []
        self._calls: list[ToolCall] = []
        self._searched = 0  # characters of `raw` in which no call opens any more
        self._step_ms: float | None = None
        self._usages: list[Mapping[str, Any]] = []
        self.raw = ""
        self.reason: FinishReason = "stop"
        self.clock = TokenClock()

    @property
    def delivered(self) -> bool:
        """Something of it was handed on."""
        return self._reader.delivered

    @property
    def parts(self) -> int:
        """How many have ended."""
        return len(self._usages)

    @property
    def tokens(self) -> int:
        """Generated so far, as far as parts have ended."""
        return sum(usage["completion"] for usage in self._usages)

    def begin(self, forced: str) -> Iterator[Delta]:
        """Deltas of what the model is made to begin with; again, nothing is said twice."""
        if forced and not self.raw:
            self.raw, self._searched = forced, len(forced)
            yield from self._noted(self._reader.feed(forced))

    def feed(self, reply: Mapping[str, Any]) -> Iterator[Delta]:
        """Deltas of one reply with text."""
        text = self._up_to_a_call(reply["text"])
        if reply["step_ms"] != self._step_ms:
            self._step_ms = reply["step_ms"]
            self.clock.step()
        logprob = reply.get("logprob")
        self.raw += text
        yield from self._noted(self._reader.feed(text, () if logprob is None else (logprob,)))

    @property
    def opens_a_call(self) -> bool:
        """A call has just been opened; what follows is to be generated under a grammar."""
        behind_a_tag = self.raw.endswith(OPEN) and len(self.raw) > self._searched
        return behind_a_tag and self._reader.in_call  # and not only in a thought

    def part_ended(self, usage: Mapping[str, Any] | None, tokens: int) -> None:
        """A part is over; `usage` is its last reply. One that was cut off at a call has none, then
        `tokens` were seen.
        """
        self._searched = len(self.raw)
        self._step_ms = None
        empty = {"prompt": 0, "cached": 0, "drafted": 0, "accepted": 0}
        self._usages.append(usage or {**empty, "completion": tokens})

    def close(self) -> Iterator[Delta]:
        """The rest. Raises EngineError if the answer is of no use."""
        yield from self._noted(self._reader.close())

    @property
    def finish_reason(self) -> FinishReason:
        return self._reader.finish_reason(self.reason)

    def usage(self, prompt: int, cached: int) -> Usage:
        """Of all parts; the prompt's counts are those of the first."""
        return Usage(
            prompt_tokens=prompt,
            completion_tokens=self.tokens,
            cached_tokens=cached,
            drafted_tokens=sum(usage["drafted"] for usage in self._usages),
            accepted_tokens=sum(usage["accepted"] for usage in self._usages),
        )

    def remember(self, said: Said[str]) -> None:
        """For the history of the next turn; not with thoughts, which templates leave out there."""
        if not (self._reader.has_thought or self._reader.has_left_out):
            said.remember("".join(self._said), self._calls, self.raw.strip())

    def _up_to_a_call(self, text: str) -> str:
        """`text` without what follows the opening tag of a call."""
        if self._thoughts.thinking or not self.cut_at_calls:
            return text
        whole = self.raw + text
        at = whole.find(OPEN, max(self._searched, len(self.raw) - len(OPEN) + 1))
        return text if at < 0 else whole[len(self.raw) : at + len(OPEN)]

    def _noted(self, deltas: Iterator[Delta]) -> Iterator[Delta]:
        for delta in deltas:
            match delta:
                case TextDelta(text):
                    self._said.append(text)
                case ToolCallDelta(call):
                    self._calls.append(call)
            yield delta
