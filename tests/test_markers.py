"""Marks by place name places that exist, and every test there has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.markers import PLACES, TESTS, markers_of


@pytest.mark.parametrize("marker", PLACES)
def test_places_exist(marker: str) -> None:
    assert [place for place in PLACES[marker] if not (TESTS / place).exists()] == []


def test_a_file_has_the_marks_of_its_folders() -> None:
    assert markers_of(TESTS / "browser" / "deeper" / "test_new.py") == ["browser", "slow"]
    assert markers_of(TESTS / "dialog" / "test_properties.py") == []
    assert markers_of(Path("/elsewhere/browser/test_it.py")) == []


def test_marks_reach_the_tests(request: pytest.FixtureRequest) -> None:
    items = {item.path.relative_to(TESTS): item for item in request.session.items}
    for place, item in items.items():
        for marker in markers_of(TESTS / place):
            assert item.get_closest_marker(marker) is not None, place
