"""A recognizer that knows what is said and understands it when it is said: each word when its audio
has come and a simulated decode has ended. It makes no mistakes.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from voicepipe.asr.agreement import LocalAgreement
from voicepipe.asr.contract import AsrOptions, Hypothesis, Transcript
from voicepipe.audio.pcm import SAMPLE_RATE, Int16
from voicepipe.config import Settings
from voicepipe.lab.bench.preemption.script import LATE_MS, Script
from voicepipe.languages.known import language_of
from voicepipe.languages.language import Language
from voicepipe.languages.transcript import join_words
from voicepipe.runtime.errors import EngineError
from voicepipe.runtime.sampling import DelaySampler
from voicepipe.runtime.streams import Latest


class MarkedRecognizer:
    """A `Recognizer` for one session. Decodes take `settings.simulated.asr`; partial ones begin
    every `settings.asr.partial_ms` of new audio, one at a time, and a word is stable when two in a
    row have it, as in the real engine.
    """

    name = "marked"

    def __init__(self, script: Script, settings: Settings) -> None:
        self._script = script
        self._partial_ms = settings.asr.partial_ms
        self._delays = DelaySampler(settings.simulated.asr, settings.simulated.seed)

    async def start(self) -> None:
        """Nothing to load."""

    def open(self, options: AsrOptions) -> MarkedUtterance:
        """See the contract."""
        partial_ms = self._partial_ms if options.partials else 0
        language = language_of(options.language or "en")
        return MarkedUtterance(self._script, self._delays, partial_ms, language)

    async def aclose(self) -> None:
        """Nothing to free."""


class MarkedUtterance:
    """An `Utterance`: the words spoken in the audio it is fed."""

    def __init__(
        self, script: Script, delays: DelaySampler, partial_ms: int, language: Language
    ) -> None:
        self._script = script
        self._delays = delays
        self._language = language
        self._partial_ms = partial_ms  # 0: no partials
        self._start_ms: float | None = None  # of the first sample, in session time
        self._fed_ms = 0.0
        self._asked_ms = 0.0  # covered by the newest partial decode
        self._decode: asyncio.TimerHandle | None = None  # the partial one under way
        self._agreement = LocalAgreement()
        self._hypotheses: Latest[Hypothesis] = Latest()
        self._known: Transcript | None = None
        self._cancelled = False

    def feed(self, pcm: Int16) -> None:
        """See the contract. The newest sample is the one at the script's position."""
        if self._cancelled or len(pcm) == 0:
            return
        length_ms = len(pcm) * 1000 / SAMPLE_RATE
        if self._start_ms is None:
            self._start_ms = self._script.position_ms - length_ms
        self._fed_ms += length_ms
        self._known = None
        wanted = self._partial_ms and self._fed_ms - self._asked_ms >= self._partial_ms
        if wanted and self._decode is None:
            self._asked_ms = self._fed_ms
            loop = asyncio.get_running_loop()
            self._decode = loop.call_later(self._delays.next_s(), self._show, self._words())

    async def hypotheses(self) -> AsyncIterator[Hypothesis]:
        """See the contract."""
        async for hypothesis in self._hypotheses.read():
            yield hypothesis

    async def final(self) -> Transcript:
        """See the contract."""
        if self._known is not None:
            return self._known
        words, fed_ms, delay_s = self._words(LATE_MS), self._fed_ms, self._delays.next_s()
        await asyncio.sleep(delay_s)
        if self._cancelled:
            raise EngineError("the utterance was cancelled", stage="asr")
        transcript = Transcript(
            text=join_words(words, self._language),
            audio_s=fed_ms / 1000,
            work_s=delay_s,
            planned_s=delay_s,
            refused=None if words else "silence",
        )
        if fed_ms == self._fed_ms:
            self._known = transcript
        return transcript

    def cancel(self) -> None:
        """See the contract."""
        self._cancelled = True
        self._hypotheses.close()
        if self._decode is not None:
            self._decode.cancel()

    def _text(self, words: Sequence[str]) -> str:
        return join_words(words, self._language)

    def _words(self, late_ms: float = 0.0) -> list[str]:
        start_ms = self._start_ms or 0.0
        return self._script.words(start_ms, start_ms + self._fed_ms + late_ms)

    def _show(self, words: list[str]) -> None:
        self._decode = None
        self._agreement.update(words)
        stable, tentative = self._agreement.stable, self._agreement.tentative
        self._hypotheses.put(
            Hypothesis(
                self._text(stable),
                self._text(tentative),
                self._asked_ms / 1000,
                " " if self._language.spaced else "",
            )
        )
