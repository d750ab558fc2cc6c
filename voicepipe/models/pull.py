"""Pull models: whole profiles at once, several files at a time."""

from __future__ import annotations

import fcntl
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from voicepipe.models.fetch import BACKOFF_S, Fetcher, Progress, Stopped
from voicepipe.models.lock import Lock, LockedFile, LockedModel
from voicepipe.models.part import Part
from voicepipe.models.registry import Model, ModelFile
from voicepipe.models.sources import Source, SourceBusy, SourceError
from voicepipe.runtime.errors import VoicepipeError

FILES_AT_ONCE = 4  # one large file mostly has the line to itself; small ones do not wait for it
SPARE_BYTES = 64 << 20  # left free on the disk after a pull


class PullError(VoicepipeError):
    """A model could not be fetched; what arrived so far is kept for the next try."""


@dataclass(slots=True)
class _Plan:
    """One model under way. `why` it failed, once it has."""

    model: Model
    files: tuple[ModelFile, ...]
    entry: LockedModel
    missing: list[ModelFile] = field(default_factory=list)
    why: str = ""


@dataclass(frozen=True, slots=True)
class Puller:
    """Fetches models from one source into one folder."""

    source: Source
    models_dir: Path
    progress: Progress
    sleep: Callable[[float], object] | None = None
    at_once: int = FILES_AT_ONCE

    def pull(self, model: Model) -> Path:
        """One model; its folder. See `pull_all`."""
        return self.pull_all((model,))[0]

    def pull_all(self, models: Sequence[Model]) -> list[Path]:
        """Fetch what is missing of `models`; their folders. Complete models cost no request.

        One that cannot be had does not keep the others from coming, unless the source does not
        answer at all. Raises PullError at the end, naming each: source unreachable, file missing
        there, checksum wrong, disk full.
        """
        for model in models:
            if model.packaged:
                raise PullError(f"{model.name} ships with voicepipe; there is nothing to pull")
        with _one_at_a_time(self.models_dir):
            lock = Lock.read(self.models_dir)
            wanted = [model for model in models if not self._complete(model, lock)]
            fetcher = Fetcher(self.source, self.progress, self.sleep)
            plans: list[_Plan] = []
            for model in wanted:
                plans.append(self._plan(model, lock, fetcher))
                if plans[-1].why and fetcher.stop.is_set():
                    break
            self._check_space([plan for plan in plans if not plan.why])
            self._fetch(plans, lock, fetcher)
        if failed := [plan for plan in plans if plan.why]:
            raise PullError(self._advice(failed))
        return [self.models_dir / model.name for model in models]

    def _complete(self, model: Model, lock: Lock) -> bool:
        entry = lock.models.get(model.name)
        if not (entry and entry.complete and self._all_there(model, entry)):
            return False
        named = {file.name for file in model.files if not file.is_pattern}
        if entry.revision != model.revision or not named <= entry.files.keys():
            return False  # the registry has moved on since
        self.progress.note(f"{model.name}: already there")
        return True

    def _plan(self, model: Model, lock: Lock, fetcher: Fetcher) -> _Plan:
        try:
            files = self._list(model, fetcher)
        except SourceBusy as error:
            fetcher.stop.set()  # what does not answer now would not answer for the others
            return _Plan(model, (), LockedModel(source="", revision=""), why=str(error))
        except SourceError as error:
            return _Plan(model, (), LockedModel(source="", revision=""), why=str(error))
        entry = lock.models.setdefault(model.name, LockedModel(source="", revision=""))
        if entry.revision != model.revision:  # the files are of another, but for those known
            sums = {file.name: file.sha256 for file in files}
            kept = [name for name, one in entry.files.items() if sums.get(name) == one.sha256]
            entry.files = {name: entry.files[name] for name in kept}
        entry.source, entry.revision = self.source.where, model.revision
        entry.licence, entry.complete = model.licence, False
        plan = _Plan(model, files, entry)
        for file in files:
            if _same(self._place(model, file), entry.files.get(file.name), file):
                self.progress.note(f"{model.name}/{file.name}: already there")
            else:
                plan.missing.append(file)
        return plan

    def _list(self, model: Model, fetcher: Fetcher) -> tuple[ModelFile, ...]:
        for tries in range(1, len(BACKOFF_S)):
            try:
                return self.source.files(model)
            except SourceBusy as error:
                if tries == len(BACKOFF_S) - 1:
                    raise
                fetcher.wait(error, tries)
        raise AssertionError("the last round returns or raises")

    # --- all files of all plans

    def _fetch(self, plans: list[_Plan], lock: Lock, fetcher: Fetcher) -> None:
        mutex = threading.Lock()

        def one(plan: _Plan, file: ModelFile) -> None:
            if plan.why:  # the model cannot be completed now
                raise Stopped
            locked = fetcher.fetch(plan.model, file, self._place(plan.model, file))
            with mutex:
                self._record(plan, file, locked, lock)

        with ThreadPoolExecutor(self.at_once, "models pull") as pool:
            futures = {
                pool.submit(one, plan, file): plan
                for plan in plans
                if not plan.why
                for file in tuple(plan.missing)  # files that have come leave it meanwhile
            }
            try:
                for future in as_completed(futures):
                    _judge(future, futures[future], fetcher)
            except BaseException:  # Ctrl-C among others: the threads end at their next chunk
                fetcher.stop.set()
                pool.shutdown(cancel_futures=True)
                raise
        for plan in plans:
            if not plan.why and not plan.missing:
                self._finish(plan, lock)

    def _record(self, plan: _Plan, file: ModelFile, locked: LockedFile, lock: Lock) -> None:
        plan.entry.files[file.name] = locked
        plan.missing.remove(file)
        lock.write(self.models_dir)

    def _finish(self, plan: _Plan, lock: Lock) -> None:
        plan.entry.files = {file.name: plan.entry.files[file.name] for file in plan.files}
        plan.entry.complete = True
        lock.write(self.models_dir)

    def _check_space(self, plans: list[_Plan]) -> None:
        wanted = sum(self._still_to_come(plan) for plan in plans)
        free = shutil.disk_usage(self.models_dir).free
        if wanted + SPARE_BYTES > free:
            raise PullError(
                f"{', '.join(plan.model.name for plan in plans)}: needs {_mb(wanted)} but "
                f"{self.models_dir} has {_mb(free)} free; make room or set models_dir to another "
                "disk"
            )

    def _still_to_come(self, plan: _Plan) -> int:
        """Bytes; where the source states no size, what the registry says of the whole model."""
        known = sum(file.size or 0 for file in plan.files)
        about = 0 if all(file.size for file in plan.files) else plan.model.about_mb * 1_000_000
        places = [self._place(plan.model, file) for file in plan.files]
        here = sum(Part(place).size() for place in places)
        here += sum(place.stat().st_size for place in places if place.is_file())
        return max(0, max(known, about) - here) if plan.missing else 0

    def _all_there(self, model: Model, entry: LockedModel) -> bool:
        folder = self.models_dir / model.name
        return all(
            (path := folder / name).is_file() and path.stat().st_size == locked.size
            for name, locked in entry.files.items()
        )

    def _place(self, model: Model, file: ModelFile) -> Path:
        return self.models_dir / model.name / file.name

    def _advice(self, failed: list[_Plan]) -> str:
        names = " ".join(plan.model.name for plan in failed)
        reasons = "".join(f"  {reason}\n" for reason in dict.fromkeys(p.why for p in failed))
        return (
            f"{names.replace(' ', ', ')} could not be pulled from {self.source.where}.\n{reasons}"
            "  What arrived is kept; the same command goes on from there. Without access to the "
            "hub, copy\n  a models folder from a machine that has it and use: voicepipe models "
            f"pull {names} --mirror DIR_OR_URL\n  HF_ENDPOINT names another hub; what lies in "
            "HF_HOME's cache is taken from there."
        )


def _judge(future: Future[None], plan: _Plan, fetcher: Fetcher) -> None:
    """Note why a file did not come; anything unforeseen is raised."""
    try:
        future.result()
    except Stopped:
        plan.why = plan.why or "stopped with the others"
    except SourceBusy as error:
        fetcher.stop.set()  # it was asked again and again: the source does not answer
        plan.why = _real(plan.why) or str(error)
    except (SourceError, OSError) as error:
        plan.why = _real(plan.why) or str(error)


def _real(why: str) -> str:
    return "" if why == "stopped with the others" else why


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
