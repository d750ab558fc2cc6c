"""Waits learned from how this speaker pauses. Pure.

Two things differ between speakers: how often they go on after a silence (the *rate*, kept for each
verdict on the text), and how long their pauses last (the *tail*, shared by all verdicts, since slow
speakers are slow everywhere). Their product is the chance that a silence which ends a turn after
`wait` cuts the speaker off:

    cut(wait) = rate(verdict) * tail(wait)

The waits of the options stand for the chances that one is ready to take with a typical speaker.
For this one the wait is the shortest that keeps to the same chance. With no evidence that is the
option's own wait; evidence fades, so a caller who hands over the phone is forgotten.
"""

from __future__ import annotations

from collections import deque
from math import erfc, exp, log, sqrt

from voicepipe.dialog.completeness import Verdict
from voicepipe.dialog.endpointing import Evidence, text_wait_ms
from voicepipe.dialog.options import TurnOptions

TYPICAL_RATE = {Verdict.COMPLETE: 0.15, Verdict.UNKNOWN: 0.25, Verdict.INCOMPLETE: 0.8}
TYPICAL_PAUSE_MS = 500  # median pause of a typical speaker, and its spread: log-normal
TYPICAL_SPREAD = 0.6
OWN_SPREAD = 0.5  # one pause of the speaker's own says that others will be of about its length
PRIOR_SILENCES = 8.0  # the typical rate weighs as much as so many silences of that verdict
PRIOR_PAUSES = 6.0  # the typical tail weighs as much as so many pauses
FADE = 0.97  # weight of old evidence at each new silence: half of it is gone after 23
LONGEST_PAUSE_MS = 3000  # who goes on later than that had not paused but thought again
KEPT = 64  # pauses remembered; by then the oldest weighs next to nothing
STEP_MS = 20  # waits are told to the frame


class LearnedWait:
    """`TextWait`'s waits, raised and lowered within `endpoint_min_ms` .. `endpoint_max_ms`."""

    def __init__(self) -> None:
        self._pauses: deque[tuple[int, int]] = deque(maxlen=KEPT)  # (ms, number of the silence)
        self._silences = 0
        self._went_on = dict.fromkeys(Verdict, 0.0)  # faded counts
        self._ended = dict.fromkeys(Verdict, 0.0)
        self._solved: dict[tuple[Verdict, int, int, int], int] = {}

    def wait_ms(self, options: TurnOptions, evidence: Evidence) -> int:
        """The learned wait for the verdict."""
        typical_ms = text_wait_ms(options, evidence.verdict)
        if not self._silences:
            return typical_ms
        least_ms = min(options.endpoint_min_ms, typical_ms)
        most_ms = max(options.endpoint_max_ms, typical_ms)
        key = (evidence.verdict, typical_ms, least_ms, most_ms)
        if key not in self._solved:  # asked on each silent frame, answered once per silence
            self._solved[key] = self._solve(*key)
        return self._solved[key]

    def went_on(self, verdict: Verdict, pause_ms: int) -> None:
        """A pause: longer waits for this verdict and, if it was a long one, for all."""
        if 0 < pause_ms <= LONGEST_PAUSE_MS:
            self._fade()
            self._went_on[verdict] += 1
            self._pauses.append((pause_ms, self._silences))

    def ended(self, verdict: Verdict) -> None:
        """An end that was one: shorter waits for this verdict."""
        self._fade()
        self._ended[verdict] += 1

    def _fade(self) -> None:
        self._silences += 1
        self._solved.clear()
        for counts in (self._went_on, self._ended):
            for verdict in counts:
                counts[verdict] *= FADE

    def _solve(self, verdict: Verdict, typical_ms: int, least_ms: int, most_ms: int) -> int:
        typical_rate = TYPICAL_RATE[verdict]
        chance = typical_rate * _tail(typical_ms, TYPICAL_PAUSE_MS, TYPICAL_SPREAD)
        silences = PRIOR_SILENCES + self._went_on[verdict] + self._ended[verdict]
        rate = (PRIOR_SILENCES * typical_rate + self._went_on[verdict]) / silences
        low, high = least_ms // STEP_MS, most_ms // STEP_MS
        while low < high:  # the tail only falls, so halving finds the first wait that will do
            middle = (low + high) // 2
            if rate * self._tail(middle * STEP_MS) <= chance:
                high = middle
            else:
                low = middle + 1
        return min(most_ms, max(least_ms, low * STEP_MS))

    def _tail(self, ms: int) -> float:
        """Share of this speaker's pauses that last longer than `ms`."""
        weight = PRIOR_PAUSES
        longer = PRIOR_PAUSES * _tail(ms, TYPICAL_PAUSE_MS, TYPICAL_SPREAD)
        for pause_ms, number in self._pauses:
            faded = exp((self._silences - number) * log(FADE))
            weight += faded
            longer += faded * _tail(ms, pause_ms, OWN_SPREAD)
        return longer / weight


def _tail(ms: float, median_ms: float, spread: float) -> float:
    """P(X > ms) of a log-normal X."""
    return 0.5 * erfc(log(max(ms, 1) / median_ms) / (spread * sqrt(2)))
