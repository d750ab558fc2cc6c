"""Which requests may be answered from memory, and what makes two of them the same. Pure."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from voicepipe.llm.contract import ChatRequest
from voicepipe.runtime.text import what_is_said

# Questions whose answer depends on when they are asked. Better one answer too many generated than
# yesterday's weather.
_VOLATILE = re.compile(
    r"\b(time|times|clock|o'?clock|date|dates|today|todays|tonight|tomorrow|yesterday|now|current"
    r"|currently|latest|recent|recently|weather|forecast|news|open|opens|closed|closes|timer|timers"
    r"|alarm|remind|reminder|day|week|weekday|month|year|minute|minutes|hour|hours|again)\b"
)
# They point at something said before, which a first question cannot.
_LEANING = re.compile(r"\b(it|that|this|these|those|they|them|he|she|him|her|same|else|more)\b")

MAX_QUESTION_CHARS = 300
"""Longer ones do not come twice."""

Predicate = Callable[[ChatRequest, str], bool]
"""Whether the request, with its question as `what_is_said` has it, needs no context."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked up. `scope`: digest of everything but the question that shapes the answer."""

    scope: str
    text: str  # what_is_said: lower case, words only where they say it all

    @property
    def key(self) -> str:
        """Digest of both: safe as a key anywhere, and no user's words in it."""
        return _digest([self.scope, self.text])


def first_turn(request: ChatRequest, text: str) -> bool:
    """Nothing was said before."""
    return sum(m.role != "system" for m in request.messages) == 1


def standalone(patterns: tuple[re.Pattern[str], ...]) -> Predicate:
    """First turns, and at any time questions that match one of `patterns` (on `what_is_said` text)
    and do not lean on what was said before.
    """

    def needs_no_context(request: ChatRequest, text: str) -> bool:
        if first_turn(request, text):
            return True
        return not _LEANING.search(text) and any(p.search(text) for p in patterns)

    return needs_no_context


def question_of(request: ChatRequest, model: str, needs_no_context: Predicate) -> Question | None:
    """What to look up; None if this request must be generated: it needs context, has to do with
    time, must call a tool, or answers a tool's result.
    """
    messages = request.messages
    if not messages or messages[-1].role != "user":  # a tool's result, or volatile facts, come last
        return None
    if request.tool_choice not in ("auto", "none"):
        return None
    text = what_is_said(messages[-1].content)
    if not text or len(text) > MAX_QUESTION_CHARS or _VOLATILE.search(text):
        return None
    if not needs_no_context(request, text):
        return None
    system = [m.content for m in messages if m.role == "system"]
    tools = [[t.name, t.description] for t in request.tools]
    limits = [request.max_tokens, request.temperature, request.tool_choice]
    return Question(_digest([model, system, tools, limits]), text)


def _digest(parts: object) -> str:
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()
