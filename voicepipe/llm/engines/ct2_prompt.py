"""What goes into CTranslate2: tokens of the prompt, split where its kept state may be used."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from voicepipe.errors import EngineError
from voicepipe.llm.chat_template import ChatTemplate
from voicepipe.llm.contract import ChatRequest
from voicepipe.llm.prompt import limit_history
from voicepipe.llm.tool_parser import CLOSE, OPEN

MAX_STATIC_PROMPTS = 16
"""CTranslate2 never forgets a static prompt before unloading; more would leak. Later ones are
computed at every turn."""

MIN_STATIC_TOKENS = 16  # below it, keeping saves less than a millisecond

MAX_CANDIDATES = 64  # system messages remembered as seen once

_CHARS_PER_TOKEN = (4, 3, 2, 1)  # budgets tried for a history that does not fit, largest first

DEFAULT_CONTEXT_TOKENS = 4096  # where the model's files name no limit

_END_TOKENS = ("<|im_end|>", "<|eot_id|>", "<|end|>", "<end_of_turn>", "<|endoftext|>", "</s>")
"""Ends of turn in common templates; those the tokenizer knows end the answer."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """`static` + `tokens` is the whole prompt; `cached`: the state of `static` is kept already."""

    static: list[str]
    tokens: list[str]
    cached: bool
    answer_prefix: str


class StaticPrompts:
    """Which system messages are worth one of the few places: those that come a second time, or
    that someone asked to warm. Used from several worker threads.
    """

    def __init__(self, limit: int = MAX_STATIC_PROMPTS) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._taken: dict[tuple[str, ...], bool] = {}  # True: computed at least once
        self._seen: OrderedDict[tuple[str, ...], None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._taken)

    def use(self, prefix: tuple[str, ...], *, at_once: bool) -> bool:
        """Whether to give `prefix` as a static prompt; takes a place if there is one."""
        with self._lock:
            if prefix in self._taken:
                return True
            if len(self._taken) >= self._limit or len(prefix) < MIN_STATIC_TOKENS:
                return False
            if at_once or prefix in self._seen:
                self._seen.pop(prefix, None)
                self._taken[prefix] = False
                return True
            self._seen[prefix] = None
            if len(self._seen) > MAX_CANDIDATES:
                self._seen.popitem(last=False)
            return False

    def may_take(self, prefix: tuple[str, ...]) -> bool:
        """Whether computing `prefix` now would make later requests faster."""
        with self._lock:
            if prefix in self._taken:
                return not self._taken[prefix]
            return len(self._taken) < self._limit and len(prefix) >= MIN_STATIC_TOKENS

    def is_computed(self, prefix: tuple[str, ...]) -> bool:
        with self._lock:
            return self._taken.get(prefix, False)

    def computed(self, prefix: tuple[str, ...]) -> None:
        with self._lock:
            if prefix in self._taken:
                self._taken[prefix] = True


class PromptMaker:
    """Requests to prompts. Thread-safe."""

    def __init__(self, template: ChatTemplate, model_dir: Path) -> None:
        self._template = template
        self._context_tokens = _context_tokens(model_dir)
        self.static_prompts = StaticPrompts()

    @property
    def tokenizer(self) -> Tokenizer:
        return self._template.tokenizer

    def make(self, request: ChatRequest, *, keep: bool = False) -> Prompt:
        """The prompt of `request`; `keep`: its system message is worth keeping at once.

        Raises EngineError when the prompt does not fit the model or its template refuses it.
        """
        answer_prefix, forced = self._forced_answer(request)
        tokens = self._fitting_tokens(request, forced)
        prefix = self._system_prefix(request)
        split = len(prefix)
        if (
            not 0 < split < len(tokens)
            or tuple(tokens[:split]) != prefix
            or not self.static_prompts.use(prefix, at_once=keep)
        ):
            return Prompt([], tokens, False, answer_prefix)
        cached = self.static_prompts.is_computed(prefix)
        return Prompt(tokens[:split], tokens[split:], cached, answer_prefix)

    def worth_warming(self, request: ChatRequest) -> bool:
        """Whether a warm-up would leave anything behind."""
        return self.static_prompts.may_take(self._system_prefix(request))

    def kept(self, prompt: Prompt) -> None:
        """The prompt was computed."""
        if prompt.static:
            self.static_prompts.computed(tuple(prompt.static))

    def _system_prefix(self, request: ChatRequest) -> tuple[str, ...]:
        """Tokens of the system message as the template renders it alone; empty if it won't."""
        if not request.messages or request.messages[0].role != "system":
            return ()
        try:
            text = self._template.render(
                request.messages[:1], _tools(request), add_generation_prompt=False
            )
        except EngineError:  # some templates insist on a user message
            return ()
        return tuple(self._template.encode(text))

    def _forced_answer(self, request: ChatRequest) -> tuple[str, list[str]]:
        """How the answer has to begin, as text and as tokens.

        A whole call is encoded and cut between tokens, because a text cut anywhere else makes
        tokens that the model has never seen in that place.
        """
        call, length = _forced_call(request)
        encoding = self.tokenizer.encode(call, add_special_tokens=False)
        kept = [n for n, (_, end) in enumerate(encoding.offsets) if end <= length]
        if not kept:
            return "", []
        return call[: encoding.offsets[kept[-1]][1]], encoding.tokens[: kept[-1] + 1]

    def _fitting_tokens(self, request: ChatRequest, forced: list[str]) -> list[str]:
        """Tokens of the prompt, without its oldest turns where the model cannot hold them all.

        Characters stand for tokens in fixed ratios, so that successive prompts of one
        conversation mostly lose the same turns and keep a common beginning."""
        room = self._context_tokens - request.max_tokens
        messages = request.messages
        tokens: list[str] = []
        for chars_per_token in (None, *_CHARS_PER_TOKEN):
            if chars_per_token is not None:
                messages = limit_history(request.messages, max(room, 0) * chars_per_token)
            text = self._template.render(messages, _tools(request))
            tokens = self._template.encode(text) + forced
            if len(tokens) <= room:
                return tokens
        raise EngineError(
            f"The last turn's prompt of {len(tokens)} tokens and an answer of up to "
            f"{request.max_tokens} do not fit the model's {self._context_tokens} tokens; shorten "
            "the instructions, the message or the answer.",
            stage="llm",
        )


def _tools(request: ChatRequest) -> tuple[Any, ...]:
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
    forced = f'{OPEN}\n{{"name": "{request.tool_choice}'
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


_EOS_FILES = ("tokenizer_config.json", "config.json")


def _context_tokens(model_dir: Path) -> int:
    limit = _json(model_dir / "tokenizer_config.json").get("model_max_length")
    if isinstance(limit, int | float) and 0 < limit < 1e7:  # libraries write 1e30 for "unknown"
        return int(limit)
    return DEFAULT_CONTEXT_TOKENS


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    value = json.loads(path.read_text(encoding="utf-8"))
    return value if isinstance(value, dict) else {}
