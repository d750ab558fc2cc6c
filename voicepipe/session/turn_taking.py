"""Carries out what the dialog decides: utterances open and close, items are written, replies are
made and stopped. All that happens in a session is told to the dialog here, and by number.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from voicepipe.asr.contract import AsrOptions, Hypothesis, Utterance
from voicepipe.audio.pcm import Int16
from voicepipe.dialog import effects as fx
from voicepipe.dialog.states import Agent, User
from voicepipe.runtime.errors import EngineError
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
from voicepipe.session.turn import Origin, Turn
from voicepipe.session.turn_detection import turn_options
from voicepipe.session.turn_notes import TurnTrace
from voicepipe.session.user_items import UserItems

log = logging.getLogger(__name__)

ANSWER_EXPECTED_S = 5.0
"""A client that answers turns itself has asked for the answer by then, or will not."""


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
        self._items = UserItems(context, self._confirm)
        self._turns: dict[int, Turn] = {}  # those that the dialog may name
        self._asked: cmd.CreateResponse | None = None  # what the client's response is to be like
        self._left_to_client_at = -ANSWER_EXPECTED_S  # when a turn was last committed unanswered
        self._keys_wait = False  # an entry is to be answered when the reply in progress is made
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
        """A turn is committed, and the client will ask for its answer any moment."""
        return self._context.clock.now() - self._left_to_client_at < ANSWER_EXPECTED_S

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
        self._note_language()
        options = turn_options(self._context.turns, settings.turn_detection)
        self._perform(self.dialog.apply(options, answers=self._answers_by_itself))
        manual = settings.turn_detection is None
        if manual != self._input.manual:
            self.forget_user_audio()  # half a turn of the one kind is none of the other
            detector = None if manual else self._context.engines.new_detector()
            self._input.detector = detector
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

    def forget_user_audio(self) -> None:
        """Drop the user's turn under way."""
        self._perform(self.dialog.clear())
        self._input.drain()

    def hear_item(self, item_id: str, pcm: Int16) -> None:
        """User audio that came as an item: transcribe it, answer it when asked."""
        self._items.keep_audio(item_id, pcm)
        utterance = self._new_utterance(partials=False)
        utterance.feed(pcm)
        turn = self._add_turn(self.dialog.item_heard(), "commit", utterance)
        turn.item_id = item_id
        turn.end_now(self._context.clock.now())
        self._items.write_down(turn)

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

    def cancel(self, response_id: str) -> bool:
        """Stop one response; False if it is not running."""
        number = self.replies.number_of(response_id)
        if number is None:
            aside = self.replies.cancel_aside(response_id)
            return aside or self._backchannels.cancel(response_id)
        self._perform(self.dialog.cancel(number))
        return True

    def clear_output(self) -> None:
        """The client wants silence."""
        self._backchannels.give_way("client_cancelled")
        self._perform(self.dialog.clear_output())

    def key_pressed(self) -> None:
        """A key of the telephone."""
        self._perform(self.dialog.key_pressed())

    def keys_entered(self) -> None:
        """What was keyed in is an item now: answer it, unless the user is speaking - then the end
        of that turn does."""
        if not self._answers_by_itself or self.dialog.user_is_speaking:
            return
        if self.dialog.in_progress is None:
            self.respond(cmd.CreateResponse())
        else:  # two replies are never made at once: their sound would mix
            self._keys_wait = True

    def close(self) -> None:
        """The session ends."""
        self._stall.close()
        self._idle_prefill.close()
        self._anticipation.close()
        if self.dialog.turn is not None:  # the others' transcripts end with the session's tasks
            self._turns[self.dialog.turn.id].drop()
        self._turns.clear()
        self._input.close()
        self._context.detection_audio.close()
        self.replies.close()
        self._recorder.close()

    def let_go(self) -> None:
        """Closed, and no task is left: let go of the parts that know this one, so that counting
        references frees them all."""
        self.replies.let_go()
        del self.replies, self._items, self._judge, self._stall, self._idle_prefill

    # -- what replies report -------------------------------------------------------------------

    def reply_audible(self, number: int, text: str) -> None:
        """See `reply.Reports`."""
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

    def _answer_waiting_keys(self) -> None:
        if self._keys_wait and self.dialog.in_progress is None:
            self._keys_wait = False
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
                self._open_utterance(number, start_ms)
            case fx.SpeechStarted(number, start_ms):
                self._on_speech_started(self._turns[number], start_ms)
            case fx.JudgeEnd(number, speech_end_ms):
                self._judge.ask(self._turns[number], speech_end_ms)
            case fx.EagerEnd(number, speech_end_ms):
                self._on_eager_end(self._turns[number], speech_end_ms)
            case fx.Decode(number, speech_end_ms):
                turn = self._turns[number]
                turn.begin_decoding()
                self._context.tasks.spawn(self._learn_text(turn, speech_end_ms), "learn text")
            case fx.Backchannel(number):
                self._backchannels.say(self._turns[number])
            case fx.TurnContinued(number):
                self._backchannels.give_way()
                self._turns[number].continued()
            case fx.EndTurn(number):
                self._backchannels.give_way()
                self._on_end_turn(self._turns[number], effect)
            case fx.CommitTurn(number):
                self._input.drain()
                self._turns[number].end_now(self._context.clock.now())
                self._commit_item(self._turns[number])
            case fx.DropTurn(number):
                self._backchannels.give_way()
                self._turns.pop(number).drop()
                self._input.stop_listening()
            case fx.IdleTimeout(since_ms, now_ms):
                self._on_idle(since_ms, now_ms)
            case _:
                self._perform_of_agent(effect)

    def _perform_of_agent(self, effect: fx.Effect) -> None:
        match effect:
            case fx.Warm(number):
                turn = self._turns[number]
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

    # -- the user's turn -----------------------------------------------------------------------

    def _open_utterance(self, number: int, start_ms: int | None) -> None:
        wanted = self._context.settings.transcription
        told = start_ms is not None or wanted is not None
        partials = told and self._context.config.asr.partial_ms > 0
        utterance = self._new_utterance(partials=partials, prompt=wanted.prompt if wanted else None)
        turn = self._add_turn(number, "commit" if start_ms is None else "speech", utterance)
        self._input.listen(utterance, start_ms)
        if start_ms is not None:
            turn.trace = TurnTrace(start_ms, self.dialog)
        if partials:
            self._context.tasks.spawn(self._follow(turn, utterance), "partials")
        if self.dialog.user is User.OVERLAPPING:
            self._stall.start()

    def _new_utterance(self, *, partials: bool, prompt: str | None = None) -> Utterance:
        language, details = self._context.language, self._context.settings.details
        options = AsrOptions(
            language=language.given,
            partials=partials,
            prompt=prompt,
            spoken=language.spoken,
            word_times=not details.isdisjoint(("segments", "words")),
        )
        return self._context.engines.recognizer.open(options)

    def _add_turn(self, number: int, origin: Origin, utterance: Utterance) -> Turn:
        known = self.dialog.known_turns
        self._turns = {n: turn for n, turn in self._turns.items() if n in known}
        turn = self._turns[number] = Turn(origin, self._context.tasks, utterance, number)
        return turn

    def _on_speech_started(self, turn: Turn, start_ms: int) -> None:
        detection = self._context.settings.turn_detection
        padding_ms = detection.prefix_padding_ms if detection else 0
        self._context.emit(ev.SpeechStarted(turn.item_id, max(0, start_ms - padding_ms)))
        turn.announced = True
        self._items.tell_words(turn)
        self._stall.start()

    def _on_eager_end(self, turn: Turn, speech_end_ms: int) -> None:
        turn.marks.move("eager_end", self._context.clock.now())
        turn.eager_end_at_ms = self.dialog.now_ms
        self._expect_reply()

    def _on_end_turn(self, turn: Turn, end: fx.EndTurn) -> None:
        turn.end_by_silence(end, self._input.last_voiced_at, self._context.clock.now())
        self._input.stop_listening()
        self._context.emit(ev.SpeechStopped(turn.item_id, end.end_ms))
        self._commit_item(turn)

    def _on_idle(self, since_ms: int, now_ms: int) -> None:
        turn = Turn("text", self._context.tasks)
        self._context.emit(ev.IdleTimeout(turn.item_id, since_ms, now_ms))
        self._items.add(turn, now_ms - since_ms)
        self.respond(cmd.CreateResponse())

    def _on_stall(self) -> None:
        self._perform(self.dialog.stalled())

    def _on_end_judged(self, speech_end_ms: int, probability: float) -> None:
        self._perform(self.dialog.end_judged(speech_end_ms, probability))

    async def _learn_text(self, turn: Turn, speech_end_ms: int) -> None:
        """The transcript of the speech so far tells the dialog how long to wait."""
        try:
            transcript = await turn.transcript()
        except (EngineError, asyncio.CancelledError):
            return  # whoever needs it reports it, or the user went on
        await asyncio.sleep(0)  # the reply, which waited for the same transcript, goes first
        if turn.over or turn.number is None:
            return
        self._note_language()
        if turn.trace is not None:
            turn.trace.final(transcript)
        self._perform(self.dialog.transcript(turn.number, transcript.text, speech_end_ms))

    async def _follow(self, turn: Turn, utterance: Utterance) -> None:
        """Tell the client and the dialog what the recognizer makes of the speech so far."""
        assert turn.number is not None
        try:
            async for hypothesis in utterance.hypotheses():
                if turn.over or self._turns.get(turn.number) is not turn:
                    return
                self._note_language()
                turn.live.hear(hypothesis)
                self._items.tell_words(turn)
                if turn.origin == "speech":
                    self._consider(turn, turn.number, hypothesis)
        except EngineError as error:
            log.warning("partial recognition failed: %s", error)  # the final will tell

    def _consider(self, turn: Turn, number: int, hypothesis: Hypothesis) -> None:
        if turn.trace is not None:
            turn.trace.partial(hypothesis)
        turn.stable = hypothesis.stable
        effects = self.dialog.hypothesis(
            number,
            hypothesis.text,
            loose_words=self._context.language.word_count(hypothesis.tentative),
            stable_words=self._context.language.word_count(hypothesis.stable),
        )
        self._perform(effects)

    # -- items ---------------------------------------------------------------------------------

    def _commit_item(self, turn: Turn) -> None:
        """The user's speech becomes an item; its transcript follows when it is known."""
        if not self.dialog.answers:
            self._left_to_client_at = self._context.clock.now()
        self._items.add(turn, self._input.utterance_ms, self._input.take_audio())
        self._items.write_down(turn)

    def _confirm(self, turn: Turn, text: str | None) -> None:
        """What was said in a turn that is over; None: nobody knows."""
        if turn.number is not None:
            self._perform(self.dialog.transcript(turn.number, text))

    # -- replies -------------------------------------------------------------------------------

    def _start_reply(self, effect: fx.StartReply) -> None:
        turn = None if effect.turn is None else self._turns.get(effect.turn)
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

    def _note_language(self) -> None:
        """It may have been heard just now. What is being prepared asks for it when it needs it."""
        code = self._context.language.code
        if code != self.dialog.spoken:
            self.dialog.speak(code)

    @property
    def _answers_by_itself(self) -> bool:
        settings = self._context.settings
        detection = settings.turn_detection
        return bool(detection and detection.create_response) and not settings.transcription_only

    def _preroll_ms(self, settings: SessionSettings) -> int:
        detection = settings.turn_detection
        wanted_ms = detection.prefix_padding_ms if detection else 0
        return max(self._context.config.audio.preroll_ms, wanted_ms)
