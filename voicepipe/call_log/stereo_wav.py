"""A two-channel WAV, written in pieces at any place, and a valid file after each of them."""

from __future__ import annotations

import logging
import struct
from pathlib import Path

import numpy as np

from voicepipe.audio.pcm import Int16
from voicepipe.call_log.sound_file import SoundFile, new_file, open_file
from voicepipe.privacy.seal import Seal

log = logging.getLogger(__name__)

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

    def __init__(self, path: Path, rate: int, seal: Seal | None = None) -> None:
        _make_private(path.parent)
        self.path = path
        self.frames = 0
        self._saved = 0
        self._file = new_file(path, seal)
        try:
            self._file.write(_header(rate, 0), 0)
        except OSError:  # the disk is full: an empty file would be nobody's
            self._file.close()
            path.unlink()
            raise

    def put(self, channel: int, start: int, samples: Int16) -> None:
        """Samples of one channel from frame `start` on; the other channel keeps what it has."""
        samples = samples[: max(0, MAX_FRAMES - start)]
        if not samples.size:
            return
        place = HEADER_BYTES + start * FRAME_BYTES
        there = self._file.read(samples.size * FRAME_BYTES, place)
        frames = np.zeros((samples.size, 2), dtype="<i2")
        whole = len(there) // 2  # a full disk may have cut the file within a sample
        frames.reshape(-1)[:whole] = np.frombuffer(there, dtype="<i2", count=whole)
        frames[:, channel] = samples
        self._file.write(frames.tobytes(), place)
        self.frames = max(self.frames, start + samples.size)

    def silence(self, channel: int, start: int, end: int) -> None:
        """Frames `[start, end)` of one channel hold nothing any more."""
        for place in range(start, end, SILENCE_FRAMES):
            self.put(channel, place, np.zeros(min(SILENCE_FRAMES, end - place), dtype=np.int16))

    def resize(self, frames: int) -> None:
        """Cut the end off, or add silence."""
        self.frames = min(frames, MAX_FRAMES)
        self._file.resize(HEADER_BYTES + self.frames * FRAME_BYTES)

    def save(self) -> None:
        """Write the length into the header."""
        if self._saved != self.frames:
            _write_sizes(self._file, self.frames)
            self._saved = self.frames

    def close(self) -> None:
        """All of it is on the disk then: once its call has ended nobody mends it."""
        try:
            self.save()
            self._file.sync()
        finally:
            self._file.close()


def _make_private(folder: Path) -> None:
    """Make the folder and those above it that are missing, for their owner only: `mkdir` gives the
    mode to the last of them."""
    for missing in reversed([f for f in (folder, *folder.parents) if not f.exists()]):
        missing.mkdir(mode=0o700, exist_ok=True)


def repair(path: Path, seal: Seal | None = None, rate: int = 8000) -> bool:
    """Make the header tell the length of a file whose writer died; False if it is none of ours.
    `rate`: that of recordings, where the header itself was lost.

    Raises OSError.
    """
    file = open_file(path, seal, write=True)
    try:
        torn = file.mend()
        if torn:
            log.warning("%s: half written blocks, which are silent now: %d", path, len(torn))
        if 0 in torn:
            file.write(_header(rate, 0), 0)
        head = file.read(HEADER_BYTES, 0)
        if len(head) < HEADER_BYTES or head[:4] != b"RIFF" or head[36:40] != b"data":
            return False
        frames = min((file.size - HEADER_BYTES) // FRAME_BYTES, MAX_FRAMES)
        file.resize(HEADER_BYTES + frames * FRAME_BYTES)
        _write_sizes(file, frames)
        file.sync()
        return True
    finally:
        file.close()


def length(file: SoundFile) -> tuple[int, float] | None:
    """Rate (Hz) and seconds of a recording; None: it is none. Raises OSError."""
    head = file.read(HEADER_BYTES, 0)
    if len(head) < HEADER_BYTES or head[:4] != b"RIFF":
        return None
    rate, size = (int.from_bytes(head[at : at + 4], "little") for at in (24, 40))
    return (rate, size / FRAME_BYTES / rate) if rate else None


def _header(rate: int, frames: int) -> bytes:
    size = frames * FRAME_BYTES
    form = struct.pack("<HHIIHH", 1, 2, rate, rate * FRAME_BYTES, FRAME_BYTES, 16)
    riff = b"RIFF" + struct.pack("<I", HEADER_BYTES - 8 + size) + b"WAVE"
    return riff + b"fmt " + struct.pack("<I", len(form)) + form + b"data" + struct.pack("<I", size)


def _write_sizes(file: SoundFile, frames: int) -> None:
    size = frames * FRAME_BYTES
    file.write(struct.pack("<I", HEADER_BYTES - 8 + size), 4)
    file.write(struct.pack("<I", size), 40)
