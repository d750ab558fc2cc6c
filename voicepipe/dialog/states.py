"""The state of a dialog: its two sides, the user's turn, the agent's replies, and the one table of
steps. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from voicepipe.runtime.errors import IllegalTransition


class User(Enum):
    SILENT = "silent"  # no turn of theirs is open
    SPEAKING = "speaking"  # their turn is open
    PAUSED = "paused"  # the eager end: they are silent, and the turn is still open
    OVERLAPPING = "overlapping"  # sound over the agent's, which is held until it is judged


class Agent(Enum):
    IDLE = "idle"  # no reply is under way
    PREPARING = "preparing"  # one is made behind the gate, for a turn that is still open
    THINKING = "thinking"  # one is due, nothing of it has been heard
    SPEAKING = "speaking"  # one is audible (or, where there is no sound, being read)
    HELD = "held"  # it is silenced until the overlap is judged


State = tuple[User, Agent]


class Stage(Enum):
    """How far a reply has come."""

    PREPARED = "prepared"  # behind the gate, for a turn that is still open
    UNCONFIRMED = "unconfirmed"  # its turn is over, the final transcript must confirm its guess
    DUE = "due"  # committed; nothing of it has been heard
    AUDIBLE = "audible"


@dataclass(slots=True)
class Reply:
    """One that is under way."""

    id: int
    turn: int | None  # whose it answers
    stage: Stage
    guess: str | None = None  # partial text that it answers
    complete: bool = False  # all of it has been made; it may still be playing
    acts: bool = False  # it waits for the end of the turn to change something by a tool
    text: str = ""  # all it has said so far, for the echo guard


@dataclass(slots=True)
class UserTurn:
    """The user's turn that is open."""

    id: int
    start_ms: int | None  # stream time of its first frame; None: push-to-talk
    guesses: int = 0  # replies prepared on partial text so far
    warmed_words: int = 0  # stable words that the model has been shown
    loose_words: int = 0  # at the end of the text so far, that may still change
    final: str | None = None  # transcript of the speech up to the present pause


_SILENT, _SPEAKING, _PAUSED, _OVER = User
_IDLE, _PREPARING, _THINKING, _AUDIBLE, _HELD = Agent

TRANSITIONS: Mapping[State, frozenset[State]] = {
    (_SILENT, _IDLE): frozenset({(_SPEAKING, _IDLE), (_SILENT, _THINKING)}),
    (_SILENT, _THINKING): frozenset(
        {
            (_SILENT, _AUDIBLE),
            (_SILENT, _IDLE),  # it failed, was cancelled, or there was nothing to answer
            (_SPEAKING, _IDLE),  # they go on before anything was heard
            (_SPEAKING, _THINKING),  # ... of an agent that may not be interrupted
        }
    ),
    (_SILENT, _AUDIBLE): frozenset(
        {
            (_OVER, _HELD),
            (_SILENT, _IDLE),
            (_SILENT, _THINKING),  # it has been played; the next one is being made
            (_SPEAKING, _AUDIBLE),  # an agent that may not be interrupted
        }
    ),
    (_SPEAKING, _IDLE): frozenset(
        {
            (_PAUSED, _IDLE),
            (_SILENT, _IDLE),  # cleared
            (_SPEAKING, _PREPARING),  # on text that looks complete
            (_SPEAKING, _THINKING),  # the client asked for a response
        }
    ),
    (_SPEAKING, _PREPARING): frozenset(
        {
            (_PAUSED, _PREPARING),
            (_SPEAKING, _IDLE),  # the text has changed
            (_SPEAKING, _THINKING),
        }
    ),
    (_SPEAKING, _THINKING): frozenset(
        {
            (_SPEAKING, _AUDIBLE),
            (_SPEAKING, _IDLE),
            (_PAUSED, _THINKING),
            (_SILENT, _THINKING),
        }
    ),
    (_SPEAKING, _AUDIBLE): frozenset(
        {
            (_SPEAKING, _IDLE),
            (_SPEAKING, _THINKING),
            (_PAUSED, _AUDIBLE),
            (_SILENT, _AUDIBLE),
        }
    ),
    (_PAUSED, _IDLE): frozenset(
        {
            (_SPEAKING, _IDLE),
            (_PAUSED, _PREPARING),
            (_PAUSED, _THINKING),
            (_SILENT, _IDLE),  # the endpoint of a turn that the client answers, or cleared
        }
    ),
    (_PAUSED, _PREPARING): frozenset(
        {
            (_PAUSED, _IDLE),  # the user went on, or the final text is another
            (_PAUSED, _THINKING),  # the endpoint: it is due; then the turn is over
        }
    ),
    (_PAUSED, _THINKING): frozenset(
        {
            (_PAUSED, _AUDIBLE),
            (_PAUSED, _IDLE),
            (_SPEAKING, _THINKING),
            (_SILENT, _THINKING),
        }
    ),
    (_PAUSED, _AUDIBLE): frozenset(
        {
            (_PAUSED, _IDLE),
            (_PAUSED, _THINKING),
            (_SPEAKING, _AUDIBLE),
            (_SILENT, _AUDIBLE),
        }
    ),
    (_OVER, _HELD): frozenset(
        {
            (_SILENT, _AUDIBLE),  # it was nothing
            (_SILENT, _THINKING),  # ... and what was held had been played; the next is being made
            (_SILENT, _IDLE),  # ... and it was the last
            (_SPEAKING, _IDLE),  # an interruption
        }
    ),
}
"""What is not here cannot happen: who finds that it does has found a fault."""


def check(before: State, after: State) -> None:
    """Raises IllegalTransition, which names both sides, unless this is a step."""
    if after in TRANSITIONS.get(before, ()):
        return
    allowed = ", ".join(sorted(_named(state) for state in TRANSITIONS.get(before, ())))
    raise IllegalTransition(
        f"dialog: from {_named(before)} to {_named(after)} is not a step; "
        f"from there one can go to: {allowed}"
    )


def _named(state: State) -> str:
    user, agent = state
    return f"user {user.value} / agent {agent.value}"
