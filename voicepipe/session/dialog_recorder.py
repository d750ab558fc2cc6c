"""Where a session's dialog is recorded, if settings ask for it: `turns` of a fault to look into."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import IO

from voicepipe.dialog.core import Dialog
from voicepipe.dialog.options import TurnOptions
from voicepipe.dialog.tape import TapedDialog
from voicepipe.session.context import Context

log = logging.getLogger(__name__)

MAX_BYTES = 32_000_000
"""Of one tape: some hours of talk; what follows is not written."""

BUFFER_BYTES = 256_000


class DialogRecorder:
    """Makes the session's dialog. `path` None: nothing is written."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._file: IO[str] | None = None
        self._left = MAX_BYTES
        self._taped: TapedDialog | None = None

    def dialog(self, options: TurnOptions, *, answers: bool) -> Dialog:
        """A new dialog, taped where there is a path."""
        if self._path is None or not self._open(self._path):
            return Dialog(options, answers=answers)
        self._taped = TapedDialog(options, answers=answers, write=self._write)
        return self._taped

    def close(self) -> None:
        """The session has ended."""
        if self._taped is not None:
            self._taped.close()
            self._taped = None
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except OSError as error:  # what was buffered found no room
                log.warning("the end of the dialog is not recorded: %s", error)

    def _open(self, path: Path) -> bool:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            log.warning("the dialog is not recorded: %s", error)
            return False
        self._file = os.fdopen(handle, "w", encoding="utf-8", buffering=BUFFER_BYTES)
        return True

    def _write(self, line: str) -> None:
        if self._file is None:
            return
        self._left -= len(line)
        try:
            if self._left > 0:
                self._file.write(line)
        except OSError as error:  # a full disk ends the tape, not the call
            log.warning("the dialog is recorded no further: %s", error)
            self._left = 0


def recorder_for(context: Context) -> DialogRecorder:
    """As the settings say."""
    folder = context.config.dialog.record_dir
    if not folder:
        return DialogRecorder()
    return DialogRecorder(Path(folder).expanduser() / f"{context.session_id}.dialog.jsonl")
