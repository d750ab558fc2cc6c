"""One answer of vLLM's: its outputs to deltas, and what is to be known of it at the end."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Any

from tokenizers import Tokenizer

from voicepipe.llm.answer_reader import AnswerReader
from voicepipe.llm.contract import Delta, FinishReason, TextDelta, ToolCall, ToolCallDelta, Usage
from voicepipe.llm.detokenizer import Detokenizer
from voicepipe.llm.said_tokens import SaidTokens
from voicepipe.llm.token_clock import TokenClock
from voicepipe.llm.token_prompt import TokenPrompt
from voicepipe.runtime.errors import EngineError


class Answer:
    """Feed it `RequestOutput`s of kind DELTA. Where a call of a tool opens it may end, and go on by
    another request, of which the prompt is `ids`: that one is under a grammar.
    """

    def __init__(
        self,
        reader: AnswerReader,
        prompt: TokenPrompt,
        tokenizer: Tokenizer,
        hidden: Container[int],
    ) -> None:
        self.cut_at_calls = False
        """End it where a call opens, once."""
        self.cut = False
        """It has been. What comes behind is to be generated anew."""
        self.missing = ""
        """Of the tag that opens the call, what `ids` does not have."""
        self._reader = reader
        self._prompt = prompt
        self._tokenizer, self._hidden = tokenizer, hidden
        self._detokenizer = Detokenizer(tokenizer, hidden)
        self._known = 0  # characters to come that the reader has had: those that are missing
        self._ids = prompt.ids[len(prompt.ids) - prompt.forced :]  # without the one that ended it
        self._text: list[str] = []
        self._calls: list[ToolCall] = []
        self._reason: FinishReason = "stop"
        self._cached = self._drafted = self._accepted = 0
        self.clock = TokenClock()
        self.tokens = 0

    @property
    def delivered(self) -> bool:
        """Something of it was handed on."""
        return self._reader.delivered

    @property
    def ids(self) -> list[int]:
        """The prompt, and what it was answered so far."""
        return [*self._prompt.ids[: len(self._prompt.ids) - self._prompt.forced], *self._ids]

    def feed(self, output: Any, stop_ids: Container[int]) -> Iterator[Delta]:
        """Deltas of one output. Raises EngineError when vLLM gave the answer up."""
        (completion,) = output.outputs
        if not self.cut:
            self._cached = max(self._cached, output.num_cached_tokens or 0)
        if completion.token_ids:
            self.clock.step()
        logprobs = _logprobs(completion)
        for at, token_id in enumerate(completion.token_ids):
            prefix = "" if self.tokens else self._prompt.answer_prefix
            self.tokens += 1
            if token_id in stop_ids:
                yield from self._noted(self._reader.feed(prefix))
                continue
            self._ids.append(token_id)
            text = prefix + self._new_text(token_id)
            yield from self._noted(self._reader.feed(text, logprobs[at : at + 1]))
            if self.cut_at_calls and self._reader.in_call:
                self._cut(text)
                return
        if completion.finish_reason is not None:
            self._finished(completion)

    def close(self) -> Iterator[Delta]:
        """The rest. Raises EngineError if the answer is of no use."""
        rest = (*self._reader.feed(self._detokenizer.close()), *self._reader.close())
        yield from self._noted(iter(rest))

    @property
    def finish_reason(self) -> FinishReason:
        return self._reader.finish_reason(self._reason)

    @property
    def usage(self) -> Usage:
        return Usage(
            prompt_tokens=len(self._prompt.ids),
            completion_tokens=self.tokens,
            cached_tokens=self._cached,
            drafted_tokens=self._drafted,
            accepted_tokens=self._accepted,
        )

    def remember(self, said: SaidTokens) -> None:
        """For the history of the next turn; not with thoughts, which templates leave out there."""
        if not (self._reader.has_thought or self._reader.has_left_out):
            said.remember("".join(self._text), self._calls, self._ids)

    def _new_text(self, token_id: int) -> str:
        """What the reader does not know yet of a token's text."""
        text = self._detokenizer.feed(token_id)
        known = min(self._known, len(text))
        self._known -= known
        return text[known:]

    def _cut(self, text: str) -> None:
        """The last token, of this text, has opened a call. One that says more than the tag does is
        given up, since a grammar cannot begin in the middle of a token."""
        self.cut_at_calls, self.cut = False, True
        beyond = self._reader.take_back()
        if beyond:
            self._ids.pop()
            self.missing = text[: len(text) - len(beyond)]
            self._known = len(self.missing)
            self._detokenizer = Detokenizer(self._tokenizer, self._hidden)
            for token_id in self._ids:
                self._detokenizer.feed(token_id)

    def give_up(self) -> None:
        """There is no room for what should follow."""
        self._reason = "length"

    def _noted(self, deltas: Iterator[Delta]) -> Iterator[Delta]:
        for delta in deltas:
            match delta:
                case TextDelta(text):
                    self._text.append(text)
                case ToolCallDelta(call):
                    self._calls.append(call)
            yield delta

    def _finished(self, completion: Any) -> None:
        reason = completion.finish_reason
        if reason not in ("stop", "length"):  # abort, error
            raise EngineError(
                f"vLLM gave the answer up ({reason}).", stage="llm", retryable=not self.delivered
            )
        self._reason = reason
        metrics = getattr(completion, "spec_decode_metrics", None)  # newer versions have it
        if metrics is not None:
            self._drafted = metrics.num_draft_tokens
            self._accepted = sum(n * times for n, times in enumerate(metrics.histogram))


def _logprobs(completion: Any) -> Sequence[float]:
    """Of the chosen tokens, in order; empty where they were not asked for."""
    if not completion.logprobs:
        return ()
    ids = completion.token_ids
    return [found[i].logprob for i, found in zip(ids, completion.logprobs, strict=True)]
