"""The model hub behind what its own tools keep on this machine (HF_HOME).

Their layout: `models--ORG--NAME/refs/BRANCH` holds a commit, `snapshots/COMMIT/PATH` links to
`blobs/DIGEST`, where the digest of a large file is its sha256. A file appears in a snapshot only
when it is whole, but a snapshot may lack files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from voicepipe.models.registry import Model, ModelFile
from voicepipe.models.sources import (
    SHA256,
    HubSource,
    SourceBusy,
    SourceError,
    Stream,
    local_stream,
    resolve,
)


@dataclass(frozen=True, slots=True)
class HubCache:
    """The cache below `root`, which need not exist. It is only read."""

    root: Path

    def snapshot(self, model: Model) -> Path | None:
        """The folder of the model's revision, if something of it is here."""
        folder = self.root / f"models--{model.repo.replace('/', '--')}"
        commit = model.revision
        with suppress(OSError):  # a commit has no ref
            commit = (folder / "refs" / model.revision).read_text(encoding="utf-8").strip()
        place = folder / "snapshots" / commit
        return place if place.is_dir() else None

    def find(self, model: Model, file: ModelFile) -> Path | None:
        """One file, if it is here and has the size that is known of it."""
        snapshot = self.snapshot(model)
        path = snapshot / file.path if snapshot else None
        if path is None or not path.is_file():
            return None
        return path if file.size in {None, path.stat().st_size} else None

    def listing(self, model: Model) -> dict[str, ModelFile]:
        """What is here of a model. Raises SourceError if parts of it are known to be missing."""
        snapshot = self.snapshot(model)
        if snapshot is None:
            raise SourceError(f"{model.repo} is not in {self.root}")
        paths = [path for path in sorted(snapshot.rglob("*")) if path.is_file()]
        names = {str(path.relative_to(snapshot)): path for path in paths}
        for name, path in names.items():
            if name.endswith(".index.json"):
                for part in _parts(path):
                    if part not in names:
                        raise SourceError(f"{snapshot} is incomplete: it lacks {part}")
        return {
            name: ModelFile(path=name, size=path.stat().st_size, sha256=_digest(path))
            for name, path in names.items()
        }


class CachedHub:
    """A `Source`: the cache where it has a file, else the hub; `offline` never asks the hub."""

    def __init__(self, hub: HubSource, cache: HubCache, *, offline: bool = False) -> None:
        self.hub = hub
        self.cache = cache
        self.offline = offline
        self.where = f"{cache.root} (HF_HUB_OFFLINE)" if offline else hub.where
        self._taken: set[tuple[str, str]] = set()

    def files(self, model: Model) -> tuple[ModelFile, ...]:
        """As the hub lists them; as the cache does where the hub cannot be asked."""
        if self.offline:
            return resolve(model, self.cache.listing(model), self.where)
        try:
            return self.hub.files(model)
        except SourceBusy:
            with suppress(SourceError):  # that the hub does not answer says more
                return resolve(model, self.cache.listing(model), self.where)
            raise

    @contextmanager
    def open(self, model: Model, file: ModelFile, offset: int, tag: str | None) -> Iterator[Stream]:
        """A cached file is taken once: if it turns out to be damaged, the hub is asked."""
        key = (model.name, file.path)
        path = self.cache.find(model, file) if key not in self._taken or self.offline else None
        if path is not None:
            self._taken.add(key)
            with local_stream(path, offset, tag, _digest(path)) as stream:
                yield stream
        elif self.offline:
            raise SourceError(f"{file.path} is not in {self.cache.root}, and HF_HUB_OFFLINE is set")
        else:
            with self.hub.open(model, file, offset, tag) as stream:
                yield stream


def _digest(path: Path) -> str | None:
    """The sha256 of a large file is its blob's name."""
    name = path.resolve().name
    return name if SHA256.fullmatch(name) else None


def _parts(index: Path) -> set[str]:
    try:
        return {str(name) for name in json.loads(index.read_text("utf-8"))["weight_map"].values()}
    except (OSError, ValueError, LookupError, AttributeError):
        return set()
