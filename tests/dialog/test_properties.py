"""Whatever happens, in whatever order: no error, no effect without sense, nothing left over."""

from __future__ import annotations

import pytest

from tests.dialog.stories import Story
from tests.random_cases import cases

STORIES = cases(2000)
PART = STORIES // 8


@pytest.mark.parametrize("first", range(0, STORIES, PART))
def test_any_story_makes_sense_to_its_end(first: int) -> None:
    for seed in range(first, first + PART):
        story = Story(seed)
        try:
            story.tell()
        except AssertionError as problem:
            raise AssertionError(f"story {seed}: {problem}; {story.told[-8:]}") from problem


def test_the_same_story_is_told_twice_to_the_bit() -> None:
    for seed in range(50):
        first, second = Story(seed), Story(seed)
        first.tell()
        second.tell()
        assert first.told == second.told
