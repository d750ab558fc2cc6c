"""A socket that only this user's processes can reach."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from voicepipe.cluster.link import Link
from voicepipe.cluster.wire import Wire
from voicepipe.runtime.errors import ConfigError

MAX_PATH_BYTES = 107
"""Linux's limit for the address of a Unix socket."""


def bound(path: Path) -> socket.socket:
    """A listening socket (mode 0600) in a folder of mode 0700, which is made if it is not there.

    Raises ConfigError: the path is too long, others can write there, or another host listens.
    """
    if len(os.fsencode(path)) > MAX_PATH_BYTES:
        raise ConfigError(f"{path}: the path of a socket may have {MAX_PATH_BYTES} bytes at most")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    about = path.parent.stat()
    if about.st_uid != os.getuid() or stat.S_IMODE(about.st_mode) & 0o077:
        raise ConfigError(f"{path.parent}: others can reach it; give it the mode 0700")
    if path.is_socket():
        _refuse_second(path)
        path.unlink()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(os.fspath(path))
        path.chmod(0o600)
        listener.listen(128)
    except OSError as error:
        listener.close()
        raise ConfigError(f"{path}: cannot listen there: {error.strerror}") from None
    return listener


def link_to(path: Path) -> Link:
    """The way to the engine host that listens there."""

    async def connect(factory: Callable[[], Wire]) -> object:
        return await asyncio.get_running_loop().create_unix_connection(factory, os.fspath(path))

    return Link(connect, path.name)


def forget(path: Path) -> None:
    """Nobody listens there any more."""
    with suppress(FileNotFoundError):
        path.unlink()


def _refuse_second(path: Path) -> None:
    """A socket that nobody answers at is what a host that was killed has left behind."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        if probe.connect_ex(os.fspath(path)) == 0:
            raise ConfigError(f"{path}: another engine host listens there")
