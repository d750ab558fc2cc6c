"""What the engine tests share."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from voicepipe.audio.pcm import Int16
from voicepipe.tts.contract import Synthesizer, Voice, WordTime
from voicepipe.tts.engines.worker_backed import WorkerSynthesizer


@dataclass
class Spoken:
    """A clause as it came."""

    rate: int
    chunks: list[Int16] = field(default_factory=list)
    words: list[WordTime] = field(default_factory=list)

    @property
    def pcm(self) -> Int16:
        return np.concatenate(self.chunks)

    @property
    def seconds(self) -> float:
        return sum(chunk.size for chunk in self.chunks) / self.rate

    @property
    def rms(self) -> float:
        return float(np.sqrt(np.mean(self.pcm.astype(np.float64) ** 2)))


async def speak(engine: Synthesizer, clause: str, voice: str = "", speed: float = 1.0) -> Spoken:
    """All of a clause; checks what every engine must keep to about word times."""
    spoken = Spoken(engine.sample_rate)
    async for speech in engine.stream(clause, Voice(voice, speed)):
        begin_s = spoken.seconds
        assert speech.pcm.dtype == np.int16
        assert speech.pcm.ndim == 1
        assert speech.pcm.size
        spoken.chunks.append(speech.pcm)
        spoken.words += speech.words
        for word in speech.words:
            assert begin_s - 0.001 <= word.start_s <= spoken.seconds
    starts = [word.start_s for word in spoken.words]
    assert starts == sorted(starts)
    return spoken


async def until(condition: Callable[[], bool], timeout_s: float = 20) -> None:
    async with asyncio.timeout(timeout_s):
        while not condition():
            await asyncio.sleep(0.01)


def worker_pids(engine: WorkerSynthesizer) -> list[int]:
    return [worker.pid for worker in engine.pool.workers if worker.pid is not None]


def exists(pid: int) -> bool:
    """Also true of a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
