"""Whether an audio model's chances come true, and the picture of it."""

from __future__ import annotations

from dataclasses import asdict
from xml.etree import ElementTree

import numpy as np
import pytest

from voicepipe.lab.bench.endpoint.calibration import PARTS, calibration, picture


def test_a_model_that_means_what_it_says_lies_on_the_line() -> None:
    rng = np.random.default_rng(1)
    goes_on = rng.random(4000)  # the chance that each of these silences is a pause
    paused = rng.random(4000) < goes_on
    # The model is asked without a prior: here half of the silences are pauses anyway.
    parts = calibration(list(1 - goes_on[paused]), list(1 - goes_on[~paused]))
    assert len(parts) == PARTS
    assert sum(part.silences for part in parts) == 4000
    for part in parts:
        assert part.low - 0.02 <= part.given <= part.high + 0.02


def test_the_recordings_share_of_pauses_is_the_prior() -> None:
    """A model that knows nothing says what is true of all silences together."""
    parts = calibration([0.5] * 100, [0.5] * 300)
    assert {round(part.given, 6) for part in parts} == {0.25}


def test_one_that_is_always_wrong_is_far_from_it() -> None:
    parts = calibration([0.9] * 50, [0.1] * 50)
    assert parts[0].given < 0.2
    assert parts[0].low > 0.7


@pytest.mark.parametrize("silences", [([], [0.5]), ([0.5], [])])
def test_without_pauses_or_ends_there_is_nothing_to_say(
    silences: tuple[list[float], list[float]],
) -> None:
    assert calibration(*silences) == []


def test_the_picture_has_a_mark_for_each_part() -> None:
    parts = [asdict(part) for part in calibration([0.2, 0.3, 0.4], [0.6, 0.7, 0.8])]
    root = ElementTree.fromstring(picture(parts))
    assert len(root.findall("{http://www.w3.org/2000/svg}circle")) == len(parts) == 6
