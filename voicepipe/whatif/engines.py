"""How long the engines would have taken for a reply that was not, or not to its end, recorded.

Where a turn's own reply says it, that is taken; else the reply that the same turns did give; else
the median of all. A stage that was cut off is at least as long as it had run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Literal

from voicepipe.ledger.trace import STAGES, Attempt, Stage
from voicepipe.whatif.changes import Changes
from voicepipe.whatif.recorded import RecordedTurn, Stretch
from voicepipe.whatif.texts import unique

StageTimes = Mapping[Stage, int]

MORE_US = 1000
"""A stage that was cut off would have taken at least this much longer."""

_CHANGED: tuple[Literal["llm", "clause", "tts"], ...] = ("llm", "clause", "tts")


def typical_stages(turns: Iterable[RecordedTurn]) -> dict[Stage, int]:
    """Median microseconds of each stage, over all replies that finished it; 0 if none did."""
    found: dict[Stage, list[int]] = {name: [] for name in STAGES}
    for turn in turns:
        found["asr"] += _decodes_us(turn, 0).values()
        for attempt in turn.trace.attempts:
            for name, us in attempt.stages_us.items():
                if name != "asr":
                    found[name].append(us)
    return {name: round(median(us)) if us else 0 for name, us in found.items()}


def _decodes_us(turn: RecordedTurn, offset_ms: int) -> dict[int, int]:
    """Each final decode, by the end of the speech it heard. A reply begun with it waited for all
    of it; one begun later (the guess before it was wrong) for less or nothing."""
    found = {final.after_ms + offset_ms: final.asr_us for final in turn.trace.finals}
    for attempt in turn.trace.attempts:
        if attempt.guess is None and "asr" in attempt.stages_us:
            at = attempt.after_ms + offset_ms
            found[at] = max(found.get(at, 0), attempt.stages_us["asr"])
    return found


class _Known:
    """A reply as it was recorded, on the time line of its stretch."""

    def __init__(self, attempt: Attempt, offset_ms: int, turn_number: int) -> None:
        self.attempt = attempt
        self.after_ms = attempt.after_ms + offset_ms
        guess = attempt.guess
        self.guess = None if guess is None else unique(guess, turn_number)


class EngineTimes:
    """Of one stretch. `after_ms` is the end of the speech a reply answers, on its time line;
    `guess` the number of the partial text it answers, None where it is the final one."""

    def __init__(
        self, stretch: Stretch, offsets_ms: Sequence[int], typical: StageTimes, changes: Changes
    ) -> None:
        self._typical = typical
        self._changes = changes
        self._attempts: list[_Known] = []
        self._decodes_us: dict[int, int] = {}
        for number, (turn, offset) in enumerate(zip(stretch, offsets_ms, strict=True)):
            self._attempts += [_Known(a, offset, number) for a in turn.trace.attempts]
            self._decodes_us |= _decodes_us(turn, offset)
        self._whole = [known for known in self._attempts if "tts" in known.attempt.stages_us]

    def asr_us(self, after_ms: int) -> int:
        """From the beginning of the final decode to its text."""
        us = self._decodes_us.get(after_ms)
        if us is None:
            us = next(reversed(self._decodes_us.values()), self._typical["asr"])
        return self._changes.stage_us("asr", us)

    def stages_us(self, after_ms: int, guess: int | None) -> dict[Stage, int]:
        """The stages behind the transcript, up to the first sound."""
        known = self._recorded(after_ms, guess)
        donor = self._nearest(after_ms)
        stages: dict[Stage, int] = {}
        ran_us = 0 if known is None else known.ran_us
        for name in STAGES:
            us = None if known is None else known.stages_us.get(name)
            if us is None:
                us = self._other(name, donor)
                if ran_us and name != "after_tool":  # the stage that was cut off, and only that
                    us, ran_us = max(us, ran_us + MORE_US), 0
            else:
                ran_us = max(0, ran_us - us)
            stages[name] = us
        del stages["asr"]
        for changed in _CHANGED:
            stages[changed] = self._changes.stage_us(changed, stages[changed])
        return stages

    def _recorded(self, after_ms: int, guess: int | None) -> Attempt | None:
        """The very reply. A guess may have been heard at another moment."""
        if guess is None:
            same = [k for k in self._attempts if k.guess is None and k.after_ms == after_ms]
        else:
            same = [k for k in self._attempts if k.guess == guess]
        return min(same, key=lambda k: abs(k.after_ms - after_ms)).attempt if same else None

    def _nearest(self, after_ms: int) -> Attempt | None:
        """The reply that this speech did get; of those thrown away only the quick ones were done,
        so they come last."""
        if not self._whole:
            return None

        def distance(known: _Known) -> tuple[bool, bool, int]:
            behind_ms = known.after_ms - after_ms
            return known.attempt.end != "committed", behind_ms < 0, abs(behind_ms)

        return min(self._whole, key=distance).attempt

    def _other(self, name: Stage, donor: Attempt | None) -> int:
        if donor is not None:
            return donor.stages_us.get(name, 0)
        return self._typical[name] if name != "after_tool" else 0
