"""Between a session and its dialog: all that happens is told to the dialog here, and what it
decides is handed on to the user's side (`user_turns.py`) and the agent's (`replies.py`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from voicepipe.asr.contract import Hypothesis
from voicepipe.audio.pcm import Int16
from voicepipe.dialog import effects as fx
from voicepipe.dialog.states import Agent, User
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.anticipation import Anticipation
from voicepipe.session.audio_input import MIN_COMMIT_MS, AudioInput, nothing_to_commit
from voicepipe.session.backchannels import Backchannels
from voicepipe.session.cleaning import cleaning_for
from voicepipe.session.context import Context
from voicepipe.session.dialog_recorder import recorder_for
from voicepipe.session.end_of_turn import EndOfTurnJudge
from voicepipe.session.idle_prefill import IdlePrefill
from voicepipe.session.language import given_language
from voicepipe.session.replies import Replies
from voicepipe.session.settings import SessionSettings
from voicepipe.session.stall_watch import StallWatch
from voicepipe.session.turn import Turn
from voicepipe.session.turn_detection import turn_options
from voicepipe.session.user_turns import UserTurns

log = logging.getLogger(__name__)


class TurnTaking:
    """The shell around one session's dialog."""

    def __init__(self, context: Context) -> None:
        self._context = context
        settings = context.settings
        options = turn_options(context.turns, settings.turn_detection)
        self._recorder = recorder_for(context)
        self.dialog = self._recorder.dialog(options, answers=self._answers_by_itself)
        self.dialog.speak(context.language.code)
        self.replies = Replies(context, self)
        detector = None if settings.turn_detection is None else context.engines.new_detector()
        self._input = AudioInput(
            context.clock,
            settings.input_format,
            self._preroll_ms(settings),
            detector,
            self.dialog,
            context.detection_audio,
        )
        self._backchannels = Backchannels(context)
        self._user_turns = UserTurns(context, self.dialog, self._input, self)
        self._asked: cmd.CreateResponse | None = None  # what the client's response is to be like
        self.keys_awaited: Callable[[], bool] = lambda: False  # the model waits for keys
        self._keys_wait: int | None = None  # the turn or reply that an entry is answered behind
        self._held_id: str | None = None  # the response that is held
        self._judge = EndOfTurnJudge(context, self._input, self._on_end_judged)
        self._stall = StallWatch(context.clock, self._input, self.dialog, self._on_stall)
        self._idle_prefill = IdlePrefill(self._may_prefill, self._prefill)
        self._anticipation = Anticipation(context)
        self._idle_prefill.soon()

    # -- what the session asks -----------------------------------------------------------------

    @property
    def held_ms(self) -> float:
        """Uncommitted push-to-talk audio."""
        pushed = self._input.detector is None and self.dialog.turn is not None
        return self._input.utterance_ms if pushed else 0.0

    @property
    def at_rest(self) -> bool:
        """No turn is under way on either side."""
        return self.dialog.at_rest

    @property
    def answer_is_expected(self) -> bool:
        """As `UserTurns`."""
        return self._user_turns.answer_is_expected

    @property
    def in_progress(self) -> str | None:
        """Id of the response that the client sees in progress."""
        number = self.dialog.in_progress
        return None if number is None else self.replies.response_id(number)

    @property
    def response_id(self) -> str | None:
        """Id of the newest reply under way, seen or not."""
        return self.replies.newest_response_id

    # -- what comes in -------------------------------------------------------------------------

    def hear(self, audio: bytes) -> None:
        """Wire audio of the user's, in order."""
        if self._input.detector is None and self.dialog.turn is None:
            self._perform(self.dialog.push_to_talk())
        for effects in self._input.append(audio):
            self._perform(effects)

    def apply_settings(self, before: SessionSettings, settings: SessionSettings) -> None:
        """The session's settings were replaced."""
        self._context.language.given = given_language(settings, self._context.config)
        self._user_turns.note_language()
        options = turn_options(self._context.turns, settings.turn_detection)
        self._perform(self.dialog.apply(options, answers=self._answers_by_itself))
        manual = settings.turn_detection is None
        if manual != self._input.manual:
            self.forget_user_audio()  # half a turn of the one kind is none of the other
            detector = None if manual else self._context.engines.new_detector()
            self._input.use(detector)
        self._input.apply_settings(settings.input_format, self._preroll_ms(settings))
        cleaning = cleaning_for(settings, self._context.config.audio.echo_cancellation)
        self._context.detection_audio.apply_settings(cleaning, settings.output_format)
        self._idle_prefill.soon()

    def changed(self) -> None:
        """Settings or items are others now."""
        self._perform(self.dialog.changed())
        self._idle_prefill.soon()

    def commit(self) -> None:
        """The client says that the user's turn is over."""
        if self._input.manual:
            if self.held_ms < MIN_COMMIT_MS:
                raise nothing_to_commit(self.held_ms)
        elif not self.dialog.user_is_speaking:
            raise nothing_to_commit(0.0)
        self._perform(self.dialog.commit())

    def forget_user_audio(self, *, asked: bool = False) -> None:
        """Drop the user's turn under way. The client is told, where it has `asked` or was told that
        they speak."""
        turn = self._user_turns.find(None if self.dialog.turn is None else self.dialog.turn.id)
        self._perform(self.dialog.clear())
        self._input.drain()
        if asked or (turn is not None and turn.announced):
            self._context.emit(ev.AudioCleared())
        self._answer_waiting_keys()

    def hear_item(self, item_id: str, pcm: Int16) -> None:
        """As `UserTurns`."""
        self._user_turns.hear_item(item_id, pcm)

    def respond(self, options: cmd.CreateResponse) -> None:
        """Answer because the client asks."""
        if options.out_of_band:
            turn = Turn("text", self._context.tasks)
            turn.end_now(self._context.clock.now())
            self.replies.ask_aside(turn, options)
            return
        self._expect_reply()
        self._asked = options
        _, effects = self.dialog.create()
        self._perform(effects)

    def say(self, text: str, then: Callable[[], None] | None = None) -> None:
        """Say `text` though nobody has asked. `then`: as `ToolResult.afterwards`."""
        self._backchannels.give_way()
        number, _ = self.dialog.create(answers=False)  # its one effect is carried out here
        turn = Turn("text", self._context.tasks, number=number)
        turn.over = True
        reply = self.replies.say(number, turn, text)
        if then is not None:
            reply.afterwards.append(then)

    def take_over(self, words: str) -> None:
        """Another agent has the next word, `words` or what its model makes of it: now, or behind
        whoever is speaking."""
        if words and self.at_rest:
            self.say(words)
        elif self.dialog.user_is_speaking or self.dialog.in_progress is not None:
            self.keys_entered()
        else:
            self.respond(cmd.CreateResponse())

    def cancel(self, response_id: str) -> bool:
        """Stop one response; False if it is not running."""
        number = self.replies.number_of(response_id)
        if number is None:
            aside = self.replies.cancel_aside(response_id)
            return aside or self._backchannels.cancel(response_id)
        self._perform(self.dialog.cancel(number))
        self._answer_waiting_keys()
        return True

    def clear_output(self) -> None:
        """The client wants silence."""
        self._backchannels.give_way("client_cancelled")
        self.replies.give_way()
        self._perform(self.dialog.clear_output())
        self._answer_waiting_keys()

    def key_pressed(self) -> None:
        """A key of the telephone."""
        self._let_them_speak()
        self._perform(self.dialog.key_pressed())

    def keys_entered(self) -> None:
        """What was keyed in is an item now: answer it, unless the user is speaking - then the end
        of that turn does, if there was a word in it."""
        if not self._answers_by_itself:
            return
        theirs = self.dialog.turn if self.dialog.user_is_speaking else None
        before = self.dialog.in_progress if theirs is None else theirs.id
        if before is None:
            self.respond(cmd.CreateResponse())
        else:  # two replies are never made at once: their sound would mix
            self._keys_wait = before

    def close(self) -> None:
        """The session ends."""
        self._stall.close()
        self._idle_prefill.close()
        self._anticipation.close()
        self._user_turns.close()
        self._input.close()
        self._context.detection_audio.close()
        self.replies.close()
        self._recorder.close()

    def let_go(self) -> None:
        """Closed, and no task is left: let go of the parts that know this one, so that counting
        references frees them all."""
        self.replies.let_go()
        del self.keys_awaited
        del self.replies, self._user_turns, self._judge, self._stall, self._idle_prefill

    # -- what the two sides report -------------------------------------------------------------

    def hypothesis(self, number: int, hypothesis: Hypothesis) -> None:
        """See `user_turns.Reports`."""
        words_in = self._context.language.word_count
        effects = self.dialog.hypothesis(
            number,
            hypothesis.text,
            loose_words=words_in(hypothesis.tentative),
            stable_words=words_in(hypothesis.stable),
        )
        self._perform(effects)

    def transcript(self, number: int, text: str | None, speech_end_ms: int | None = None) -> None:
        """See `user_turns.Reports`."""
        self._perform(self.dialog.transcript(number, text, speech_end_ms))

    def reply_acts(self, number: int) -> None:
        """See `reply.Reports`."""
        self._perform(self.dialog.reply_acts(number))

    def reply_audible(self, number: int, text: str) -> None:
        """See `reply.Reports`."""
        if self._keys_wait is not None and number > self._keys_wait:
            self._keys_wait = None  # begun later, with the entry in sight: it is the answer
        self._perform(self.dialog.reply_audible(number, text))

    def reply_complete(self, number: int) -> None:
        """See `replies.Reports`."""
        self._perform(self.dialog.reply_complete(number))
        self._answer_waiting_keys()
        self._idle_prefill.soon()

    def reply_done(self, number: int) -> None:
        """See `replies.Reports`."""
        self._perform(self.dialog.reply_done(number))
        self._answer_waiting_keys()
        self._idle_prefill.soon()

    def reply_failed(self, number: int) -> None:
        """See `replies.Reports`."""
        self._perform(self.dialog.reply_failed(number))

    def _on_stall(self) -> None:
        self._perform(self.dialog.stalled())

    def _on_end_judged(self, speech_end_ms: int, probability: float) -> None:
        self._perform(self.dialog.end_judged(speech_end_ms, probability))

    def _answer_waiting_keys(self) -> None:
        free = self.dialog.in_progress is None and not self.dialog.user_is_speaking
        if self._keys_wait is not None and free:
            self._keys_wait = None
            self.keys_entered()

    # -- the prompt, while nobody waits for it -------------------------------------------------

    def _may_prefill(self) -> bool:
        answered = self.dialog.agent in (Agent.IDLE, Agent.SPEAKING)
        nobody_waits = self.dialog.turn is None and answered
        return nobody_waits and not self._context.settings.transcription_only

    def _prefill(self) -> None:
        nothing_said = Turn("text", self._context.tasks)
        self._context.tasks.spawn(self._use_idle_time(nothing_said), "prefill")

    async def _use_idle_time(self, nothing_said: Turn) -> None:
        await self.replies.warm(nothing_said, "")
        if self._may_prefill():
            await self._anticipation.work()

    # -- effects -------------------------------------------------------------------------------

    def _perform(self, effects: fx.Effects) -> None:
        failure: Exception | None = None
        for effect in effects:
            try:
                self._perform_of_user(effect)
            except Exception as error:  # the dialog counts on all the others
                log.exception("%s could not be carried out", type(effect).__name__)
                failure = failure or error
        if failure is not None:
            raise failure

    def _perform_of_user(self, effect: fx.Effect) -> None:
        match effect:
            case fx.OpenUtterance(number, start_ms):
                self._anticipation.stop()
                self._user_turns.open(number, start_ms)
                self._watch_overlap()
            case fx.SpeechStarted(number, start_ms):
                self._let_them_speak()
                self._user_turns.announce(number, start_ms)
                self._stall.start()
            case fx.JudgeEnd(number, speech_end_ms):
                self._judge.ask(self._user_turns[number], speech_end_ms)
            case fx.EagerEnd(number):
                self._user_turns[number].ends_eagerly(self._context.clock.now(), self.dialog.now_ms)
                self._expect_reply()
            case fx.Decode(number, speech_end_ms):
                self._user_turns.decode(number, speech_end_ms)
            case fx.Backchannel(number):
                self._backchannels.say(self._user_turns[number])
            case fx.TurnContinued(number):
                self._backchannels.give_way()
                self._user_turns[number].continued()
            case fx.EndTurn(number):
                self._backchannels.give_way()
                self._user_turns.end(number, effect)
            case fx.CommitTurn(number):
                self._user_turns.end_pushed(number)
            case fx.DropTurn(number):
                self._backchannels.give_way()
                self._user_turns.drop(number)
            case fx.IdleTimeout(since_ms, now_ms):
                self._is_silent(since_ms, now_ms)
            case _:
                self._perform_of_agent(effect)

    def _let_them_speak(self) -> None:
        if self.dialog.options.interruptible:
            self.replies.give_way()

    def _is_silent(self, since_ms: int, now_ms: int) -> None:
        if self.keys_awaited():
            return  # whoever looks for a card's number says nothing; that wait has its own end
        self._user_turns.was_silent(since_ms, now_ms)
        self.respond(cmd.CreateResponse())

    def _perform_of_agent(self, effect: fx.Effect) -> None:
        match effect:
            case fx.Warm(number):
                turn = self._user_turns[number]
                self._context.tasks.spawn(self.replies.warm(turn, turn.stable), "warm")
            case fx.StartReply():
                self._anticipation.stop()
                self._start_reply(effect)
            case fx.CommitReply(number):
                self.replies.commit(number)
            case fx.DropReply(number, why):
                self.replies.drop(number, why)
            case fx.StopReplies(numbers, why):
                self.replies.stop(numbers, why)
            case fx.HoldOutput():
                self._hold_output()
            case fx.ResumeOutput():
                self._resume_output()

    def _watch_overlap(self) -> None:
        if self.dialog.user is User.OVERLAPPING:
            self._stall.start()

    def _start_reply(self, effect: fx.StartReply) -> None:
        turn = self._user_turns.find(effect.turn)
        asked, self._asked = self._asked, None
        if effect.committed:
            self._backchannels.give_way()
        if asked is None:
            assert turn is not None
            turn.prepared_at_ms = None if effect.committed else self.dialog.now_ms
            prepared = not effect.committed
            self.replies.start(effect.reply, turn, effect.guess, prepared=prepared)
            return
        turn = turn or Turn("text", self._context.tasks)
        turn.end_now(self._context.clock.now())
        self.replies.ask(effect.reply, turn, asked)

    def _hold_output(self) -> None:
        self.replies.hold()
        self._held_id = self.replies.oldest_response_id
        if self._held_id is not None:
            self._context.emit(ev.OutputPaused(self._held_id))

    def _resume_output(self) -> None:
        self.replies.resume()
        if self._held_id is not None:
            self._context.emit(ev.OutputResumed(self._held_id))

    def _expect_reply(self) -> None:
        if self._context.sink is not None:
            self._context.sink.expect()

    # -- settings ------------------------------------------------------------------------------

    @property
    def _answers_by_itself(self) -> bool:
        settings = self._context.settings
        detection = settings.turn_detection
        return bool(detection and detection.create_response) and not settings.transcription_only

    def _preroll_ms(self, settings: SessionSettings) -> int:
        detection = settings.turn_detection
        wanted_ms = detection.prefix_padding_ms if detection else 0
        return max(self._context.config.audio.preroll_ms, wanted_ms)
