"""What the user says becomes items of the conversation, and their words are told to the client."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from voicepipe.asr.contract import Transcript
from voicepipe.audio.pcm import Int16
from voicepipe.conversation.items import AudioPart, MessageItem
from voicepipe.conversation.kept_audio import KeptAudio
from voicepipe.runtime.errors import EngineError
from voicepipe.session import events as ev
from voicepipe.session.context import Context
from voicepipe.session.ids import new_id
from voicepipe.session.live_words import LiveWords
from voicepipe.session.segments import segments
from voicepipe.session.turn import Turn


class UserItems:
    """Of one session. `confirm(turn, text)` is called when the transcript of a turn that is over is
    known, or (None) never will be."""

    def __init__(self, context: Context, confirm: Callable[[Turn, str | None], None]) -> None:
        self._context, self._confirm = context, confirm
        self._kept_audio = KeptAudio(context.conversation, context.config.audio.keep_s)

    def add(self, turn: Turn, duration_ms: float, pcm: Int16 | None = None) -> None:
        """A turn becomes an item; `pcm`: its sound, int16 [n], 16 kHz."""
        if turn.item_id in self._context.conversation:  # a client has taken the id for its own
            turn.item_id, turn.live = new_id("item"), LiveWords()
        item = MessageItem(turn.item_id, "user", (AudioPart(None, pcm, duration_ms),))
        previous = self._context.append(item)
        if pcm is not None:
            self.keep_audio(item.id, pcm)
        self._context.emit(ev.AudioCommitted(item.id, previous))
        self._context.emit(ev.ItemAdded(item, previous))
        self._context.emit(ev.ItemDone(item, previous))

    def keep_audio(self, item_id: str, pcm: Int16) -> None:
        """It counts towards what is kept; the oldest sound makes room for it."""
        self._kept_audio.add(item_id, pcm.size)

    def write_down(self, turn: Turn) -> None:
        """Its transcript follows when it is known."""
        self._context.transcribing[turn.item_id] = turn
        self._context.tasks.spawn(self._transcribe(turn), "transcribe")

    def tell_words(self, turn: Turn) -> None:
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

    def _write_transcript(self, item_id: str, text: str) -> None:
        conversation = self._context.conversation
        item = conversation.get(item_id) if item_id in conversation else None
        if isinstance(item, MessageItem):
            parts = tuple(
                replace(part, transcript=text) if isinstance(part, AudioPart) else part
                for part in item.content
            )
            conversation.replace(replace(item, content=parts))
