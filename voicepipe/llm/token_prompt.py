"""Requests to tokens, for engines that hold the weights themselves."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from voicepipe.llm.chat_template import ChatTemplate
from voicepipe.llm.contract import ChatRequest, Message, Tool
from voicepipe.llm.prompt import limit_history
from voicepipe.llm.said_tokens import SaidTokens
from voicepipe.llm.tool_grammar import forced_beginning
from voicepipe.llm.tool_parser import CLOSE, OPEN
from voicepipe.runtime.errors import EngineError, RequestRefused

_CHARS_PER_TOKEN = (4, 3, 2, 1)  # budgets tried for a history that does not fit, largest first

MOST_CHARS_PER_TOKEN = 8
"""Plain text has four or five. A prompt with more than so many for each token that the model holds
is refused by its length: encoding it would take seconds, and only to refuse it."""

DEFAULT_CONTEXT_TOKENS = 4096  # where the model's files name no limit

_END_TOKENS = ("<|im_end|>", "<|eot_id|>", "<|end|>", "<end_of_turn>", "<|endoftext|>", "</s>")
"""Ends of turn in common templates; those the tokenizer knows end the answer."""

_EOS_FILES = ("tokenizer_config.json", "config.json")


@dataclass(frozen=True, slots=True)
class TokenPrompt:
    """`answer_prefix`: the text of the answer's beginning where it is forced; its tokens are the
    last `forced` ones of `ids`.
    """

    ids: list[int]
    answer_prefix: str
    forced: int


class TokenPrompts:
    """Thread-safe: of `said` a thread only looks answers up, one step of the interpreter."""

    def __init__(
        self, template: ChatTemplate, context_tokens: int, said: SaidTokens | None = None
    ) -> None:
        """`context_tokens`: prompt and answer together; `said`: answers to be encoded into the
        tokens by which they were generated, as far as the tokenizer lets texts be joined.
        """
        self._template = template
        self._context_tokens = context_tokens
        self._mark = f"\ue000{secrets.token_hex(4)}\ue001"  # nobody can write it into a message
        self._said = said if said is not None and self._joins() else None

    @property
    def tokenizer(self) -> Tokenizer:
        return self._template.tokenizer

    def make(
        self, request: ChatRequest, is_cancelled: Callable[[], bool] = lambda: False
    ) -> TokenPrompt:
        """Raises EngineError when the prompt does not fit the model, its template refuses it, a
        tool that must be called is not offered, or nobody waits for it any more.
        """
        answer_prefix, forced = self._forced_answer(request)
        ids = self._fitting(request, forced, is_cancelled)
        return TokenPrompt(ids, answer_prefix, len(forced))

    def system_ids(self, request: ChatRequest) -> list[int]:
        """Tokens of the system message as the template renders it alone; empty if it won't."""
        if not request.messages or request.messages[0].role != "system":
            return []
        if len(request.messages[0].content) > self._context_tokens * MOST_CHARS_PER_TOKEN:
            return []
        try:
            text = self._template.render(
                request.messages[:1], _tools(request), add_generation_prompt=False
            )
        except EngineError:  # some templates insist on a user message
            return []
        return self._template.encode(text)

    def _fitting(
        self, request: ChatRequest, forced: list[int], is_cancelled: Callable[[], bool]
    ) -> list[int]:
        """Tokens of the prompt, without its oldest turns where the model cannot hold them all.

        Characters stand for tokens in fixed ratios, so that successive prompts of one
        conversation mostly lose the same turns and keep a common beginning."""
        room, tools = self._context_tokens - request.max_tokens, _tools(request)
        most = max(room, 0) * MOST_CHARS_PER_TOKEN
        size = 0
        for messages in self._shorter_and_shorter(request, room):
            if is_cancelled():
                raise EngineError("Nobody waits for this answer any more.", stage="llm")
            size = chars(messages, tools)
            if size > most:
                continue
            ids = self._encode(messages, tools) + forced
            if len(ids) <= room:
                return ids
        raise RequestRefused(
            f"The last turn's prompt of {size} characters and an answer of up to "
            f"{request.max_tokens} tokens do not fit the model's {self._context_tokens} tokens; "
            "shorten the instructions, the tools, the message or the answer.",
            stage="llm",
        )

    def _shorter_and_shorter(
        self, request: ChatRequest, room: int
    ) -> Iterator[tuple[Message, ...]]:
        """The whole conversation, then less and less of it."""
        yield request.messages
        if request.whole:
            return
        for chars_per_token in _CHARS_PER_TOKEN:
            yield limit_history(request.messages, max(room, 0) * chars_per_token)

    def _encode(self, messages: Sequence[Message], tools: tuple[Tool, ...]) -> list[int]:
        known = [] if self._said is None else [(m, self._said.ids_of(m)) for m in messages]
        answers = [ids for _, ids in known if ids is not None]
        if answers:
            joined = self._joined(known, answers, tools)
            if joined is not None:
                return joined
        return self._template.encode(self._template.render(messages, tools))

    def _joined(
        self,
        known: Sequence[tuple[Message, tuple[int, ...] | None]],
        answers: Sequence[tuple[int, ...]],
        tools: tuple[Tool, ...],
    ) -> list[int] | None:
        """The prompt with known answers in their own tokens; None where the template would change
        or refuse what stands in for them.
        """
        marked = [m if ids is None else Message("assistant", self._mark) for m, ids in known]
        try:
            pieces = self._template.render(marked, tools).split(self._mark)
        except EngineError:  # some want each tool's answer after its call
            return None
        if len(pieces) != len(answers) + 1:
            return None
        joined = self._template.encode(pieces[0])
        for answer, piece in zip(answers, pieces[1:], strict=True):
            joined += [*answer, *self._template.encode(piece)]
        return joined

    def _joins(self) -> bool:
        """Whether what stands around an answer has the same tokens apart and in the whole."""
        answer = "Certainly."
        messages = (Message("user", "One."), Message("assistant", answer), Message("user", "Two."))
        try:
            whole = self._template.render(messages)
        except EngineError:
            return False
        before, found, after = (self._template.encode(part) for part in whole.partition(answer))
        ids = self._template.encode(whole)
        apart = len(ids) - len(before) - len(after)
        return bool(found) and apart > 0 and [*before, *ids[len(before) :][:apart], *after] == ids

    def _forced_answer(self, request: ChatRequest) -> tuple[str, list[int]]:
        """How the answer has to begin, as text and as tokens.

        A whole call is encoded and cut between tokens, because a text cut anywhere else makes
        tokens that the model has never seen in that place.
        """
        call, length = _forced_call(request)
        encoding = self.tokenizer.encode(call, add_special_tokens=False)
        kept = [n for n, (_, end) in enumerate(encoding.offsets) if end <= length]
        if not kept:
            return "", []
        return call[: encoding.offsets[kept[-1]][1]], encoding.ids[: kept[-1] + 1]


