"""From the probability of each frame to stretches of speech and silence. Pure.

Times are stream time in ms: the end of the newest frame is now.
"""

from __future__ import annotations

from voicepipe.audio.pcm import FRAME_MS
from voicepipe.dialog.options import TurnOptions
from voicepipe.dialog.runs import SpeechRuns


class Stretches:
    """Of one session's user audio."""

    __slots__ = ("in_speech", "now_ms", "runs", "sign_ms", "spent", "start_ms")

    def __init__(self) -> None:
        self.now_ms = 0
        self.in_speech = False  # the newest frame was at or above its threshold
        self.start_ms = 0  # start of the present stretch of speech
        self.sign_ms = 0  # present stretch of frames with the least sign of speech
        self.spent = False  # this stretch belongs to a turn that was ended in its midst
        self.runs = SpeechRuns()  # for the ledger; no decision looks at them

    @property
    def run_ms(self) -> int:
        """Length of the present stretch of speech; 0 in silence."""
        return self.now_ms - self.start_ms if self.in_speech else 0

    def frame(self, probability: float, options: TurnOptions) -> None:
        """One frame more. Speech is let go later than it is taken up (hysteresis), and a sign of it
        is less than either."""
        self.now_ms += FRAME_MS
        threshold = options.release_threshold if self.in_speech else options.speech_threshold
        sign = probability >= threshold or probability >= options.pause_threshold
        if not sign:
            self.spent = False
        self.sign_ms = self.sign_ms + FRAME_MS if sign and not self.spent else 0
        if probability < threshold:
            if self.in_speech:
                self.in_speech = False
                self.runs.ended(self.now_ms - FRAME_MS)
        elif not self.in_speech:
            self.in_speech, self.spent = True, False
            self.start_ms = self.now_ms - FRAME_MS
            self.runs.began(self.start_ms)

    def break_off(self) -> None:
        """What comes next is a new stretch, whatever it follows."""
        self.in_speech = False
        self.runs.ended(self.now_ms)

    def spend(self) -> None:
        """Ended in mid-word: the rest of the word neither reopens the turn nor interrupts."""
        self.spent = self.in_speech
        self.sign_ms = 0
