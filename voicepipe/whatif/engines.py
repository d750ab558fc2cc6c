"""How long the engines would have taken for a reply that was not, or not to its end, recorded.

Where a turn's own reply says it, that is taken; else the reply that the same turns did give; else
the median of all. A stage that was cut off is at least as long as it had run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Literal

from voicepipe.latency.trace import STAGES, Attempt, Final, Stage
from voicepipe.whatif.changes import Changes
from voicepipe.whatif.recorded import RecordedTurn, Stretch

StageTimes = Mapping[Stage, int]

MORE_US = 1000
"""A stage that was cut off would have taken at least this much longer."""

_CHANGED: tuple[Literal["llm", "clause", "tts"], ...] = ("llm", "clause", "tts")


def typical_stages(turns: Iterable[RecordedTurn]) -> dict[Stage, int]:
    """Median microseconds of each stage, over all replies that finished it; 0 if none did."""
    found: dict[Stage, list[int]] = {name: [] for name in STAGES}
    for turn in turns:
        for attempt in turn.trace.attempts:
            for name, us in attempt.stages_us.items():
                if name != "asr" or attempt.guess is None:
                    found[name].append(us)
    return {name: round(median(us)) if us else 0 for name, us in found.items()}


class EngineTimes:
    """Of one stretch. `after_ms` is the end of the speech a reply answers, on its time line."""

    def __init__(
        self, stretch: Stretch, offsets_ms: Sequence[int], typical: StageTimes, changes: Changes
    ) -> None:
        self._typical = typical
        self._changes = changes
        self._attempts: list[tuple[int, Attempt]] = []
        self._finals: dict[int, Final] = {}
        for turn, offset_ms in zip(stretch, offsets_ms, strict=True):
            self._attempts += [(a.after_ms + offset_ms, a) for a in turn.trace.attempts]
            self._finals |= {f.after_ms + offset_ms: f for f in turn.trace.finals}
        whole = [a for _, a in self._attempts if "tts" in a.stages_us]
        self._own: Attempt | None = whole[-1] if whole else None

    def asr_us(self, after_ms: int) -> int:
        """From the beginning of the final decode to its text."""
        for at, attempt in self._attempts:
            if at == after_ms and attempt.guess is None and "asr" in attempt.stages_us:
                return self._changes.stage_us("asr", attempt.stages_us["asr"])
        final = self._finals.get(after_ms)
        if final is not None:
            return self._changes.stage_us("asr", final.asr_us)
        known = list(self._finals.values())
        us = known[-1].asr_us if known else self._typical["asr"]
        return self._changes.stage_us("asr", us)

    def stages_us(self, after_ms: int) -> dict[Stage, int]:
        """The stages behind the transcript, up to the first sound."""
        attempt = next((a for at, a in self._attempts if at == after_ms), None)
        stages: dict[Stage, int] = {}
        ran_us = 0 if attempt is None else attempt.ran_us
        for name in STAGES:
            us = None if attempt is None else attempt.stages_us.get(name)
            if us is None:
                us = self._other(name)
                if ran_us and name != "after_tool":  # the stage that was cut off, and only that
                    us, ran_us = max(us, ran_us + MORE_US), 0
            else:
                ran_us = max(0, ran_us - us)
            stages[name] = us
        del stages["asr"]
        for changed in _CHANGED:
            stages[changed] = self._changes.stage_us(changed, stages[changed])
        return stages

    def _other(self, name: Stage) -> int:
        if self._own is not None and not (name == "asr" and self._own.guess is not None):
            return self._own.stages_us.get(name, 0)
        return self._typical[name] if name != "after_tool" else 0
