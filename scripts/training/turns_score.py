"""How well probabilities tell pauses from ends."""

from __future__ import annotations

import numpy as np
import scipy.optimize
import scipy.stats


def auc(scores: np.ndarray, goes_on: np.ndarray) -> float:
    """Chance that a pause scores above an end: 0.5 knows nothing. NaN where one is missing."""
    ranks = scipy.stats.rankdata(scores)
    ones, zeros = int(goes_on.sum()), int((~goes_on).sum())
    if not ones or not zeros:
        return float("nan")
    return float((ranks[goes_on].sum() - ones * (ones + 1) / 2) / (ones * zeros))


def calibration(logits: np.ndarray, goes_on: np.ndarray) -> tuple[float, float]:
    """(scale, bias) of the logits that make the fittest probabilities, both labels weighing the
    same: 0.5 then says "nothing heard", and a prior of one's own can be put in its place."""
    weight = np.where(goes_on, 0.5 / goes_on.mean(), 0.5 / (~goes_on).mean())
    sign = np.where(goes_on, 1.0, -1.0)

    def loss(at: np.ndarray) -> float:
        return float(np.mean(weight * np.logaddexp(0, -sign * (logits * at[0] + at[1]))))

    scale, bias = scipy.optimize.minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead").x
    return float(scale), float(bias)
