"""Random stories: everything that can happen to a dialog, in any order a session could bring it.

A `Story` plays the session: it reports only on turns and replies that it was told of, and it checks
every effect against what it knows. The same seed tells the same story.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from voicepipe.dialog import effects as fx
from voicepipe.dialog.core import Dialog
from voicepipe.dialog.options import TurnOptions
from voicepipe.dialog.states import Agent, Stage, User
from voicepipe.dialog.tape import TapedDialog

TEXTS = (
    "",
    "mhm",
    "wait",
    "set a timer for",
    "what time is it",
    "What time is it?",
    "stop that now",
    "ich möchte einen Termin für",
    "等一下",
)
AGENT_TEXTS = ("", "It is half past seven.")
STEPS = 60


def any_options(dice: random.Random) -> TurnOptions:
    return TurnOptions(
        min_speech_ms=dice.choice([0, 60, 200]),
        eager_end_ms=dice.choice([0, 120, 400]),
        endpoint_fixed_ms=dice.choice([None, None, 0, 500]),
        endpointing=dice.choice(["text", "fixed", "learned", "smart_turn"]),
        reopen_ms=dice.choice([0, 700]),
        interruptible=dice.random() < 0.8,
        pause_ms=dice.choice([0, 20, 100]),
        confirm_ms=dice.choice([0, 200]),
        interrupt_ms=dice.choice([0, 300]),
        interrupt_untold_ms=dice.choice([0, 500]),
        listening_after_ms=dice.choice([0, 0, 300]),
        max_turn_ms=dice.choice([20, 900, 60_000, 60_000]),
        idle_timeout_ms=dice.choice([None, 400]),
        preemptive_generation=dice.choice(["off", "eager_end", "stable_text", "stable_text"]),
    )


@dataclass
class Known:
    """A reply that the story was told of. `revision`: of settings and items when it was begun."""

    turn: int | None
    committed: bool
    revision: int
    guess: str | None


def _method(effect: fx.Effect) -> str:
    """OpenUtterance: "_on_open_utterance"."""
    return "_on" + re.sub("[A-Z]", lambda capital: "_" + capital[0].lower(), type(effect).__name__)


class Story:
    """One dialog's. Every `_on_...` raises AssertionError where an effect makes no sense."""

    def __init__(self, seed: int, write: Callable[[str], None] | None = None) -> None:
        """`write`: takes the lines of a tape."""
        self.dice = random.Random(seed)
        options, answers = any_options(self.dice), self.dice.random() < 0.8
        self.dialog = (
            TapedDialog(options, answers=answers, write=write)
            if write
            else Dialog(options, answers=answers)
        )
        self.told: list[fx.Effect] = []
        self.opened: int | None = None  # the turn whose utterance is open
        self.started = self.paused = self.held = False
        self.decoding: dict[int, int | None] = {}  # by turn: the speech end it is decoded up to
        self.replies: dict[int, Known] = {}
        self.ended: set[int] = set()
        self.unanswered: set[int] = set()  # turns that are over and must get a reply
        self.numbers: set[int] = set()
        self.revision = 0
        self.asked: int | None = None  # a turn that the client is to answer

    def tell(self) -> None:
        """The whole story; in the end everybody falls silent, and nothing is left over."""
        for _ in range(STEPS):
            self.step()
        self.fall_silent()

    def step(self) -> None:
        dice, dialog = self.dice, self.dialog
        roll = dice.random()
        if roll < 0.5:
            probability = dice.choice([0.0, 0.0, 0.2, 0.4, 0.6, 1.0, 1.0])
            for _ in range(dice.choice([1, 2, 5, 20, 60])):
                self.take(dialog.frame(probability))
        elif roll < 0.75:
            self.an_engine_reports()
        else:
            self.the_client_acts()

    def an_engine_reports(self) -> None:
        dice, dialog = self.dice, self.dialog
        kind = dice.choice(["hypothesis", "transcript", "judged", "reply", "reply"])
        if kind == "hypothesis" and dialog.turn is not None:
            words = dice.randrange(6)
            text, loose = dice.choice(TEXTS), dice.randrange(3)
            turn = dialog.turn.id
            self.take(dialog.hypothesis(turn, text, loose_words=loose, stable_words=words))
            assert dialog.hypothesis(turn + 1, "another turn's words") == ()
        elif kind == "transcript" and self.decoding:
            turn, end_ms = self.decoding.popitem()
            self.take(dialog.transcript(turn, dice.choice([*TEXTS, None]), end_ms))
        elif kind == "judged":
            self.take(dialog.end_judged(dialog.speech_end_ms, dice.random()))
        elif kind == "reply" and dialog.replies:
            self.a_reply_reports(dice.choice(dialog.replies).id)

    def a_reply_reports(self, number: int) -> None:
        dialog, known = self.dialog, self.replies[number]
        if not known.committed:
            self.take(dialog.reply_failed(number))
            self.replies.pop(number, None)
            return
        kind = self.dice.choice(["audible", "audible", "complete", "done"])
        if kind == "audible":
            self.take(dialog.reply_audible(number, self.dice.choice(AGENT_TEXTS)))
        elif kind == "complete" and dialog.in_progress == number:
            self.take(dialog.reply_complete(number))
            if self.dice.random() < 0.5:  # a client that answers a function call at once
                self.create()
        else:
            del self.replies[number]
            self.ended.add(number)
            self.take(dialog.reply_done(number))

    def the_client_acts(self) -> None:
        dice, dialog = self.dice, self.dialog
        kind = dice.choice(
            ["create", "cancel", "quiet", "commit", "clear", "change", "stall", "key"]
        )
        if kind == "create" and dialog.in_progress is None:
            self.create()
        elif kind == "cancel" and dialog.in_progress is not None:
            self.take(dialog.cancel(dialog.in_progress))
        elif kind == "quiet":
            self.take(dialog.clear_output())
        elif kind == "commit":
            self.take(dialog.commit())
        elif kind == "clear":
            self.take(dialog.clear())
        elif kind == "stall":
            self.take(dialog.stalled())
        elif kind == "key":
            self.take(dialog.key_pressed())
        elif kind == "change":
            self.take(dialog.speak(dice.choice([None, "en", "de", "zh"])))
            self.revision += 1
            if dice.random() < 0.3:
                self.take(dialog.apply(any_options(dice), answers=dice.random() < 0.8))
            else:
                self.take(dialog.changed())

    def create(self) -> None:
        """What the client asks for answers the turn that nobody has answered, if there is one."""
        asked, self.asked = self.asked, None
        waiting = [r.turn for r in self.dialog.replies if r.stage is Stage.UNCONFIRMED]
        number, effects = self.dialog.create()
        (start,) = (e for e in effects if isinstance(e, fx.StartReply))
        assert (start.reply, start.turn) == (number, waiting[0] if waiting else asked)
        self.take(effects)

    def fall_silent(self) -> None:
        """Long silence, and every engine comes to its end."""
        dialog = self.dialog
        for _ in range(4000 // 20):
            self.take(dialog.frame(0.0))
            while self.decoding:
                turn, end_ms = self.decoding.popitem()
                self.take(dialog.transcript(turn, "what time is it", end_ms))
            for reply in [r for r in dialog.replies if self.replies[r.id].committed]:
                self.replies.pop(reply.id, None)
                self.ended.add(reply.id)
                self.take(dialog.reply_done(reply.id))
        assert not dialog.user_is_speaking, dialog.explain()
        assert dialog.at_rest, dialog.explain()
        assert not self.unanswered, "a turn was never answered"

    # -- checks --------------------------------------------------------------------------------

    def take(self, effects: fx.Effects) -> None:
        for effect in effects:
            self.told.append(effect)
            getattr(self, _method(effect))(effect)
        dialog = self.dialog
        assert {r.id for r in dialog.replies} == set(self.replies), dialog.explain()
        assert self.opened == (None if dialog.turn is None else dialog.turn.id)
        assert self.held == (dialog.user is User.OVERLAPPING)
        assert self.started == (dialog.user in (User.SPEAKING, User.PAUSED))
        assert self.paused == (dialog.user is User.PAUSED)
        assert (dialog.agent is Agent.IDLE) == (not self.replies)
        making = [r for r in dialog.replies if r.stage in (Stage.DUE, Stage.AUDIBLE)]
        assert sum(not r.complete for r in making) <= 1, "two replies are made at once"
        sides = (dialog.user, dialog.agent)
        overlaps = ((User.OVERLAPPING, Agent.HELD), (User.SILENT, Agent.SPEAKING))
        assert dialog.listens_for_overlap == (sides in overlaps)
        assert dialog.explain()["why"]

    def _new(self, number: int) -> None:
        assert number not in self.numbers
        self.numbers.add(number)

    def _on_open_utterance(self, effect: fx.OpenUtterance) -> None:
        self._new(effect.turn)
        assert self.opened is None
        assert effect.start_ms is not None
        assert effect.start_ms < self.dialog.now_ms
        self.opened = effect.turn

    def _on_speech_started(self, effect: fx.SpeechStarted) -> None:
        assert effect.turn == self.opened
        assert not self.started
        self.started, self.held = True, False

    def _on_judge_end(self, effect: fx.JudgeEnd) -> None:
        assert self.started
        assert effect.turn == self.opened
        assert effect.speech_end_ms == self.dialog.speech_end_ms < self.dialog.now_ms

    def _on_eager_end(self, effect: fx.EagerEnd) -> None:
        assert self.started
        assert not self.paused
        assert effect.turn == self.opened
        assert effect.speech_end_ms <= self.dialog.now_ms
        self.paused = True

    def _on_decode(self, effect: fx.Decode) -> None:
        assert self.paused
        assert effect.turn == self.opened
        self.decoding[effect.turn] = effect.speech_end_ms

    def _on_turn_continued(self, effect: fx.TurnContinued) -> None:
        assert self.paused
        self.paused = False
        self.decoding.pop(effect.turn, None)

    def _on_end_turn(self, effect: fx.EndTurn) -> None:
        assert self.paused
        assert effect.turn == self.opened
        assert effect.speech_end_ms <= effect.end_ms == self.dialog.now_ms
        self.opened, self.started, self.paused = None, False, False
        self.decoding[effect.turn] = effect.speech_end_ms  # it is written down in any case
        if self.dialog.answers:
            self.unanswered.add(effect.turn)
        else:
            self.asked = effect.turn

    def _on_drop_turn(self, effect: fx.DropTurn) -> None:
        assert effect.turn == self.opened
        self.opened, self.started, self.paused = None, False, False
        self.decoding.pop(effect.turn, None)

    def _on_backchannel(self, effect: fx.Backchannel) -> None:
        assert self.paused
        assert effect.turn == self.opened
        assert not any(known.committed for known in self.replies.values())

    def _on_idle_timeout(self, effect: fx.IdleTimeout) -> None:
        assert self.dialog.at_rest
        assert effect.since_ms < effect.now_ms == self.dialog.now_ms

    def _on_warm(self, effect: fx.Warm) -> None:
        assert effect.turn == self.opened
        assert not self.replies

    def _on_start_reply(self, effect: fx.StartReply) -> None:
        self._new(effect.reply)
        known = Known(effect.turn, effect.committed, self.revision, effect.guess)
        if effect.committed:
            assert all(reply.committed for reply in self.replies.values())
            self.unanswered.discard(effect.turn or 0)
        else:
            assert effect.turn == self.opened
            assert not self.replies
        self.replies[effect.reply] = known

    def _on_commit_reply(self, effect: fx.CommitReply) -> None:
        known = self.replies[effect.reply]
        assert not known.committed
        assert known.revision == self.revision, "it was made from what no longer holds"
        assert known.turn != self.opened, "its turn is not over"
        known.committed = True
        self.unanswered.discard(known.turn or 0)

    def _on_drop_reply(self, effect: fx.DropReply) -> None:
        known = self.replies.pop(effect.reply)
        assert not known.committed
        assert effect.reply not in self.ended
        if effect.why == "cleared":  # a client's own response answers that turn
            self.unanswered.discard(known.turn or 0)

    def _on_stop_replies(self, effect: fx.StopReplies) -> None:
        assert effect.replies
        for number in effect.replies:
            known = self.replies.pop(number)
            self.unanswered.discard(known.turn or 0)
            assert known.turn is None or known.turn != self.opened
            assert number not in self.ended, "it has ended already"
            self.ended.add(number)

    def _on_hold_output(self, effect: fx.HoldOutput) -> None:
        assert not self.held
        assert any(known.committed for known in self.replies.values())
        self.held = True

    def _on_resume_output(self, effect: fx.ResumeOutput) -> None:
        assert self.held
        self.held = False
