"""One user turn as the session knows it: its audio, its transcript, its item, its times."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Literal

from voicepipe.asr.contract import Transcript, Utterance
from voicepipe.dialog.effects import EndTurn
from voicepipe.ledger.marks import Marks
from voicepipe.runtime.errors import EngineError
from voicepipe.session.ids import new_id
from voicepipe.session.live_words import LiveWords
from voicepipe.session.tasks import Tasks, asked_to_stop

if TYPE_CHECKING:
    from voicepipe.session.turn_notes import TurnTrace

log = logging.getLogger(__name__)

Origin = Literal["speech", "commit", "text"]

ASR_DEADLINE_S = 15.0
"""A final that takes longer will not be waited for: the turn fails instead of hanging."""


class Turn:
    """`number` is the dialog's; `item_id` the user item it becomes. For a response without user
    speech the item stays unused."""

    def __init__(
        self,
        origin: Origin,
        tasks: Tasks,
        utterance: Utterance | None = None,
        number: int | None = None,
    ) -> None:
        self.id = new_id("turn")
        self.item_id = new_id("item")
        self.number = number
        self.origin = origin
        self._tasks = tasks
        self.utterance = utterance
        self.marks = Marks()
        self.discards = 0  # replies prepared and thrown away
        self.over = False  # the endpoint has passed
        self.announced = origin == "commit"  # the client knows of it: its words may be told
        self.live = LiveWords()
        self.stable = ""  # the newest words of a partial transcript that will not change
        self.trace: TurnTrace | None = None  # of turns that were heard
        self.prepared_at_ms: int | None = None  # stream time at which its reply was begun
        self.eager_end_at_ms: int | None = None  # stream time of its newest eager end
        self.decode_us = 0  # the final decode, as the engine reports it
        self.endpoint_wait_us = self.eager_end_wait_us = 0  # silence that ended it, as planned
        self.start_wait_us = 0  # silence after which its reply was prepared; negative: in speech
        self._decoding: asyncio.Task[Transcript] | None = None

    async def transcript(self) -> Transcript:
        """What was said. The same decode serves all who ask; after `continued` a new one.

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

    def continued(self) -> None:
        """More audio comes: what was decoded is no longer the whole."""
        if self._decoding is not None:
            self._decoding.cancel()
            self._decoding = None

    def ends_eagerly(self, now_s: float, now_ms: int) -> None:
        """They are silent, and it may be over. Monotonic seconds, and stream time."""
        self.marks.move("eager_end", now_s)
        self.eager_end_at_ms = now_ms

    def end_now(self, now_s: float) -> None:
        """It is over because the client says so: nobody waited for silence. Monotonic seconds."""
        self.marks.set("speech_end", now_s)
        self.marks.set("endpoint", now_s)
        self.over = True

    def end_by_silence(self, end: EndTurn, last_voiced_s: float, now_s: float) -> None:
        """It is over. The silences that the policy asked for are noted for the ledger; a turn that
        was not ended by silence (`commit`, `stall` ...) waited as long as it did."""
        self.marks.set("speech_end", last_voiced_s)
        self.marks.set("endpoint", now_s)
        self.over = True
        planned_ms = end.end_ms - end.speech_end_ms
        planned = planned_ms if end.reason == "silence" else (now_s - last_voiced_s) * 1000
        self.endpoint_wait_us = self.start_wait_us = round(planned * 1000)
        if self.prepared_at_ms is not None:
            self.start_wait_us = (self.prepared_at_ms - end.speech_end_ms) * 1000
        if self.eager_end_at_ms is not None:
            self.eager_end_wait_us = (self.eager_end_at_ms - end.speech_end_ms) * 1000
        if self.trace is not None:
            self.trace.end(end)

    def drop(self) -> None:
        """Nobody will ask again: free the audio and stop the decode."""
        self.continued()
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
        except EngineError:
            raise
        except asyncio.CancelledError:
            if asked_to_stop():
                raise
            raise EngineError("the recognizer gave up", stage="asr") from None
        except Exception:  # a fault of the engine's: who waits for words must not wait for ever
            log.exception("the recognizer failed")
            raise EngineError("the recognizer failed", stage="asr") from None
        work_s = transcript.work_s if transcript.planned_s is None else transcript.planned_s
        self.decode_us = round((work_s + transcript.queue_s) * 1e6)
        return transcript
