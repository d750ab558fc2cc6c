"""What the ledger is told of one reply: its marks, and whose time it was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from voicepipe.asr.contract import Transcript
from voicepipe.ledger.accounting import EngineStage, ShareName
from voicepipe.ledger.marks import Marks
from voicepipe.runtime.clock import Clock


class ReplyTimes:
    """Times in microseconds."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.marks = Marks()
        self.work_us: dict[str, int] = {}
        self.engine_us: dict[ShareName, int] = {}  # the engines' part up to the first sound
        self.route: dict[str, str] = {}  # what the engines' wrappers decided
        self.behind_gate = False  # a tool had to wait for the endpoint

    def mark(self, name: Literal["asr_final", "first_clause", "tts_first_audio"]) -> None:
        """It happens now; the first time counts."""
        self.marks.set(name, self._clock.now())

    def heard(self, transcript: Transcript, asked_at: float) -> None:
        """The recognizer has answered; it was asked at `asked_at` (monotonic seconds)."""
        self.work_us["asr"] = round(transcript.work_s * 1e6)
        self.work_us["asr_queue"] = round(transcript.queue_s * 1e6)
        self.note(transcript.route)
        work_s = transcript.work_s if transcript.planned_s is None else transcript.planned_s
        self.spent("asr", work_s, asked_at)
        self.spent("asr_queue", transcript.queue_s, asked_at + work_s)

    def synthesized(self, since_s: float) -> None:
        """A piece of speech has come that was waited for since then."""
        waited_us = round((self._clock.now() - since_s) * 1e6)
        self.work_us.setdefault("tts", waited_us)
        self.work_us["tts_total"] = self.work_us.get("tts_total", 0) + waited_us

    def spent(self, stage: EngineStage, engine_s: float | None, since_s: float) -> None:
        """Time of an engine's on the way to the first sound: what it reports, but no more than
        was waited for it (it may have begun earlier); else all of the wait."""
        waited_s = self._clock.now() - since_s
        spent_us = round(max(0.0, waited_s if engine_s is None else min(engine_s, waited_s)) * 1e6)
        self.engine_us[stage] = self.engine_us.get(stage, 0) + spent_us
        if self.behind_gate:
            self.engine_us["after_tool"] = self.engine_us.get("after_tool", 0) + spent_us

    def note(self, route: Mapping[str, str]) -> None:
        """Keep what was decided; a detour is not hidden by a later clause or round without one. Of
        where an engine is ("llm.node"), the first: that is the one that was waited for."""
        for stage, decision in route.items():
            if stage not in self.route or (decision != "primary" and "." not in stage):
                self.route[stage] = decision
