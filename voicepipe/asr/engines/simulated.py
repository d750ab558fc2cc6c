"""The `simulated` engine: texts from a script after a programmable delay. No model, no threads;
works in virtual time. For load tests, CI and what-if."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from voicepipe.asr.contract import AsrOptions, Hypothesis, Transcript, Word
from voicepipe.audio.pcm import SAMPLE_RATE, Int16
from voicepipe.config import AsrSettings, SimulatedSettings
from voicepipe.config.engines import EngineContext
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import EngineError
from voicepipe.runtime.sampling import DelaySampler
from voicepipe.runtime.streams import Latest
from voicepipe.runtime.turnstile import turnstile

Script = Callable[[int], str] | Sequence[str]
"""Texts per utterance: a list (handed out in order, then again from the start) or a function of the
utterance's number (0, 1, ...)."""

WORD_S = 0.35
"""Audio a word takes: about 170 words a minute. Partials reveal words at this pace."""


class SimulatedRecognizer:
    """Implements `contract.Recognizer`."""

    name = "simulated"

    def __init__(
        self, settings: SimulatedSettings, script: Script | None = None, clock: Clock | None = None
    ) -> None:
        """Without a script every utterance is `settings.transcript`. `clock` measures the delays
        really taken; without it the drawn ones are reported."""
        self._script = script if script is not None else (settings.transcript,)
        if not callable(self._script) and not self._script:
            raise ValueError("a script needs at least one text")
        self._delays = DelaySampler(settings.asr, settings.seed, "asr")
        self._turnstile = turnstile(settings.asr.slots)
        self._clock = clock
        self._opened = 0
        self._open: weakref.WeakSet[SimulatedUtterance] = weakref.WeakSet()
        self.finals = 0  # decodes simulated

    async def start(self) -> None:
        """Nothing to load."""

    def open(self, options: AsrOptions) -> SimulatedUtterance:
        """See the contract: the next text of the script."""
        number, self._opened = self._opened, self._opened + 1
        script = self._script
        text = script(number) if callable(script) else script[number % len(script)]
        utterance = SimulatedUtterance(text, options, self._wait)
        self._open.add(utterance)
        return utterance

    async def aclose(self) -> None:
        """Cancel all utterances."""
        for utterance in list(self._open):
            utterance.cancel()

    async def _wait(self, cancelled: asyncio.Future[None]) -> tuple[float, float]:
        """One simulated decode; gives the seconds it took and those it was meant to take. Ends
        early when cancelled."""
        delay_s = self._delays.next_s()
        began_s = self._clock.now() if self._clock else 0.0
        self.finals += 1
        async with self._turnstile:
            await asyncio.wait((cancelled,), timeout=delay_s)
        return (self._clock.now() - began_s if self._clock else delay_s), delay_s


class SimulatedUtterance:
    """Implements `contract.Utterance`: hears its text in any audio, but none in none."""

    def __init__(
        self,
        text: str,
        options: AsrOptions,
        wait: Callable[[asyncio.Future[None]], Awaitable[tuple[float, float]]],
    ) -> None:
        self._words = text.split()
        self._options = options
        self._wait = wait
        self._samples = 0
        self._shown = 0
        self._known: Transcript | None = None
        self._hypotheses: Latest[Hypothesis] = Latest()
        self._cancelled = False
        self._stopped: asyncio.Future[None] | None = None  # what a decode waits for

    def feed(self, pcm: Int16) -> None:
        """See the contract."""
        if self._cancelled or len(pcm) == 0:
            return
        self._samples += len(pcm)
        self._known = None
        revealed = min(int(self._samples / SAMPLE_RATE / WORD_S), len(self._words))
        if self._options.partials and revealed > self._shown:
            self._shown = revealed
            self._hypotheses.put(
                Hypothesis(
                    stable=" ".join(self._words[: revealed - 1]),
                    tentative=self._words[revealed - 1],
                    audio_s=self._samples / SAMPLE_RATE,
                )
            )

    async def hypotheses(self) -> AsyncIterator[Hypothesis]:
        """See the contract."""
        async for hypothesis in self._hypotheses.read():
            yield hypothesis

    async def final(self) -> Transcript:
        """See the contract. Takes the simulated delay unless nothing was fed since the last one."""
        if self._known is not None:
            return self._known
        self._check()
        samples = self._samples
        if samples == 0:
            return Transcript(text="", refused="silence")
        self._stopped = self._stopped or asyncio.get_running_loop().create_future()
        work_s, planned_s = await self._wait(self._stopped)
        self._check()
        transcript = self._transcript(samples / SAMPLE_RATE, work_s, planned_s)
        if samples == self._samples:
            self._known = transcript
        return transcript

    def cancel(self) -> None:
        """See the contract."""
        self._cancelled = True
        if self._stopped is not None and not self._stopped.done():
            self._stopped.set_result(None)
        self._hypotheses.close()

    def _transcript(self, audio_s: float, work_s: float, planned_s: float) -> Transcript:
        each_s = audio_s / max(len(self._words), 1)
        words = tuple(
            Word(word, index * each_s, (index + 1) * each_s, 1.0)
            for index, word in enumerate(self._words)
        )
        return Transcript(
            text=" ".join(self._words),
            words=words,
            language=self._options.language or "en",
            audio_s=audio_s,
            work_s=work_s,
            planned_s=planned_s,
            refused=None if words else "silence",
        )

    def _check(self) -> None:
        if self._cancelled:
            raise EngineError("the utterance was cancelled", stage="asr")


def make(context: EngineContext[AsrSettings, SimulatedSettings]) -> SimulatedRecognizer:
    """See `Engine.make`."""
    return SimulatedRecognizer(context.own, clock=context.clock)
