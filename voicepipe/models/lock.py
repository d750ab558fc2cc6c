"""What has been pulled, with checksums: `voicepipe-models.lock.json` in the models folder.

Where nobody states a checksum beforehand, the first pull is trusted and recorded; from then on
`verify` holds every file to it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from voicepipe.models.registry import SHA256_PATTERN
from voicepipe.runtime.errors import ConfigError

LOCK_NAME = "voicepipe-models.lock.json"

Origin = Literal["registry", "source", "recorded"]
"""Who vouches for a checksum: our registry, the source it came from, or only the first pull."""


class LockedFile(BaseModel):
    """One file as it was fetched."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    size: int = Field(ge=0)
    sha256: str = Field(pattern=SHA256_PATTERN)
    origin: Origin


class LockedModel(BaseModel):
    """One pulled model. `complete` once every file of it arrived."""

    model_config = ConfigDict(extra="forbid")
    source: str
    revision: str
    licence: str = ""  # as the registry gave it at the pull; "" in older locks
    complete: bool = False
    files: dict[str, LockedFile] = {}


class Lock(BaseModel):
    """The whole lock file."""

    model_config = ConfigDict(extra="forbid")
    version: Literal[1] = 1
    models: dict[str, LockedModel] = {}

    @classmethod
    def parse(cls, text: str, where: str) -> Lock:
        """Raises ConfigError naming `where` the text came from."""
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"])) or "file"
            raise ConfigError(
                f"{where} is damaged ({place}: {first['msg']}); delete it and pull again"
            ) from error

    @classmethod
    def read(cls, models_dir: Path) -> Lock:
        """The lock of a models folder; an empty one if nothing was pulled yet."""
        path = models_dir / LOCK_NAME
        try:
            return cls.parse(path.read_text(encoding="utf-8", errors="replace"), str(path))
        except FileNotFoundError:
            return cls()

    def write(self, models_dir: Path) -> None:
        """Replace the file at once, so that a crash leaves the old or the new one."""
        path = models_dir / LOCK_NAME
        part = path.with_suffix(".part")
        part.write_text(json.dumps(self.model_dump(), indent=2, sort_keys=True) + "\n", "utf-8")
        os.replace(part, path)
