"""Hold every pulled file to its recorded checksum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from voicepipe.models.lock import Lock
from voicepipe.models.part import sha256_of

State = Literal["ok", "missing", "changed", "incomplete"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one file; `file` is empty for the model as a whole."""

    model: str
    file: str
    state: State
    detail: str = ""


def verify(models_dir: Path, names: frozenset[str] = frozenset()) -> Iterator[Finding]:
    """Check the pulled models of those names (empty = all), file by file; reads every byte."""
    lock = Lock.read(models_dir)
    for name, model in sorted(lock.models.items()):
        if names and name not in names:
            continue
        if not model.complete:
            yield Finding(name, "", "incomplete", "the pull broke off; run it again")
        for file, locked in sorted(model.files.items()):
            path = models_dir / name / file
            if not path.is_file():
                yield Finding(name, file, "missing")
            elif (size := path.stat().st_size) != locked.size:
                yield Finding(name, file, "changed", f"{size} bytes, recorded {locked.size}")
            elif (digest := sha256_of(path)) != locked.sha256:
                yield Finding(name, file, "changed", f"sha256 {digest}, recorded {locked.sha256}")
            else:
                yield Finding(name, file, "ok", f"checksum {locked.origin}")
