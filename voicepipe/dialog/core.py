"""The dialog: whose turn it is, and what becomes of every reply. Pure: no I/O, no clock.

One object owns both sides of a conversation. What happens comes in by its methods; each returns the
effects that the session is to carry out, in order. Turns and replies are numbers here; the session
knows the audio and the tasks behind them, and reports back by number.

Time is the *stream time* of the user's audio in ms, so a decision depends on what was said and not
on how packets travelled. The state is the pair (`user`, `agent`), and every change of it is checked
against the table in `states.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from itertools import count
from typing import Any

from voicepipe.dialog import effects as fx
from voicepipe.dialog.completeness import Completeness, TextRules, Verdict
from voicepipe.dialog.effects import Effect, Effects
from voicepipe.dialog.endpointing import EndpointPolicy, Evidence
from voicepipe.dialog.options import MAX_GUESSES, TurnOptions
from voicepipe.dialog.overlap import Overlap, judge_overlap
from voicepipe.dialog.policies import create_policy
from voicepipe.dialog.states import Agent, State, User, check
from voicepipe.dialog.stretches import Stretches
from voicepipe.languages.known import language_of
from voicepipe.runtime.text import normalize_text

WARM_EVERY_WORDS = 4
"""New stable words between two requests to prefill the language model's prefix."""

GUESS_AFTER_MS = 40
"""Silence in which `stable_text` dares a guess. In mid-speech what looks complete seldom is ("turn
on the light" ... "in the kitchen"): two in three of all tokens went into such guesses."""

_NOTHING: Effects = ()


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
    text: str = ""  # all it has said so far, for the echo guard


@dataclass(slots=True)
class UserTurn:
    """The user's turn that is open."""

    id: int
    start_ms: int | None  # stream time of its first frame; None: push-to-talk
    guess: str | None = None  # partial text that a reply is prepared on
    guesses: int = 0  # how many there have been
    warmed_words: int = 0  # stable words that the model has been shown
    loose_words: int = 0  # at the end of the text so far, that may still change
    final: str | None = None  # transcript of the speech up to the present pause


