"""Answers to what the user is likely to say next, kept until they say it or the conversation goes
another way."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace

from voicepipe.ledger.anticipation import AnticipationCounts
from voicepipe.llm.contract import ChatRequest, Delta, Finish, MadeWay, TextDelta, ToolCallDelta
from voicepipe.runtime.streams import closing
from voicepipe.runtime.text import what_is_said
from voicepipe.session.engines import Engines

MAX_ANSWERS = 32
"""Generations kept for one session; the oldest go."""


@dataclass(slots=True)
class _Answer:
    question: ChatRequest
    deltas: tuple[Delta, ...]
    heard: bool = False  # a caller was given it, so it was worth its tokens


class ForeseenAnswers:
    """Of one session."""

    def __init__(self, engines: Engines, counts: AnticipationCounts) -> None:
        self._engines, self._counts = engines, counts
        self._answers: deque[_Answer] = deque(maxlen=MAX_ANSWERS)
        self._given: dict[str, list[_Answer]] = {}  # to replies that are under way, by their turn

    def knows(self, request: ChatRequest) -> bool:
        return self._find(_question(request)) is not None

    def clear(self) -> None:
        """The session is over, and with it what was said."""
        self._answers.clear()
        self._given.clear()

    def heard(self, turn_id: str) -> None:
        """The turn was answered: what its reply was given here was worth it."""
        for answer in self._given.pop(turn_id, ()):
            if not answer.heard:
                answer.heard = True
                tokens = sum(not isinstance(delta, Finish) for delta in answer.deltas)
                self._counts.hit(tokens)

    def dropped(self, turn_id: str) -> None:
        """A reply to the turn was thrown away, and nobody knew of it."""
        self._given.pop(turn_id, None)

    async def foresee(self, request: ChatRequest) -> tuple[Delta, ...]:
        """Have it answered, and keep the answer. Raises as `ask`; empty where it was cut off, or
        is none that a caller would have been given."""
        deltas = await self.ask(request)
        end = deltas[-1]
        assert isinstance(end, Finish), "or `ask` had raised"
        if end.reason == "length" or end.route.get("cascade") == "small_unsure":
            return ()
        self._answers.append(_Answer(_question(request), deltas))
        return deltas

    async def ask(self, request: ChatRequest) -> tuple[Delta, ...]:
        """Have it answered. Raises EngineError, and MadeWay where the engine left it
        unfinished."""
        deltas: list[Delta] = []
        async with closing(self._engines.model.stream(request)) as source:
            async for delta in source:
                deltas.append(delta)
                if not isinstance(delta, Finish):
                    self._counts.token()
        if not deltas or not isinstance(deltas[-1], Finish):
            raise MadeWay("an answer was waited for meanwhile")
        return tuple(deltas)

    def stream(self, request: ChatRequest) -> AsyncIterator[Delta]:
        """The model's; at once if just this was foreseen, and then the last item's `route` says
        so."""
        answer = self._find(_question(request)) if self._answers else None
        if answer is None:
            return self._engines.model.stream(request)
        return self._again(answer, request.request_id)

    async def _again(self, answer: _Answer, turn_id: str) -> AsyncIterator[Delta]:
        for delta in answer.deltas:
            match delta:
                case TextDelta() | ToolCallDelta():
                    yield replace(delta, planned_s=0.0)
                case Finish():
                    self._given.setdefault(turn_id, []).append(answer)
                    yield replace(delta, route={**delta.route, "cache": "foreseen"}, times=None)

    def _find(self, question: ChatRequest) -> _Answer | None:
        return next((a for a in self._answers if a.question == question), None)


def _question(request: ChatRequest) -> ChatRequest:
    """What the answer depends on; how the newest words of the user's are written does not count,
    unless they hold more than words."""
    messages = list(request.messages)
    for index in reversed(range(len(messages))):
        if messages[index].role == "user":
            said = what_is_said(messages[index].content)
            messages[index] = replace(messages[index], content=said)
            break
    return replace(request, messages=tuple(messages), priority=0, request_id="")
