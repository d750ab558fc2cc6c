"""The sound that turns are decided on. The recognizer hears the user's line as it comes, since what
cleans sound costs it words; the voice detector and the end-of-turn model hear it with the agent's
own voice taken out, and noise, where the settings ask for that.
"""

from __future__ import annotations

import asyncio

import numpy as np

from voicepipe.audio import echo_canceller
from voicepipe.audio.codec import Decoder
from voicepipe.audio.echo_canceller import EchoCanceller
from voicepipe.audio.echo_level import EchoLevel, Kind
from voicepipe.audio.far_end import FarEnd
from voicepipe.audio.formats import AudioFormat
from voicepipe.audio.pcm import FRAME_SAMPLES, SAMPLE_RATE, Int16
from voicepipe.runtime.clock import Clock
from voicepipe.session.cleaning import Cleaning

SILENCE: Int16 = np.zeros(FRAME_SAMPLES, dtype=np.int16)


class TurnDetectionAudio:
    """One per session. Told what the listener plays (`played`, `taken_back`), it cleans each frame
    of the user's (`hear`). Where the library is not there yet, or at all, frames stay as they are.
    """

    def __init__(self, clock: Clock, cleaning: Cleaning, played: AudioFormat) -> None:
        """`played`: the format of what the listener plays."""
        self._clock = clock
        self._canceller: EchoCanceller | None = None
        self._cleaning = Cleaning()
        self._decoder = Decoder(played, SAMPLE_RATE)
        self._left_ms = 0.0  # of what a sink was given: has left the server
        self._forget()
        self.apply_settings(cleaning, played)

    def apply_settings(self, cleaning: Cleaning, played: AudioFormat) -> None:
        """The session's settings changed."""
        if played != self._decoder.wire:
            self._decoder = Decoder(played, SAMPLE_RATE)
        if cleaning == self._cleaning:
            return
        self._cleaning = cleaning
        self._forget()
        if cleaning and not echo_canceller.loaded():
            asyncio.get_running_loop().run_in_executor(None, echo_canceller.load)

    def close(self) -> None:
        """The session is over."""
        self._cleaning = Cleaning()
        self._forget()

    def played(self, audio: bytes) -> None:
        """The listener plays this (wire audio) behind what it has, or from now on."""
        if self.cleans_echo:
            self._far.play(self._decoder.decode(audio), self._now_ms)

    def taken_back(self, ms: float) -> None:
        """The last so much of it will not be played."""
        if self.cleans_echo:
            self._far.take_back(ms, self._now_ms)

    def left(self, audio: bytes, duration_ms: float) -> None:
        """A sink has sent this off. It counts as played then: the way back is as long for all."""
        self._left_ms += duration_ms
        self.played(audio)

    def flushed(self, heard_ms: float) -> None:
        """A sink has dropped all but what was heard by now, since the session began."""
        self.taken_back(max(0.0, self._left_ms - heard_ms))
        self._left_ms = heard_ms

    def hear(self, frame: Int16) -> Int16:
        """A frame of the user's (int16 [320], 16 kHz) as it is to be decided upon, where anything
        `cleans`. Say of each what was decided, by `settle`."""
        far = self._far.beside(frame.size, self._now_ms) if self.cleans_echo else SILENCE
        echo_possible = self._level.played(far)
        if not (echo_possible or self._cleaning.noise):
            return frame
        canceller = self._ready()
        if canceller is None:
            return frame
        cleaned = canceller.clean(frame, far)
        return self._chosen(frame, cleaned) if echo_possible else cleaned

    def settle(self, speech: bool) -> None:
        """Whether the newest frame was taken for speech."""
        self._level.settle(speech)

    def _chosen(self, frame: Int16, cleaned: Int16) -> Int16:
        """An echo is silence; and the user is best heard as they came."""
        heard: dict[Kind, Int16] = {"echo": SILENCE, "user": frame, "doubtful": cleaned}
        return heard[self._level.judge(frame, cleaned)]

    def _ready(self) -> EchoCanceller | None:
        if self._canceller is None and echo_canceller.loaded() and echo_canceller.load():
            self._canceller = EchoCanceller(echo=self._cleaning.echo, noise=self._cleaning.noise)
        return self._canceller

    def _forget(self) -> None:
        # Asked with every frame and every piece that is played:
        self.cleans, self.cleans_echo = bool(self._cleaning), self._cleaning.echo
        self._canceller = None
        self._far, self._level = FarEnd(), EchoLevel()

    @property
    def _now_ms(self) -> float:
        return self._clock.now() * 1000
