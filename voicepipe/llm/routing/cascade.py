"""A small model first, the large one where a rule or the small one's own doubt says so."""

from __future__ import annotations

import asyncio
import logging
import re
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, replace
from typing import Literal

from voicepipe.llm.contract import ChatRequest, Delta, Finish, LanguageModel, TextDelta
from voicepipe.llm.routing.confidence import OpeningWords
from voicepipe.runtime.closing import close_all
from voicepipe.runtime.errors import EngineError
from voicepipe.runtime.streams import closing

log = logging.getLogger(__name__)

CascadeDecision = Literal["small", "large_rule", "large_unsure", "large_error", "small_unsure"]


@dataclass(frozen=True, slots=True)
class CascadeRules:
    """Which questions go to the large model without asking the small one: those of a call that has
    chosen its model, too."""

    patterns: tuple[re.Pattern[str], ...] = ()  # searched in the user's last message
    max_chars: int = 0  # longer messages; 0: none are too long

    def match(self, request: ChatRequest) -> bool:
        text = last_user_text(request)
        if request.model:
            return True
        if self.max_chars and len(text) > self.max_chars:
            return True
        return any(pattern.search(text) for pattern in self.patterns)


class CascadeModel:
    """Holds the small model's words until `confidence` is sure of them; a tool call is always
    taken at its word. What nobody waits for is the small model's alone, and `small_unsure` where a
    caller would have been answered by the large one. `decisions` counts the others,
    `Finish.route["cascade"]` says which it was.
    """

    name = "cascade"

    def __init__(
        self,
        small: LanguageModel,
        large: LanguageModel,
        rules: CascadeRules | None = None,
        confidence: OpeningWords | None = None,
    ) -> None:
        self.small, self.large = small, large
        self.decisions: Counter[str] = Counter()
        self._rules = rules or CascadeRules()
        self._confidence = confidence or OpeningWords()

    async def start(self) -> None:
        """Both engines. Raises EngineUnavailable."""
        await self.small.start()
        await self.large.start()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        """As the engines'. An error of the small model before it was believed sends the request
        on to the large one.
        """
        if request.idle:
            async with closing(self._small_alone(request)) as deltas:
                async for delta in deltas:
                    yield delta
            return
        decision: CascadeDecision = "large_rule"
        asked_s = 0.0
        if not self._rules.match(request):
            async with closing(self.small.stream(request)) as deltas:
                held, decision = await self._listen(deltas)
                if decision == "small":
                    self.decisions[decision] += 1
                    for delta in _released(held):
                        yield _marked(delta, decision)
                    async for delta in deltas:
                        yield _marked(delta, decision)
                    return
                asked_s = _planned_s(held)
        self.decisions[decision] += 1
        async with closing(self.large.stream(request)) as deltas:
            async for delta in deltas:
                yield _marked(_later(delta, asked_s), decision)
                asked_s = 0.0

    async def warm(self, request: ChatRequest) -> None:
        """Both: which of them will answer is not known yet. A call that has chosen its model is the
        large one's. Neither waits for the other, or fails with it."""
        will = [self.large] if request.model else [self.small, self.large]
        ends = await asyncio.gather(*(m.warm(request) for m in will), return_exceptions=True)
        for end in ends:
            if end is not None:
                raise end

    async def aclose(self) -> None:
        await close_all(("the small model", self.small.aclose), ("the large", self.large.aclose))

    async def _small_alone(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        heard: list[Delta] = []
        async with closing(self.small.stream(replace(request, model=""))) as deltas:
            async for delta in deltas:
                heard.append(delta)
                if isinstance(delta, Finish) and not self._would_do(request, heard):
                    yield _marked(delta, "small_unsure")
                else:
                    yield _marked(delta, "small")

    def _would_do(self, request: ChatRequest, heard: list[Delta]) -> bool:
        """Whether a caller had been given this whole answer."""
        if self._rules.match(request):
            return False
        if not all(isinstance(delta, TextDelta | Finish) for delta in heard):
            return True
        pieces = [delta for delta in heard if isinstance(delta, TextDelta)]
        logprobs = [delta.logprob for delta in pieces if delta.logprob is not None]
        text = "".join(delta.text for delta in pieces)
        return self._confidence.judge(text, logprobs, complete=True) == "sure"

    async def _listen(self, deltas: AsyncIterator[Delta]) -> tuple[list[Delta], CascadeDecision]:
        """What the small model said until it was believed or not."""
        held: list[Delta] = []
        text, logprobs = "", []
        try:
            async for delta in deltas:
                held.append(delta)
                if not isinstance(delta, TextDelta | Finish):
                    return held, "small"
                if isinstance(delta, TextDelta):
                    text += delta.text
                    if delta.logprob is not None:
                        logprobs.append(delta.logprob)
                complete = isinstance(delta, Finish)
                verdict = self._confidence.judge(text, logprobs, complete=complete)
                if verdict != "undecided":
                    return held, "small" if verdict == "sure" else "large_unsure"
        except EngineError as error:
            log.warning("the small language model failed, asking the large one: %s", error)
        except Exception:  # a fault of its own; the large one has none of it
            log.exception("the small language model failed, asking the large one")
        return held, "large_error"


def last_user_text(request: ChatRequest) -> str:
    """The user's last message; "" without one."""
    users = (m.content for m in reversed(request.messages) if m.role == "user")
    return next(users, "")


def _marked(delta: Delta, decision: CascadeDecision) -> Delta:
    if isinstance(delta, Finish):
        return replace(delta, route={**delta.route, "cascade": decision})
    return delta


# Simulated engines say what each piece was meant to take; holding pieces back adds those times up.


def _planned_s(held: list[Delta]) -> float:
    return sum(d.planned_s or 0.0 for d in held if not isinstance(d, Finish))


def _later(delta: Delta, by_s: float) -> Delta:
    if isinstance(delta, Finish) or delta.planned_s is None or not by_s:
        return delta
    return replace(delta, planned_s=delta.planned_s + by_s)


def _released(held: list[Delta]) -> list[Delta]:
    """The first piece bears the time of all that were held with it."""
    return [_later(held[0], _planned_s(held[1:])), *held[1:]] if held else []
