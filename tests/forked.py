"""`voicepipe` commands, each a process of its own: forked from one that has imported what they
need, as the imports take longer than most commands do. Their command line, folder, output and
signals are those of a program that was started. Not so: what libraries read of the environment when
they are imported, an import that is missing, and what an interpreter does at its very end. So some
are really started, those of `tests/cli/test_cli.py`, `tests/e2e` and `.ci/` among them."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

IMPORTED = (
    "voicepipe",  # before all else: it tells libraries not to report
    "faster_whisper",
    "voicepipe.asr.sphinx.engine",
    "voicepipe.cli.agents",
    "voicepipe.cli.calls",
    "voicepipe.cli.serve",
    "voicepipe.lab.cli.bench",
    "voicepipe.lab.cli.call",
    "voicepipe.tts.engines.espeak",
)
"""What `serve` on the built-in profile has imported when it listens, and what rings it."""

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload([*IMPORTED])


class Voicepipe:
    """`voicepipe WORDS`, running, with what tests use of `subprocess.Popen`. What it writes becomes
    `output`, its complaints `errors` (None = `output`). `env`: its whole environment; None = this
    process's."""

    def __init__(
        self,
        *words: str,
        output: Path,
        errors: Path | None = None,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        folder, variables = cwd or Path.cwd(), dict(os.environ if env is None else env)
        self._words = words
        for file in (output, errors or output):
            file.write_bytes(b"")
        self._process = _FORKS.Process(
            target=_run, args=(words, output, errors or output, folder, variables)
        )
        self._process.start()

    @property
    def pid(self) -> int:
        """Of the process, also when it has ended."""
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        """Its exit status, -N where signal N ended it; None while it runs."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Its exit status. Raises subprocess.TimeoutExpired where it runs for longer (s)."""
        self._process.join(timeout)
        status = self._process.exitcode
        if status is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired(["voicepipe", *self._words], timeout)
        return status

    def send_signal(self, number: int) -> None:
        """Nothing where it has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it ends just now
                os.kill(self.pid, number)

    def kill(self) -> None:
        """Nothing where it has ended."""
        self.send_signal(signal.SIGKILL)


def voicepipe(
    *words: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    timeout_s: float = 280.0,
) -> subprocess.CompletedProcess[str]:
    """What `voicepipe WORDS` says in that folder, and how it ends. `env`: what is set besides; no
    setting is inherited. Raises subprocess.TimeoutExpired."""
    with tempfile.TemporaryDirectory() as folder:
        output, errors = Path(folder, "output"), Path(folder, "errors")
        running = Voicepipe(*words, output=output, errors=errors, cwd=cwd, env=bare(cwd, env))
        try:
            status = running.wait(timeout_s)
        finally:
            running.kill()
        command = ["voicepipe", *words]
        return subprocess.CompletedProcess(command, status, output.read_text(), errors.read_text())


def bare(cwd: Path, env: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without voicepipe's settings, `env` besides, and a data folder of
    `cwd`'s own."""
    environ = {
        name: value for name, value in os.environ.items() if not name.startswith("VOICEPIPE_")
    }
    own = {"PYTHONPATH": str(ROOT), "COLUMNS": "120", "XDG_DATA_HOME": str(cwd)}
    return {**environ, **own, **(env or {})}


def _run(
    words: tuple[str, ...], output: Path, errors: Path, cwd: Path, env: Mapping[str, str]
) -> None:
    """In the new process."""
    for descriptor, path in ((1, output), (2, errors)):
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    sys.argv = ["voicepipe", *words]
    tempfile.tempdir = None  # it may be another there
    from voicepipe.cli.main import app

    try:
        app()
    finally:
        atexit._run_exitfuncs()  # which multiprocessing leaves out
