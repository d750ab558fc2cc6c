"""What goes into CTranslate2: tokens of the prompt, split where its kept state may be used."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer

from voicepipe.llm.chat_template import ChatTemplate
from voicepipe.llm.contract import ChatRequest
from voicepipe.llm.token_prompt import TokenPrompts, context_tokens

MAX_STATIC_PROMPTS = 16
"""CTranslate2 never forgets a static prompt before unloading; more would leak. Later ones are
computed at every turn."""

MIN_STATIC_TOKENS = 16  # below it, keeping saves less than a millisecond

MAX_CANDIDATES = 64  # system messages remembered as seen once


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
        self._prompts = TokenPrompts(template, context_tokens(model_dir))
        self.static_prompts = StaticPrompts()

    @property
    def tokenizer(self) -> Tokenizer:
        return self._prompts.tokenizer

    def make(
        self,
        request: ChatRequest,
        *,
        keep: bool = False,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> Prompt:
        """The prompt of `request`; `keep`: its system message is worth keeping at once.

        Raises EngineError when the prompt does not fit the model or its template refuses it.
        """
        made = self._prompts.make(request, is_cancelled)
        tokens = self._spelled(made.ids)
        prefix = self._system_prefix(request)
        split = len(prefix)
        if (
            not 0 < split < len(tokens)
            or tuple(tokens[:split]) != prefix
            or not self.static_prompts.use(prefix, at_once=keep)
        ):
            return Prompt([], tokens, False, made.answer_prefix)
        cached = self.static_prompts.is_computed(prefix)
        return Prompt(tokens[:split], tokens[split:], cached, made.answer_prefix)

    def worth_warming(self, request: ChatRequest) -> bool:
        """Whether a warm-up would leave anything behind."""
        return self.static_prompts.may_take(self._system_prefix(request))

    def kept(self, prompt: Prompt) -> None:
        """The prompt was computed."""
        if prompt.static:
            self.static_prompts.computed(tuple(prompt.static))

    def _system_prefix(self, request: ChatRequest) -> tuple[str, ...]:
        return tuple(self._spelled(self._prompts.system_ids(request)))

    def _spelled(self, ids: list[int]) -> list[str]:
        """CTranslate2 wants tokens as the vocabulary spells them."""
        return [str(self.tokenizer.id_to_token(token_id)) for token_id in ids]
