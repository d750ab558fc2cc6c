"""A PostgreSQL of our own for a while, from Debian's package: no network, no password."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

START_S = 60


def binaries() -> Path:
    """The newest installed server's programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    if not found and on_path is None:
        raise FileNotFoundError(
            "these tests run a PostgreSQL server of their own: apt-get install postgresql"
        )
    return found[-1].parent if found else Path(str(on_path)).parent


@contextmanager
def postgres() -> Iterator[str]:
    """Its URL; a database `voice` is there. The server refuses to run as root, so it is run as
    its package's user then."""
    programs = binaries()
    user = "postgres" if os.geteuid() == 0 else None
    # not pytest's folder: another user must get in, and a socket's path must be short
    folder = Path(tempfile.mkdtemp(prefix="voicepipe-pg-"))
    if user is not None:
        account = pwd.getpwnam(user)
        os.chown(folder, account.pw_uid, account.pw_gid)
    data = folder / "data"

    def run(*command: str) -> None:
        subprocess.run(
            [str(programs / command[0]), *command[1:]],
            user=user,
            group=user,
            extra_groups=[] if user else None,
            cwd=folder,
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            timeout=START_S + 30,
        )

    options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
    log = str(folder / "log")
    try:
        run("initdb", "-D", str(data), "-A", "trust", "-U", "voice", "-E", "UTF8", "--no-sync")
        wait = ("-w", "-t", str(START_S))
        run("pg_ctl", "-D", str(data), "-l", log, "-o", options, *wait, "start")
        try:
            run("createdb", "-h", str(folder), "-U", "voice", "voice")
            yield f"postgresql://voice@/voice?host={folder}"
        finally:
            run("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
