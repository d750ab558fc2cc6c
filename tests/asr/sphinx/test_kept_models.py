"""Models between starts: whole ones only, one maker at a time, none taken away that is used."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from voicepipe.asr.sphinx import kept_models
from voicepipe.asr.sphinx.kept_models import NEWEST, alone_in, being_made, forget_old, take


def make(folder: Path, text: str = "a model") -> None:
    with alone_in(folder.parent), being_made(folder) as place:
        (place / "model").write_text(text)


def names(parent: Path) -> set[str]:
    return {path.name for path in parent.iterdir()} - {".lock"}


def test_a_model_is_taken_when_it_is_whole(tmp_path: Path) -> None:
    folder = tmp_path / "kept" / "a"
    assert not take(folder)
    make(folder)
    os.utime(folder, (1, 1))
    assert take(folder)
    assert folder.stat().st_mtime > 1  # used just now
    assert take(folder)
    assert (folder / "model").read_text() == "a model"
    assert folder.stat().st_mode & 0o777 == 0o755  # of use to a server of another user's


def shorter(folder: Path) -> None:
    (folder / "model").write_text("a")


def without_a_file(folder: Path) -> None:
    (folder / "model").unlink()


def without_sizes(folder: Path) -> None:
    (folder / "files.json").unlink()


def with_empty_sizes(folder: Path) -> None:
    (folder / "files.json").write_text("")


def with_other_sizes(folder: Path) -> None:
    (folder / "files.json").write_text("[1]")


@pytest.mark.parametrize(
    "damage", [shorter, without_a_file, without_sizes, with_empty_sizes, with_other_sizes]
)
def test_a_damaged_one_is_made_anew(damage: Callable[[Path], None], tmp_path: Path) -> None:
    folder = tmp_path / "a"
    make(folder)
    damage(folder)

    assert not take(folder)
    make(folder, "another")
    assert take(folder)
    assert names(tmp_path) == {"a"}


def test_a_failed_or_killed_start_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> None:
        with alone_in(tmp_path), being_made(tmp_path / "a") as place:
            (place / "model").write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert names(tmp_path) == set()

    (tmp_path / ".half-of-a-killed-one").mkdir()
    make(tmp_path / "a")
    assert names(tmp_path) == {"a"}


def aged(parent: Path, count: int) -> list[Path]:
    """Models, the last one used longest ago."""
    made = [parent / f"model-{n}" for n in range(count)]
    for n, folder in enumerate(made):
        make(folder)
        os.utime(folder, (1e9 - n, 1e9 - n))
    return made


def test_those_used_longest_ago_are_forgotten(tmp_path: Path) -> None:
    made = aged(tmp_path, NEWEST + 2)
    (made[-1] / "files.json").unlink()  # of an earlier version
    os.utime(made[-1], (1, 1))

    with alone_in(tmp_path):
        forget_old(tmp_path)

    assert names(tmp_path) == {folder.name for folder in made[:NEWEST]}


def test_what_another_process_uses_is_not_forgotten(tmp_path: Path) -> None:
    made = aged(tmp_path, NEWEST + 2)
    code = (
        "import sys, pathlib; from voicepipe.asr.sphinx.kept_models import take;"
        "print(take(pathlib.Path(sys.argv[1])), flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(made[-1])]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        os.utime(made[-1], (1, 1))
        with alone_in(tmp_path):
            forget_old(tmp_path)
        assert names(tmp_path) == {folder.name for folder in (*made[:NEWEST], made[-1])}
        other.communicate("")
    with alone_in(tmp_path):
        forget_old(tmp_path)
    assert names(tmp_path) == {folder.name for folder in made[:NEWEST]}


def test_one_that_cannot_be_forgotten_keeps_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another user's, for example."""
    made = aged(tmp_path, NEWEST + 3)
    real = kept_models._delete

    def delete(folder: Path) -> None:
        if folder == made[-2]:
            raise PermissionError
        real(folder)

    monkeypatch.setattr(kept_models, "_delete", delete)
    with alone_in(tmp_path):
        forget_old(tmp_path)
    assert names(tmp_path) == {folder.name for folder in (*made[:NEWEST], made[-2])}


def test_models_are_forgotten_where_only_what_may_be_written_can_be_locked_for_one_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NFS is such a disk."""
    real = fcntl.flock

    def of_nfs(file: Any, kind: int) -> None:
        if kind & fcntl.LOCK_EX and fcntl.fcntl(file, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, "not open for writing")
        real(file, kind)

    monkeypatch.setattr("fcntl.flock", of_nfs)
    made = aged(tmp_path, NEWEST + 2)
    with alone_in(tmp_path):
        forget_old(tmp_path)
    assert names(tmp_path) == {folder.name for folder in made[:NEWEST]}


def test_what_was_made_anew_before_the_lock_was_there_is_not_taken_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a"
    make(folder)
    real = kept_models._locked

    def late(file: int, kind: int) -> bool:
        monkeypatch.setattr(kept_models, "_locked", real)
        with alone_in(tmp_path):
            kept_models._delete(folder)
        make(folder, "another")
        return real(file, kind)

    monkeypatch.setattr(kept_models, "_locked", late)
    assert not take(folder)
    assert take(folder)
    with (folder / "files.json").open() as lock, pytest.raises(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_one_at_a_time_makes(tmp_path: Path) -> None:
    began, seen = threading.Event(), list[str]()

    def second() -> None:
        began.set()
        with alone_in(tmp_path):
            seen.append("second")

    with alone_in(tmp_path):
        thread = threading.Thread(target=second)
        thread.start()
        began.wait()
        thread.join(0.1)
        seen.append("first")
    thread.join()
    assert seen == ["first", "second"]


def test_nobody_waits_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_models, "WAIT_S", 0.1)
    with alone_in(tmp_path), pytest.raises(TimeoutError, match="for too long"):
        with alone_in(tmp_path):
            pass


def test_a_disk_without_locks_keeps_models_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> None:
        raise OSError(95, "not supported")

    monkeypatch.setattr("fcntl.flock", none)
    make(tmp_path / "a")
    assert take(tmp_path / "a")


def test_a_model_taken_twice_holds_one_lock(tmp_path: Path) -> None:
    make(tmp_path / "a")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        assert take(tmp_path / "a")
    assert len(os.listdir("/proc/self/fd")) == before + 1
