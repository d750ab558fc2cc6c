"""What a session hears, known beforehand: the detector's verdicts, and the words as they end."""

from __future__ import annotations

from voicepipe.audio.pcm import Int16
from voicepipe.lab.bench.endpoint.turns import MarkedTurn

LATE_MS = 100
"""A word is understood without its last bit: the speech detector may cut that off."""


class Script:
    """One session's. A `VoiceDetector` that says what was found out before, frame by frame."""

    def __init__(self) -> None:
        self.position_ms = 0.0  # user audio of the session up to the end of the present frame
        self.voiced = 0.0  # what the detector says of the present frame
        self._words: list[tuple[float, str]] = []  # end in session ms, word

    def begin(self, turn: MarkedTurn) -> None:
        """From the present position on, `turn` is spoken."""
        start_ms = self.position_ms
        self._words += [(start_ms + end_ms, word) for end_ms, word in turn.words()]

    def words(self, after_ms: float, until_ms: float) -> list[str]:
        """Words that end between two positions of the session, and begin to be heard there."""
        return [word for end, word in self._words if after_ms + LATE_MS < end <= until_ms]

    def probability(self, frame: Int16) -> float:
        """See `VoiceDetector`."""
        return self.voiced

    def reset(self) -> None:
        """See `VoiceDetector`."""
