"""Answers to what the user is likely to say next, kept until they say it or the conversation goes
another way."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass, replace

from voicepipe.ledger.anticipation import AnticipationCounts
from voicepipe.llm.contract import ChatRequest, Delta, Finish, TextDelta, ToolCallDelta
from voicepipe.runtime.closing import closing
from voicepipe.runtime.text import normalize_text

MAX_ANSWERS = 32
"""Generations kept for one session; the oldest go."""


@dataclass(slots=True)
class _Answer:
    question: ChatRequest
    deltas: tuple[Delta, ...]
    heard: bool = False  # it was played back, so it was worth its tokens


class ForeseenAnswers:
    """Of one session. `ask` is the language model's `stream`."""

    def __init__(
        self, ask: Callable[[ChatRequest], AsyncIterator[Delta]], counts: AnticipationCounts
    ) -> None:
        self._ask, self._counts = ask, counts
        self._answers: deque[_Answer] = deque(maxlen=MAX_ANSWERS)

    def knows(self, request: ChatRequest) -> bool:
        return self._find(_question(request)) is not None

    async def foresee(self, request: ChatRequest) -> tuple[Delta, ...]:
        """Have it answered, and keep the answer if it came to its end. Raises EngineError."""
        deltas = []
        async with closing(self._ask(request)) as source:
            async for delta in source:
                deltas.append(delta)
                if not isinstance(delta, Finish):
                    self._counts.token()
        if isinstance(deltas[-1], Finish) and deltas[-1].reason in ("stop", "tool_calls"):
            self._answers.append(_Answer(_question(request), tuple(deltas)))
        return tuple(deltas)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Delta]:
        """As the model's; at once if just this was foreseen, and then the last item's `route` says
        so."""
        answer = self._find(_question(request)) if self._answers else None
        if answer is None:
            async with closing(self._ask(request)) as source:
                async for delta in source:
                    yield delta
            return
        for delta in answer.deltas:
            match delta:
                case TextDelta() | ToolCallDelta():
                    yield replace(delta, planned_s=0.0)
                case Finish():
                    self._played(answer)
                    yield replace(delta, route={**delta.route, "cache": "foreseen"}, times=None)

    def _played(self, answer: _Answer) -> None:
        if not answer.heard:
            answer.heard = True
            tokens = sum(not isinstance(delta, Finish) for delta in answer.deltas)
            self._counts.hit(tokens)

    def _find(self, question: ChatRequest) -> _Answer | None:
        return next((a for a in self._answers if a.question == question), None)


def _question(request: ChatRequest) -> ChatRequest:
    """What the answer depends on; how the newest words of the user's are written does not count."""
    messages = list(request.messages)
    for index in reversed(range(len(messages))):
        if messages[index].role == "user":
            words = normalize_text(messages[index].content)
            messages[index] = replace(messages[index], content=words)
            break
    return replace(request, messages=tuple(messages), priority=0, request_id="")
