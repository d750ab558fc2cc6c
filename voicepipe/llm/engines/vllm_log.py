"""What vLLM writes down while it starts and when it dies.

Its processes log to a file of ours instead of the terminal, from which we learn how far the start
has come and, if it fails, why. `VLLM_LOGGING_CONFIG_PATH` set by the user wins: then we know
neither.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path
from typing import ClassVar

_VARIABLE = "VLLM_LOGGING_CONFIG_PATH"
_FILE = "vllm.log"

_PHASES = (
    ("Starting to load model", "loading weights"),
    ("Loading drafter model", "loading the drafter"),
    ("Loading weights took", "weights are loaded"),
    ("Model loading took", "compiling"),
    ("torch.compile takes", "measuring memory"),
    ("KV cache size", "capturing graphs and warming up"),
    ("Graph capturing finished", "graphs are captured"),
    ("init engine", "almost there"),
)
"""What a line holds, and what vLLM does after it."""

_ERROR = re.compile(r"\b(\w+(?:Error|Exception): .+)")
_NO_CAUSE = ("EngineDeadError", "Engine core initialization failed", "cancelled")
MAX_REASON_CHARS = 300


class VllmLog:
    """One engine's view of the file, which all engines of a process share: there is one
    environment. The last `remove` deletes it.
    """

    _folder: ClassVar[tempfile.TemporaryDirectory[str] | None] = None
    _users: ClassVar[int] = 0

    def __init__(self) -> None:
        self._file: Path | None = None
        self._read = 0  # bytes

    def open(self) -> None:
        """Have processes of vLLM that start from now on log here. To be called before vLLM is
        first imported. Idempotent.
        """
        if self._file is not None:
            return
        if VllmLog._folder is None:
            if _VARIABLE in os.environ:
                return
            VllmLog._folder = _make_folder()
        VllmLog._users += 1
        self._file = Path(VllmLog._folder.name) / _FILE
        self._read = self._file.stat().st_size

    def phases(self) -> list[str]:
        """What has begun since the last call, in order."""
        new = self._new_text()
        found = [(new.find(line), phase) for line, phase in _PHASES if line in new]
        return [phase for _, phase in sorted(found)]

    def reason(self) -> str:
        """Why something failed, as far as the last lines tell; "" if they don't."""
        if self._file is None:
            return ""
        errors = _ERROR.findall(self._file.read_text(encoding="utf-8", errors="replace"))
        causes = [e for e in errors if not any(word in e for word in _NO_CAUSE)]
        return causes[-1][:MAX_REASON_CHARS] if causes else ""

    def remove(self) -> None:
        """Idempotent."""
        if self._file is None:
            return
        self._file = None
        VllmLog._users -= 1
        if VllmLog._users == 0 and VllmLog._folder is not None:
            os.environ.pop(_VARIABLE, None)
            VllmLog._folder.cleanup()
            VllmLog._folder = None

    def _new_text(self) -> str:
        if self._file is None:
            return ""
        with self._file.open("rb") as file:
            file.seek(self._read)
            new = file.read()
        self._read += len(new)
        return new.decode("utf-8", errors="replace")


def _make_folder() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory(prefix="voicepipe-vllm-")
    file, config = Path(folder.name) / _FILE, Path(folder.name) / "logging.json"
    file.touch()
    config.write_text(json.dumps(_config(file)), encoding="utf-8")
    os.environ[_VARIABLE] = str(config)
    return folder


def _config(file: Path) -> dict[str, object]:
    """For `logging.config.dictConfig`, in our process and in those of the engine."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(message)s"}},
        "handlers": {
            "file": {
                "class": "logging.FileHandler",
                "formatter": "plain",
                "filename": str(file),
                "encoding": "utf-8",
            }
        },
        "loggers": {"vllm": {"handlers": ["file"], "level": "INFO", "propagate": False}},
    }
