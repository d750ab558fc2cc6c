"""Sessions that ask a language model one thing after the other, and what they waited for."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from tokenizers import Tokenizer

from voicepipe.llm.contract import ChatRequest, Finish, LanguageModel, Message, TextDelta

SYSTEM_TOKENS = 1000
QUESTION_TOKENS = 50
ANSWER_TOKENS = 40

ENGLISH = (
    "the caller asks about an order that was sent last week and wants to know when it will come "
    "please tell them what you see on their account and offer help with returns billing or delivery"
).split()


@dataclass(slots=True)
class Figures:
    """Of all requests of one row; ms, one value a request."""

    first_ms: list[float] = field(default_factory=list)
    token_ms: list[float] = field(default_factory=list)  # mean over its tokens after the first
    worst_step_ms: list[float] = field(default_factory=list)  # its longest pause
    prompt_tokens: int = 0
    cached_tokens: int = 0
    drafted_tokens: int = 0
    accepted_tokens: int = 0
    short: int = 0  # answers of a single token: they have no pace


class Texts:
    """Prompts of a certain number of tokens. `tokenizer`: None for that of `shapes`, which has one
    token a word; English is written for others.
    """

    def __init__(
        self, tokenizer: Tokenizer | None = None, system_tokens: int = SYSTEM_TOKENS
    ) -> None:
        self._tokenizer = tokenizer
        self.system = self._text(system_tokens, random.Random(0))

    def question(self, chosen: random.Random) -> str:
        """Another one each time."""
        return self._text(QUESTION_TOKENS, chosen)

    def _text(self, tokens: int, chosen: random.Random) -> str:
        if self._tokenizer is None:
            return " ".join(f"w{chosen.randrange(1000, 3000)}" for _ in range(tokens))
        words: list[str] = []
        while len(self._tokenizer.encode(" ".join(words)).ids) < tokens:
            words.append(chosen.choice(ENGLISH))
        return " ".join(words)


async def measure(
    model: LanguageModel, texts: Texts, sessions: int, rounds: int, seed: int
) -> Figures:
    """All sessions share the system prompt; each asks again as soon as it is answered."""
    figures = Figures()
    chosen = random.Random(seed)

    async def session() -> None:
        for _ in range(rounds):
            await _ask(model, texts.system, texts.question(chosen), figures)

    async with asyncio.TaskGroup() as group:
        for _ in range(sessions):
            group.create_task(session())
    return figures


async def _ask(model: LanguageModel, system: str, question: str, figures: Figures) -> None:
    messages = (Message("system", system), Message("user", question))
    stream = model.stream(ChatRequest(messages, max_tokens=ANSWER_TOKENS))
    began = time.perf_counter()
    came, finish = await _times(stream)
    figures.first_ms.append((came[0] - began) * 1000)
    usage = finish.usage
    if usage.completion_tokens > 1 and len(came) > 1:
        figures.token_ms.append((came[-1] - came[0]) * 1000 / (usage.completion_tokens - 1))
        steps = [b - a for a, b in itertools.pairwise(came)]
        figures.worst_step_ms.append(max(steps) * 1000)
    else:
        figures.short += 1
    figures.prompt_tokens += usage.prompt_tokens
    figures.cached_tokens += usage.cached_tokens
    figures.drafted_tokens += usage.drafted_tokens
    figures.accepted_tokens += usage.accepted_tokens


async def _times(stream: AsyncIterator[object]) -> tuple[list[float], Finish]:
    came: list[float] = []
    async for delta in stream:
        if isinstance(delta, TextDelta):
            came.append(time.perf_counter())
        elif isinstance(delta, Finish):
            if not came:
                raise SystemExit("the model gave no text: nothing to measure")
            return came, delta
    raise SystemExit("the answer had no end")
