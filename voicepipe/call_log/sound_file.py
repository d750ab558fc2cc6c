"""The file of a recording: plain, or under a key."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from voicepipe.privacy.seal import Seal
from voicepipe.privacy.sealed_file import SealedFile, is_sealed


class SoundFile(Protocol):
    """Bytes at any place. All methods raise OSError."""

    @property
    def size(self) -> int: ...

    def read(self, size: int, place: int) -> bytes: ...

    def write(self, data: bytes, place: int) -> None: ...

    def resize(self, size: int) -> None: ...

    def sync(self) -> None:
        """Wait until all of it is on the disk."""
        ...

    def mend(self) -> Sequence[int]:
        """Make a file readable whose writer died: which of its blocks are lost, and zeros now."""
        ...

    def close(self) -> None: ...


class PlainFile:
    """By its descriptor, which is its own from then on."""

    def __init__(self, file: int) -> None:
        self._file = file

    @property
    def size(self) -> int:
        return os.fstat(self._file).st_size

    def read(self, size: int, place: int) -> bytes:
        """Up to `size` bytes from `place` on."""
        return os.pread(self._file, size, place)

    def write(self, data: bytes, place: int) -> None:
        """Raises OSError, also where only a part finds room."""
        if os.pwrite(self._file, data, place) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def resize(self, size: int) -> None:
        os.ftruncate(self._file, size)

    def sync(self) -> None:
        os.fsync(self._file)

    def mend(self) -> Sequence[int]:
        return ()  # it can be read as it is

    def close(self) -> None:
        os.close(self._file)


def new_file(path: Path, seal: Seal | None) -> SoundFile:
    """Mode 0600. Raises OSError, also if it is there already."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        return _opened(file, seal)
    except OSError:  # the disk is full: an empty file would be nobody's
        path.unlink()
        raise


def open_file(path: Path, seal: Seal | None, *, write: bool = False) -> SoundFile:
    """One that is there, whichever it is. Raises OSError, also where its key is not known."""
    sealed = is_sealed(path)
    if sealed and seal is None:
        raise OSError(errno.EACCES, "sealed, and calls.encryption_key is not set")
    file = os.open(path, (os.O_RDWR if write else os.O_RDONLY) | os.O_CLOEXEC)
    return _opened(file, seal if sealed else None)


def _opened(file: int, seal: Seal | None) -> SoundFile:
    try:
        return PlainFile(file) if seal is None else SealedFile(file, seal)
    except BaseException:
        os.close(file)
        raise
