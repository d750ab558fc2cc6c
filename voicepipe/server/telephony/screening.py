"""The first seconds of a call that the server has made: who has picked up is listened to, and the
session hears nothing of it.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from voicepipe.audio.codec import Decoder
from voicepipe.audio.formats import AudioFormat
from voicepipe.audio.pcm import FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE
from voicepipe.runtime.clock import Clock
from voicepipe.server.telephony.answering_machine import (
    DECIDE_MS,
    Heard,
    Verdict,
    greeting_is_over,
    hear,
    verdict,
)
from voicepipe.vad.contract import VoiceDetector

LONGEST_GREETING_S = 30.0
"""A machine that talks for longer gets its message anyway."""


class Screening:
    """`hear` what comes, and ask for `verdict`; after "machine", whether it `listens`."""

    def __init__(
        self, wire: AudioFormat, detector: VoiceDetector, threshold: float, clock: Clock
    ) -> None:
        """`wire`: of what is heard; `threshold`: the probability from which on it is speech."""
        self._decoder = Decoder(wire, SAMPLE_RATE)
        self._detector, self._threshold, self._clock = detector, threshold, clock
        self._rest = np.zeros(0, np.int16)
        self._began_at = clock.now()
        self._heard = Heard()
        self._verdict: Verdict | None = None

    def hear(self, audio: bytes) -> None:
        """Wire bytes of who has picked up."""
        samples = np.concatenate([self._rest, self._decoder.decode(audio)])
        whole = samples.size - samples.size % FRAME_SAMPLES
        for start in range(0, whole, FRAME_SAMPLES):
            frame = samples[start : start + FRAME_SAMPLES]
            speech = self._detector.probability(frame) >= self._threshold
            self._heard = hear(self._heard, FRAME_MS, speech=speech)
            self._verdict = self._verdict or verdict(self._heard)
        self._rest = samples[whole:]

    @property
    def verdict(self) -> Verdict | None:
        """Who it is; None: it is too early to say. Once said, it stays. Frames that come late, or
        not at all, do not put it off."""
        if self._verdict is None and self.left_s <= 0:
            self._verdict = verdict(replace(self._heard, at_ms=DECIDE_MS))
        return self._verdict

    @property
    def left_s(self) -> float:
        """Until there is a verdict at the latest; infinite where there is one."""
        if self._verdict is not None:
            return math.inf
        return max(0.0, self._began_at + DECIDE_MS / 1000 - self._clock.now())

    @property
    def listens(self) -> bool:
        """The machine has come to its end."""
        talked_s = self._clock.now() - self._began_at
        return greeting_is_over(self._heard) or talked_s > LONGEST_GREETING_S
