"""The folder in which models are kept between starts. What is found there is whole, whatever ended
a start or a machine half-way; one process at a time makes or deletes; and what a running process
uses is not deleted, for it reads the files again with every further decoder."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NEWEST = 8
"""As many are kept; of those beyond, the ones that nobody uses are deleted."""

WAIT_S = 60.0
"""For another process that makes a model, which takes four seconds."""

_SIZES = "files.json"  # of a model: the length of each of its files; written last
_HALF = ".half-"  # a folder that is being made or deleted
_in_use: dict[tuple[int, int], int] = {}  # by device and inode: the open file that holds the lock


def take(folder: Path) -> bool:
    """Whether the model is there, whole. It is then kept until this process ends."""
    try:
        held = os.open(folder / _SIZES, os.O_RDONLY)
    except OSError:
        return False
    if not (_locked(held, fcntl.LOCK_SH) and _whole(folder) and _is_there(held, folder)):
        os.close(held)
        return False
    about = os.fstat(held)
    if _in_use.setdefault((about.st_dev, about.st_ino), held) != held:  # taken before
        os.close(held)
    with suppress(OSError):  # a cache that somebody else filled may be read-only
        os.utime(folder)
    return True


@contextmanager
def alone_in(parent: Path) -> Iterator[None]:
    """Nobody else makes or deletes models of this folder meanwhile. Blocking, at most WAIT_S.
    Raises OSError."""
    parent.mkdir(parents=True, exist_ok=True)
    with (parent / ".lock").open("w") as lock:
        if not _locked(lock.fileno(), fcntl.LOCK_EX):
            raise TimeoutError(f"another process has been making models in {parent} for too long")
        yield


@contextmanager
def being_made(folder: Path) -> Iterator[Path]:
    """An empty folder that becomes `folder` when the body has ended well. Inside `alone_in`."""
    for left in folder.parent.glob(f"{_HALF}*"):  # by a process that was killed
        shutil.rmtree(left, ignore_errors=True)
    place = Path(tempfile.mkdtemp(prefix=_HALF, dir=folder.parent))
    try:
        place.chmod(0o755)
        yield place
        sizes = {file.name: file.stat().st_size for file in place.iterdir()}
        (place / _SIZES).write_text(json.dumps(sizes))
        for path in (*place.iterdir(), place):
            _written(path)
        if folder.exists():  # damaged
            _delete(folder)
        place.rename(folder)
        _written(folder.parent)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def forget_old(parent: Path) -> None:
    """Delete what nobody uses beyond the newest. Inside `alone_in`."""
    with suppress(OSError):  # the next start will tidy
        made = [path for path in parent.iterdir() if path.is_dir()]
        made.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for old in made[NEWEST:]:
            _forget(old)


def _forget(folder: Path) -> None:
    """Unless it is in use, or another user's; where a disk has no locks, nobody can tell."""
    with suppress(OSError):
        if not (folder / _SIZES).exists():  # of an earlier version, or damaged
            _delete(folder)
            return
        with (folder / _SIZES).open("r+") as lock:  # NFS has no such lock on what is only read
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _delete(folder)


def _locked(file: int, kind: int) -> bool:
    """Wait for a lock; False after WAIT_S. Some network disks have none: there all go on."""
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.02)
        except OSError:
            return True
        else:
            return True
    return False


def _whole(folder: Path) -> bool:
    try:
        sizes = json.loads((folder / _SIZES).read_text())
        return all((folder / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError, AttributeError):
        return False


def _is_there(held: int, folder: Path) -> bool:
    """Whether what is locked is in the folder still: it may have been deleted before the lock was
    ours, and another made in its place, which has no lock yet."""
    with suppress(OSError):
        return os.path.samestat(os.fstat(held), (folder / _SIZES).stat())
    return False


def _delete(folder: Path) -> None:
    """First out of its place, so that nobody takes half of it for a model."""
    gone = Path(tempfile.mkdtemp(prefix=_HALF, dir=folder.parent))
    folder.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def _written(path: Path) -> None:
    """On the disk, not only in the machine's memory."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
