"""Carries out what the dialog decides: utterances open and close, items are written, replies are
made and stopped. All that happens in a session is told to the dialog here, and by number.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace

from voicepipe.asr.contract import AsrOptions, Hypothesis, Transcript, Utterance
from voicepipe.audio.pcm import Int16
from voicepipe.conversation.items import AudioPart, MessageItem
from voicepipe.conversation.kept_audio import KeptAudio
from voicepipe.dialog import effects as fx
from voicepipe.dialog.states import Agent, User
from voicepipe.runtime.errors import EngineError, ProtocolError
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.audio_input import AudioInput
from voicepipe.session.cleaning import cleaning_for
from voicepipe.session.context import Context
from voicepipe.session.dialog_recorder import recorder_for
from voicepipe.session.idle_prefill import IdlePrefill
from voicepipe.session.ids import new_id
from voicepipe.session.language import given_language
from voicepipe.session.live_words import LiveWords
from voicepipe.session.replies import Replies
from voicepipe.session.segments import segments
from voicepipe.session.settings import SessionSettings
from voicepipe.session.stall_watch import StallWatch
from voicepipe.session.turn import Origin, Turn
from voicepipe.session.turn_detection import turn_options
from voicepipe.session.turn_trace import TurnTrace
from voicepipe.vad.contract import EndOfTurnModel

log = logging.getLogger(__name__)

MIN_COMMIT_MS = 100
"""A client's commit of less is a mistake (and would be heard as nothing)."""

ANSWER_EXPECTED_S = 5.0
"""A client that answers turns itself has asked for the answer by then, or will not."""

END_OF_TURN_MS = 8000
"""Audio that an end-of-turn model is given: smart-turn hears no more."""

