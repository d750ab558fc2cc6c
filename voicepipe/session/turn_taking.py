"""Whose turn it is: audio goes to the audio input, the turn machine decides, and its decisions are
carried out here - utterances open and close, replies are prepared, committed, stopped.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace

from voicepipe.asr.contract import AsrOptions
from voicepipe.asr.language import SpokenLanguage
from voicepipe.audio.pcm import Int16
from voicepipe.conversation.items import AudioPart, MessageItem
from voicepipe.conversation.kept_audio import KeptAudio
from voicepipe.dialog import effects as tc
from voicepipe.dialog.completeness import TextRules
from voicepipe.dialog.machine import State, TurnMachine
from voicepipe.runtime.errors import EngineError, ProtocolError
from voicepipe.session import commands as cmd
from voicepipe.session import events as ev
from voicepipe.session.audio_input import AudioInput
from voicepipe.session.context import Context
from voicepipe.session.preemptive_generation import PreemptiveGeneration
from voicepipe.session.responder import Responder, StopReason
from voicepipe.session.settings import SessionSettings
from voicepipe.session.turn import Turn
from voicepipe.session.turn_detection import turn_options
from voicepipe.session.turn_trace import TurnTrace
from voicepipe.vad.contract import EndOfTurnModel

log = logging.getLogger(__name__)

MIN_COMMIT_MS = 100
"""A client's commit of less is a mistake (and would be heard as nothing)."""


HELD_UP_S = 0.1
"""A timer so late means that the loop, not the client, has stalled."""

END_OF_TURN_MS = 8000
"""Audio that an end-of-turn model is given: smart-turn hears no more."""

END_OF_TURN_DEADLINE_S = 1.0
"""By then the text has ended the turn."""


