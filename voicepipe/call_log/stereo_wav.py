"""A two-channel WAV, written in pieces at any place, and a valid file after each of them."""

from __future__ import annotations

import errno
import os
import struct
from pathlib import Path

import numpy as np

from voicepipe.audio.pcm import Int16

LEFT, RIGHT = 0, 1
HEADER_BYTES = 44
FRAME_BYTES = 4  # two channels of 16 bits
MAX_FRAMES = (2**32 - 1 - HEADER_BYTES) // FRAME_BYTES
"""A WAV holds its length in 32 bits: 18 hours at 16 kHz."""

SILENCE_FRAMES = 65_536
"""Wiped at a time: an answer that was given to the client whole may have minutes to wipe."""


class StereoWav:
    """Creates `path` (mode 0600, its folder 0700); raises OSError, also if it is there already.

    What was never written is silence. Each `save` makes the header tell the length, so a crash
    between two of them costs what came after the first.
    """

    def __init__(self, path: Path, rate: int) -> None:
        _make_private(path.parent)
        self.path = path
        self.frames = 0
        self._saved = 0
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            _write_whole(self._file, _header(rate, 0), 0)
        except OSError:  # the disk is full: an empty file would be nobody's
            os.close(self._file)
            path.unlink()
            raise

    def put(self, channel: int, start: int, samples: Int16) -> None:
        """Samples of one channel from frame `start` on; the other channel keeps what it has."""
        samples = samples[: max(0, MAX_FRAMES - start)]
        if not samples.size:
            return
        place = HEADER_BYTES + start * FRAME_BYTES
        there = os.pread(self._file, samples.size * FRAME_BYTES, place)
        frames = np.zeros((samples.size, 2), dtype="<i2")
        frames.reshape(-1)[: len(there) // 2] = np.frombuffer(there, dtype="<i2")
        frames[:, channel] = samples
        _write_whole(self._file, frames.tobytes(), place)
        self.frames = max(self.frames, start + samples.size)

    def silence(self, channel: int, start: int, end: int) -> None:
        """Frames `[start, end)` of one channel hold nothing any more."""
        for place in range(start, end, SILENCE_FRAMES):
            self.put(channel, place, np.zeros(min(SILENCE_FRAMES, end - place), dtype=np.int16))

    def resize(self, frames: int) -> None:
        """Cut the end off, or add silence."""
        self.frames = min(frames, MAX_FRAMES)
        os.ftruncate(self._file, HEADER_BYTES + self.frames * FRAME_BYTES)

    def save(self) -> None:
        """Write the length into the header."""
        if self._saved != self.frames:
            _write_sizes(self._file, self.frames)
            self._saved = self.frames

    def close(self) -> None:
        try:
            self.save()
        finally:
            os.close(self._file)


def _make_private(folder: Path) -> None:
    """Make the folder and those above it that are missing, for their owner only: `mkdir` gives the
    mode to the last of them."""
    for missing in reversed([f for f in (folder, *folder.parents) if not f.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)


def _write_whole(file: int, data: bytes, place: int) -> None:
    """Raises OSError, also where only a part finds room."""
    if os.pwrite(file, data, place) < len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def repair(path: Path) -> bool:
    """Make the header tell the length of a file whose writer died; False if it is none of ours.

    Raises OSError.
    """
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        head = os.pread(file, HEADER_BYTES, 0)
        if len(head) < HEADER_BYTES or head[:4] != b"RIFF" or head[36:40] != b"data":
            return False
        frames = min((os.fstat(file).st_size - HEADER_BYTES) // FRAME_BYTES, MAX_FRAMES)
        os.ftruncate(file, HEADER_BYTES + frames * FRAME_BYTES)
        _write_sizes(file, frames)
        return True
    finally:
        os.close(file)


def _header(rate: int, frames: int) -> bytes:
    size = frames * FRAME_BYTES
    form = struct.pack("<HHIIHH", 1, 2, rate, rate * FRAME_BYTES, FRAME_BYTES, 16)
    riff = b"RIFF" + struct.pack("<I", HEADER_BYTES - 8 + size) + b"WAVE"
    return riff + b"fmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", size)


def _write_sizes(file: int, frames: int) -> None:
    size = frames * FRAME_BYTES
    os.pwrite(file, struct.pack("<I", HEADER_BYTES - 8 + size), 4)
    os.pwrite(file, struct.pack("<I", size), 40)
