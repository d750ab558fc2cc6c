"""Drives a dialog by hand: so many ms of speech or silence, what the agent does, and what a
listener would notice of it when.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from voicepipe.audio.pcm import FRAME_MS
from voicepipe.dialog import effects as fx
from voicepipe.dialog.core import Dialog
from voicepipe.dialog.endpointing import EndpointPolicy
from voicepipe.dialog.options import TurnOptions
from voicepipe.dialog.states import Agent, State, User

COMPLETE = "what time is it"
INCOMPLETE = "what is the time in the"

LISTENING = (User.SILENT, Agent.IDLE)
REPLYING = (User.SILENT, Agent.THINKING)
SPEAKING = (User.SILENT, Agent.SPEAKING)
OVERLAP = (User.OVERLAPPING, Agent.HELD)


@dataclass(frozen=True, slots=True)
class SpeechStarted:
    start_ms: int


@dataclass(frozen=True, slots=True)
class EagerEnd:
    speech_end_ms: int


@dataclass(frozen=True, slots=True)
class TurnContinued:
    pass


@dataclass(frozen=True, slots=True)
class EndTurn:
    speech_end_ms: int
    end_ms: int
    reason: str


@dataclass(frozen=True, slots=True)
class Held:
    """The agent fell silent at the first sign of speech, which began at `start_ms`."""

    start_ms: int


@dataclass(frozen=True, slots=True)
class Resumed:
    pass


@dataclass(frozen=True, slots=True)
class Stopped:
    """For good. `reopened`: the user had only paused, both stretches are one turn."""

    reopened: bool


Noticed = (
    SpeechStarted | EagerEnd | TurnContinued | EndTurn | Held | Resumed | Stopped | fx.IdleTimeout
)


def noticed(effects: fx.Effects) -> Iterator[Noticed]:
    """The numbers of turns and replies, and what nobody sees, left out."""
    held = False
    for effect in effects:
        match effect:
            case fx.HoldOutput():
                held = True
            case fx.OpenUtterance(_, start_ms) if held and start_ms is not None:
                yield Held(start_ms)
            case fx.SpeechStarted(_, start_ms):
                yield SpeechStarted(start_ms)
            case fx.EagerEnd(_, speech_end_ms):
                yield EagerEnd(speech_end_ms)
            case fx.TurnContinued():
                yield TurnContinued()
            case fx.EndTurn(_, speech_end_ms, end_ms, reason):
                yield EndTurn(speech_end_ms, end_ms, reason)
            case fx.ResumeOutput():
                yield Resumed()
            case fx.StopReplies(_, why):
                yield Stopped(why == "reopened")
            case fx.IdleTimeout():
                yield effect


class Driver:
    """`log` holds (stream time in ms, what was noticed); `effects` all that was to be done."""

    def __init__(
        self, options: TurnOptions | None = None, policy: EndpointPolicy | None = None
    ) -> None:
        self.dialog = Dialog(options, policy=policy)
        self.log: list[tuple[int, Noticed]] = []
        self.effects: list[fx.Effect] = []

    @property
    def state(self) -> State:
        return self.dialog.user, self.dialog.agent

    @property
    def user(self) -> User:
        return self.dialog.user

    @property
    def now_ms(self) -> int:
        return self.dialog.now_ms

    def take(self, effects: fx.Effects) -> list[Noticed]:
        """Note what a method of the dialog returned."""
        self.effects += effects
        seen = list(noticed(effects))
        self.log += [(self.now_ms, one) for one in seen]
        return seen

    def times_of(self, kind: type[Noticed]) -> list[int]:
        return [at for at, one in self.log if isinstance(one, kind)]

    # -- the user ------------------------------------------------------------------------------

    def frames(self, ms: int, probability: float) -> list[Noticed]:
        """Feed `ms` of frames; returns what was noticed."""
        return [
            seen
            for _ in range(ms // FRAME_MS)
            for seen in self.take(self.dialog.frame(probability))
        ]

    def speak(self, ms: int) -> list[Noticed]:
        return self.frames(ms, 1.0)

    def quiet(self, ms: int) -> list[Noticed]:
        return self.frames(ms, 0.0)

    def said(self, text: str) -> list[Noticed]:
        """The recognizer's newest guess at the open turn."""
        turn = self.dialog.turn
        return [] if turn is None else self.take(self.dialog.hypothesis(turn.id, text))

    def commit(self) -> list[Noticed]:
        return self.take(self.dialog.commit())

    def stall(self) -> list[Noticed]:
        return self.take(self.dialog.stalled())

    def clear(self) -> list[Noticed]:
        return self.take(self.dialog.clear())

    # -- the agent -----------------------------------------------------------------------------

    def create(self) -> list[Noticed]:
        """The client asks for a response."""
        return self.take(self.dialog.create()[1])

    def audible(self, text: str = "") -> list[Noticed]:
        """The newest reply is heard, up to `text`."""
        return self.take(self.dialog.reply_audible(self.dialog.replies[-1].id, text))

    def reply_over(self) -> list[Noticed]:
        """All replies have been played."""
        replies = list(self.dialog.replies)
        return [seen for reply in replies for seen in self.take(self.dialog.reply_done(reply.id))]

    def ask(self, text: str = COMPLETE, speech_ms: int = 600) -> None:
        """One whole user turn: the agent thinks, right at the endpoint."""
        assert any(isinstance(seen, SpeechStarted) for seen in self.speak(speech_ms))
        self.said(text)
        while not any(isinstance(seen, EndTurn) for seen in self.quiet(FRAME_MS)):
            assert self.user in (User.SPEAKING, User.PAUSED)

    def be_answered(self, agent_text: str = "It is half past seven.", after_ms: int = 2000) -> None:
        """A whole user turn, and the agent has been audible for `after_ms`."""
        self.ask()
        self.audible(agent_text)
        self.quiet(after_ms)
        assert self.state == SPEAKING
