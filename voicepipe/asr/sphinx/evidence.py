"""Whether anybody speaks in a stretch of sound, by Silero's network: pocketsphinx writes words for
rain and roosters too, with the same confidence as for people."""

from __future__ import annotations

from collections import deque

from voicepipe.audio.pcm import Int16
from voicepipe.vad.silero import WINDOW, SileroVad

_SPAN = 6  # windows, 192 ms: about a syllable


class SpeechEvidence:
    """Takes the sound of an utterance in pieces, until there is enough to be sure. Blocking: 2 ms
    for a second of it."""

    def __init__(self, enough: float = 1.0) -> None:
        """`enough`: from so much on no more is asked."""
        self._enough = enough
        self._detector = SileroVad()
        self._newest: deque[float] = deque(maxlen=_SPAN)
        self.best = 0.0  # mean probability of speech in the span where it is highest, 0 to 1

    def feed(self, pcm: Int16) -> None:
        """The next samples, int16 [n] at 16 kHz."""
        for start in range(0, len(pcm), WINDOW):
            if self.best >= self._enough:
                return
            self._newest.append(self._detector.probability(pcm[start : start + WINDOW]))
            if len(self._newest) == _SPAN:
                self.best = max(self.best, sum(self._newest) / _SPAN)
