"""What the dialog has decided. The session carries these out, in order.

Turns and replies are named by numbers that the dialog gives them; times are stream time, ms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EndReason = Literal["silence", "commit", "max_turn", "stall"]
StopReason = Literal["turn_detected", "client_cancelled", "reopened"]
DropReason = Literal[
    "user_went_on",  # the silence was a pause
    "text_changed",  # the recognizer's partial text moved on
    "final_differs",  # the final transcript was another than the text that was answered
    "stale",  # settings or items changed: it was made from what no longer holds
    "failed",  # an engine gave an error before the endpoint
    "cleared",  # the client dropped the audio, answers by itself, or left
]


# -- the user's turn -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OpenUtterance:
    """Feed a recognizer from here on; `start_ms` None: push-to-talk, from now on."""

    turn: int
    start_ms: int | None


@dataclass(frozen=True, slots=True)
class SpeechStarted:
    """It is a turn of the user's: `start_ms` is its first frame."""

    turn: int
    start_ms: int


@dataclass(frozen=True, slots=True)
class EagerEnd:
    """The user fell silent: what was said may be the whole turn."""

    turn: int
    speech_end_ms: int


@dataclass(frozen=True, slots=True)
class JudgeEnd:
    """Ask an audio model, if there is one, whether the speech so far is a whole turn, and tell the
    dialog. One answer that is under way is enough."""

    turn: int
    speech_end_ms: int


@dataclass(frozen=True, slots=True)
class Decode:
    """Make the final transcript of the speech so far, and tell the dialog."""

    turn: int
    speech_end_ms: int


@dataclass(frozen=True, slots=True)
class TurnContinued:
    """They went on: what was decoded is not the whole."""

    turn: int


@dataclass(frozen=True, slots=True)
class EndTurn:
    """The endpoint: the turn becomes an item."""

    turn: int
    speech_end_ms: int
    end_ms: int
    reason: EndReason


@dataclass(frozen=True, slots=True)
class CommitTurn:
    """The client has committed push-to-talk audio: it becomes an item."""

    turn: int


@dataclass(frozen=True, slots=True)
class DropTurn:
    """It was no turn, or the client took it back: forget its audio."""

    turn: int


@dataclass(frozen=True, slots=True)
class Backchannel:
    """They pause in the middle of what they say: let them hear that somebody listens."""

    turn: int


@dataclass(frozen=True, slots=True)
class IdleTimeout:
    """Nobody has said anything since `since_ms`."""

    since_ms: int
    now_ms: int


# -- the agent's replies ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Warm:
    """The first `words` words of the turn will not change: let the model prefill them."""

    turn: int
    words: int


@dataclass(frozen=True, slots=True)
class StartReply:
    """Make a reply to `turn` (None: to what is in the conversation). `guess`: partial text to
    answer; None: the final transcript. `committed` False: behind the gate, where nobody knows."""

    reply: int
    turn: int | None
    guess: str | None
    committed: bool


@dataclass(frozen=True, slots=True)
class CommitReply:
    """The turn is over and this is its answer: open the gate."""

    reply: int


@dataclass(frozen=True, slots=True)
class DropReply:
    """It was behind the gate and is thrown away: nobody ever knew."""

    reply: int
    why: DropReason


@dataclass(frozen=True, slots=True)
class StopReplies:
    """Silence them for good; history keeps what was heard."""

    replies: tuple[int, ...]  # oldest first
    why: StopReason


@dataclass(frozen=True, slots=True)
class HoldOutput:
    """Sound over the agent's speech: be silent and listen, until it is judged."""

    turn: int


@dataclass(frozen=True, slots=True)
class ResumeOutput:
    """It was a backchannel, noise or echo: go on where the output stopped."""

    turn: int


Effect = (
    OpenUtterance
    | SpeechStarted
    | EagerEnd
    | JudgeEnd
    | Decode
    | TurnContinued
    | EndTurn
    | CommitTurn
    | DropTurn
    | Backchannel
    | IdleTimeout
    | Warm
    | StartReply
    | CommitReply
    | DropReply
    | StopReplies
    | HoldOutput
    | ResumeOutput
)
Effects = tuple[Effect, ...]
