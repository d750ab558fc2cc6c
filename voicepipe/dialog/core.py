"""The dialog: whose turn it is, and what becomes of every reply. Pure: no I/O, no clock.

One object owns both sides of a conversation. What happens comes in by its methods; each returns the
effects that the session is to carry out, in order. Turns and replies are numbers here; the session
knows the audio and the tasks behind them, and reports back by number.

Time is the *stream time* of the user's audio in ms, so a decision depends on what was said and not
on how packets travelled. The state is the pair (`user`, `agent`), and every change of it is checked
against the table in `states.py`. Each side is a class of its own that knows nothing of the other
(`user_side.py`, `agent_side.py`); what the one means for the other is decided here.
"""

from __future__ import annotations

from voicepipe.dialog import effects as fx
from voicepipe.dialog.agent_side import same_words
from voicepipe.dialog.effects import Effects
from voicepipe.dialog.options import TurnOptions
from voicepipe.dialog.overlap import judge_overlap
from voicepipe.dialog.sides import NOTHING, Sides
from voicepipe.dialog.states import Agent, Reply, Stage, User, UserTurn
from voicepipe.languages.known import language_of

WARM_EVERY_WORDS = 4
"""New stable words between two requests to prefill the language model's prefix."""


class Dialog(Sides):
    """Both sides of one session's conversation, told what happens."""

    # -- what is heard of the user -------------------------------------------------------------

    def frame(self, probability: float) -> Effects:
        """One 20 ms frame of user audio with its speech probability."""
        stretches = self._user_side.stretches
        stretches.frame(probability, self.options)
        if not stretches.in_speech:
            return self._on_silence()
        if stretches.spent:
            self._is_there()
            return NOTHING
        return self._on_speech()

    def hypothesis(
        self, turn: int, text: str, *, loose_words: int = 0, stable_words: int = 0
    ) -> Effects:
        """What the recognizer makes of the open utterance so far; its last `loose_words` may still
        change, its first `stable_words` will not."""
        theirs = self._user_side
        current = theirs.turn
        if current is None or current.id != turn:
            return NOTHING
        self._cause = "the recognizer's newest guess"
        theirs.text, current.loose_words = text, loose_words
        if self.answers:
            self._warm(current, stable_words)
            self._guess(current)
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
            self._agent_side.confirm(turn, text)
        return self._done()

    def end_judged(self, speech_end_ms: int, probability: float) -> Effects:
        """An audio model's probability that the speech up to `speech_end_ms` (of `JudgeEnd`) is a
        whole turn. Comes too late if the user has gone on: then it means nothing."""
        self._user_side.end_judged(speech_end_ms, probability)
        return NOTHING  # the next silent frame acts on it

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
        found = self._agent_side.find(reply)
        if found is None:
            return NOTHING
        found.text = text
        self._cause = "the first of the reply is out"
        if self.agent is Agent.THINKING:
            self._overlap.false_alarms = 0
        found.stage = Stage.AUDIBLE
        self._go()
        return self._done()

    def reply_acts(self, reply: int) -> Effects:
        """A prepared reply wants a tool that changes something, and waits for the end of the turn
        with it: a turn that is ended too soon now costs more."""
        if (found := self._agent_side.find(reply)) is not None:
            found.acts = True
        return NOTHING  # the next silent frame acts on it

    def reply_complete(self, reply: int) -> Effects:
        """All of it has been made and handed on; it may still be playing."""
        if (found := self._agent_side.find(reply)) is not None:
            found.complete = True
        return NOTHING

    def reply_done(self, reply: int) -> Effects:
        """It was played to its end, or failed after its commit, or had nothing to answer."""
        found = self._agent_side.find(reply)
        if found is None:
            return NOTHING
        self._cause = "the reply is over"
        self.replies.remove(found)
        self._after_replies()
        return self._done()

    def reply_failed(self, reply: int) -> Effects:
        """An engine gave an error while it was behind the gate: nobody knows, the endpoint starts
        a fresh one. After its commit it is as good as done."""
        found = self._agent_side.find(reply)
        if found is None:
            return NOTHING
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
        for reply in self._agent_side.behind_gate:
            self._agent_side.drop(reply, "cleared")
            turn = reply.turn if reply.stage is Stage.UNCONFIRMED else turn
        if not self.user_is_speaking:  # else the end of their turn decides what becomes of it
            self._user_side.endpoint_ms = self._idle_since_ms = None
        number = self._agent_side.start(turn)
        self._go()
        return number, self._done()

    def cancel(self, reply: int) -> Effects:
        """The client stops one reply."""
        self._cause = "the client cancelled the response"
        found = self._agent_side.find(reply)
        return self._stop([] if found is None else [found], "client_cancelled")

    def clear_output(self) -> Effects:
        """The client wants silence."""
        self._cause = "the client cleared the output"
        return self._stop(self._agent_side.committed, "client_cancelled")

    def key_pressed(self) -> Effects:
        """A key of the telephone: who presses one has heard enough, and is there."""
        self._cause = "a key was pressed"
        self._is_there()
        running = self._agent_side.committed if self.options.interruptible else []
        return self._stop(running, "turn_detected")

    def push_to_talk(self) -> Effects:
        """Audio came and no turn is open: one is, until the client commits or clears it."""
        self._user_side.turn = turn = UserTurn(next(self._numbers), None)
        self._out.append(fx.OpenUtterance(turn.id, None))
        return self._done()

    def item_heard(self) -> int:
        """User audio came as an item: the number of the turn that it is, answered when asked."""
        self._unanswered = next(self._numbers)
        return self._unanswered

    def commit(self) -> Effects:
        """The client says that the user's turn is over. Nothing, if none is open."""
        self._cause = "the client committed"
        theirs = self._user_side
        if theirs.turn is not None and theirs.turn.start_ms is None:
            self._unanswered, theirs.turn = theirs.turn.id, None
            self._out.append(fx.CommitTurn(self._unanswered))
            return self._done()
        if self.user is User.OVERLAPPING:
            theirs.speech_end_ms = max(theirs.speech_end_ms, theirs.heard_from_ms)
            self._interrupt()
        if self.user_is_speaking:
            self._force_end("commit")
        return self._done()

    def clear(self) -> Effects:
        """The client takes back the user's audio that is not committed."""
        self._cause = "the client cleared its audio"
        self._user_side.forget()
        if self.user is User.OVERLAPPING:
            self._let_go_on()
        elif self.turn is not None:
            self._withdraw("cleared")
            self._drop_turn()
            if self.user_is_speaking and not self.replies:  # nobody will answer it
                self._idle_since_ms = self.now_ms
            self._go(User.SILENT)
        return self._done()

    def apply(self, options: TurnOptions, *, answers: bool) -> Effects:
        """The session's settings are others now."""
        self._user_side.apply(self.options, options)
        self.options, self.answers = options, answers
        return self.changed()

    def speak(self, code: str | None) -> Effects:
        """The user's language: the text rules and the judgement of overlaps follow it."""
        self.spoken = code
        self._user_side.speak(code)
        return NOTHING

    def changed(self) -> Effects:
        """Settings or items of the conversation changed: what was made from the old ones and is
        not committed is stale."""
        self._cause = "settings or items changed"
        if self.turn is not None:
            self.turn.warmed_words = 0
        for reply in self._agent_side.behind_gate:
            self._replace(reply, "stale", again=True)
        return self._done()

    # -- frames --------------------------------------------------------------------------------

    def _on_speech(self) -> Effects:
        options, theirs = self.options, self._user_side
        now_ms = theirs.stretches.now_ms
        run_ms = now_ms - theirs.stretches.start_ms
        if self.user is User.SPEAKING:
            theirs.speech_end_ms = now_ms
            if now_ms - theirs.heard_from_ms < options.max_turn_ms:
                return self._go_on_from_guess(run_ms)
            self._cause = "the turn has become too long"
            self._force_end("max_turn")
            return self._done()
        if self.user is User.OVERLAPPING:
            if not self._overlap.hear(run_ms, options):
                return NOTHING
            theirs.speech_end_ms = now_ms
            self._cause = "speech over the agent's"
            self._judge()
            self._let_go_of_endless()
            return self._done()
        if self.agent is Agent.SPEAKING and self.user is User.SILENT and options.interruptible:
            return self._hold_if_due()
        thinking = self.user is User.SILENT and self.agent is Agent.THINKING
        if run_ms < (options.interrupt_thinking_ms if thinking else options.min_speech_ms):
            return NOTHING
        return self._speech_began()

    def _go_on_from_guess(self, run_ms: int) -> Effects:
        """More words are coming than a guess has answered."""
        if run_ms >= self.options.min_speech_ms and self._agent_side.guess is not None:
            self._cause = "the user went on"
            self._withdraw("user_went_on")
        return self._done()

    def _speech_began(self) -> Effects:
        theirs = self._user_side
        pause_ms = theirs.stretches.start_ms - theirs.speech_end_ms
        theirs.speech_end_ms = theirs.now_ms
        if self.user is User.PAUSED:
            self._cause = "the user went on"
            theirs.went_on(pause_ms)
            self._continue()
        elif self.agent is Agent.IDLE or not self.options.interruptible:
            self._cause = "the user began to speak"
            self._start_turn()
        else:  # nothing was audible yet: the user had only paused
            self._cause = "the user went on before anything was heard"
            reopen = theirs.endpoint_ms is not None
            theirs.settle_end(pause_ms if reopen else None)
            self._start_turn("reopened" if reopen else "turn_detected")
        return self._done()

    def _on_silence(self) -> Effects:
        if self.user is User.SPEAKING or self.user is User.PAUSED:
            return self._on_silence_in_turn(self._user_side.silence_ms)
        if self.user is User.OVERLAPPING:
            silence_ms = self._user_side.silence_ms
            if not self._overlap.is_over(self.now_ms, silence_ms, self.options):
                return NOTHING
            self._cause = "it was no interruption"
            self._let_go_on()
            return self._done()
        if self.agent is Agent.SPEAKING and self.options.interruptible:
            return self._hold_if_due()
        return self._idle()

    def _on_silence_in_turn(self, silence_ms: int) -> Effects:
        theirs, options = self._user_side, self.options
        assert theirs.turn is not None
        if self.user is User.SPEAKING:
            if silence_ms >= options.eager_end_ms:
                self._cause = "the user fell silent"
                self._pause()
            elif self.answers:
                self._cause = "the user may have finished"
                self._guess(theirs.turn)
        if self.user is User.PAUSED and silence_ms >= self.endpoint_wait_ms():
            self._cause = "silence ended the turn"
            self._end_turn("silence")
            return self._done()
        if theirs.asks_model(options, silence_ms):
            self._out.append(fx.JudgeEnd(theirs.turn.id, theirs.speech_end_ms))
        if self._may_show_it_listens and theirs.wants_backchannel(options, silence_ms):
            theirs.backchannel_ms = theirs.now_ms
            self._out.append(fx.Backchannel(theirs.turn.id))
        return self._done()

    def _idle(self) -> Effects:
        limit_ms, since_ms = self.options.idle_timeout_ms, self._idle_since_ms
        if not limit_ms or since_ms is None or self.now_ms - since_ms < limit_ms:
            return NOTHING
        self._idle_since_ms = None  # once per silence
        self._out.append(fx.IdleTimeout(since_ms, self.now_ms))
        return self._done()

    def _is_there(self) -> None:
        """The user is there, though nothing of this will be answered: the silence begins anew."""
        if self._idle_since_ms is not None:
            self._idle_since_ms = self.now_ms

    # -- the user's turn -----------------------------------------------------------------------

    def _start_turn(self, stop: fx.StopReason | None = None) -> None:
        """`stop`: and why the agent is to be silent."""
        theirs = self._user_side
        theirs.settle_end()
        turn = theirs.open(next(self._numbers), theirs.stretches.start_ms)
        theirs.endpoint_ms = self._idle_since_ms = None
        self._out.append(fx.OpenUtterance(turn.id, theirs.heard_from_ms))
        self._out.append(fx.SpeechStarted(turn.id, theirs.heard_from_ms))
        if stop is not None:
            self._agent_side.stop(list(self.replies), stop)
        self._go(User.SPEAKING)

    def _pause(self) -> None:
        """The eager end: what is said so far is decoded, and perhaps answered behind the gate."""
        assert self.turn is not None
        turn, end_ms = self.turn, self.speech_end_ms
        self._go(User.PAUSED)
        self._out.append(fx.EagerEnd(turn.id, end_ms))
        if self.options.preemptive_generation == "off":
            return
        self._out.append(fx.Decode(turn.id, end_ms))
        if self.answers:
            self._prepare(turn, None)

    def _continue(self) -> None:
        """What was prepared on the whole of it does not fit."""
        assert self.turn is not None
        self._withdraw("user_went_on")
        self._user_side.go_on()
        self._out.append(fx.TurnContinued(self.turn.id))
        self._go(User.SPEAKING)

    def _force_end(self, reason: fx.EndReason) -> None:
        if self.user is User.SPEAKING:
            self._pause()
        self._end_turn(reason)

    def _end_turn(self, reason: fx.EndReason) -> None:
        turn = self._user_side.end(silent=reason == "silence", stalled=reason == "stall")
        self._out.append(fx.EndTurn(turn.id, self.speech_end_ms, self.now_ms, reason))
        if self.answers:
            self._agent_side.answer(turn.id, turn.final)
            self._go()
        else:
            self._unanswered = turn.id
        self._go(User.SILENT)
        if not self.replies:
            self._idle_since_ms = self.now_ms

    # -- the user over the agent ---------------------------------------------------------------

    def _hold_if_due(self) -> Effects:
        """The agent is audible: hold it at the first sign of the user's speech."""
        overlap, options, theirs = self._overlap, self.options, self._user_side
        stretches, now_ms = theirs.stretches, theirs.now_ms
        evidence_ms = stretches.run_ms if overlap.false_alarms else stretches.sign_ms
        if not evidence_ms or evidence_ms < overlap.needed_ms(options):
            return NOTHING
        self._cause = "a sign of speech over the agent's"
        start_ms = now_ms - max(evidence_ms, stretches.run_ms)
        turn = theirs.open(next(self._numbers), start_ms)
        reopens = theirs.may_reopen(start_ms, options)
        overlap.begin(now_ms, start_ms - theirs.speech_end_ms, reopens=reopens)
        self._out.append(fx.HoldOutput(turn.id))
        self._out.append(fx.OpenUtterance(turn.id, start_ms))
        self._go(User.OVERLAPPING)
        if stretches.in_speech and overlap.hear(stretches.run_ms, options):
            theirs.speech_end_ms = now_ms
            self._judge()
        return self._done()

    def _judge(self) -> None:
        overlap = self._overlap
        if overlap.confirmed and judge_overlap(
            self.options,
            speech_ms=overlap.speech_ms,
            text=self._user_side.text,
            agent_text=self._agent_side.text,
            reopens=overlap.reopens,
            language=language_of(self.spoken),
        ):
            self._interrupt()

    def _interrupt(self) -> None:
        """The overlap is a turn of the user's."""
        assert self.turn is not None
        overlap, theirs = self._overlap, self._user_side
        theirs.settle_end(overlap.after_ms if overlap.reopens else None)
        theirs.endpoint_ms = None
        self._out.append(fx.SpeechStarted(self.turn.id, theirs.heard_from_ms))
        why: fx.StopReason = "reopened" if overlap.reopens else "turn_detected"
        self._agent_side.stop(list(self.replies), why)
        self._go(User.SPEAKING)

    def _let_go_on(self) -> None:
        """It was no interruption."""
        assert self.turn is not None
        self._overlap.was_nothing()
        if self._overlap.confirmed:
            self._user_side.settle_end()
        held = self.turn.id
        self._drop_turn()
        self._out.append(fx.ResumeOutput(held))
        self._go(User.SILENT)

    def _let_go_of_endless(self) -> None:
        """What sounds like the agent's own words and does not end: a line that hums over an echo.
        The agent goes on, and the rest of it is no new sign of speech."""
        theirs = self._user_side
        lasts_ms = theirs.now_ms - theirs.heard_from_ms
        if self.user is User.OVERLAPPING and lasts_ms >= self.options.max_turn_ms:
            theirs.stretches.spend()
            self._let_go_on()

    def _stop(self, replies: list[Reply], why: fx.StopReason) -> Effects:
        if not replies:
            return NOTHING
        self._agent_side.stop(replies, why)
        self._after_replies()
        return self._done()

    def _after_replies(self) -> None:
        """Replies have ended or were stopped."""
        if self.user is User.OVERLAPPING and not self._agent_side.audible:
            if self._overlap.confirmed:  # nothing is left to interrupt: it is a turn
                self._overlap.reopens = False
                self._interrupt()
            else:
                self._let_go_on()
        if not self.replies and self.user is User.SILENT:
            self._idle_since_ms = self.now_ms
        self._go()

    # -- preparing -----------------------------------------------------------------------------

    def _warm(self, turn: UserTurn, stable_words: int) -> None:
        """Let the model prefill what will not change any more."""
        if stable_words - turn.warmed_words >= WARM_EVERY_WORDS and not self.replies:
            turn.warmed_words = stable_words
            self._out.append(fx.Warm(turn.id, stable_words))

    def _guess(self, turn: UserTurn) -> None:
        """`stable_text`: answer partial text that looks complete, while it stands."""
        if self.options.preemptive_generation != "stable_text":
            return
        theirs, guess = self._user_side, self._agent_side.guess
        if guess is not None and not same_words(guess, theirs.text):
            self._withdraw("text_changed")
        if not self.replies and theirs.looks_complete:
            turn.guesses += 1
            self._prepare(turn, theirs.text)

    def _learn(self, turn: UserTurn, text: str) -> None:
        """What was said up to this pause."""
        turn.final = text
        guess = self._agent_side.guess
        if guess is not None and not same_words(guess, text):
            self._withdraw("final_differs")
            self._prepare(turn, None)
        self._user_side.text = text