END_OF_TURN_DEADLINE_S = 1.0
"""By then the text has ended the turn."""


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
        self._kept_audio = KeptAudio(context.conversation, context.config.audio.keep_s)
        self._turns: dict[int, Turn] = {}  # those that the dialog may name
        self._asked: cmd.CreateResponse | None = None  # what the client's response is to be like
        self._left_to_client_at = -ANSWER_EXPECTED_S  # when a turn was last committed unanswered
        self._keys_wait = False  # an entry is to be answered when the reply in progress is made
        self._judging = False  # an end-of-turn model has been asked, and has not answered
        self._held_id: str | None = None  # the response that is held
        self._stall = StallWatch(context.clock, self._input, self.dialog, self._on_stall)
        self._idle_prefill = IdlePrefill(self._may_prefill, self._prefill)
        self._idle_prefill.soon()

    # -- what the session asks -----------------------------------------------------------------

    @property
    def held_ms(self) -> float:
        """Uncommitted push-to-talk audio."""
        return self._input.utterance_ms if self._pushed_to_talk else 0.0

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
        if self._input.manual and self.dialog.turn is None:
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
            if not self._pushed_to_talk or self.held_ms < MIN_COMMIT_MS:
                raise _nothing_to_commit(self.held_ms)
        elif not self.dialog.user_is_speaking:
            raise _nothing_to_commit(0.0)
        self._perform(self.dialog.commit())

    def forget_user_audio(self) -> None:
        """Drop the user's turn under way."""
        self._perform(self.dialog.clear())
        self._input.drain()

    def hear_item(self, item_id: str, pcm: Int16) -> None:
        """User audio that came as an item: transcribe it, answer it when asked."""
        self._kept_audio.add(item_id, pcm.size)
        options = AsrOptions(
            language=self._context.language.given,
            partials=False,
            spoken=self._context.language.spoken,
            word_times=self._times_wanted,
        )
        utterance = self._context.engines.recognizer.open(options)
        utterance.feed(pcm)
        turn = self._add_turn(self.dialog.item_heard(), "commit", utterance)
        turn.item_id = item_id
        turn.end_now(self._context.clock.now())
        self._write_down(turn)

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
            return self.replies.cancel_aside(response_id)
        self._perform(self.dialog.cancel(number))
        return True

    def clear_output(self) -> None:
        """The client wants silence."""
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
        if self.dialog.turn is not None:  # the others' transcripts end with the session's tasks
            self._turns[self.dialog.turn.id].drop()
        self._turns.clear()
        self._input.close()
        self._context.detection_audio.close()
        self.replies.close()
        self._recorder.close()

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
        self._context.tasks.spawn(self.replies.warm(nothing_said, ""), "prefill")

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
                self._open_utterance(number, start_ms)
            case fx.SpeechStarted(number, start_ms):
                self._on_speech_started(self._turns[number], start_ms)
            case fx.JudgeEnd(number, speech_end_ms):
                self._on_judge_end(self._turns[number], speech_end_ms)
            case fx.EagerEnd(number, speech_end_ms):
                self._on_eager_end(self._turns[number], speech_end_ms)
            case fx.Decode(number, speech_end_ms):
                turn = self._turns[number]
                turn.begin_decoding()
                self._context.tasks.spawn(self._learn_text(turn, speech_end_ms), "learn text")
            case fx.TurnContinued(number):
                self._turns[number].continued()
            case fx.EndTurn(number):
                self._on_end_turn(self._turns[number], effect)
            case fx.CommitTurn(number):
                self._input.drain()
                self._turns[number].end_now(self._context.clock.now())
                self._commit_item(self._turns[number])
            case fx.DropTurn(number):
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
        asr, wanted = self._context.config.asr, self._context.settings.transcription
        options = AsrOptions(
            language=self._context.language.given,
            partials=asr.partial_ms > 0 and (start_ms is not None or wanted is not None),
            prompt=wanted.prompt if wanted else None,
            spoken=self._context.language.spoken,
            word_times=self._times_wanted,
        )
        utterance = self._context.engines.recognizer.open(options)
        turn = self._add_turn(number, "commit" if start_ms is None else "speech", utterance)
        self._input.listen(utterance, start_ms)
        if start_ms is not None:
            turn.trace = TurnTrace(start_ms, self.dialog)
        if options.partials:
            self._context.tasks.spawn(self._follow(turn, utterance), "partials")
        if self.dialog.user is User.OVERLAPPING:
            self._stall.start()

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
        self._tell_words(turn)
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
        self._add_user_item(turn, now_ms - since_ms)
        self.respond(cmd.CreateResponse())

    def _on_stall(self) -> None:
        self._perform(self.dialog.stalled())

    def _on_judge_end(self, turn: Turn, speech_end_ms: int) -> None:
        """One answer at a time: a machine that is late is not asked for more."""
        model = self._context.engines.end_of_turn
        if model is None or self._judging:
            return
        self._judging = True
        self._context.tasks.spawn(self._judge_end(turn, model, speech_end_ms), "judge end")

    async def _judge_end(self, turn: Turn, model: EndOfTurnModel, speech_end_ms: int) -> None:
        """An audio model tells the dialog how long to wait; without it the text does."""
        speech = self._input.newest_audio(END_OF_TURN_MS)
        try:
            async with asyncio.timeout(END_OF_TURN_DEADLINE_S):
                probability = await asyncio.to_thread(model.probability, speech)
        except (EngineError, TimeoutError) as error:
            log.warning("end-of-turn model: %s", error or "no answer in time")
            return
        finally:
            self._judging = False
        if turn.trace is not None and not turn.over:
            turn.trace.judged(speech_end_ms, probability)
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
                self._tell_words(turn)
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

    def _tell_words(self, turn: Turn) -> None:
        """Those that are sure; not before it is known to be speech that is meant for the agent."""
        if turn.announced and self._context.settings.transcription is not None:
            self._tell_delta(turn, turn.live.news())

    def _tell_delta(self, turn: Turn, words: str) -> None:
        if words:
            self._context.emit(ev.UserTranscriptDelta(turn.item_id, words))

    # -- items ---------------------------------------------------------------------------------

    def _commit_item(self, turn: Turn) -> None:
        """The user's speech becomes an item; its transcript follows when it is known."""
        if not self.dialog.answers:
            self._left_to_client_at = self._context.clock.now()
        self._add_user_item(turn, self._input.utterance_ms)
        self._write_down(turn)

    def _add_user_item(self, turn: Turn, duration_ms: float) -> None:
        pcm = self._input.take_audio() if turn.utterance is not None else None
        if turn.item_id in self._context.conversation:  # a client has taken the id for its own
            turn.item_id, turn.live = new_id("item"), LiveWords()
        item = MessageItem(turn.item_id, "user", (AudioPart(None, pcm, duration_ms),))
        previous = self._context.append(item)
        if pcm is not None:
            self._kept_audio.add(item.id, pcm.size)
        self._context.emit(ev.AudioCommitted(item.id, previous))
        self._context.emit(ev.ItemAdded(item, previous))
        self._context.emit(ev.ItemDone(item, previous))

    def _write_down(self, turn: Turn) -> None:
        self._context.transcribing[turn.item_id] = turn
        self._context.tasks.spawn(self._transcribe(turn), "transcribe")

    async def _transcribe(self, turn: Turn) -> None:
        emit, wanted = self._context.emit, self._context.settings.transcription is not None
        try:
            transcript = await turn.transcript()
        except EngineError as error:
            self._confirm(turn, None)
            if wanted:
                emit(ev.UserTranscriptFailed(turn.item_id, str(error)))
            return
        finally:
            self._context.transcribing.pop(turn.item_id, None)
            if turn.utterance is not None:
                turn.utterance.cancel()
        if turn.trace is not None:
            turn.trace.final(transcript)
        self._write_transcript(turn.item_id, transcript.text)
        self._confirm(turn, transcript.text)
        if wanted:
            self._tell_transcript(turn, transcript)

    def _tell_transcript(self, turn: Turn, heard: Transcript) -> None:
        emit, item_id = self._context.emit, turn.item_id
        self._tell_delta(turn, turn.live.end(heard.text))
        if "segments" in self._context.settings.details:
            for part in segments(heard):
                known_as = new_id("seg")
                emit(
                    ev.UserTranscriptSegment(item_id, known_as, part.text, part.start_s, part.end_s)
                )
        emit(ev.UserTranscript(item_id, heard.text, heard.audio_s, heard.words))

    def _confirm(self, turn: Turn, text: str | None) -> None:
        if turn.number is not None:
            self._perform(self.dialog.transcript(turn.number, text))

    def _write_transcript(self, item_id: str, text: str) -> None:
        conversation = self._context.conversation
        item = conversation.get(item_id) if item_id in conversation else None
        if isinstance(item, MessageItem):
            parts = tuple(
                replace(part, transcript=text) if isinstance(part, AudioPart) else part
                for part in item.content
            )
            conversation.replace(replace(item, content=parts))

    # -- replies -------------------------------------------------------------------------------

    def _start_reply(self, effect: fx.StartReply) -> None:
        turn = None if effect.turn is None else self._turns.get(effect.turn)
        asked, self._asked = self._asked, None
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
    def _times_wanted(self) -> bool:
        return not self._context.settings.details.isdisjoint(("segments", "words"))

    @property
    def _pushed_to_talk(self) -> bool:
        return self._input.manual and self.dialog.turn is not None

    @property
    def _answers_by_itself(self) -> bool:
        settings = self._context.settings
        detection = settings.turn_detection
        return bool(detection and detection.create_response) and not settings.transcription_only

    def _preroll_ms(self, settings: SessionSettings) -> int:
        detection = settings.turn_detection
        wanted_ms = detection.prefix_padding_ms if detection else 0
        return max(self._context.config.audio.preroll_ms, wanted_ms)


def _nothing_to_commit(held_ms: float) -> ProtocolError:
    return ProtocolError(
        f"Error committing input audio buffer: buffer too small. Expected at least "
        f"{MIN_COMMIT_MS} ms of audio, but buffer only has {held_ms:.2f} ms of audio.",
        code="input_audio_buffer_commit_empty",
    )
