"""Recorded questions, spoken at their own pace over a Realtime connection."""

from __future__ import annotations

import asyncio
import base64
import json
from pathlib import Path
from typing import Any

from voicepipe.audio import files, pcm
from voicepipe.audio.pcm import Int16
from voicepipe.audio.resample import resample

QUESTIONS = Path(__file__).parent.parent / "data" / "questions"
RATE = 24_000
CHUNK_MS = 20


def questions() -> list[dict[str, Any]]:
    """Rows of the manifest: file, text, voice, speech_start_s, speech_end_s."""
    lines = (QUESTIONS / "manifest.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def recording_of(text: str) -> Path:
    """The recording in which `text` is said."""
    return next(QUESTIONS / str(row["file"]) for row in questions() if row["text"] == text)


def at_24k(path: Path) -> Int16:
    return resample(files.read(path), pcm.SAMPLE_RATE, RATE)


class Speaker:
    """A microphone: silence all the time, and what it is told to say."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._queue: list[Int16] = []
        self._task = asyncio.create_task(self._run(), name="microphone")

    def say(self, path: Path) -> None:
        self._queue.append(at_24k(path))

    async def aclose(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        size = RATE * CHUNK_MS // 1000
        began, number = loop.time(), 0
        now = pcm.silence(0)
        while True:
            if now.size < size and self._queue:
                now = self._queue.pop(0)
            chunk, now = now[:size], now[size:]
            data = pcm.to_bytes(chunk) + bytes(2 * (size - chunk.size))
            await self._connection.input_audio_buffer.append(audio=base64.b64encode(data).decode())
            number += 1
            await asyncio.sleep(max(0.0, began + number * CHUNK_MS / 1000 - loop.time()))
