"""Fetch models: resumable, checked while they arrive, moved into place only when whole."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from voicepipe.errors import VoicepipeError
from voicepipe.models.lock import Lock, LockedFile, LockedModel, Origin
from voicepipe.models.registry import Model, ModelFile
from voicepipe.models.sources import Source, SourceBusy, SourceError, Stream

FRUITLESS_TRIES = 5  # in a row without one new byte, then give up
MAX_TRIES = 50  # per file, progress or not
BACKOFF_S = (0.5, 1.0, 2.0, 4.0)  # before the 2nd, 3rd ... fruitless try
MAX_RETRY_AFTER_S = 30.0  # a server may ask for more; we do not wait longer
SPARE_BYTES = 64 << 20  # left free on the disk after a pull
READ_BYTES = 1 << 20


class PullError(VoicepipeError):
    """A model could not be fetched; what arrived so far is kept for the next try."""


class Progress(Protocol):
    """Is told how a pull goes."""

    def file(self, name: str, size: int | None, done: int) -> None:
        """A file starts (or starts over) at `done` of `size` bytes."""
        ...

    def advance(self, count: int) -> None:
        """`count` more bytes of the current file arrived."""
        ...

    def note(self, text: str) -> None:
        """Something worth a line: a retry, a file already there."""
        ...


@dataclass(frozen=True, slots=True)
class Puller:
    """Fetches models from one source into one folder."""

    source: Source
    models_dir: Path
    progress: Progress
    sleep: Callable[[float], None] = time.sleep

    def pull(self, model: Model) -> Path:
        """Fetch what is missing of `model`; its folder. A complete model costs no request.

        Raises PullError: source unreachable, file missing there, checksum wrong, disk full.
        """
        if model.packaged:
            raise PullError(f"{model.name} ships with voicepipe; there is nothing to pull")
        with _one_at_a_time(self.models_dir):
            lock = Lock.read(self.models_dir)
            entry = lock.models.get(model.name)
            if entry and entry.complete and self._all_there(model, entry):
                self.progress.note(f"{model.name}: already there")
                return self.models_dir / model.name
            try:
                self._pull_files(model, lock)
            except (SourceBusy, SourceError) as error:
                raise PullError(self._advice(model, str(error))) from error
            except OSError as error:
                raise PullError(
                    f"{model.name}: cannot write below {self.models_dir}: {error}"
                ) from error
        return self.models_dir / model.name

    def _pull_files(self, model: Model, lock: Lock) -> None:
        files = self._list(model)
        entry = lock.models.setdefault(
            model.name, LockedModel(source=self.source.where, revision=model.revision)
        )
        entry.source, entry.revision, entry.complete = self.source.where, model.revision, False
        self._check_space(model, files)
        for file in files:
            if _same(self._place(model, file), entry.files.get(file.name), file):
                self.progress.note(f"{model.name}/{file.name}: already there")
                continue
            entry.files[file.name] = self._fetch(model, file)
            lock.write(self.models_dir)
        entry.files = {file.name: entry.files[file.name] for file in files}
        entry.complete = True
        lock.write(self.models_dir)

    def _list(self, model: Model) -> tuple[ModelFile, ...]:
        for wait in (*BACKOFF_S[:2], None):
            try:
                return self.source.files(model)
            except SourceBusy as error:
                if wait is None:
                    raise
                self.progress.note(f"{error}; trying again in {wait:g} s")
                self.sleep(wait)
        raise AssertionError("the last round returns or raises")

    def _fetch(self, model: Model, file: ModelFile) -> LockedFile:
        """One file, with retries; into place once it is whole and its checksum right."""
        place = self._place(model, file)
        place.parent.mkdir(parents=True, exist_ok=True)
        part = _Part(place)
        fruitless = corrupt = 0
        for _ in range(MAX_TRIES):
            before = part.size()
            try:
                fetched = self._attempt(model, file, part)
            except SourceBusy as error:
                fruitless = 0 if part.size() > before else fruitless + 1
                if fruitless >= FRUITLESS_TRIES:
                    raise
                self._wait(error, fruitless)
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

    def _attempt(self, model: Model, file: ModelFile, part: _Part) -> _Fetched:
        offset, tag = part.resume_point()
        try:
            with self.source.open(model, file, offset, tag) as stream:
                return self._receive(model, file, part, stream)
        except SourceBusy:
            if part.size() == offset and offset:  # nothing came: the part itself may be at fault
                part.blame()
            raise

    def _receive(self, model: Model, file: ModelFile, part: _Part, stream: Stream) -> _Fetched:
        size = stream.size if stream.size is not None else file.size
        self.progress.file(f"{model.name}/{file.name}", size, stream.offset)
        digest = part.start(stream)
        done = stream.offset
        with part.path.open("r+b") as out:
            out.seek(done)
            for chunk in stream.chunks:
                out.write(chunk)
                digest.update(chunk)
                done += len(chunk)
                self.progress.advance(len(chunk))
            out.flush()
            os.fsync(out.fileno())
        if stream.size is not None and done < stream.size:
            raise SourceBusy(f"{file.path}: broke off at {done} of {stream.size} bytes")
        return _Fetched(done, digest.hexdigest(), stream.sha256)

    def _wait(self, error: SourceBusy, fruitless: int) -> None:
        pause = BACKOFF_S[min(max(fruitless - 1, 0), len(BACKOFF_S) - 1)]
        pause = max(pause, min(error.retry_after_s, MAX_RETRY_AFTER_S))
        self.progress.note(f"{error}; trying again in {pause:g} s")
        self.sleep(pause)

    def _check_space(self, model: Model, files: tuple[ModelFile, ...]) -> None:
        known = sum(file.size or 0 for file in files)
        wanted = max(known, 0 if all(f.size for f in files) else model.about_mb * 1_000_000)
        here = sum(_Part(self._place(model, f)).size() for f in files)
        here += sum(p.stat().st_size for f in files if (p := self._place(model, f)).is_file())
        free = shutil.disk_usage(self.models_dir).free
        if wanted - here + SPARE_BYTES > free:
            raise SourceError(
                f"needs {_mb(wanted - here)} but {self.models_dir} has {_mb(free)} free; make room "
                "or set models_dir to another disk"
            )

    def _all_there(self, model: Model, entry: LockedModel) -> bool:
        folder = self.models_dir / model.name
        return all(
            (path := folder / name).is_file() and path.stat().st_size == locked.size
            for name, locked in entry.files.items()
        )

    def _place(self, model: Model, file: ModelFile) -> Path:
        return self.models_dir / model.name / file.name

    def _advice(self, model: Model, reason: str) -> str:
        return (
            f"{model.name} could not be pulled from {self.source.where}.\n  {reason}\n"
            "  What arrived is kept; the same command goes on from there. Without access to the "
            "hub, copy\n  a models folder from a machine that has it and use: voicepipe models "
            f"pull {model.name} --mirror DIR_OR_URL"
        )


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


class _Part:
    """A file on its way: FILE.part, and FILE.part.tag with the version it belongs to."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.path = place.with_name(place.name + ".part")
        self.tag_path = place.with_name(place.name + ".part.tag")

    def size(self) -> int:
        return self.path.stat().st_size if self.path.is_file() else 0

    def resume_point(self) -> tuple[int, str | None]:
        """How many bytes are here, and of which version; (0, None) if it cannot go on."""
        tag = self.tag_path.read_text("utf-8") if self.tag_path.is_file() else ""
        return (self.size(), tag) if tag and self.size() else (0, None)

    def start(self, stream: Stream) -> hashlib._Hash:
        """Make the part end where the stream begins; the digest of what is kept."""
        self.path.touch()
        digest = hashlib.sha256()
        if stream.offset > self.size():
            raise SourceError(f"{self.place.name}: the answer starts beyond what is here")
        os.truncate(self.path, stream.offset)
        for chunk in _chunks(self.path):
            digest.update(chunk)
        self.tag_path.write_text(stream.tag or "", "utf-8")
        return digest

    def blame(self) -> None:
        """The next try starts over: a server may refuse what we ask it to go on from."""
        self.tag_path.unlink(missing_ok=True)

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
        self.tag_path.unlink(missing_ok=True)

    def finish(self) -> None:
        os.replace(self.path, self.place)
        self.tag_path.unlink(missing_ok=True)


