"""How a speaker pauses: how often they go on after a silence, and how long their pauses last. Pure.

The *rate* is kept for each verdict on the text, the *tail* is shared by all of them, since slow
speakers are slow everywhere. A typical speaker's figures weigh as much as a few silences, so that
the first ones change little; evidence fades, so that a caller who hands over the phone is
forgotten.
"""

from __future__ import annotations

from collections import deque
from math import erfc, log, sqrt

from voicepipe.dialog.completeness import Verdict

TYPICAL_RATE = {Verdict.COMPLETE: 0.15, Verdict.UNKNOWN: 0.25, Verdict.INCOMPLETE: 0.8}
TYPICAL_PAUSE_MS = 500  # median pause of a typical speaker, and its spread: log-normal
TYPICAL_SPREAD = 0.6
OWN_SPREAD = 0.5  # one pause of the speaker's own says that others will be of about its length
PRIOR_SILENCES = 8.0  # the typical rate weighs as much as so many silences of that verdict
PRIOR_PAUSES = 6.0  # the typical tail weighs as much as so many pauses
FADE = 0.97  # weight of old evidence at each new silence: half of it is gone after 23
LONGEST_PAUSE_MS = 3000  # who goes on later than that had not paused but thought again
SQRT_2 = sqrt(2)
KEPT = 64  # pauses remembered; by then the oldest weighs next to nothing


class PauseHabits:
    """One speaker's. `silences` counts what was learned from; 0: a typical speaker."""

    def __init__(self) -> None:
        self.silences = 0
        self._pauses: deque[tuple[float, int]] = deque(maxlen=KEPT)  # (log ms, which silence)
        self._went_on = dict.fromkeys(Verdict, 0.0)  # faded counts
        self._ended = dict.fromkeys(Verdict, 0.0)

    def went_on(self, verdict: Verdict, pause_ms: int) -> bool:
        """The speaker went on after `pause_ms`. False: too long to be a pause, nothing learned."""
        if not 0 < pause_ms <= LONGEST_PAUSE_MS:
            return False
        self._fade()
        self._went_on[verdict] += 1
        self._pauses.append((log(pause_ms), self.silences))
        return True

    def ended(self, verdict: Verdict) -> None:
        """A silence was the end of a turn."""
        self._fade()
        self._ended[verdict] += 1

    def rate(self, verdict: Verdict) -> float:
        """Chance that this speaker goes on after a silence, 0..1 and neither of them."""
        silences = PRIOR_SILENCES + self._went_on[verdict] + self._ended[verdict]
        return (PRIOR_SILENCES * TYPICAL_RATE[verdict] + self._went_on[verdict]) / silences

    def tail(self, ms: int) -> float:
        """Share of this speaker's pauses that last longer than `ms`."""
        weight = PRIOR_PAUSES
        longer = PRIOR_PAUSES * log_normal_tail(ms, TYPICAL_PAUSE_MS, TYPICAL_SPREAD)
        at = log(max(ms, 1))
        for log_ms, number in self._pauses:
            faded = FADE ** (self.silences - number)
            weight += faded
            longer += faded * _upper((at - log_ms) / OWN_SPREAD)
        return longer / weight

    def _fade(self) -> None:
        self.silences += 1
        for counts in (self._went_on, self._ended):
            for verdict in counts:
                counts[verdict] *= FADE


def log_normal_tail(ms: float, median_ms: float, spread: float) -> float:
    """P(X > ms) of a log-normal X."""
    return _upper(log(max(ms, 1) / median_ms) / spread)


def _upper(z: float) -> float:
    """P(Z > z) of a standard normal Z."""
    return 0.5 * erfc(z / SQRT_2)
