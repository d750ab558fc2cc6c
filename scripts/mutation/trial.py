"""Try mutants: each in a copy of the tree and a process of its own, which has imported all that is
slow to import and nothing of ours."""

from __future__ import annotations

import importlib
import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

SLOW_IMPORTS = (
    *("pytest", "_pytest.assertion.rewrite", "hypothesis"),
    *("numpy", "pydantic", "httpx", "mcp", "typer"),
)
COPIED = ("voicepipe", "tests", "scripts", "pyproject.toml")
LINKED = ("models", "web", "docs", "examples")
POLL_S = 0.01


@dataclass(frozen=True, slots=True)
class Job:
    """One mutant to try."""

    module: str  # path of the module below the tree
    source: str
    label: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the tests noticed. `how`: "failed", "hung" or "survived"."""

    job: Job
    how: str

    @property
    def dead(self) -> bool:
        return self.how != "survived"


@dataclass(slots=True)
class _Running:
    job: Job
    tree: Path
    original: str
    pid: int
    until: float


def copy_tree(root: Path, place: Path) -> Path:
    """What the tests need, so that nobody else sees a mutant."""
    place.mkdir(parents=True)
    for name in COPIED:
        source = root / name
        if source.is_dir():
            skipped = shutil.ignore_patterns("__pycache__", "*.pyc")
            shutil.copytree(source, place / name, symlinks=True, ignore=skipped)
        else:
            shutil.copy(source, place / name)
    for name in LINKED:
        (place / name).symlink_to(root / name)
    return place


def baseline(tree: Path, tests: Sequence[str]) -> float:
    """Seconds that the tests take on the code as it is. Raises SystemExit if they fail."""
    _preload()
    began = time.monotonic()
    status = _wait(_start(tree, tests, quiet=False))
    if status != 0:
        raise SystemExit("the tests fail without any mutant")
    return time.monotonic() - began


def verdicts(
    jobs: Sequence[Job], trees: Sequence[Path], tests: Sequence[str], limit_s: float
) -> Generator[Verdict]:
    """Try them, as many at once as there are trees. Closing the iterator ends what still runs."""
    waiting, free, running = list(reversed(jobs)), list(trees), list[_Running]()
    try:
        while waiting or running:
            while waiting and free:
                running.append(_try(waiting.pop(), free.pop(), tests, limit_s))
            for one in list(running):
                how = _ended(one)
                if how is not None:
                    (one.tree / one.job.module).write_text(one.original, "utf-8")
                    running.remove(one)
                    free.append(one.tree)
                    yield Verdict(one.job, how)
            time.sleep(POLL_S)
    finally:
        for one in running:
            _kill(one.pid)


def _try(job: Job, tree: Path, tests: Sequence[str], limit_s: float) -> _Running:
    path = tree / job.module
    original = path.read_text("utf-8")
    path.write_text(job.source, "utf-8")
    return _Running(job, tree, original, _start(tree, tests), time.monotonic() + limit_s)


def _ended(one: _Running) -> str | None:
    pid, status = os.waitpid(one.pid, os.WNOHANG)
    if pid:
        how = "failed" if os.waitstatus_to_exitcode(status) else "survived"
    elif time.monotonic() > one.until:
        _kill(one.pid)
        how = "hung"
    else:
        return None
    return how


def _start(tree: Path, tests: Sequence[str], *, quiet: bool = True) -> int:
    """A process that runs the tests in `tree` until the first fails; its id. It leads a group, so
    that what the tests start ends with it."""
    pid = os.fork()
    if pid:
        return pid
    os.setpgid(0, 0)
    status = 1
    try:
        status = _run_tests(tree, tests, quiet)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(status)


def _run_tests(tree: Path, tests: Sequence[str], quiet: bool) -> int:
    import pytest

    os.chdir(tree)
    sys.path.insert(0, str(tree))
    os.environ["PYTHONPATH"] = str(tree)
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    sys.dont_write_bytecode = True  # two mutants of one size and second would look the same
    options = ["-x", "-q", "-p", "no:cacheprovider", "--no-header", "--hypothesis-seed=1"]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # hypothesis is here already
    if quiet:
        options += ["--tb=no", "--assert=plain"]  # nobody reads why
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
    return int(pytest.main([*options, *tests]))


def _preload() -> None:
    for name in SLOW_IMPORTS:
        importlib.import_module(name)


def _wait(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _kill(pid: int) -> None:
    for kill, target in ((os.killpg, pid), (os.kill, pid)):
        try:
            kill(target, signal.SIGKILL)
        except ProcessLookupError:
            continue
    os.waitpid(pid, 0)
