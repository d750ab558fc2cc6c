"""Fetch one file: resumable, checked while it arrives, moved into place only when whole."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from voicepipe.models.lock import LockedFile, Origin
from voicepipe.models.part import Part
from voicepipe.models.registry import Model, ModelFile
from voicepipe.models.sources import Source, SourceBusy, SourceError, Stream

FRUITLESS_TRIES = 5  # in a row without one new byte, then give up
MAX_TRIES = 50  # per file, progress or not
BACKOFF_S = (0.5, 1.0, 2.0, 4.0)  # before the 2nd, 3rd ... fruitless try
MAX_RETRY_AFTER_S = 30.0  # a server may ask for more; we do not wait longer


class Stopped(Exception):
    """Another file's failure, or the user, ended the pull; what arrived is kept."""


class Progress(Protocol):
    """Is told how a pull goes, from several threads."""

    def file(self, name: str, size: int | None, done: int) -> None:
        """A file starts (or starts over) at `done` of `size` bytes."""
        ...

    def advance(self, name: str, count: int) -> None:
        """`count` more bytes of that file arrived."""
        ...

    def note(self, text: str) -> None:
        """Something worth a line: a retry, a file already there."""
        ...


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Fetches files of one source, several at a time. `stop` ends them all at their next chunk."""

    source: Source
    progress: Progress
    sleep: Callable[[float], object] | None = None  # tests; else the wait ends when stopped
    stop: threading.Event = field(default_factory=threading.Event)

    def fetch(self, model: Model, file: ModelFile, place: Path) -> LockedFile:
        """One file, with retries; at `place` once it is whole and its checksum right.

        Raises SourceBusy (given up), SourceError, Stopped, OSError.
        """
        place.parent.mkdir(parents=True, exist_ok=True)
        part = Part(place)
        fruitless = corrupt = 0
        for _ in range(MAX_TRIES):
            before = part.size()
            try:
                fetched = self._attempt(model, file, part)
            except SourceBusy as error:
                fruitless = 0 if part.size() > before else fruitless + 1
                if fruitless >= FRUITLESS_TRIES:
                    raise
                self.wait(error, fruitless)
                continue
            wrong = _mismatch(file, fetched)
            if wrong is None:
                part.finish()
                return fetched.locked(file)
            part.discard()
            corrupt += 1
            if corrupt > 1:
                raise SourceError(f"{file.path}: {wrong}, twice; what arrived was thrown away")
            self.progress.note(f"{model.name}/{file.name}: {wrong}; starting over")
        raise SourceBusy(f"{file.path}: broke off {MAX_TRIES} times")

    def wait(self, error: SourceBusy, fruitless: int) -> None:
        """Before the next try; longer after each fruitless one, or as the server asks."""
        pause = BACKOFF_S[min(max(fruitless - 1, 0), len(BACKOFF_S) - 1)]
        pause = max(pause, min(error.retry_after_s, MAX_RETRY_AFTER_S))
        self.progress.note(f"{error}; trying again in {pause:g} s")
        (self.sleep or self.stop.wait)(pause)
        self._check_stop()

    def _check_stop(self) -> None:
        if self.stop.is_set():
            raise Stopped

    def _attempt(self, model: Model, file: ModelFile, part: Part) -> _Fetched:
        self._check_stop()
        offset, tag = part.resume_point()
        try:
            with self.source.open(model, file, offset, tag) as stream:
                return self._receive(model, file, part, stream)
        except SourceBusy:
            if part.size() == offset and offset:  # nothing came: the part itself may be at fault
                part.blame()
            raise

    def _receive(self, model: Model, file: ModelFile, part: Part, stream: Stream) -> _Fetched:
        name = f"{model.name}/{file.name}"
        size = stream.size if stream.size is not None else file.size
        self.progress.file(name, size, stream.offset)
        digest = part.start(stream)
        done = stream.offset
        with part.path.open("r+b") as out:
            out.seek(done)
            for chunk in stream.chunks:
                self._check_stop()
                out.write(chunk)
                digest.update(chunk)
                done += len(chunk)
                self.progress.advance(name, len(chunk))
            out.flush()
            os.fsync(out.fileno())
        if stream.size is not None and done < stream.size:
            raise SourceBusy(f"{file.path}: broke off at {done} of {stream.size} bytes")
        return _Fetched(done, digest.hexdigest(), stream.sha256)


@dataclass(frozen=True, slots=True)
class _Fetched:
    size: int
    sha256: str
    stated: str | None  # by the source

    def locked(self, file: ModelFile) -> LockedFile:
        origin: Origin = "recorded"
        if file.sha256:
            origin = "registry"
        elif self.stated:
            origin = "source"
        return LockedFile(size=self.size, sha256=self.sha256, origin=origin)


def _mismatch(file: ModelFile, fetched: _Fetched) -> str | None:
    if file.size is not None and file.size != fetched.size:
        return f"{fetched.size} bytes arrived, {file.size} were expected"
    expected = file.sha256 or fetched.stated
    if expected and expected != fetched.sha256:
        return f"its sha256 is {fetched.sha256}, expected {expected}"
    return None
