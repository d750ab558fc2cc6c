"""Agents: who answers, under a name; see docs/agents.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError, field_validator

from voicepipe.config import renamed
from voicepipe.config.budget import BudgetSettings
from voicepipe.config.section import Section
from voicepipe.dialog.options import TurnOptions

AgentName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]

_TURNS: TypeAdapter[TurnOptions] = TypeAdapter(TurnOptions)


class AgentSettings(Section):
    """One agent. What is not said here is as in the rest of the settings."""

    instructions: str = ""  # {{name}} is a variable; "" = llm.instructions
    variables: dict[str, str] = Field(default_factory=dict)  # their values, where a call has none
    greeting: str | None = None  # said first; may hold variables. "" = it waits for the caller
    voicemail: str = ""  # said to an answering machine that picks up, then the call ends; may hold
    # variables. "" = it ends at once
    taking_over: str = ""  # said first to a caller whom a colleague hands over to it; may hold
    # variables. "" = the model finds the words
    expect: tuple[str, ...] | None = Field(None, max_length=20)  # what callers are likely to say;
    # None = anticipation.expect
    voice: str = ""
    language: str = ""  # "en", "de": what callers speak to it
    model: str = (
        ""  # a name in llm.others, or with llm.engine = "openai" another model of its server
    )
    temperature: float | None = Field(None, ge=0, le=2)
    max_tokens: int | None = Field(None, ge=1, le=4096)
    tools: tuple[str, ...] | None = None  # names of those it may use; None = all
    hand_over: tuple[str, ...] = ()  # agents that it may hand the caller over to
    numbers: tuple[str, ...] = ()  # telephone numbers at which it answers, "+15550100"
    turns: dict[str, Any] = Field(default_factory=dict)  # as [turns], in part
    budget: dict[str, Any] = Field(default_factory=dict)  # as [budget], in part

    @field_validator("turns")
    @classmethod
    def _turns(cls, turns: dict[str, Any]) -> dict[str, Any]:
        """Each by itself; what they contradict may be in `[turns]`."""
        turns = dict(_renamed(name, value) for name, value in turns.items())
        try:
            _TURNS.validate_python(turns)
        except ValidationError as error:
            raise ValueError(_first(error)) from None
        return turns

    def contradictions(self, turns: TurnOptions) -> Iterator[tuple[str, str]]:
        """As `TurnOptions.contradictions`, of all that holds for this agent; `turns`: what is not
        said here."""
        if self.turns:
            yield from _TURNS.validate_python({**asdict(turns), **self.turns}).contradictions()

    @field_validator("budget")
    @classmethod
    def _budget(cls, budget: dict[str, Any]) -> dict[str, Any]:
        try:
            BudgetSettings(**budget)
        except ValidationError as error:
            raise ValueError(_first(error)) from None
        return budget


def _renamed(name: str, value: Any) -> tuple[str, Any]:
    """What an option of [turns] is called today, and its value."""
    (_, new_name), new_value = renamed.current(("turns", name), value, "an agent's settings")
    return new_name, new_value


def _first(error: ValidationError) -> str:
    detail = error.errors(include_url=False)[0]
    where = ".".join(map(str, detail["loc"]))
    if detail["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return f"{where} is not one of its settings"
    return f"{where}: {detail['msg']}"
