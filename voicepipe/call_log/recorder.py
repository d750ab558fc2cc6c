"""The recordings that are open, by call. Runs in the writer's thread; a disk that fails leaves a
gap in the recording, and costs the call nothing."""

from __future__ import annotations

import contextlib
import logging
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from voicepipe.audio.formats import AudioFormat
from voicepipe.call_log.contract import Counts
from voicepipe.call_log.recording import CallRecording, Sound
from voicepipe.call_log.rows import Row, recording_row
from voicepipe.privacy.seal import Seal

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Begin:
    """`path`: below the recordings folder; `wires`: the caller's format and the agent's."""

    path: str
    wires: tuple[AudioFormat, AudioFormat]
    started_at: datetime


@dataclass(frozen=True, slots=True)
class End:
    """`at_s`: since the recording began; `lost_s`: sound that never came here."""

    at_s: float
    lost_s: float


@dataclass(frozen=True, slots=True)
class SoundJob:
    """One step of one call's recording."""

    call_id: str
    step: Begin | Sound | End

    @property
    def size(self) -> int:
        """Bytes of sound."""
        return self.step.size if isinstance(self.step, Sound) else 0


@dataclass(slots=True)
class _Open:
    wires: tuple[AudioFormat, AudioFormat]
    recording: CallRecording | None  # None: it could not be begun, or its sound is none
    failing: bool = False  # the last piece could not be written
    lost_s: float = 0.0


class Recorder:
    """Writes below `folder` at `rate` Hz, under a key where there is a `seal`."""

    def __init__(self, folder: Path, rate: int, counts: Counts, seal: Seal | None = None) -> None:
        self._folder, self._rate, self._counts, self._seal = folder, rate, counts, seal
        self._open: dict[str, _Open] = {}

    def do(self, job: SoundJob) -> list[Row]:
        """Carry out one step; returns what the database should know of it."""
        match job.step:
            case Begin():
                return self._begin(job.call_id, job.step)
            case Sound():
                self._write(job.call_id, job.step)
                return []
            case End():
                return self._end(job.call_id, job.step)

    def close_all(self) -> None:
        """Recordings that nobody ended stay as they are, and whole."""
        for call_id in list(self._open):
            self._close(call_id, None)

    def _begin(self, call_id: str, begin: Begin) -> list[Row]:
        self._open[call_id] = entry = _Open(begin.wires, None)
        path = self._folder / begin.path
        try:
            entry.recording = CallRecording(path, self._rate, begin.wires, self._seal)
        except OSError as error:
            log.error("call %s is not recorded: %s: %s", call_id, path, error.strerror)
            return []
        return [recording_row(call_id, begin.path, begin.started_at)]

    def _write(self, call_id: str, sound: Sound) -> None:
        entry = self._open.get(call_id)
        if entry is None:
            return
        if entry.recording is not None and self._written(call_id, entry, entry.recording, sound):
            return
        lost_s = sound.longest_s(*entry.wires)
        entry.lost_s += lost_s
        self._counts.add(lost_sound_s=lost_s)

    def _written(self, call_id: str, entry: _Open, recording: CallRecording, sound: Sound) -> bool:
        try:
            recording.write(sound)
        except OSError as error:  # the disk's fault: it may have room again
            if not entry.failing:
                log.error("the recording of call %s has a gap from here on: %s", call_id, error)
            entry.failing = True
            return False
        except ValueError as error:  # the transport's: half a sample
            log.error("the recording of call %s ends here: %s", call_id, error)
            self._abandon(entry)
            return False
        if entry.failing:
            log.warning("the recording of call %s goes on", call_id)
        entry.failing = False
        return True

    def _end(self, call_id: str, end: End) -> list[Row]:
        entry = self._open.get(call_id)
        if entry is None:
            return []
        self._close(call_id, end.at_s)
        lost_s = round(entry.lost_s + end.lost_s, 3)
        return [Row("recording", call_id, {"lost_sound_s": lost_s})] if lost_s else []

    def _close(self, call_id: str, at_s: float | None) -> None:
        entry = self._open.pop(call_id)
        if entry.recording is None:
            return
        try:
            entry.recording.close(at_s)
        except OSError as error:
            log.error("the recording of call %s lacks its end: %s", call_id, error.strerror)

    @staticmethod
    def _abandon(entry: _Open) -> None:
        if entry.recording is not None:
            with contextlib.suppress(OSError):
                entry.recording.close(None)
            entry.recording = None
