"""Read `models/registry.toml`: every model that settings may name and `models pull` can fetch."""

from __future__ import annotations

import difflib
import tomllib
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from voicepipe.runtime.errors import ConfigError

Kind = Literal["asr", "llm", "tts"]
SHA256_PATTERN = r"^[0-9a-f]{64}$"


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelFile(_Entry):
    """One file of a model."""

    path: str  # in the repository; may be a pattern with *
    saved_as: str = Field("", alias="as")  # below the model's folder; empty = like `path`
    size: int | None = Field(None, ge=0)  # bytes
    sha256: str | None = Field(None, pattern=SHA256_PATTERN)

    @property
    def name(self) -> str:
        """Path on disk, below the model's folder."""
        return self.saved_as or self.path

    @property
    def is_pattern(self) -> bool:
        return "*" in self.path

    @field_validator("path", "saved_as")
    @classmethod
    def _inside(cls, value: str) -> str:
        if PurePosixPath(value).is_absolute() or ".." in PurePosixPath(value).parts:
            raise ValueError("must stay inside the model's folder")
        return value


class Model(_Entry):
    """One entry of the registry."""

    name: str = Field(pattern=r"^[A-Za-z0-9][\w.+-]*(/[\w.+-]+)?$")
    kind: Kind
    licence: str
    about: str
    limits: str = ""  # what it cannot do, shown where it is at work
    profiles: tuple[str, ...] = ()
    packaged: bool = False  # ships with voicepipe; never pulled
    repo: str = ""
    revision: str = "main"
    about_mb: int = 0
    entry: str = ""  # the file an engine opens; empty = the folder
    files: tuple[ModelFile, ...] = ()

    @model_validator(mode="after")
    def _pullable(self) -> Model:
        if not self.packaged and not (self.repo and self.files):
            raise ValueError("needs repo and files, or packaged = true")
        return self

    @property
    def checksum(self) -> str:
        """How the download is checked, in words for the listing."""
        known = sum(file.sha256 is not None for file in self.files)
        if self.packaged:
            return "shipped"
        if known == len(self.files):
            return "known"
        return (
            f"{known} of {len(self.files)} known, rest at first pull"
            if known
            else ("recorded at first pull")
        )


class Registry:
    """All known models, by name."""

    def __init__(self, models: tuple[Model, ...]) -> None:
        self.models = {model.name: model for model in models}

    def get(self, name: str) -> Model:
        """The model of that name. Raises ConfigError naming the nearest one."""
        if name not in self.models:
            raise ConfigError(f"{self.unknown(name)} `voicepipe models list` shows them all.")
        return self.models[name]

    def unknown(self, name: str) -> str:
        """Say that there is no such model, and which name is nearest."""
        close = difflib.get_close_matches(name, self.models, 1)
        return f"there is no model {name!r}" + (f"; did you mean {close[0]}?" if close else ".")

    def select(self, wanted: str) -> tuple[Model, ...]:
        """A model by name, or all models of a profile. Raises ConfigError if it is neither."""
        if wanted in self.models:
            return (self.models[wanted],)
        of_profile = tuple(m for m in self.models.values() if wanted in m.profiles)
        return of_profile or (self.get(wanted),)


def packaged_models_dir() -> Path:
    """The folder that ships in the package; in a checkout a link to the repository's `models`."""
    return Path(str(files("voicepipe.models") / "shipped"))


def load_registry(path: Path | None = None) -> Registry:
    """Read the registry; `path` None = the one that ships. Raises ConfigError naming the entry."""
    path = path or packaged_models_dir() / "registry.toml"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"the model registry {path} cannot be read: {error}") from error
    models = []
    for number, entry in enumerate(data.get("model", []), start=1):
        try:
            models.append(Model.model_validate(entry))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            name = entry.get("name", f"number {number}")
            raise ConfigError(f"{path}: model {name}: {where}: {first['msg']}") from error
    return Registry(tuple(models))
