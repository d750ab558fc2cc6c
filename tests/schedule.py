"""How tests are dealt out to several workers: whole files, or groups of them, the longest first,
and those that are marked `alone` at the end, when nothing else runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from xdist.scheduler.loadfile import LoadFileScheduling
from xdist.workermanage import WorkerController

from tests.markers import LONGEST, TESTS, TOGETHER, markers_of

ROOT = TESTS.parent


def in_turn(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """By `turn_of`; the tests of a file, and files of the same turn, stay as they were."""
    return sorted(items, key=lambda item: turn_of(item.path))


def turn_of(file: Path) -> tuple[bool, int, bool]:
    """The smaller, the earlier: a long file that came last would be waited for by everyone."""
    markers = markers_of(file)
    place = str(file.relative_to(TESTS)) if file.is_relative_to(TESTS) else ""
    rank = LONGEST.index(place) if place in LONGEST else len(LONGEST)
    return "alone" in markers, rank, "slow" not in markers


class LongestFirstAloneLast(LoadFileScheduling):  # type: ignore[misc]
    """xdist's `loadfile`, for items that every worker has put into the order of `in_turn`."""

    def __init__(self, config: pytest.Config, log: Any = None) -> None:
        super().__init__(config, log)
        config.option.loadscopereorder = False  # by number of tests, which says little

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        places = {file, *map(str, PurePosixPath(file).parents)}
        for group in TOGETHER:
            if not places.isdisjoint(f"{TESTS.name}/{place}" for place in group):
                return f"{TESTS.name}/{group[0]}"
        return file

    def _assign_work_unit(self, node: WorkerController) -> None:
        if not self._must_wait():
            super()._assign_work_unit(node)

    def _reschedule(self, node: WorkerController) -> None:
        if node.shutting_down:
            return
        if self._must_wait():
            if any(not other.shutting_down for other in self.nodes if other is not node):
                node.shutdown()  # when it has done what it has; one other stays
            return
        super()._reschedule(node)
        if self.workqueue and self._pending_of(self.assigned_work[node]) == 1:
            self._reschedule(node)  # a worker begins no test before it knows what follows

    def remove_node(self, node: WorkerController) -> str | None:
        crashed: str | None = super().remove_node(node)
        for file in filter(_is_alone, list(self.workqueue)):
            self.workqueue.move_to_end(file)  # behind what a worker that crashed has left
        for last in self.nodes:
            self._reschedule(last)
        return crashed

    def _must_wait(self) -> bool:
        """Only tests that run alone are left, and there still is company."""
        return len(self.nodes) > 1 and bool(self.workqueue) and all(map(_is_alone, self.workqueue))


def _is_alone(file: str) -> bool:
    return "alone" in markers_of(ROOT / file)
