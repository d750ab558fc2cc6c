"""A language model that remembers its answers."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import Counter
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Literal

from voicepipe.llm.cache.embedding import Embedder, Vector
from voicepipe.llm.cache.question import Predicate, Question, first_turn, question_of
from voicepipe.llm.cache.semantic import SemanticIndex
from voicepipe.llm.cache.store import Answer, AnswerStore
from voicepipe.llm.contract import (
    ChatRequest,
    Delta,
    Finish,
    LanguageModel,
    TextDelta,
    Usage,
)
from voicepipe.llm.wrapped import WrappedModel
from voicepipe.runtime.closing import close_all
from voicepipe.runtime.streams import closing

log = logging.getLogger(__name__)

MAX_ANSWER_CHARS = 4000
MAX_WRITES = 64
"""Answers on their way to the store; more are not kept. A slow store must not hold up a turn."""

CLOSE_DEADLINE_S = 1.0
_WORDS = re.compile(r"\s*\S+\s*$|\s*\S+|\s+$")

Hit = Literal["exact", "semantic"]


@dataclass(frozen=True, slots=True)
class Meanings:
    """Questions compared by what they mean."""

    embedder: Embedder
    index: SemanticIndex


class CachingModel(WrappedModel):
    """Looks answers up before it asks `inner`, and keeps what `inner` says. `decisions` counts
    "exact", "semantic" and "miss"; of a hit `Finish.route["cache"]` says which.

    Kept are whole answers in words only: none cut off at a limit or by a filter, none that called
    a tool, none of a fallback or a small model in doubt's stead, and none to a question that needs
    context (`question.py`). A hit is streamed word by word, without any wait; its usage shows the
    prompt as cached.
    """

    def __init__(
        self,
        inner: LanguageModel,
        *,
        exact: AnswerStore | None,
        meanings: Meanings | None = None,
        needs_no_context: Predicate = first_turn,
        model_id: str = "",
    ) -> None:
        """`model_id`: part of the key, so that processes with other models share no answers."""
        super().__init__(inner)
        self.decisions: Counter[str] = Counter()
        self._exact, self._meanings = exact, meanings
        self._needs_no_context = needs_no_context
        self._model_id = model_id or inner.name
        self._writes: set[asyncio.Task[None]] = set()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        """As the engine's, at once if the question was answered before."""
        question = question_of(request, request.model or self._model_id, self._needs_no_context)
        if question is None:
            async with closing(self.inner.stream(request)) as deltas:
                async for delta in deltas:
                    yield delta
            return
        found = await self._look_up(question)
        if found.answer is not None:
            self.decisions[found.kind] += 1
            for delta in _played_back(found.answer, found.kind):
                yield delta
            return
        self.decisions["miss"] += 1
        listener = _Listener()
        async with closing(self.inner.stream(request)) as deltas:
            async for delta in deltas:
                listener.hear(delta)
                if listener.answer is not None:  # nobody may read on after a Finish
                    self._keep(question, found.vector, listener.answer)
                yield delta

    async def aclose(self) -> None:
        """The answers on their way get `CLOSE_DEADLINE_S`."""
        if self._writes:
            _, late = await asyncio.wait(self._writes, timeout=CLOSE_DEADLINE_S)
            for task in late:
                task.cancel()
        closes = [("the model", self.inner.aclose)]
        if self._exact is not None:
            closes.append(("the cache", self._exact.aclose))
        if self._meanings is not None:
            closes.append(("the embedder", self._meanings.embedder.aclose))
        await close_all(*closes)

    async def _look_up(self, question: Question) -> _Found:
        answer = None if self._exact is None else await self._exact.get(question.key)
        if answer is not None or self._meanings is None:
            return _Found("exact", answer)
        vector = await self._meanings.embedder.embed(question.text)
        if vector is None:
            return _Found("semantic")
        return _Found("semantic", self._meanings.index.find(question, vector), vector)

    def _keep(self, question: Question, vector: Vector | None, answer: Answer) -> None:
        if self._meanings is not None and vector is not None:
            self._meanings.index.add(question, vector, answer)
        if self._exact is None or len(self._writes) >= MAX_WRITES:
            return
        write = asyncio.create_task(self._exact.put(question.key, answer), name="answer-cache")
        self._writes.add(write)
        write.add_done_callback(self._writes.discard)


@dataclass(frozen=True, slots=True)
class _Found:
    """An answer and how it was found, or what a new one is kept under."""

    kind: Hit
    answer: Answer | None = None
    vector: Vector | None = None


class _Listener:
    """Puts a stream together. `answer` is there once it has ended and is worth keeping."""

    def __init__(self) -> None:
        self._text = ""
        self._only_words = True
        self.answer: Answer | None = None

    def hear(self, delta: Delta) -> None:
        match delta:
            case TextDelta(text):
                self._text += text
            case Finish("stop", usage, route):
                second_best = route.get("llm", "primary") != "primary" or "filter" in route
                second_best |= route.get("cascade") == "small_unsure"
                fits = 0 < len(self._text) <= MAX_ANSWER_CHARS
                if self._only_words and fits and not second_best:
                    self.answer = Answer(self._text, usage.prompt_tokens, usage.completion_tokens)
            case _:
                self._only_words = False


def _played_back(answer: Answer, kind: Hit) -> list[Delta]:
    words = [match.group() for match in _WORDS.finditer(answer.text)]
    usage = Usage(
        prompt_tokens=answer.prompt_tokens,
        completion_tokens=answer.completion_tokens,
        cached_tokens=answer.prompt_tokens,
    )
    spoken = [TextDelta(word, planned_s=0.0) for word in words]
    return [*spoken, Finish("stop", usage, {"cache": kind})]
