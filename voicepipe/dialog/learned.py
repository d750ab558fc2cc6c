"""Waits learned from how this speaker pauses. Pure.

The chance that a silence which ends a turn after `wait` cuts the speaker off is

    cut(wait) = rate(verdict) * tail(wait)

with the two of `habits.py`. The waits of the options stand for the chances that one is ready to
take with a typical speaker. For this one the wait is the shortest that keeps to the same chance.
With no evidence that is the option's own wait.
"""

from __future__ import annotations

from voicepipe.dialog.completeness import Verdict
from voicepipe.dialog.endpointing import Evidence, text_wait_ms
from voicepipe.dialog.habits import (
    TYPICAL_PAUSE_MS,
    TYPICAL_RATE,
    TYPICAL_SPREAD,
    PauseHabits,
    log_normal_tail,
)
from voicepipe.dialog.options import TurnOptions

STEP_MS = 20  # waits are told to the frame


class LearnedWait:
    """`TextWait`'s waits, raised and lowered within `endpoint_min_ms` .. `endpoint_max_ms`."""

    def __init__(self) -> None:
        self._habits = PauseHabits()
        self._solved: dict[tuple[Verdict, int, int, int], int] = {}

    def wait_ms(self, options: TurnOptions, evidence: Evidence) -> int:
        """The learned wait for the verdict."""
        typical_ms = text_wait_ms(options, evidence.verdict)
        if not self._habits.silences:
            return typical_ms
        least_ms = min(options.endpoint_min_ms, typical_ms)
        most_ms = max(options.endpoint_max_ms, typical_ms)
        key = (evidence.verdict, typical_ms, least_ms, most_ms)
        if key not in self._solved:  # asked on each silent frame, answered once per silence
            self._solved[key] = self._solve(*key)
        return self._solved[key]

    def asks_ear(self, options: TurnOptions, silence_ms: int) -> bool:
        """Never."""
        return False

    def went_on(self, verdict: Verdict, pause_ms: int) -> None:
        """A pause: longer waits for this verdict and, if it was a long one, for all."""
        if self._habits.went_on(verdict, pause_ms):
            self._solved.clear()

    def ended(self, verdict: Verdict) -> None:
        """An end that was one: shorter waits for this verdict."""
        self._habits.ended(verdict)
        self._solved.clear()

    def _solve(self, verdict: Verdict, typical_ms: int, least_ms: int, most_ms: int) -> int:
        typical_tail = log_normal_tail(typical_ms, TYPICAL_PAUSE_MS, TYPICAL_SPREAD)
        chance = TYPICAL_RATE[verdict] * typical_tail
        rate = self._habits.rate(verdict)
        low, high = least_ms // STEP_MS, most_ms // STEP_MS
        while low < high:  # the tail only falls, so halving finds the first wait that will do
            middle = (low + high) // 2
            if rate * self._habits.tail(middle * STEP_MS) <= chance:
                high = middle
            else:
                low = middle + 1
        return min(most_ms, max(least_ms, low * STEP_MS))
