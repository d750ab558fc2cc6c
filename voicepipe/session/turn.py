"""One user turn: what was said, when, and the replies that were prepared for it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal

from voicepipe.asr.contract import Transcript, Utterance
from voicepipe.dialog.effects import EndTurn
from voicepipe.ledger.marks import Marks
from voicepipe.runtime.errors import EngineError
from voicepipe.session.ids import new_id
from voicepipe.session.tasks import Tasks

if TYPE_CHECKING:
    from voicepipe.session.turn_trace import TurnTrace

Origin = Literal["speech", "commit", "text"]

ASR_DEADLINE_S = 15.0
"""A final that takes longer will not be waited for: the turn fails instead of hanging."""


class Turn:
    """`item_id` is the user item it becomes; for a response without user speech it stays unused."""

    def __init__(self, origin: Origin, tasks: Tasks, utterance: Utterance | None = None) -> None:
        self.id = new_id("turn")
        self.item_id = new_id("item")
        self.origin = origin
        self._tasks = tasks
        self.utterance = utterance
        self.marks = Marks()
        self.discards = 0  # replies prepared and thrown away
        self.committed = False
        self.guess: str | None = None  # partial text that a reply was prepared on
        self.guesses = 0  # how many there have been
        self.warmed_words = 0  # stable words that the model has been shown
        self.trace: TurnTrace | None = None  # of turns that the audio input began
        self.prepared_at_ms: int | None = None  # stream time at which its reply was begun
        self.eager_end_at_ms: int | None = None  # stream time of its newest eager end
        self.decode_us = 0  # the final decode, as the engine reports it
        self.endpoint_wait_us = self.eager_end_wait_us = 0  # silence that ended it, as planned
        self.start_wait_us = 0  # silence after which its reply was prepared; negative: in speech
        self._decoding: asyncio.Task[Transcript] | None = None

    async def transcript(self) -> Transcript:
        """What was said. The same decode serves all who ask; after `speech_resumed` a new one.

        Raises EngineError(stage="asr").
        """
        if self.utterance is None:
            return Transcript("")
        self.begin_decoding()
        assert self._decoding is not None
        return await asyncio.shield(self._decoding)

    def begin_decoding(self) -> None:
        """Start the decode that `transcript` will wait for; what else is to do comes after it."""
        if self.utterance is not None and self._decoding is None:
            self._decoding = self._tasks.spawn(self._decode(self.utterance), "asr-final")

    def speech_resumed(self) -> None:
        """More audio comes: what was decoded is no longer the whole."""
        if self._decoding is not None:
            self._decoding.cancel()
            self._decoding = None

    def plan_waits(self, end: EndTurn, waited_s: float) -> None:
        """Note the silences that the policy asked for, for the ledger. A turn that was not ended
        by silence (`commit`, `stall` ...) waited as long as it did."""
        planned_ms = end.end_ms - end.speech_end_ms
        planned = planned_ms if end.reason == "silence" else waited_s * 1000
        self.endpoint_wait_us = self.start_wait_us = round(planned * 1000)
        if self.prepared_at_ms is not None:
            self.start_wait_us = (self.prepared_at_ms - end.speech_end_ms) * 1000
        if self.eager_end_at_ms is not None:
            self.eager_end_wait_us = (self.eager_end_at_ms - end.speech_end_ms) * 1000

    def drop(self) -> None:
        """Nobody will ask again: free the audio and stop the decode."""
        self.speech_resumed()
        if self.utterance is not None:
            self.utterance.cancel()

    async def _decode(self, utterance: Utterance) -> Transcript:
        try:
            async with asyncio.timeout(ASR_DEADLINE_S):
                transcript = await utterance.final()
        except TimeoutError:
            raise EngineError(
                f"the recognizer gave no transcript within {ASR_DEADLINE_S:.0f} s", stage="asr"
            ) from None
        work_s = transcript.work_s if transcript.planned_s is None else transcript.planned_s
        self.decode_us = round((work_s + transcript.queue_s) * 1e6)
        return transcript
