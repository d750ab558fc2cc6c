"""The user's side: turns are opened, listened to, ended and written down, as the dialog decides.

The dialog names a turn by number. What is said in it is reported back by number, to `Reports`.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Protocol

from voicepipe.asr.contract import AsrOptions, Hypothesis, Transcript, Utterance
from voicepipe.audio.pcm import Int16
from voicepipe.conversation.items import AudioPart, MessageItem, transcribed
from voicepipe.conversation.kept_audio import KeptAudio
from voicepipe.dialog.core import Dialog
from voicepipe.dialog.effects import EndTurn
from voicepipe.runtime.errors import EngineError
from voicepipe.session import events as ev
from voicepipe.session.audio_input import AudioInput
from voicepipe.session.context import Context
from voicepipe.session.failure_words import for_clients
from voicepipe.session.ids import new_id
from voicepipe.session.live_words import LiveWords
from voicepipe.session.segments import segments
from voicepipe.session.turn import Origin, Turn
from voicepipe.session.turn_notes import TurnTrace

log = logging.getLogger(__name__)

ANSWER_EXPECTED_S = 5.0
"""A client that answers turns itself has asked for the answer by then, or will not."""


class Reports(Protocol):
    """Whom the user's side tells what is said, by number."""

    def hypothesis(self, number: int, hypothesis: Hypothesis) -> None:
        """What the recognizer makes of a turn of speech so far."""
        ...

    def transcript(self, number: int, text: str | None, speech_end_ms: int | None = None) -> None:
        """As `Dialog.transcript`."""
        ...


