"""WebRTC's detector as a cheap gate before Silero: in silence only the gate runs (2 us a frame),
and what it lets through is judged by the better ear.
"""

from __future__ import annotations

from collections import deque

from voicepipe.audio.pcm import FRAME_MS, Int16
from voicepipe.config import VadSettings
from voicepipe.config.engines import EngineContext
from voicepipe.vad.contract import VoiceDetector
from voicepipe.vad.silero import SileroVad
from voicepipe.vad.webrtc import WebRtcVad

HOLD_MS = 400  # the gate stays open so long after it last fired, so Silero sees whole phrases
LEAD_FRAMES = 5  # frames that Silero is shown first when the gate opens: it needs a run-up


DOUBT = 0.2  # all that the judge may say while the gate is shut: under any release threshold, so
# that it can hold the agent for a moment and never begins, keeps up or ends a turn


class GatedVad:
    """`judge`'s probability while `gate` is open, 0 otherwise; while attending, a doubt of the
    judge's gets through a shut gate, because soft onsets open it up to 100 ms late."""

    def __init__(self, gate: VoiceDetector, judge: VoiceDetector) -> None:
        self._gate = gate
        self._judge = judge
        self._lead: deque[Int16] = deque(maxlen=LEAD_FRAMES)
        self._open_frames = 0
        self._attending = False

    def attend(self, on: bool) -> None:
        """See `AttentiveDetector`."""
        if on and not self._judge_listens:
            self._run_up()
        self._attending = on
        if not self._judge_listens:
            self._judge.reset()

    def probability(self, frame: Int16) -> float:
        if self._gate.probability(frame) >= 0.5:
            if not self._judge_listens:
                self._run_up()
            self._open_frames = HOLD_MS // FRAME_MS
        if not self._judge_listens:
            self._lead.append(frame)
            return 0.0
        if self._open_frames == 0 and not frame.any():
            return 0.0  # a muted line: nothing to judge, and the judge costs the most of all here
        probability = self._judge.probability(frame)
        if self._open_frames == 0:
            return min(probability, DOUBT)
        self._open_frames -= 1
        if not self._judge_listens:
            self._judge.reset()
        return probability

    def reset(self) -> None:
        self._gate.reset()
        self._judge.reset()
        self._lead.clear()
        self._open_frames = 0

    @property
    def _judge_listens(self) -> bool:
        return self._attending or self._open_frames > 0

    def _run_up(self) -> None:
        for earlier in self._lead:
            self._judge.probability(earlier)
        self._lead.clear()


def make(context: EngineContext[VadSettings, None]) -> GatedVad:
    """See `Engine.make`."""
    return GatedVad(WebRtcVad(context.stage.webrtc_mode), SileroVad())
