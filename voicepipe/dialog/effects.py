"""What the turn machine tells the session to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class SpeechStarted:
    """A user turn began; `start_ms`: stream time of its first frame."""

    start_ms: int


@dataclass(frozen=True, slots=True)
class EagerEnd:
    """The user fell silent: prepare a reply, keep it behind the gate."""

    speech_end_ms: int


@dataclass(frozen=True, slots=True)
class TurnContinued:
    """They went on: discard what was prepared."""


EndReason = Literal["silence", "commit", "max_turn", "stall"]


@dataclass(frozen=True, slots=True)
class EndTurn:
    """The user's turn is over: open the gate."""

    speech_end_ms: int
    end_ms: int
    reason: EndReason


@dataclass(frozen=True, slots=True)
class PauseOutput:
    """Speech over the agent's speech: hold the output and listen, until it is judged."""

    start_ms: int


@dataclass(frozen=True, slots=True)
class ResumeOutput:
    """It was a backchannel, noise or echo: go on where the output stopped."""


@dataclass(frozen=True, slots=True)
class Interrupt:
    """Stop the agent. `reopen`: the user had only paused, both stretches are one turn."""

    reopen: bool


@dataclass(frozen=True, slots=True)
class IdleTimeout:
    """Nobody has said anything since `since_ms`."""

    since_ms: int
    now_ms: int


TurnCommand = (
    SpeechStarted
    | EagerEnd
    | TurnContinued
    | EndTurn
    | PauseOutput
    | ResumeOutput
    | Interrupt
    | IdleTimeout
)
