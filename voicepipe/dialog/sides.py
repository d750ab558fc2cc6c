"""Both sides of a dialog together: its state, what can be asked of it, and the steps of which every
decision is made. Pure. `core.py` decides.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from voicepipe.dialog import effects as fx
from voicepipe.dialog.agent_side import AgentSide
from voicepipe.dialog.completeness import Completeness, TextRules
from voicepipe.dialog.effects import Effect, Effects
from voicepipe.dialog.endpointing import EndpointPolicy
from voicepipe.dialog.options import TurnOptions
from voicepipe.dialog.overlap import Overlap
from voicepipe.dialog.policies import create_policy
from voicepipe.dialog.states import Agent, Reply, Stage, State, User, UserTurn, check
from voicepipe.dialog.stretches import Stretches
from voicepipe.dialog.user_side import UserSide

NOTHING: Effects = ()

_OVERLAP_IS_NEAR: tuple[State, ...] = (
    (User.SILENT, Agent.SPEAKING),
    (User.OVERLAPPING, Agent.HELD),
)


class Sides:
    """Of one session's conversation."""

    def __init__(
        self,
        options: TurnOptions | None = None,
        completeness: Completeness | None = None,
        policy: EndpointPolicy | None = None,
        *,
        answers: bool = True,
    ) -> None:
        """`answers`: a turn that ends is answered; else the client asks for each response."""
        self.options = options or TurnOptions()
        self.spoken: str | None = "en"  # ISO 639-1; None: nobody knows yet
        self.answers = answers
        self.user, self.agent = User.SILENT, Agent.IDLE
        self.listens_for_overlap = False  # the agent is audible, or held: a sign of speech counts
        self.since_ms = 0  # when the state was last changed ...
        self.why = "the session began"  # ... and by what
        self._numbers = count(1)
        self._out: list[Effect] = []
        self._user_side = UserSide(
            completeness or TextRules(), policy or create_policy(self.options.endpointing)
        )
        self._agent_side = AgentSide(self._numbers, self._out.append)
        self._overlap = Overlap()
        self._idle_since_ms: int | None = None
        self._unanswered: int | None = None  # committed, but nobody asked for a response yet
        self._cause = ""

    # -- what can be asked ---------------------------------------------------------------------

    @property
    def now_ms(self) -> int:
        """Stream time: the end of the newest frame."""
        return self._user_side.stretches.now_ms

    @property
    def turn(self) -> UserTurn | None:
        """The user's that is open, or pushed-to-talk audio."""
        return self._user_side.turn

    @property
    def replies(self) -> list[Reply]:
        """Under way, oldest first: one may play while the next is made."""
        return self._agent_side.replies

    @property
    def stretches(self) -> Stretches:
        """Speech and silence so far."""
        return self._user_side.stretches

    @property
    def speech_end_ms(self) -> int:
        """End of the last speech frame, clicks left out."""
        return self._user_side.speech_end_ms

    @property
    def completeness(self) -> Completeness:
        """What judges whether a text looks like a whole turn."""
        return self._user_side.completeness

    @completeness.setter
    def completeness(self, completeness: Completeness) -> None:
        self._user_side.completeness = completeness

    @property
    def in_speech(self) -> bool:
        """The newest frame is part of what the user says; a click is not."""
        stretches = self._user_side.stretches
        return stretches.in_speech and self._user_side.speech_end_ms == stretches.now_ms

    @property
    def user_is_speaking(self) -> bool:
        """A turn of theirs is open, or an overlap is being judged."""
        return self.user is not User.SILENT

    @property
    def at_rest(self) -> bool:
        """No turn is under way on either side."""
        return self.turn is None and not self.replies

    @property
    def known_turns(self) -> frozenset[int]:
        """Turns that are open, unanswered or being answered: no effect will name another one."""
        named = {reply.turn for reply in self.replies} | {self._unanswered}
        if self.turn is not None:
            named.add(self.turn.id)
        return frozenset(number for number in named if number is not None)

    @property
    def in_progress(self) -> int | None:
        """The reply that the client may know of and that is not all made."""
        return self._agent_side.in_progress

    @property
    def _may_show_it_listens(self) -> bool:
        """The user pauses, and it says nothing though it will answer."""
        quiet = self.agent in (Agent.IDLE, Agent.PREPARING)
        return self.user is User.PAUSED and self.answers and quiet

    def endpoint_wait_ms(self) -> int:
        """Silence that would end the turn now, by the policy."""
        return self._user_side.wait_ms(self.options, acts=self._agent_side.acts)

    def explain(self) -> dict[str, Any]:
        """What it is doing, since when and why: for people, and for fault reports. JSON shape;
        holds no words of the user's."""
        waits = self.endpoint_wait_ms() if self.user is User.PAUSED else None
        return {
            "user": self.user.value,
            "agent": self.agent.value,
            "now_ms": self.now_ms,
            "since_ms": self.since_ms,
            "why": self.why,
            "turn": None if self.turn is None else self.turn.id,
            "ends_after_ms": waits,
            "silent_ms": self._user_side.silence_ms,
            "replies": [
                {
                    "id": r.id,
                    "turn": r.turn,
                    "stage": r.stage.value,
                    "complete": r.complete,
                    "acts": r.acts,
                }
                for r in self.replies
            ],
        }

    # -- steps ---------------------------------------------------------------------------------

    def _done(self) -> Effects:
        effects = tuple(self._out)
        self._out.clear()
        return effects

    def _go(self, user: User | None = None) -> None:
        """The agent's side follows from its replies. Raises IllegalTransition."""
        before: State = (self.user, self.agent)
        user = user or self.user
        after: State = (user, self._agent_side.state(user))
        if after == before:
            return
        check(before, after)
        self.user, self.agent = after
        self.listens_for_overlap = after in _OVERLAP_IS_NEAR
        self.since_ms, self.why = self.now_ms, self._cause

    def _drop_turn(self) -> None:
        assert self.turn is not None
        self._out.append(fx.DropTurn(self.turn.id))
        self._user_side.turn = None

    def _prepare(self, turn: UserTurn, guess: str | None) -> None:
        if not self.replies:  # else one speaks on until this turn's end, which stops it
            self._agent_side.prepare(turn.id, guess)
            self._go()

    def _withdraw(self, why: fx.DropReason) -> None:
        self._agent_side.withdraw(why)
        self._go()

    def _replace(self, reply: Reply, why: fx.DropReason, *, again: bool) -> None:
        """Drop what is behind the gate. A turn that is over gets another at once; an open one if
        `again`, and it is the whole of it that is to be answered."""
        self._agent_side.drop(reply, why)
        if reply.stage is Stage.UNCONFIRMED:
            self._agent_side.start(reply.turn)
        elif (
            again
            and self.turn is not None
            and self.user is User.PAUSED
            and self.answers
            and self.options.preemptive_generation != "off"
        ):
            self._prepare(self.turn, None)
        self._go()
