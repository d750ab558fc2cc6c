"""From the name in the settings to the files on disk."""

from __future__ import annotations

from pathlib import Path

from voicepipe.config import Settings
from voicepipe.models.lock import Lock
from voicepipe.models.registry import Model, Registry, load_registry, packaged_models_dir
from voicepipe.runtime.errors import ConfigError, EngineUnavailable
from voicepipe.runtime.paths import data_dir


def default_models_dir() -> Path:
    """Where pulled models live unless `models_dir` says otherwise: the user's data directory."""
    return data_dir() / "models"


def models_dir(settings: Settings) -> Path:
    """Where pulled models live under these settings."""
    return settings.models_dir.expanduser() if settings.models_dir else default_models_dir()


def place_of(model: Model, pulled: Path) -> Path:
    """Where a model's entry file or folder is, or would be; `pulled` is the models folder."""
    folder = (packaged_models_dir() if model.packaged else pulled) / model.name
    return folder / model.entry if model.entry else folder


def is_present(model: Model, pulled: Path) -> bool:
    """Whether the model can be opened: shipped and there, or pulled completely."""
    place = place_of(model, pulled)
    if model.packaged:
        return place.is_dir() and any(place.iterdir())
    locked = Lock.read(pulled).models.get(model.name)
    complete = locked is not None and locked.complete
    return complete and place.exists()


def model_path(name: str, settings: Settings, registry: Registry | None = None) -> Path:
    """The folder or file an engine opens for `name`.

    `name`: a model of the registry ("builtin/asr", "whisper-base.en") or a path that exists.
    Raises EngineUnavailable for a known model that is not there, saying how to get it, and
    ConfigError for a name that is neither.
    """
    registry = registry or load_registry()
    model = registry.models.get(name)
    if model is not None:
        pulled = models_dir(settings)
        if is_present(model, pulled):
            return place_of(model, pulled)
        raise EngineUnavailable(_how_to_get(model, pulled, settings.profile), stage=model.kind)
    path = Path(name).expanduser()
    if name and path.exists():
        return path
    if name.startswith(("/", ".", "~")):
        raise ConfigError(f"the model path {name} does not exist")
    raise ConfigError(f"{registry.unknown(name)} It is not an existing path either.")


def _how_to_get(model: Model, pulled: Path, profile: str) -> str:
    place = place_of(model, pulled)
    if model.packaged:
        return (
            f"the built-in model {model.name} is missing at {place}; it ships with voicepipe, so "
            "install that again, or run it from a checkout (scripts/serve)"
        )
    whole = f", or all of the profile: voicepipe models pull {profile}"
    return (
        f"model {model.name} is not at {place}; get it: voicepipe models pull {model.name}"
        f"{whole if profile in model.profiles else ''}"
    )