class Dialog:
    """Both sides of one session's conversation."""

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
        self.completeness = completeness or TextRules()
        self.spoken: str | None = "en"  # ISO 639-1; None: nobody knows yet
        self.answers = answers
        self.user, self.agent = User.SILENT, Agent.IDLE
        self.since_ms = 0  # when the state was last changed ...
        self.why = "the session began"  # ... and by what
        self.turn: UserTurn | None = None  # the user's, or pushed-to-talk audio
        self.replies: list[Reply] = []  # oldest first: one may play while the next is made
        self.stretches = Stretches()
        self.speech_end_ms = 0  # end of the last speech frame, clicks left out
        self._policy = policy or create_policy(self.options.endpointing)
        self._overlap = Overlap()
        self._heard_from_ms = 0  # first frame of the present turn or overlap
        self._endpoint_ms: int | None = None  # when the last turn was ended, until it is too old
        self._idle_since_ms: int | None = None
        self._unanswered: int | None = None  # committed, but nobody asked for a response yet
        self._text = ""  # of the open turn so far
        self._judged: tuple[int, float] | None = None  # speech end; an audio model's probability
        self._ended_on: Verdict | None = None  # silence ended the last turn on this text
        self._numbers = count(1)
        self._out: list[Effect] = []
        self._cause = ""

    # -- what can be asked ---------------------------------------------------------------------

    @property
    def now_ms(self) -> int:
        """Stream time: the end of the newest frame."""
        return self.stretches.now_ms

    @property
    def in_speech(self) -> bool:
        """The newest frame is part of what the user says; a click is not."""
        return self.stretches.in_speech and self.speech_end_ms == self.stretches.now_ms

    @property
    def user_is_speaking(self) -> bool:
        """A turn of theirs is open, or an overlap is being judged."""
        return self.user is not User.SILENT

    @property
    def listens_for_overlap(self) -> bool:
        """The agent is audible, or is held: the first sign of speech counts."""
        return self.user is User.OVERLAPPING or (
            self.user is User.SILENT and self.agent is Agent.SPEAKING
        )

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
        known = (Stage.DUE, Stage.AUDIBLE)
        return next((r.id for r in self.replies if r.stage in known and not r.complete), None)

    def endpoint_wait_ms(self) -> int:
        """Silence that would end the turn now, by the policy."""
        if self.options.endpoint_fixed_ms is not None:
            return self.options.endpoint_fixed_ms
        evidence = Evidence(
            self.completeness.judge(self._text),
            self._end_probability,
            self._knows_whole_text(),
        )
        return self._policy.wait_ms(self.options, evidence)

    def _knows_whole_text(self) -> bool:
        if self.options.preemptive_generation == "off":
            return True  # no transcript is made before the turn is over: there is no better text
        return self.turn is not None and self.turn.final is not None

    @property
    def _end_probability(self) -> float | None:
        """An audio model's, of the present silence."""
        if self._judged is None or self._judged[0] != self.speech_end_ms:
            return None
        return self._judged[1]

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
            "silent_ms": max(0, self.now_ms - self.speech_end_ms),
            "replies": [
                {"id": r.id, "turn": r.turn, "stage": r.stage.value, "complete": r.complete}
                for r in self.replies
            ],
        }

    # -- what is heard of the user -------------------------------------------------------------

    def frame(self, probability: float) -> Effects:
        """One 20 ms frame of user audio with its speech probability."""
        self.stretches.frame(probability, self.options)
        if not self.stretches.in_speech:
            return self._on_silence()
        return _NOTHING if self.stretches.spent else self._on_speech()

    def hypothesis(
        self, turn: int, text: str, *, loose_words: int = 0, stable_words: int = 0
    ) -> Effects:
        """What the recognizer makes of the open utterance so far; its last `loose_words` may still
        change, its first `stable_words` will not."""
        if self.turn is None or self.turn.id != turn:
            return _NOTHING
        self._cause = "the recognizer's newest guess"
        self._text, self.turn.loose_words = text, loose_words
        if self.answers:
            self._warm(self.turn, stable_words)
            self._guess(self.turn)
        if self.user is User.OVERLAPPING:
            self._judge()
        return self._done()

    def transcript(self, turn: int, text: str | None, speech_end_ms: int | None = None) -> Effects:
        """The final transcript: of an open turn's speech up to `speech_end_ms` (of `Decode`), or of
        a turn that is over. None: the recognizer failed."""
        self._cause = "the final transcript"
        if self.turn is not None and self.turn.id == turn:
            if text is not None and speech_end_ms == self.speech_end_ms:
                self._learn(self.turn, text)
        else:
            self._confirm(turn, text)
        return self._done()

    def end_judged(self, speech_end_ms: int, probability: float) -> Effects:
        """An audio model's probability that the speech up to `speech_end_ms` (of `JudgeEnd`) is a
        whole turn. Comes too late if the user has gone on: then it means nothing."""
        if self.user not in (User.SPEAKING, User.PAUSED) or self.in_speech:
            return _NOTHING
        if speech_end_ms == self.speech_end_ms:
            self._judged = speech_end_ms, probability
        return _NOTHING  # the next silent frame acts on it

    def stalled(self) -> Effects:
        """No audio has come for too long while the user "speaks"."""
        self._cause = "the client stopped sending audio"
        if self.user is User.OVERLAPPING:
            self._let_go_on()
        elif self.user_is_speaking:
            self._force_end("stall")
        return self._done()

    # -- what becomes of replies ---------------------------------------------------------------

    def reply_audible(self, reply: int, text: str = "") -> Effects:
        """The first, or more, of a reply leaves the server; `text`: all it has said so far, for the
        echo guard. Written words count as audible where there is no sound."""
        found = self._reply(reply)
        if found is None:
            return _NOTHING
        found.text = text
        if found.stage is Stage.AUDIBLE:
            return _NOTHING
        self._cause = "the first of the reply is out"
        if self.agent is Agent.THINKING:
            self._overlap.false_alarms = 0
        found.stage = Stage.AUDIBLE
        self._go()
        return self._done()

    def reply_complete(self, reply: int) -> Effects:
        """All of it has been made and handed on; it may still be playing."""
        if (found := self._reply(reply)) is not None:
            found.complete = True
        return _NOTHING

    def reply_done(self, reply: int) -> Effects:
        """It was played to its end, or failed after its commit, or had nothing to answer."""
        found = self._reply(reply)
        if found is None:
            return _NOTHING
        self._cause = "the reply is over"
        self.replies.remove(found)
        self._after_replies()
        return self._done()

    def reply_failed(self, reply: int) -> Effects:
        """An engine gave an error while it was behind the gate: nobody knows, the endpoint starts
        a fresh one. After its commit it is as good as done."""
        found = self._reply(reply)
        if found is None:
            return _NOTHING
        if found.stage in (Stage.DUE, Stage.AUDIBLE):
            return self.reply_done(reply)
        self._cause = "a prepared reply failed"
        self._replace(found, "failed", again=False)
        return self._done()

    # -- what the client does ------------------------------------------------------------------

    def create(self, *, answers: bool = True) -> tuple[int, Effects]:
        """A reply that no endpoint asks for: the client's `response.create`, or (`answers` False) a
        greeting, a timer. It goes out behind what still plays; what was only prepared gives way.
        Returns its number."""
        self._cause = "the client asked for a response" if answers else "there is news to tell"
        turn = None
        if answers:
            turn, self._unanswered = self._unanswered, None
        for reply in [r for r in self.replies if r.stage in (Stage.PREPARED, Stage.UNCONFIRMED)]:
            self._drop(reply, "cleared")
            turn = reply.turn if reply.stage is Stage.UNCONFIRMED else turn
        if not self.user_is_speaking:  # else the end of their turn decides what becomes of it
            self._endpoint_ms = self._idle_since_ms = None
        number = self._start(turn)
        return number, self._done()

    def cancel(self, reply: int) -> Effects:
        """The client stops one reply."""
        self._cause = "the client cancelled the response"
        if (found := self._reply(reply)) is not None:
            self._stop([found], "client_cancelled")
            self._after_replies()
        return self._done()

    def clear_output(self) -> Effects:
        """The client wants silence."""
        self._cause = "the client cleared the output"
        self._stop(self._committed(), "client_cancelled")
        self._after_replies()
        return self._done()

    def key_pressed(self) -> Effects:
        """A key of the telephone: who presses one has heard enough."""
        self._cause = "a key was pressed"
        if self.options.interruptible and (running := self._committed()):
            self._stop(running, "turn_detected")
            self._after_replies()
        return self._done()

    def push_to_talk(self) -> Effects:
        """Audio came and no turn is open: one is, until the client commits or clears it."""
        self._cause = "the client sent audio"
        self.turn = UserTurn(next(self._numbers), None)
        self._emit(fx.OpenUtterance(self.turn.id, None))
        return self._done()

    def item_heard(self) -> int:
        """User audio came as an item: the number of the turn that it is, answered when asked."""
        self._unanswered = next(self._numbers)
        return self._unanswered

    def commit(self) -> Effects:
        """The client says that the user's turn is over. Nothing, if none is open."""
        self._cause = "the client committed"
        if self.turn is not None and self.turn.start_ms is None:
            self._unanswered, self.turn = self.turn.id, None
            self._emit(fx.CommitTurn(self._unanswered))
            return self._done()
        if self.user is User.OVERLAPPING:
            self.speech_end_ms = max(self.speech_end_ms, self._heard_from_ms)
            self._interrupt()
        if self.user_is_speaking:
            self._force_end("commit")
        return self._done()

    def clear(self) -> Effects:
        """The client takes back the user's audio that is not committed."""
        self._cause = "the client cleared its audio"
        self.stretches.break_off()
        self._text = ""
        if self.user is User.OVERLAPPING:
            self._let_go_on()
        elif self.turn is not None:
            self._withdraw(self.turn, "cleared")
            self._drop_turn()
            self._go(User.SILENT)
        return self._done()

    def apply(self, options: TurnOptions, *, answers: bool) -> Effects:
        """The session's settings are others now."""
        if options.endpointing != self.options.endpointing:
            self._policy = create_policy(options.endpointing)
        self.options, self.answers = options, answers
        return self.changed()

    def speak(self, code: str | None) -> Effects:
        """The user's language: the text rules and the judgement of overlaps follow it."""
        self.spoken = code
        if isinstance(self.completeness, TextRules):
            self.completeness.language = language_of(code)
        return _NOTHING

    def changed(self) -> Effects:
        """Settings or items of the conversation changed: what was made from the old ones and is
        not committed is stale."""
        self._cause = "settings or items changed"
        if self.turn is not None:
            self.turn.warmed_words = 0
        for reply in [r for r in self.replies if r.stage in (Stage.PREPARED, Stage.UNCONFIRMED)]:
            self._replace(reply, "stale", again=True)
        return self._done()

    # -- frames --------------------------------------------------------------------------------

    def _on_speech(self) -> Effects:
        options, now_ms, run_ms = self.options, self.now_ms, self.stretches.run_ms
        if self.user is User.SPEAKING:
            self.speech_end_ms = now_ms
            if now_ms - self._heard_from_ms < options.max_turn_ms:
                return self._go_on_from_guess(run_ms)
            self._cause = "the turn has become too long"
            self._force_end("max_turn")
            return self._done()
        if self.user is User.OVERLAPPING:
            if not self._overlap.hear(run_ms, options):
                return _NOTHING
            self.speech_end_ms = now_ms
            self._cause = "speech over the agent's"
            self._judge()
            return self._done()
        if self.agent is Agent.SPEAKING and self.user is User.SILENT and options.interruptible:
            return self._hold_if_due()
        thinking = self.user is User.SILENT and self.agent is Agent.THINKING
        if run_ms < (options.interrupt_thinking_ms if thinking else options.min_speech_ms):
            return _NOTHING
        return self._speech_began()

    def _go_on_from_guess(self, run_ms: int) -> Effects:
        """More words are coming than a guess has answered."""
        assert self.turn is not None
        if self.turn.guess is None or run_ms < self.options.min_speech_ms:
            return _NOTHING
        self._cause = "the user went on"
        self._withdraw(self.turn, "user_went_on")
        return self._done()

    def _speech_began(self) -> Effects:
        pause_ms = self.stretches.start_ms - self.speech_end_ms
        self.speech_end_ms = self.now_ms
        if self.user is User.PAUSED:
            self._cause = "the user went on"
            self._policy.went_on(self.completeness.judge(self._text), pause_ms)
            self._continue()
        elif self.agent is Agent.IDLE or not self.options.interruptible:
            self._cause = "the user began to speak"
            self._start_turn()
        else:  # nothing was audible yet: the user had only paused
            self._cause = "the user went on before anything was heard"
            reopen = self._endpoint_ms is not None
            self._settle_end(pause_ms if reopen else None)
            self._start_turn("reopened" if reopen else "turn_detected")
        return self._done()

    def _on_silence(self) -> Effects:
        silence_ms = self.now_ms - self.speech_end_ms
        if self.user is User.SPEAKING:
            if silence_ms >= self.options.eager_end_ms:
                self._cause = "the user fell silent"
                self._pause()
                self._end_if_due(silence_ms)
            elif self.turn is not None and self.answers:
                self._cause = "the user may have finished"
                self._guess(self.turn)
            if self.turn is not None:
                self._ask_end_of_turn_model(silence_ms)
            return self._done()
        if self.user is User.PAUSED:
            if not self._end_if_due(silence_ms):
                self._ask_end_of_turn_model(silence_ms)
            return self._done()
        if self.user is User.OVERLAPPING:
            if not self._overlap.is_over(self.now_ms, silence_ms, self.options):
                return _NOTHING
            self._cause = "it was no interruption"
            self._let_go_on()
            return self._done()
        if self.agent is Agent.SPEAKING and self.options.interruptible:
            return self._hold_if_due()
        return self._idle() if self.agent is Agent.IDLE else _NOTHING

    def _ask_end_of_turn_model(self, silence_ms: int) -> None:
        """Let an audio model hear the silence, at the moments that the policy wants."""
        if self.turn is None or self.options.endpoint_fixed_ms is not None:
            return
        if self._policy.asks_ear(self.options, silence_ms):
            self._emit(fx.JudgeEnd(self.turn.id, self.speech_end_ms))

    def _end_if_due(self, silence_ms: int) -> bool:
        if silence_ms < self.endpoint_wait_ms():
            return False
        self._cause = "silence ended the turn"
        self._end_turn("silence")
        return True

    def _idle(self) -> Effects:
        limit_ms, since_ms = self.options.idle_timeout_ms, self._idle_since_ms
        if limit_ms is None or since_ms is None or self.now_ms - since_ms < limit_ms:
            return _NOTHING
        self._idle_since_ms = None  # once per silence
        self._emit(fx.IdleTimeout(since_ms, self.now_ms))
        return self._done()

    # -- the user's turn -----------------------------------------------------------------------

    def _open_turn(self, start_ms: int) -> UserTurn:
        self.turn = UserTurn(next(self._numbers), start_ms)
        self._heard_from_ms, self._text = start_ms, ""
        return self.turn

    def _start_turn(self, stop: fx.StopReason | None = None) -> None:
        """`stop`: and why the agent is to be silent."""
        self._settle_end()
        turn = self._open_turn(self.stretches.start_ms)
        self._endpoint_ms = self._idle_since_ms = None
        self._emit(fx.OpenUtterance(turn.id, self._heard_from_ms))
        self._emit(fx.SpeechStarted(turn.id, self._heard_from_ms))
        if stop is not None:
            self._stop(list(self.replies), stop)
        self._go(User.SPEAKING)

    def _pause(self) -> None:
        """The eager end: what is said so far is decoded, and perhaps answered behind the gate."""
        assert self.turn is not None
        turn = self.turn
        self._go(User.PAUSED)
        self._emit(fx.EagerEnd(turn.id, self.speech_end_ms))
        if self.options.preemptive_generation == "off":
            return
        self._emit(fx.Decode(turn.id, self.speech_end_ms))
        if self.answers and turn.guess is None:
            self._prepare(turn, None)

    def _continue(self) -> None:
        """What was prepared on the whole of it does not fit."""
        assert self.turn is not None
        self._withdraw(self.turn, "user_went_on")
        self.turn.final = self._judged = None
        self._emit(fx.TurnContinued(self.turn.id))
        self._go(User.SPEAKING)

    def _force_end(self, reason: fx.EndReason) -> None:
        if self.user is User.SPEAKING:
            self._pause()
        self._end_turn(reason)

    def _end_turn(self, reason: fx.EndReason) -> None:
        assert self.turn is not None
        turn, self.turn = self.turn, None
        silent = reason == "silence"  # else it was not the policy that ended it
        self._ended_on = self.completeness.judge(self._text) if silent else None
        if reason == "stall":
            self.stretches.break_off()
        self.stretches.spend()
        self._judged = None
        self._endpoint_ms = self.now_ms
        self._emit(fx.EndTurn(turn.id, self.speech_end_ms, self.now_ms, reason))
        if self.answers:
            self._answer(turn)
        else:
            self._unanswered = turn.id
        self._go(User.SILENT)
        if not self.replies:
            self._idle_since_ms = self.now_ms

    def _drop_turn(self) -> None:
        assert self.turn is not None
        self._emit(fx.DropTurn(self.turn.id))
        self.turn = None

    def _settle_end(self, pause_ms: int | None = None) -> None:
        """Tell the policy whether the silence that ended the last turn was the end of it;
        `pause_ms`: no, the user went on after so long."""
        verdict, self._ended_on = self._ended_on, None
        if verdict is None:
            return
        if pause_ms is None:
            self._policy.ended(verdict)
        else:
            self._policy.went_on(verdict, pause_ms)

    # -- overlaps ------------------------------------------------------------------------------

    def _hold_if_due(self) -> Effects:
        """The agent is audible: hold it at the first sign of the user's speech."""
        overlap, options, run_ms = self._overlap, self.options, self.stretches.run_ms
        evidence_ms = run_ms if overlap.false_alarms else self.stretches.sign_ms
        if not evidence_ms or evidence_ms < overlap.needed_ms(options):
            return _NOTHING
        self._cause = "a sign of speech over the agent's"
        start_ms = self.now_ms - max(evidence_ms, run_ms)
        turn = self._open_turn(start_ms)
        overlap.begin(
            self.now_ms, start_ms - self.speech_end_ms, reopens=self._may_reopen(start_ms)
        )
        self._emit(fx.HoldOutput(turn.id))
        self._emit(fx.OpenUtterance(turn.id, start_ms))
        self._go(User.OVERLAPPING)
        if self.stretches.in_speech and overlap.hear(run_ms, options):
            self.speech_end_ms = self.now_ms
            self._judge()
        return self._done()

    def _judge(self) -> None:
        overlap = self._overlap
        if overlap.confirmed and judge_overlap(
            self.options,
            speech_ms=overlap.speech_ms,
            text=self._text,
            agent_text=" ".join(reply.text for reply in self.replies),
            reopens=overlap.reopens,
            language=language_of(self.spoken),
        ):
            self._interrupt()

    def _interrupt(self) -> None:
        """The overlap is a turn of the user's."""
        assert self.turn is not None
        overlap = self._overlap
        self._settle_end(overlap.after_ms if overlap.reopens else None)
        self._endpoint_ms = None
        self._emit(fx.SpeechStarted(self.turn.id, self._heard_from_ms))
        self._stop(list(self.replies), "reopened" if overlap.reopens else "turn_detected")
        self._go(User.SPEAKING)

    def _let_go_on(self) -> None:
        """It was no interruption."""
        assert self.turn is not None
        self._overlap.was_nothing()
        if self._overlap.confirmed:
            self._settle_end()
        held = self.turn.id
        self._drop_turn()
        self._emit(fx.ResumeOutput(held))
        self._go(User.SILENT)

    def _may_reopen(self, start_ms: int) -> bool:
        """Speech again so soon after the endpoint that the user had only paused."""
        if self._endpoint_ms is None:
            return False
        return start_ms - self._endpoint_ms <= self.options.reopen_ms

    # -- preparing -----------------------------------------------------------------------------

    def _warm(self, turn: UserTurn, stable_words: int) -> None:
        """Let the model prefill what will not change any more."""
        if stable_words - turn.warmed_words >= WARM_EVERY_WORDS and not self.replies:
            turn.warmed_words = stable_words
            self._emit(fx.Warm(turn.id, stable_words))

    def _guess(self, turn: UserTurn) -> None:
        """`stable_text`: answer partial text that looks complete, while it stands."""
        if self.options.preemptive_generation != "stable_text":
            return
        if turn.guess is not None and not _same(turn.guess, self._text):
            self._withdraw(turn, "text_changed")
        if (
            turn.guess is None
            and turn.guesses < MAX_GUESSES
            and not self.replies
            and turn.loose_words <= 1
            and self.now_ms - self.speech_end_ms >= GUESS_AFTER_MS
            and self.completeness.judge(self._text) is Verdict.COMPLETE
        ):
            turn.guesses += 1
            self._prepare(turn, self._text)

    def _learn(self, turn: UserTurn, text: str) -> None:
        """What was said up to this pause."""
        turn.final = text
        if turn.guess is not None and not _same(turn.guess, text):
            self._withdraw(turn, "final_differs")
            if not self.in_speech:
                self._prepare(turn, None)
        self._text = text

    def _prepare(self, turn: UserTurn, guess: str | None) -> None:
        if self.replies:
            return  # it speaks on until this turn's end, which stops it
        turn.guess = guess
        reply = Reply(next(self._numbers), turn.id, Stage.PREPARED, guess)
        self.replies.append(reply)
        self._emit(fx.StartReply(reply.id, turn.id, guess, committed=False))
        self._go()

    def _withdraw(self, turn: UserTurn, why: fx.DropReason) -> None:
        """What was prepared for this turn is not its answer."""
        turn.guess = None
        for reply in [r for r in self.replies if r.stage is Stage.PREPARED]:
            self._drop(reply, why)
        self._go()

    def _answer(self, turn: UserTurn) -> None:
        """The turn is over: with what was prepared for it, if it fits."""
        mine = next((r for r in self.replies if r.turn == turn.id), None)
        # A reply that could not be interrupted until now:
        self._stop([r for r in self.replies if r is not mine], "turn_detected")
        if mine is None:
            self._start(turn.id)
        elif mine.guess is None or turn.final is not None:
            self._commit_or_replace(mine, turn.final)
        else:
            mine.stage = Stage.UNCONFIRMED

    def _confirm(self, turn: int, text: str | None) -> None:
        """The final transcript of a turn that is over."""
        waiting = next(
            (r for r in self.replies if r.turn == turn and r.stage is Stage.UNCONFIRMED), None
        )
        if waiting is not None:
            self._commit_or_replace(waiting, text or "")
            self._go()

    def _commit_or_replace(self, reply: Reply, final: str | None) -> None:
        if reply.guess is not None and not _same(reply.guess, final or ""):
            self._drop(reply, "final_differs")
            self._start(reply.turn)
            return
        reply.stage = Stage.DUE
        self._emit(fx.CommitReply(reply.id))

    # -- replies -------------------------------------------------------------------------------

    def _reply(self, number: int) -> Reply | None:
        return next((reply for reply in self.replies if reply.id == number), None)

    def _committed(self) -> list[Reply]:
        return [r for r in self.replies if r.stage is not Stage.PREPARED]

    def _start(self, turn: int | None) -> int:
        """A reply that is due at once."""
        reply = Reply(next(self._numbers), turn, Stage.DUE)
        self.replies.append(reply)
        self._emit(fx.StartReply(reply.id, turn, None, committed=True))
        self._go()
        return reply.id

    def _drop(self, reply: Reply, why: fx.DropReason) -> None:
        self.replies.remove(reply)
        if self.turn is not None and self.turn.id == reply.turn:
            self.turn.guess = None
        self._emit(fx.DropReply(reply.id, why))

    def _replace(self, reply: Reply, why: fx.DropReason, *, again: bool) -> None:
        """Drop what is behind the gate. A turn that is over gets another at once; an open one if
        `again`, and it is the whole of it that is to be answered."""
        self._drop(reply, why)
        if reply.stage is Stage.UNCONFIRMED:
            self._start(reply.turn)
        elif (
            again
            and self.turn is not None
            and self.user is User.PAUSED
            and self.answers
            and self.options.preemptive_generation != "off"
        ):
            self._prepare(self.turn, None)
        self._go()

    def _stop(self, replies: list[Reply], why: fx.StopReason) -> None:
        if replies:
            self.replies = [reply for reply in self.replies if reply not in replies]
            self._emit(fx.StopReplies(tuple(reply.id for reply in replies), why))

    def _after_replies(self) -> None:
        """Replies have ended or were stopped."""
        if self.user is User.OVERLAPPING and not self._audible():
            if self._overlap.confirmed:  # nothing is left to interrupt: it is a turn
                self._overlap.reopens = False
                self._interrupt()
            else:
                self._let_go_on()
        if not self.replies and self.user is User.SILENT:
            self._idle_since_ms = self.now_ms
        self._go()

    def _audible(self) -> bool:
        return any(reply.stage is Stage.AUDIBLE for reply in self.replies)

    # -- steps ---------------------------------------------------------------------------------

    def _emit(self, effect: Effect) -> None:
        self._out.append(effect)

    def _done(self) -> Effects:
        effects = tuple(self._out)
        self._out.clear()
        return effects

    def _go(self, user: User | None = None) -> None:
        """The agent's side follows from its replies. Raises IllegalTransition."""
        before: State = (self.user, self.agent)
        user = user or self.user
        after: State = (user, self._agent(user))
        if after == before:
            return
        check(before, after)
        self.user, self.agent = after
        self.since_ms, self.why = self.now_ms, self._cause

    def _agent(self, user: User) -> Agent:
        if not self.replies:
            return Agent.IDLE
        if user is User.OVERLAPPING:
            return Agent.HELD
        if self._audible():
            return Agent.SPEAKING
        prepared = all(reply.stage is Stage.PREPARED for reply in self.replies)
        return Agent.PREPARING if prepared else Agent.THINKING


def _same(text: str, other: str) -> bool:
    """The same words, however they are written."""
    return normalize_text(text) == normalize_text(other)
