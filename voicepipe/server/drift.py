"""The watch for stages that become slower: fed with turns, said in the log, kept over restarts."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from voicepipe.config import Settings
from voicepipe.ledger.drift import HOUR_S, Drift, DriftWatch
from voicepipe.ledger.records import TurnRecord

log = logging.getLogger(__name__)

_NO_HOURS = (
    *(OSError, ValueError, LookupError, TypeError, AttributeError),
    *(OverflowError, RecursionError),
)
"""What a file that was written by nobody of ours may give."""


class Drifting:
    """`findings` are the stages that are slower than in the week before."""

    def __init__(
        self,
        settings: Settings,
        sessions: Callable[[], int],
        wall_s: Callable[[], float] = time.time,
        keeps: bool = True,
    ) -> None:
        """`keeps`: whether the file is this process's to read and write."""
        self._file = settings.drift.file if keeps else None
        self._watch = DriftWatch(models_at_work(settings))
        self._sessions = sessions
        self._wall_s = wall_s
        self._saved_at_s = wall_s()
        self._has_read = False  # else there is a week in the file that this process does not know
        self._saving: asyncio.Task[None] | None = None

    @property
    def findings(self) -> tuple[Drift, ...]:
        return self._watch.findings

    async def start(self) -> None:
        """Read what was kept. A file that cannot be read is said, and begun anew."""
        if self._file is None:
            return
        try:
            self._watch.restore(await asyncio.to_thread(_read, self._file))
        except FileNotFoundError:
            pass
        except _NO_HOURS as error:
            log.warning("drift.file %s cannot be read (%s); begun anew", self._file, error)
        self._has_read = True

    def observe(self, record: TurnRecord) -> None:
        """For `TurnLog.watch`."""
        before = {drift.stage: drift for drift in self.findings}
        self._watch.observe(record, self._sessions(), self._wall_s())
        after = {drift.stage: drift for drift in self.findings}
        for stage, drift in after.items():
            if stage not in before:
                log.warning("%s", drift)
        for stage in before.keys() - after.keys():
            log.info("%s is again as fast as last week", stage)
        saving = self._saving is not None and not self._saving.done()
        if self._file is not None and not saving and self._wall_s() - self._saved_at_s >= HOUR_S:
            self._saved_at_s = self._wall_s()
            self._saving = asyncio.create_task(self._save(), name="drift-file")

    async def aclose(self) -> None:
        """Write down what this process has seen."""
        if self._saving is not None:
            await asyncio.gather(self._saving, return_exceptions=True)
        if self._has_read:
            await self._save()

    async def _save(self) -> None:
        assert self._file is not None
        kept = self._watch.as_dict()
        try:
            await asyncio.to_thread(_write, self._file, kept)
        except OSError as error:
            log.warning("drift.file %s cannot be written (%s)", self._file, error)


def models_at_work(settings: Settings) -> str:
    """Engines and models of the three stages in one line."""
    asr, llm, tts = settings.asr, settings.llm, settings.tts
    stages = (("asr", asr.engine, asr.model), ("llm", llm.engine, llm.model))
    return ", ".join(
        f"{stage} {engine} {Path(model).name}".strip()
        for stage, engine, model in (*stages, ("tts", tts.engine, tts.model))
    )


def _read(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def _write(path: Path, kept: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(kept), "utf-8")
    part.replace(path)  # a process that is killed leaves the old one whole
