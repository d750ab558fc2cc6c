"""Where the calls' database and the recordings are, and under which key."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from voicepipe.call_log.contract import CallStoreError
from voicepipe.config import CallSettings
from voicepipe.privacy.seal import Seal
from voicepipe.runtime.paths import data_dir

SCHEMES = "sqlite:////path/calls.sqlite3 or postgresql://user:password@host/name"


def database_url(settings: CallSettings) -> URL:
    """`calls.database` with the driver that voicepipe uses. Raises CallStoreError."""
    given = settings.database.get_secret_value().strip()
    if not given:
        return URL.create("sqlite", database=str(data_dir() / "calls.sqlite3"))
    try:
        url = make_url(given)
    except (ArgumentError, ValueError):  # ValueError: a port that is no number
        raise CallStoreError(
            f"calls.database is not a database URL; write it as {SCHEMES}"
        ) from None
    backend = url.get_backend_name()
    if backend == "sqlite" and url.database and url.database != ":memory:":
        return url.set(drivername="sqlite", database=str(_at_home(Path(url.database))))
    if backend == "sqlite":
        raise CallStoreError("calls.database must name a file: sqlite:////path/calls.sqlite3")
    if backend in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    raise CallStoreError(f"calls.database: {backend} is not supported; write it as {SCHEMES}")


def recordings_dir(settings: CallSettings) -> Path:
    """Where recordings lie, in a folder for each day. Raises CallStoreError."""
    if settings.recordings_dir is not None:
        return _at_home(settings.recordings_dir)
    return data_dir() / "recordings"


def _at_home(path: Path) -> Path:
    """Without a ~. Raises CallStoreError."""
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise CallStoreError(f"{path}: {error}") from None


def recording_file(folder: Path, path: str) -> Path:
    """Where the recording at `path`, as the database has it, lies below `folder`; never outside,
    whatever the database says. Raises CallStoreError."""
    relative = PurePosixPath(path)
    if relative.is_absolute() or ".." in relative.parts:
        raise CallStoreError(f"{path} is no recording: it does not lie below {folder}")
    return folder / relative


def seal(settings: CallSettings) -> Seal | None:
    """None: they are written plainly. Raises ConfigError."""
    key = settings.encryption_key
    return None if key is None else Seal.of(key.get_secret_value())
