"""A synthesizer with programmable latency and real PCM, for load tests and what-if runs."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import AsyncGenerator, Iterable
from dataclasses import replace
from typing import Literal

import numpy as np

from voicepipe.audio.pcm import Int16
from voicepipe.config import SimulatedSettings, TtsSettings
from voicepipe.config.engines import EngineContext
from voicepipe.languages.known import language_of
from voicepipe.runtime.errors import EngineError
from voicepipe.runtime.sampling import DelaySampler
from voicepipe.runtime.turnstile import turnstile
from voicepipe.tts.contract import Speech, Voice, WordTime
from voicepipe.tts.speakable import Speakable, speakable

CHARS_PER_S = 15.0
"""Speaking pace: about 170 words a minute."""

CHUNK_S = 0.1
FASTER_THAN_REAL_TIME = 20.0
"""After the first chunk: the pace of Piper on one core."""

Outcome = Literal["speak", "fail", "fail_midway", "hang"]
"""What a scripted clause does: `fail` before any audio, `fail_midway` after the first chunk."""


class SimulatedSynthesizer:
    """Shared by all sessions, no threads, no work to speak of; waits are timers only.

    `script` holds the outcomes of the next clauses in order; once it is used up, all are spoken.
    `active` counts the clauses being spoken.
    """

    name = "simulated"
    sample_rate = 24_000

    def __init__(self, settings: SimulatedSettings, script: Iterable[Outcome] = ()) -> None:
        self.script: deque[Outcome] = deque(script)
        self.active = 0
        self._turnstile = turnstile(settings.tts.slots)
        self._delays = DelaySampler(settings.tts, settings.seed + 3, "tts")
        self._buzz = np.tile(_buzz(self.sample_rate), 2)

    async def start(self) -> None:
        """Nothing to load."""

    async def stream(self, clause: str, voice: Voice) -> AsyncGenerator[Speech]:
        """A buzz as long as the text, in chunks of 100 ms. Raises EngineError as scripted. The
        delay counts from here, or from its turn where `slots` are few."""
        loop = asyncio.get_running_loop()
        spoken = speakable(clause, language_of(voice.language))
        if not spoken.text:
            return
        outcome = self.script.popleft() if self.script else "speak"
        self.active += 1
        try:
            async with self._turnstile:
                asked_s, delay_s = loop.time(), self._delays.next_s()
                words = deque(_words(spoken, CHARS_PER_S * voice.speed))
                await asyncio.sleep(max(0.0, asked_s + delay_s - loop.time()))
                planned_s: float | None = delay_s
                async for speech in self._speak(spoken, words, voice.speed, outcome):
                    yield speech if planned_s is None else replace(speech, planned_s=planned_s)
                    planned_s = None
        finally:
            self.active -= 1

    def voices(self) -> tuple[str, ...]:
        return ("simulated",)

    async def aclose(self) -> None:
        """Nothing to free."""

    async def _speak(
        self, spoken: Speakable, words: deque[WordTime], speed: float, outcome: Outcome
    ) -> AsyncGenerator[Speech]:
        if outcome == "hang":
            await asyncio.Event().wait()  # whoever waits for it has a deadline
        if outcome == "fail":
            raise EngineError("simulated: failed as scripted", stage="tts", retryable=True)
        total = round(len(spoken.text) / (CHARS_PER_S * speed) * self.sample_rate)
        chunk = round(CHUNK_S * self.sample_rate)
        for begin in range(0, total, chunk):
            end = min(total, begin + chunk)
            inside = []
            while words and words[0].start_s * self.sample_rate < end:
                inside.append(words.popleft())
            yield Speech(self._audio(begin, end), tuple(inside))
            if outcome == "fail_midway":
                raise EngineError("simulated: failed midway as scripted", stage="tts")
            await asyncio.sleep(CHUNK_S / FASTER_THAN_REAL_TIME)

    def _audio(self, begin: int, end: int) -> Int16:
        """The buzz repeats every second, so that chunks join without a click."""
        start = begin % self.sample_rate
        return self._buzz[start : start + end - begin]


def _words(spoken: Speakable, pace: float) -> Iterable[WordTime]:
    for match in re.finditer(r"\S+", spoken.text):
        begin, end = match.span()
        at, length = spoken.span(begin, end - begin)
        yield WordTime(char=at, length=length, start_s=begin / pace)


def _buzz(rate: int) -> Int16:
    """One second of a soft voiced sound: 120 Hz with falling harmonics, four syllables a second."""
    t = np.arange(rate) / rate
    harmonics = sum(np.sin(2 * np.pi * 120 * k * t) / k**1.5 for k in range(1, 16))
    syllables = 0.6 - 0.4 * np.cos(2 * np.pi * 4 * t)
    wave = np.asarray(harmonics * syllables)
    samples: Int16 = (wave / np.abs(wave).max() * 8000).astype(np.int16)
    return samples


def make(context: EngineContext[TtsSettings, SimulatedSettings]) -> SimulatedSynthesizer:
    """See `Engine.make`."""
    return SimulatedSynthesizer(context.own)
