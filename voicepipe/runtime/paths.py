"""Where what belongs to the user lies: models, calls, recordings."""

from __future__ import annotations

import os
from pathlib import Path


def data_dir() -> Path:
    """The user's data directory for voicepipe (XDG)."""
    base = os.environ.get("XDG_DATA_HOME", "")
    data = Path(base) if Path(base).is_absolute() else Path.home() / ".local" / "share"
    return data / "voicepipe"


def cache_dir() -> Path:
    """Where voicepipe keeps what it can make again (XDG)."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    cache = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
    return cache / "voicepipe"
