"""Requests to prompts for llama.cpp, which cuts them into tokens itself. Pure."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from voicepipe.llm.chat_template import PromptTemplate
from voicepipe.llm.contract import ChatRequest, Message, Tool
from voicepipe.llm.prompt import limit_history
from voicepipe.llm.said_tokens import Said
from voicepipe.llm.tool_grammar import (
    arguments_grammar,
    call_grammar,
    forced_beginning,
)
from voicepipe.llm.tool_parser import OPEN
from voicepipe.runtime.errors import EngineError

CHARS_PER_TOKEN = (4, 3, 2, 1)
"""Budgets tried for a history that does not fit, largest first."""


@dataclass(frozen=True, slots=True)
class LlamaPrompt:
    """`forced`: how the answer has to begin; `grammar`: what must follow, "" = anything."""

    text: str
    forced: str = ""
    grammar: str = ""


class LlamaPrompts:
    """`said`: answers as they were generated, to be put into the history letter by letter, so that
    its tokens are found in the cache.
    """

    def __init__(self, template: PromptTemplate, context_tokens: int, said: Said[str]) -> None:
        self._template = template
        self._context_tokens = context_tokens
        self._said = said
        self._mark = f"\ue000{secrets.token_hex(4)}\ue001"  # nobody can write it into a message

    def sizes(self, request: ChatRequest) -> Iterator[LlamaPrompt]:
        """The whole prompt, then ever shorter ones, for as long as it does not fit. Raises
        EngineError when the template refuses it or a tool that must be called is not offered.
        """
        forced, grammar = _forced(request)
        yield LlamaPrompt(self._text(request.messages, _tools(request)), forced, grammar)
        if request.whole:
            return
        room = max(self._context_tokens - request.max_tokens, 0)
        for chars in CHARS_PER_TOKEN:
            fewer = limit_history(request.messages, room * chars)
            yield LlamaPrompt(self._text(fewer, _tools(request)), forced, grammar)

    def _text(self, messages: Sequence[Message], tools: tuple[Tool, ...]) -> str:
        answers = [(m, self._said.found(m)) for m in messages]
        known = [text for _, text in answers if text is not None]
        if known:
            marked = [m if t is None else Message("assistant", self._mark) for m, t in answers]
            pieces = self._pieces(marked, tools)
            if len(pieces) == len(known) + 1:
                return _joined(pieces, known)
        return self._template.render(messages, tools)

    def _pieces(self, messages: Sequence[Message], tools: tuple[Tool, ...]) -> list[str]:
        """None where the template refuses what stands in for answers: some want each tool's answer
        after its call."""
        try:
            return self._template.render(messages, tools).split(self._mark)
        except EngineError:
            return []


def _joined(pieces: Sequence[str], answers: Sequence[str]) -> str:
    between = [answer + piece for answer, piece in zip(answers, pieces[1:], strict=True)]
    return "".join([pieces[0], *between])


def _tools(request: ChatRequest) -> tuple[Tool, ...]:
    """Tools the model is told of: none if it must not call any."""
    return () if request.tool_choice == "none" else request.tools


def _forced(request: ChatRequest) -> tuple[str, str]:
    """The answer's beginning, and the grammar of what follows."""
    choice = request.tool_choice
    if choice in ("auto", "none"):
        return "", ""
    if choice == "required":
        if not request.tools:
            raise EngineError("A tool call is required but there are no tools.", stage="llm")
        return OPEN, call_grammar(request.tools)
    offered = {tool.name: tool for tool in request.tools}
    if choice not in offered:
        raise EngineError(
            f"The tool {choice!r} must be called, but the tools are: "
            f"{', '.join(offered) or 'none'}.",
            stage="llm",
        )
    return forced_beginning(choice), arguments_grammar(offered[choice])
