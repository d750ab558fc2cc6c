"""Turn options: ranges, and options that exclude each other."""

from __future__ import annotations

from dataclasses import fields

import pytest

from voicepipe.dialog.options import RANGES, TurnOptions


def test_every_number_has_a_range_and_its_default_is_within() -> None:
    options = TurnOptions()
    numbers = {f.name for f in fields(options) if "ms" in f.name or "threshold" in f.name}
    assert RANGES.keys() == numbers | {"interrupt_words"}
    for name, (least, most) in RANGES.items():
        value = getattr(options, name)
        assert value is None or least <= value <= most, name


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (TurnOptions(), []),
        (
            TurnOptions(speech_threshold=0.3),
            [("release_threshold", "at most turns.speech_threshold (0.3)")],
        ),
        (TurnOptions(speech_threshold=0.35), []),
        (
            TurnOptions(endpoint_min_ms=1300),
            [("endpoint_min_ms", "at most turns.endpoint_max_ms (1200)")],
        ),
        (TurnOptions(endpoint_min_ms=1200), []),
    ],
)
def test_contradictions_name_what_must_change(
    options: TurnOptions, said: list[tuple[str, str]]
) -> None:
    assert list(options.contradictions()) == said
