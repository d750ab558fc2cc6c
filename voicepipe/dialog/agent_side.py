"""The agent's side of a dialog: the replies under way, and what is to become of them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from voicepipe.dialog import effects as fx
from voicepipe.dialog.effects import Effect
from voicepipe.dialog.states import Agent, Reply, Stage, User
from voicepipe.runtime.text import what_is_said

_BEHIND_GATE = (Stage.PREPARED, Stage.UNCONFIRMED)
_KNOWN = (Stage.DUE, Stage.AUDIBLE)


class AgentSide:
    """Knows nothing of the user but the turns that it answers, by number."""

    def __init__(self, numbers: Iterator[int], emit: Callable[[Effect], None]) -> None:
        """`numbers`: names for replies. `emit` takes what the session is to do."""
        self.replies: list[Reply] = []  # oldest first: one may play while the next is made
        self._numbers, self._emit = numbers, emit

    # -- what can be asked ---------------------------------------------------------------------

    def state(self, user: User) -> Agent:
        """It follows from the replies and from what the user does."""
        if not self.replies:
            return Agent.IDLE
        if user is User.OVERLAPPING:
            return Agent.HELD
        if self.audible:
            return Agent.SPEAKING
        prepared = all(reply.stage is Stage.PREPARED for reply in self.replies)
        return Agent.PREPARING if prepared else Agent.THINKING

    @property
    def audible(self) -> bool:
        """Something of a reply has been heard."""
        return any(reply.stage is Stage.AUDIBLE for reply in self.replies)

    @property
    def text(self) -> str:
        """All that these replies have said so far."""
        return " ".join(reply.text for reply in self.replies)

    @property
    def committed(self) -> list[Reply]:
        """Those whose turn is over."""
        return [reply for reply in self.replies if reply.stage is not Stage.PREPARED]

    @property
    def behind_gate(self) -> list[Reply]:
        """Those that nobody knows of yet."""
        return [reply for reply in self.replies if reply.stage in _BEHIND_GATE]

    @property
    def in_progress(self) -> int | None:
        """The one that the client may know of and that is not all made."""
        return next((r.id for r in self.replies if r.stage in _KNOWN and not r.complete), None)

    @property
    def guess(self) -> str | None:
        """Partial text of the open turn that a reply is prepared on."""
        prepared = (r.guess for r in self.replies if r.stage is Stage.PREPARED)
        return next(prepared, None)

    @property
    def acts(self) -> bool:
        """What is prepared for the open turn will change something when that is over."""
        return any(reply.acts for reply in self.replies if reply.stage is Stage.PREPARED)

    def find(self, number: int) -> Reply | None:
        """None: it has ended, and nothing about it matters any more."""
        return next((reply for reply in self.replies if reply.id == number), None)

    # -- making --------------------------------------------------------------------------------

    def start(self, turn: int | None) -> int:
        """One that is due at once; returns its number."""
        reply = Reply(next(self._numbers), turn, Stage.DUE)
        self.replies.append(reply)
        self._emit(fx.StartReply(reply.id, turn, None, committed=True))
        return reply.id

    def prepare(self, turn: int, guess: str | None) -> None:
        """One behind the gate, for a turn that is open."""
        reply = Reply(next(self._numbers), turn, Stage.PREPARED, guess)
        self.replies.append(reply)
        self._emit(fx.StartReply(reply.id, turn, guess, committed=False))

    def answer(self, turn: int, final: str | None) -> None:
        """A turn is over: with what was prepared for it, if that fits `final`, its transcript.
        None: that is not known yet."""
        mine = next((reply for reply in self.replies if reply.turn == turn), None)
        # A reply that could not be interrupted until now:
        self.stop([reply for reply in self.replies if reply is not mine], "turn_detected")
        if mine is None:
            self.start(turn)
        elif mine.guess is None or final is not None:
            self._commit_or_replace(mine, final)
        else:
            mine.stage = Stage.UNCONFIRMED

    def confirm(self, turn: int, text: str | None) -> None:
        """The final transcript of a turn that is over."""
        for reply in self.replies:
            if reply.turn == turn and reply.stage is Stage.UNCONFIRMED:
                self._commit_or_replace(reply, text)
                return

    def _commit_or_replace(self, reply: Reply, final: str | None) -> None:
        if reply.guess is not None and not same_words(reply.guess, final or ""):
            self.drop(reply, "final_differs")
            self.start(reply.turn)
            return
        reply.stage = Stage.DUE
        self._emit(fx.CommitReply(reply.id))

    # -- ending --------------------------------------------------------------------------------

    def withdraw(self, why: fx.DropReason) -> None:
        """What was prepared is not the open turn's answer."""
        for reply in [r for r in self.replies if r.stage is Stage.PREPARED]:
            self.drop(reply, why)

    def drop(self, reply: Reply, why: fx.DropReason) -> None:
        """Nobody ever knew of it."""
        self.replies.remove(reply)
        self._emit(fx.DropReply(reply.id, why))

    def stop(self, replies: list[Reply], why: fx.StopReason) -> None:
        """For good."""
        if replies:
            self.replies = [reply for reply in self.replies if reply not in replies]
            self._emit(fx.StopReplies(tuple(reply.id for reply in replies), why))


def same_words(text: str, other: str) -> bool:
    """However they are written."""
    return what_is_said(text) == what_is_said(other)
