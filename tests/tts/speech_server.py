"""A real HTTP server for `POST /v1/audio/speech` that speaks with espeak-ng, and can misbehave."""

from __future__ import annotations

import io
import wave
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.scripted_server import ModelServer, Reply, Step, listening
from tests.tts.speech import speak
from voicepipe.audio.pcm import Int16, to_bytes
from voicepipe.tts.contract import Synthesizer

PIECE_BYTES = 4801  # odd: samples are cut in two on their way


@dataclass
class SpeechServer(ModelServer):
    """`synthesizer` speaks; `replies` go first while there are some."""

    synthesizer: Synthesizer = field(kw_only=True)
    voices: object = None  # what GET /v1/audio/voices says; None: 404
    content_type: str = "audio/pcm"
    pause_s: float = 0.0  # between pieces
    said: list[Int16] = field(default_factory=list)

    def got(self, path: str) -> tuple[int, object]:
        assert path == "/v1/audio/voices"
        return 404 if self.voices is None else 200, {"voices": self.voices}

    async def posted(self, path: str, body: dict[str, Any]) -> Reply:
        assert path == "/v1/audio/speech"
        return self.replies.pop(0) if self.replies else await self._speech(body)

    async def _speech(self, body: dict[str, str]) -> Reply:
        spoken = await speak(self.synthesizer, body["input"])
        self.said.append(spoken.pcm)
        sound = to_bytes(spoken.pcm)
        if body["response_format"] == "wav":
            sound = wav(sound, spoken.rate)
        pieces = [sound[n : n + PIECE_BYTES] for n in range(0, len(sound), PIECE_BYTES)]
        steps: list[Step] = []
        for piece in pieces:
            steps += [piece, self.pause_s] if self.pause_s else [piece]
        return Reply(steps, headers={"content-type": self.content_type})


def wav(sound: bytes, rate: int) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(sound)
    return buffer.getvalue()


@asynccontextmanager
async def speech_server(synthesizer: Synthesizer) -> AsyncIterator[SpeechServer]:
    """A running one."""
    async with listening(SpeechServer(synthesizer=synthesizer)) as server:
        yield server