def sha256_of(path: Path) -> str:
    """Checksum of a file, read in chunks."""
    digest = hashlib.sha256()
    for chunk in _chunks(path):
        digest.update(chunk)
    return digest.hexdigest()


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while chunk := stream.read(READ_BYTES):
            yield chunk


def _mismatch(file: ModelFile, fetched: _Fetched) -> str | None:
    if file.size is not None and file.size != fetched.size:
        return f"{fetched.size} bytes arrived, {file.size} were expected"
    expected = file.sha256 or fetched.stated
    if expected and expected != fetched.sha256:
        return f"its sha256 is {fetched.sha256}, expected {expected}"
    return None


def _same(place: Path, locked: LockedFile | None, file: ModelFile) -> bool:
    """Whether a file of an earlier, broken-off pull can stay. Sizes only; `verify` reads bytes."""
    if locked is None or not place.is_file() or place.stat().st_size != locked.size:
        return False
    return file.sha256 in {None, locked.sha256}


def _mb(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"


@contextmanager
def _one_at_a_time(models_dir: Path) -> Iterator[None]:
    """Two pulls into one folder would write the same parts."""
    try:
        models_dir.mkdir(parents=True, exist_ok=True)
        guard = (models_dir / ".pull.lock").open("w")
    except OSError as error:
        raise PullError(
            f"{models_dir} cannot be written ({error}); set models_dir to a folder that can"
        ) from error
    with guard:
        try:
            fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise PullError(
                f"another `voicepipe models pull` is writing to {models_dir}; wait for it"
            ) from None
        yield