class UserTurns:
    """Of one session. It asks the dialog, and tells it what has no effects; all else that happens
    is told to `reports`."""

    def __init__(
        self, context: Context, dialog: Dialog, audio: AudioInput, reports: Reports
    ) -> None:
        self._context, self._dialog, self._input = context, dialog, audio
        self._reports = reports
        self._turns: dict[int, Turn] = {}  # those that the dialog may name
        self._kept_audio = KeptAudio(context.conversation, context.config.audio.keep_s)
        self._left_to_client_at = -ANSWER_EXPECTED_S  # when a turn was last committed unanswered

    def __getitem__(self, number: int) -> Turn:
        """One that the dialog has named."""
        return self._turns[number]

    def find(self, number: int | None) -> Turn | None:
        """One that a reply answers; None: it answers none."""
        return None if number is None else self._turns.get(number)

    @property
    def answer_is_expected(self) -> bool:
        """A turn is committed, and the client will ask for its answer any moment."""
        return self._context.clock.now() - self._left_to_client_at < ANSWER_EXPECTED_S

    def close(self) -> None:
        """The session ends. Turns that are over are dropped here, too: the task that writes one
        down may not have begun yet, and would never let its utterance go."""
        for turn in (*self._turns.values(), *self._context.transcribing.values()):
            turn.drop()
        self._turns.clear()

    # -- as the dialog decides -----------------------------------------------------------------

    def open(self, number: int, start_ms: int | None) -> None:
        """Listen to what is being said since `start_ms` (stream time); None: push-to-talk."""
        wanted = self._context.settings.transcription
        told = start_ms is not None or wanted is not None
        partials = told and self._context.config.asr.partial_ms > 0
        utterance = self._new_utterance(partials=partials, prompt=wanted.prompt if wanted else None)
        turn = self._add(number, "commit" if start_ms is None else "speech", utterance)
        self._input.listen(utterance, start_ms)
        if start_ms is not None:
            turn.trace = TurnTrace(start_ms, self._dialog)
        if partials:
            self._context.tasks.spawn(self._follow(turn, utterance), "partials")

    def announce(self, number: int, start_ms: int) -> None:
        """It is speech that is meant for the agent: the client may know."""
        turn = self._turns[number]
        detection = self._context.settings.turn_detection
        padding_ms = detection.prefix_padding_ms if detection else 0
        self._context.emit(ev.SpeechStarted(turn.item_id, max(0, start_ms - padding_ms)))
        turn.announced = True
        self._tell_words(turn)

    def decode(self, number: int, speech_end_ms: int) -> None:
        """The transcript of the speech so far tells the dialog how long to wait."""
        turn = self._turns[number]
        turn.begin_decoding()
        self._context.tasks.spawn(self._learn_text(turn, speech_end_ms), "learn text")

    def end(self, number: int, end: EndTurn) -> None:
        """By silence, or by what counts as such."""
        turn = self._turns[number]
        turn.end_by_silence(end, self._input.last_voiced_at, self._context.clock.now())
        self._input.stop_listening(taken=True)
        if self._dialog.answers:  # and one that was not answered yet is, in the same prompt
            self._turns = {number: turn}
        self._context.emit(ev.SpeechStopped(turn.item_id, end.end_ms))
        self._commit(turn)

    def end_pushed(self, number: int) -> None:
        """Because the client has committed what it pushed."""
        turn = self._turns[number]
        self._input.drain()
        turn.end_now(self._context.clock.now())
        self._commit(turn)

    def drop(self, number: int) -> None:
        """It is to be forgotten, or was none."""
        self._turns.pop(number).drop()
        self._input.stop_listening()

    # -- as the client and the silence want ----------------------------------------------------

    def hear_item(self, item_id: str, pcm: Int16) -> None:
        """User audio that came as an item, int16 [n], 16 kHz, is a turn that is over: transcribe
        it, and let it be answered when asked."""
        self._keep_audio(item_id, pcm)
        utterance = self._new_utterance(partials=False)
        utterance.feed(pcm)
        turn = self._add(self._dialog.item_heard(), "commit", utterance)
        turn.item_id = item_id
        turn.end_now(self._context.clock.now())
        self._write_down(turn)

    def was_silent(self, since_ms: int, now_ms: int) -> None:
        """They have said nothing for so long (stream time) that it is an item, too."""
        turn = Turn("text", self._context.tasks)
        self._context.emit(ev.IdleTimeout(turn.item_id, since_ms, now_ms))
        self._add_item(turn, now_ms - since_ms)

    def note_language(self) -> None:
        """It may have been heard just now. What is being prepared asks for it when it needs it."""
        code = self._context.language.code
        if code != self._dialog.spoken:
            self._dialog.speak(code)

    # -- listening -----------------------------------------------------------------------------

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

    def _add(self, number: int, origin: Origin, utterance: Utterance) -> Turn:
        known = self._dialog.known_turns
        self._turns = {n: turn for n, turn in self._turns.items() if n in known}
        turn = self._turns[number] = Turn(origin, self._context.tasks, utterance, number)
        return turn

    async def _learn_text(self, turn: Turn, speech_end_ms: int) -> None:
        try:
            transcript = await turn.transcript()
        except (EngineError, asyncio.CancelledError):
            return  # whoever needs it reports it, or the user went on
        await asyncio.sleep(0)  # the reply, which waited for the same transcript, goes first
        if turn.over or turn.number is None:
            return
        self.note_language()
        if turn.trace is not None:
            turn.trace.final(transcript)
        self._reports.transcript(turn.number, transcript.text, speech_end_ms)

    async def _follow(self, turn: Turn, utterance: Utterance) -> None:
        """Tell the client and the dialog what the recognizer makes of the speech so far."""
        assert turn.number is not None
        try:
            async for hypothesis in utterance.hypotheses():
                if turn.over or self._turns.get(turn.number) is not turn:
                    return
                self.note_language()
                turn.live.hear(hypothesis)
                self._tell_words(turn)
                if turn.origin == "speech":
                    if turn.trace is not None:
                        turn.trace.partial(hypothesis)
                    turn.stable = hypothesis.stable
                    self._reports.hypothesis(turn.number, hypothesis)
        except EngineError as error:
            log.warning("partial recognition failed: %s", error)  # the final will tell

    # -- items ---------------------------------------------------------------------------------

    def _commit(self, turn: Turn) -> None:
        """The user's speech becomes an item; its transcript follows when it is known."""
        if not self._dialog.answers:
            self._left_to_client_at = self._context.clock.now()
        self._add_item(turn, self._input.utterance_ms, self._input.take_audio())
        self._write_down(turn)

    def _add_item(self, turn: Turn, duration_ms: float, pcm: Int16 | None = None) -> None:
        """A turn becomes an item; `pcm`: its sound, int16 [n], 16 kHz."""
        if turn.item_id in self._context.conversation:  # a client has taken the id for its own
            turn.item_id, turn.live = new_id("item"), LiveWords()
        item = MessageItem(turn.item_id, "user", (AudioPart(None, pcm, duration_ms),))
        previous = self._context.append(item)
        if pcm is not None:
            self._keep_audio(item.id, pcm)
        self._context.emit(ev.AudioCommitted(item.id, previous))
        self._context.emit(ev.ItemAdded(item, previous))
        self._context.emit(ev.ItemDone(item, previous))

    def _keep_audio(self, item_id: str, pcm: Int16) -> None:
        """It counts towards what is kept; the oldest sound makes room for it."""
        self._kept_audio.add(item_id, pcm.size)

    def _write_down(self, turn: Turn) -> None:
        """Its transcript follows when it is known."""
        self._context.transcribing[turn.item_id] = turn
        self._context.tasks.spawn(self._transcribe(turn), "transcribe")

    def _tell_words(self, turn: Turn) -> None:
        """Those that are sure; not before it is known to be speech that is meant for the agent."""
        if turn.announced and self._context.settings.transcription is not None:
            self._tell_delta(turn, turn.live.news())

    def _tell_delta(self, turn: Turn, words: str) -> None:
        if words:
            self._context.emit(ev.UserTranscriptDelta(turn.item_id, words))

    async def _transcribe(self, turn: Turn) -> None:
        emit, wanted = self._context.emit, self._context.settings.transcription is not None
        try:
            transcript = await turn.transcript()
        except EngineError as error:
            self._confirm(turn, None)
            log.warning("what was said is not known: %s", error)
            if wanted:
                emit(ev.UserTranscriptFailed(turn.item_id, for_clients(error)))
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

    def _confirm(self, turn: Turn, text: str | None) -> None:
        """What was said in a turn that is over; None: nobody knows."""
        if turn.number is not None:
            self._reports.transcript(turn.number, text)

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

    def _write_transcript(self, item_id: str, text: str) -> None:
        conversation = self._context.conversation
        item = conversation.get(item_id) if item_id in conversation else None
        if isinstance(item, MessageItem):
            conversation.replace(transcribed(item, text))
