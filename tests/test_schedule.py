"""Files are dealt out the longest first; what is to run alone comes when all else is done."""

from __future__ import annotations

from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tests.markers import LONGEST, PLACES, TESTS, TOGETHER
from tests.schedule import LongestFirstAloneLast, turn_of

ALONE = PLACES["alone"][0], PLACES["alone"][1]
QUICK, SLOW = "dialog/test_core.py", "e2e/test_new.py"


class Config:
    """As much of pytest's as a scheduler asks for."""

    def __init__(self, workers: int) -> None:
        self.option = self
        self.loadscopereorder = True
        self.workers = workers

    def getvalue(self, _name: str) -> list[str]:
        return ["popen"] * self.workers


class Worker:
    """Runs what it is sent, one test at a time: never its last one before it knows what follows."""

    def __init__(self) -> None:
        self.gateway, self.id = self, "gw"
        self.waiting: list[int] = []
        self.shutting_down = False

    def send_runtest_some(self, numbers: list[int]) -> None:
        self.waiting += numbers

    def shutdown(self) -> None:
        self.shutting_down = True

    @property
    def may_run(self) -> bool:
        return len(self.waiting) > (not self.shutting_down)


class Run:
    """A whole run; `story` has a line for each test: its file, and how many workers had work."""

    def __init__(self, workers: int, files: list[str], tests: int = 3) -> None:
        ordered = sorted(files, key=lambda file: turn_of(TESTS / file))
        self.tests = [f"tests/{file}::test_{n}" for file in ordered for n in range(tests)]
        config: Any = Config(workers)
        self.schedule = LongestFirstAloneLast(config)
        self.workers: list[Any] = [self.join() for _ in range(workers)]
        self.story: list[tuple[str, int]] = []
        for worker in self.workers:
            self.schedule.add_node_collection(worker, self.tests)
        self.schedule.schedule()

    def join(self) -> Any:
        worker: Any = Worker()
        self.schedule.add_node(worker)
        return worker

    def go_on(self) -> bool:
        """Each worker's next test, and those with nothing left to do go; False: nothing happens."""
        able = [worker for worker in self.workers if worker.may_run]
        for worker in able:
            number = worker.waiting.pop(0)
            file = self.tests[number].partition("::")[0].removeprefix("tests/")
            self.story.append((file, len(able)))
            self.schedule.mark_test_complete(worker, number)
        gone = [worker for worker in self.workers if worker.shutting_down and not worker.waiting]
        for worker in gone:
            self.workers.remove(worker)
            with suppress(KeyError):  # as xdist: those that never had anything are not known
                self.schedule.remove_node(worker)
        return bool(able or gone)

    def crash(self, worker: Any) -> None:
        """Another comes in its place, as xdist does it."""
        self.workers.remove(worker)
        self.schedule.remove_node(worker)
        another = self.join()
        self.workers.append(another)
        self.schedule.add_node_collection(another, self.tests)
        self.schedule.schedule()

    def to_its_end(self) -> list[tuple[str, int]]:
        while self.go_on():
            pass
        assert self.workers == []
        return self.story


def files_of(story: list[tuple[str, int]]) -> list[str]:
    return list(dict.fromkeys(file for file, _ in story))


@pytest.mark.parametrize("workers", [1, 2, 3, 8])
@pytest.mark.parametrize("others", [[], [QUICK], [QUICK, SLOW, "config/test_new.py"]])
def test_all_run_and_those_alone_come_last_by_themselves(workers: int, others: list[str]) -> None:
    story = Run(workers, [*ALONE, *others]).to_its_end()
    assert len(story) == 3 * (2 + len(others))
    assert files_of(story)[-2:] == list(ALONE)
    assert {at_once for file, at_once in story if file in ALONE} == {1}


def test_the_longest_come_first_then_the_slow_ones() -> None:
    run = Run(1, [QUICK, SLOW, ALONE[0], LONGEST[1], LONGEST[0]])
    assert files_of(run.to_its_end()) == [LONGEST[0], LONGEST[1], SLOW, QUICK, ALONE[0]]


def test_files_run_beside_each_other_and_each_whole_by_one_worker() -> None:
    story = Run(2, [QUICK, SLOW]).to_its_end()
    assert {at_once for _, at_once in story} == {2}
    assert [file for file, _ in story] == [SLOW, QUICK] * 3


def test_the_files_of_some_folders_have_one_worker() -> None:
    (folder,) = TOGETHER[-1]
    files = [f"{folder}/test_{name}.py" for name in "abc"]
    story = Run(3, [*files, SLOW]).to_its_end()
    assert files_of([(file, 1) for file, _ in story if file != SLOW]) == files
    assert [at_once for _, at_once in story] == [2] * 6 + [1] * 6


def test_files_of_a_group_have_a_worker_of_their_own() -> None:
    group, folder = TOGETHER[0][:2], f"{TOGETHER[-1][0]}/test_a.py"
    story = Run(2, [*group, folder]).to_its_end()
    assert files_of([(file, 1) for file, _ in story if file != folder]) == [*group]
    assert [at_once for _, at_once in story] == [2] * 6 + [1] * 3


@pytest.mark.parametrize("done", range(6))
def test_what_a_worker_that_crashed_has_left_is_run_before_those_alone(done: int) -> None:
    run = Run(2, [*ALONE, QUICK, SLOW], tests=5)
    for _ in range(done):
        run.go_on()
    run.crash(run.workers[0])
    story = run.to_its_end()
    assert {at_once for file, at_once in story if file in ALONE} == {1}
    assert {file for file, _ in story} == {*ALONE, QUICK, SLOW}


def test_the_places_are_there() -> None:
    places = (*LONGEST, *chain(*TOGETHER))
    assert [place for place in places if not (TESTS / place).exists()] == []
    assert turn_of(Path("/elsewhere/test_it.py")) == (False, len(LONGEST), True)
