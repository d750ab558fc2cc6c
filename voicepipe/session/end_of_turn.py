"""An audio model hears the silence of an open turn, and says how likely the turn is over."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from voicepipe.runtime.errors import EngineError
from voicepipe.session.audio_input import AudioInput
from voicepipe.session.context import Context
from voicepipe.session.turn import Turn
from voicepipe.vad.contract import EndOfTurnModel

log = logging.getLogger(__name__)

AUDIO_MS = 8000
"""What the model is given: smart-turn hears no more."""

DEADLINE_S = 1.0
"""By then the text has ended the turn."""


class EndOfTurnJudge:
    """Of one session. `tell(speech_end_ms, probability)`: the model's word on the silence after
    `speech_end_ms` (stream time); without it the text decides."""

    def __init__(
        self, context: Context, audio: AudioInput, tell: Callable[[int, float], None]
    ) -> None:
        self._context, self._audio, self._tell = context, audio, tell
        self._asked = False  # the model has been, and has not answered

    def ask(self, turn: Turn, speech_end_ms: int) -> None:
        """One answer at a time: a machine that is late is not asked for more, and a model that
        hangs holds one thread and no others."""
        model = self._context.engines.end_of_turn
        if model is None or self._asked:
            return
        self._asked = True
        self._context.tasks.spawn(self._judge(turn, model, speech_end_ms), "judge end")

    async def _judge(self, turn: Turn, model: EndOfTurnModel, speech_end_ms: int) -> None:
        speech = self._audio.newest_audio(AUDIO_MS)
        loop = asyncio.get_running_loop()
        answering = loop.run_in_executor(None, model.probability, speech)
        answering.add_done_callback(self._answered)
        try:
            async with asyncio.timeout(DEADLINE_S):
                probability = await asyncio.shield(answering)
        except (EngineError, TimeoutError) as error:
            log.warning("end-of-turn model: %s", error or "no answer in time")
            return
        if not 0 <= probability <= 1:  # nor is it where that is no number
            log.warning("end-of-turn model: %s is no probability", probability)
            return
        if turn.trace is not None and not turn.over:
            turn.trace.judged(speech_end_ms, probability)
        self._tell(speech_end_ms, probability)

    def _answered(self, answering: asyncio.Future[float]) -> None:
        """The thread is free, perhaps long after anybody waited for it."""
        self._asked = False
        if not answering.cancelled():
            answering.exception()  # who was too late is not told of either