def chars(messages: Sequence[Message], tools: Sequence[Tool]) -> int:
    """Characters that a template is given, without making a prompt of them."""
    said = sum(len(m.content) + sum(len(c.arguments) for c in m.tool_calls) for m in messages)
    return said + sum(len(t.description) + len(json.dumps(dict(t.parameters))) for t in tools)


def _tools(request: ChatRequest) -> tuple[Tool, ...]:
    """Tools the model is told of: none if it must not call any."""
    return () if request.tool_choice == "none" else request.tools


def _forced_call(request: ChatRequest) -> tuple[str, int]:
    """A call as the answer would have to be, and how many of its characters are forced.

    Raises EngineError where the tool to be called is not offered.
    """
    if request.tool_choice in ("auto", "none"):
        return "", 0
    names = [tool.name for tool in request.tools]
    if request.tool_choice == "required":
        if not names:
            raise EngineError("A tool call is required but there are no tools.", stage="llm")
        return f"{OPEN}\n{{", len(OPEN)
    if request.tool_choice not in names:
        raise EngineError(
            f"The tool {request.tool_choice!r} must be called, but the tools are: "
            f"{', '.join(names) or 'none'}.",
            stage="llm",
        )
    forced = forced_beginning(request.tool_choice)
    return f'{forced}", "arguments": {{}}}}\n{CLOSE}', len(forced)


def stop_token_ids(tokenizer: Tokenizer, model_dir: Path) -> frozenset[int]:
    """Ids of the tokens that end an answer, from all files that may name them."""
    ids: set[int] = set()
    eos = _json(model_dir / "generation_config.json").get("eos_token_id")
    ids.update(eos if isinstance(eos, list) else [] if eos is None else [eos])
    names = [_json(model_dir / name).get("eos_token") for name in _EOS_FILES]
    texts = [n.get("content") if isinstance(n, dict) else n for n in names]
    for text in (*texts, *_END_TOKENS):
        token_id = tokenizer.token_to_id(text) if isinstance(text, str) else None
        if token_id is not None:
            ids.add(token_id)
    return frozenset(ids)


def hidden_token_ids(tokenizer: Tokenizer, shown: Sequence[str]) -> frozenset[int]:
    """Ids of control tokens that make no text. Those of tool calls and those in `shown` do: the
    answer's reader looks for them.
    """
    return frozenset(
        token_id
        for token_id, token in tokenizer.get_added_tokens_decoder().items()
        if token.special and "tool_call" not in token.content and token.content not in shown
    )


def context_tokens(model_dir: Path) -> int:
    """How many tokens the model's tokenizer says that it holds."""
    limit = _json(model_dir / "tokenizer_config.json").get("model_max_length")
    if isinstance(limit, int | float) and 0 < limit < 1e7:  # libraries write 1e30 for "unknown"
        return int(limit)
    return DEFAULT_CONTEXT_TOKENS


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    value = json.loads(path.read_text(encoding="utf-8"))
    return value if isinstance(value, dict) else {}