class TurnTaking:
    """The user's side of one session and its hand-over to the agent's."""

    def __init__(self, context: Context) -> None:
        self._context = context
        settings = context.settings
        self._machine = TurnMachine(turn_options(context.turns, settings.turn_detection))
        detector = None if settings.turn_detection is None else context.engines.new_detector()
        self._input = AudioInput(
            context.clock,
            settings.input_format,
            self._preroll_ms(settings),
            detector,
            self._machine,
        )
        self.responder = Responder(context, self._machine.reply_audible, self.on_reply_finished)
        self._speculation = PreemptiveGeneration(
            context, self._machine, self.responder, TextRules()
        )
        self._kept_audio = KeptAudio(context.conversation, context.config.audio.keep_s)
        self._spoken = SpokenLanguage()
        self._turn: Turn | None = None  # the user's turn under way, or pushed-to-talk audio
        self._unanswered: Turn | None = None  # committed, but nobody asked for a response yet
        self._stop_for: StopReason | None = None  # an interrupt, until its SpeechStarted follows
        self._stall: asyncio.TimerHandle | None = None

    # -- audio and settings ------------------------------------------------------------------------

    @property
    def held_ms(self) -> float:
        """Uncommitted push-to-talk audio."""
        return self._input.utterance_ms if self._input.manual and self._turn else 0.0

    @property
    def at_rest(self) -> bool:
        """No turn is under way on either side."""
        return self._turn is None and self.responder.active is None

    def hear(self, audio: bytes) -> None:
        """Wire audio of the user's, in order."""
        if self._input.manual and self._turn is None:
            self._turn = self._open_turn(None)
        for command in self._input.append(audio):
            self._obey(command)

    def apply_settings(self, before: SessionSettings, settings: SessionSettings) -> None:
        """The session's settings were replaced."""
        self._machine.options = turn_options(self._context.turns, settings.turn_detection)
        manual = settings.turn_detection is None
        if manual != self._input.manual:
            self.forget_user_audio()  # half a turn of the one kind is none of the other
            detector = None if manual else self._context.engines.new_detector()
            self._input.detector = detector
        self._input.apply_settings(settings.input_format, self._preroll_ms(settings))

    def commit(self) -> None:
        """The client says that the user's turn is over."""
        if self._input.manual:
            self._commit_manual()
        elif self._machine.state in (State.HEARING, State.SOFT_END):
            self._obey_all(self._machine.force_end("commit"))
        else:
            raise _nothing_to_commit(0.0)

    def forget_user_audio(self) -> None:
        """Drop the user's turn under way."""
        if self._turn is not None:
            self.responder.discard(self._turn, "cleared")
            self._turn.drop()
            self._turn = None
        self._input.drain()
        self._obey_all(self._machine.reset())

    def hear_item(self, item_id: str, pcm: Int16) -> None:
        """User audio that came as an item: transcribe it, answer it when asked."""
        self._kept_audio.add(item_id, pcm.size)
        turn = self._new_utterance("commit", AsrOptions(partials=False, spoken=self._spoken))
        turn.item_id = item_id
        if turn.utterance is not None:
            turn.utterance.feed(pcm)
        self._await_response(turn)
        self._context.tasks.spawn(self._transcribe(turn), "transcribe item")

    def respond(self, options: cmd.CreateResponse) -> None:
        """Answer because the client asks."""
        turn = None
        if options.input is None and not options.out_of_band:
            turn, self._unanswered = self._unanswered, None
        turn = turn or Turn("text", self._context.tasks)
        now = self._context.clock.now()
        turn.committed = True
        turn.marks.set("speech_end", now)
        turn.marks.set("endpoint", now)
        if not options.out_of_band:
            if self._context.sink is not None:
                self._context.sink.expect()
            self.responder.stop("turn_detected")  # the one before may still be playing
            self._machine.reply_started()
        self.responder.create(turn, options)

    def say(self, text: str, then: Callable[[], None] | None = None) -> None:
        """Say `text` though nobody has asked; see `Responder.say`."""
        turn = Turn("text", self._context.tasks)
        turn.committed = True
        self._machine.reply_started()
        self.responder.say(turn, text, then)

    def key_pressed(self) -> None:
        """A key of the telephone: who presses one has heard enough."""
        reply = self.responder.active
        if reply is not None and reply.committed and self._machine.options.interruptible:
            self.responder.stop("turn_detected")
            self.on_reply_finished()

    def keys_entered(self) -> None:
        """What was keyed in is an item now: answer it, unless the user is speaking - then the end
        of that turn does."""
        if self._answers_by_itself and not self._machine.user_is_speaking:
            self.respond(cmd.CreateResponse())

    def on_reply_finished(self) -> None:
        """The agent has fallen silent."""
        self._obey_all(self._machine.reply_finished())

    def close(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
        if self._turn is not None:
            self._turn.drop()
        self.responder.stop("client_cancelled")

    # -- the turn machine's commands ---------------------------------------------------------------

    def _obey_all(self, commands: tuple[tc.TurnCommand, ...]) -> None:
        for command in commands:
            self._obey(command)

    def _obey(self, command: tc.TurnCommand) -> None:
        match command:
            case tc.SpeechStarted(start_ms):
                self._on_speech_started(start_ms)
            case tc.EagerEnd(speech_end_ms):
                self._on_eager_end(speech_end_ms)
            case tc.TurnContinued():
                self._on_speech_resumed()
            case tc.EndTurn():
                self._on_end_turn(command)
            case tc.PauseOutput(start_ms):
                self._on_pause(start_ms)
            case tc.ResumeOutput():
                self._on_resume()
            case tc.Interrupt(reopen):
                self._stop_for = "reopened" if reopen else "turn_detected"
            case tc.IdleTimeout(since_ms, now_ms):
                self._on_idle(since_ms, now_ms)

    def _on_speech_started(self, start_ms: int) -> None:
        if self._turn is None:  # after an overlap it is open already
            self._turn = self._open_turn(start_ms)
        detection = self._context.settings.turn_detection
        padding_ms = detection.prefix_padding_ms if detection else 0
        self._context.emit(ev.SpeechStarted(self._turn.item_id, max(0, start_ms - padding_ms)))
        if self._stop_for is not None:  # the wire wants to hear of the speech first
            self.responder.stop(self._stop_for)
            self._stop_for = None
        self._watch_for_stall()

    def _on_eager_end(self, speech_end_ms: int) -> None:
        turn = self._turn
        if turn is None:
            return
        turn.marks.move("eager_end", self._context.clock.now())
        if self._context.sink is not None:
            self._context.sink.expect()
        turn.eager_end_at_ms = self._machine.now_ms
        if (model := self._context.engines.end_of_turn) is not None:
            self._context.tasks.spawn(self._judge_end(turn, model, speech_end_ms), "judge end")
        if self._machine.options.preemptive_generation == "off":
            return
        turn.begin_decoding()
        if self._answers_by_itself:
            self._speculation.on_eager_end(turn)
        self._context.tasks.spawn(self._learn_text(turn), "learn text")

    async def _judge_end(self, turn: Turn, model: EndOfTurnModel, speech_end_ms: int) -> None:
        """An audio model tells the machine how long to wait; without it the text does."""
        speech = self._input.newest_audio(END_OF_TURN_MS)
        try:
            async with asyncio.timeout(END_OF_TURN_DEADLINE_S):
                probability = await asyncio.to_thread(model.probability, speech)
        except (EngineError, TimeoutError) as error:
            log.warning("end-of-turn model: %s", error or "no answer in time")
            return
        if self._turn is turn:
            if turn.trace is not None:
                turn.trace.judged(speech_end_ms, probability)
            self._obey_all(self._machine.end_judged(speech_end_ms, probability))

    async def _learn_text(self, turn: Turn) -> None:
        """The transcript of the speech so far tells the machine how long to wait."""
        try:
            transcript = await turn.transcript()
        except (EngineError, asyncio.CancelledError):
            return  # whoever needs it reports it, or the user went on
        await asyncio.sleep(0)  # the reply, which waited for the same transcript, goes first
        if self._turn is turn:
            if turn.trace is not None:
                turn.trace.final(transcript)
            self._speculation.on_transcript(turn, transcript.text)
            self._obey_all(self._machine.hypothesis(transcript.text))

    def _on_speech_resumed(self) -> None:
        if self._turn is not None:
            self._speculation.on_resumed(self._turn)

    def _on_end_turn(self, end: tc.EndTurn) -> None:
        turn, self._turn = self._turn, None
        if turn is None:
            return
        now = self._context.clock.now()
        turn.marks.set("speech_end", self._input.last_voiced_at)
        turn.marks.set("endpoint", now)
        turn.plan_waits(end, now - self._input.last_voiced_at)
        if turn.trace is not None:
            turn.trace.end(end)
        self._input.stop_listening()
        self._context.emit(ev.SpeechStopped(turn.item_id, end.end_ms))
        self._commit_item(turn)
        if self._answers_by_itself:
            if not self.responder.answers(turn):
                self.responder.stop("turn_detected")  # it could not be interrupted until now
            turn.committed = True
            self._speculation.commit(turn)
            return
        self._unanswered = turn
        if self.responder.active is None:
            self._machine.reply_finished()

    def _on_pause(self, start_ms: int) -> None:
        if (reply := self.responder.active) is not None:
            reply.output.pause()
            self._context.emit(ev.OutputPaused(reply.writer.spec.id))
        self._turn = self._open_turn(start_ms)
        self._watch_for_stall()

    def _on_resume(self) -> None:
        if self._turn is not None:
            self._turn.drop()
            self._turn = None
        self._input.stop_listening()
        if (reply := self.responder.active) is not None:
            reply.output.resume()
            self._context.emit(ev.OutputResumed(reply.writer.spec.id))

    def _on_idle(self, since_ms: int, now_ms: int) -> None:
        turn = Turn("text", self._context.tasks)
        self._context.emit(ev.IdleTimeout(turn.item_id, since_ms, now_ms))
        self._add_user_item(turn, now_ms - since_ms)
        self.respond(cmd.CreateResponse())

    # -- turns -------------------------------------------------------------------------------------

    @property
    def _answers_by_itself(self) -> bool:
        settings = self._context.settings
        detection = settings.turn_detection
        return bool(detection and detection.create_response) and not settings.transcription_only

    def _preroll_ms(self, settings: SessionSettings) -> int:
        detection = settings.turn_detection
        wanted_ms = detection.prefix_padding_ms if detection else 0
        return max(self._context.config.audio.preroll_ms, wanted_ms)

    def _open_turn(self, start_ms: int | None) -> Turn:
        """`start_ms` None: push-to-talk, from now on."""
        asr, wanted = self._context.config.asr, self._context.settings.transcription
        options = AsrOptions(
            language=(wanted.language if wanted else None) or asr.language,
            partials=asr.partial_ms > 0 and start_ms is not None,
            prompt=wanted.prompt if wanted else None,
            spoken=self._spoken,
        )
        turn = self._new_utterance("commit" if start_ms is None else "speech", options)
        assert turn.utterance is not None
        self._input.listen(turn.utterance, start_ms)
        if start_ms is not None:
            turn.trace = TurnTrace(start_ms, self._machine, TextRules())
        if options.partials:
            self._context.tasks.spawn(self._follow(turn), "partials")
        return turn

    def _new_utterance(self, origin: str, options: AsrOptions) -> Turn:
        utterance = self._context.engines.recognizer.open(options)
        return Turn("commit" if origin == "commit" else "speech", self._context.tasks, utterance)

    async def _follow(self, turn: Turn) -> None:
        """Tell the turn machine what the recognizer makes of the speech so far."""
        assert turn.utterance is not None
        try:
            async for hypothesis in turn.utterance.hypotheses():
                if self._turn is not turn:
                    return
                if turn.trace is not None:
                    turn.trace.partial(hypothesis)
                if self._answers_by_itself:
                    self._speculation.on_hypothesis(turn, hypothesis)
                self._obey_all(self._machine.hypothesis(hypothesis.text))
        except EngineError as error:
            log.warning("partial recognition failed: %s", error)  # the final will tell

    def _commit_manual(self) -> None:
        turn, held_ms = self._turn, self.held_ms
        if turn is None or held_ms < MIN_COMMIT_MS:
            raise _nothing_to_commit(held_ms)
        self._turn = None
        self._input.drain()
        self._await_response(turn)
        self._commit_item(turn)

    def _await_response(self, turn: Turn) -> None:
        now = self._context.clock.now()
        turn.marks.set("speech_end", now)
        turn.marks.set("endpoint", now)
        turn.committed = True
        self._unanswered = turn

    def _commit_item(self, turn: Turn) -> None:
        """The user's speech becomes an item; its transcript follows when it is known."""
        self._add_user_item(turn, self._input.utterance_ms)
        self._context.tasks.spawn(self._transcribe(turn), "transcribe")

    def _add_user_item(self, turn: Turn, duration_ms: float) -> None:
        pcm = self._input.take_audio() if turn.utterance is not None else None
        item = MessageItem(turn.item_id, "user", (AudioPart(None, pcm, duration_ms),))
        previous = self._context.append(item)
        if pcm is not None:
            self._kept_audio.add(item.id, pcm.size)
        self._context.emit(ev.AudioCommitted(item.id, previous))
        self._context.emit(ev.ItemAdded(item, previous))
        self._context.emit(ev.ItemDone(item, previous))

    async def _transcribe(self, turn: Turn) -> None:
        emit, wanted = self._context.emit, self._context.settings.transcription is not None
        try:
            transcript = await turn.transcript()
        except EngineError as error:
            if wanted:
                emit(ev.UserTranscriptFailed(turn.item_id, str(error)))
            return
        finally:
            if turn.utterance is not None:
                turn.utterance.cancel()
        if turn.trace is not None:
            turn.trace.final(transcript)
        self._write_transcript(turn.item_id, transcript.text)
        if wanted:
            emit(ev.UserTranscriptDelta(turn.item_id, transcript.text))
            emit(ev.UserTranscript(turn.item_id, transcript.text, transcript.audio_s))

    def _write_transcript(self, item_id: str, text: str) -> None:
        conversation = self._context.conversation
        item = conversation.get(item_id) if item_id in conversation else None
        if isinstance(item, MessageItem):
            parts = tuple(
                replace(part, transcript=text) if isinstance(part, AudioPart) else part
                for part in item.content
            )
            conversation.replace(replace(item, content=parts))

    def _watch_for_stall(self) -> None:
        """A client that stops sending in mid-speech is answered, not waited for for ever."""
        if self._stall is not None:
            self._stall.cancel()
        loop, clock = asyncio.get_running_loop(), self._context.clock
        limit_s = self._machine.options.stall_ms / 1000

        def look_in(wait_s: float) -> None:
            self._stall = loop.call_later(wait_s, check, loop.time() + wait_s)

        def check(due_s: float) -> None:
            self._stall = None
            if not self._machine.user_is_speaking:
                return
            left_s = limit_s - (clock.now() - self._input.last_audio_at)
            if left_s > 0.001:
                look_in(left_s)
            elif loop.time() - due_s > HELD_UP_S:
                look_in(HELD_UP_S)  # it was us who stood still: what has come meanwhile goes first
            else:
                self._obey_all(self._machine.force_end("stall"))

        look_in(limit_s)


def _nothing_to_commit(held_ms: float) -> ProtocolError:
    return ProtocolError(
        f"Error committing input audio buffer: buffer too small. Expected at least "
        f"{MIN_COMMIT_MS} ms of audio, but buffer only has {held_ms:.2f} ms of audio.",
        code="input_audio_buffer_commit_empty",
    )
