"""A real HTTP server for `POST /v1/audio/speech` that speaks with espeak-ng, and can misbehave."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import wave
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.llm.chat_server import ChatServer, Reply, Step, _head
from tests.tts.speech import speak
from voicepipe.audio.pcm import Int16, to_bytes
from voicepipe.tts.contract import Synthesizer

PIECE_BYTES = 4801  # odd: samples are cut in two on their way


@dataclass
class SpeechServer(ChatServer):
    """`synthesizer` speaks; `replies` go first while there are some."""

    synthesizer: Synthesizer = field(kw_only=True)
    voices: object = None  # what GET /v1/audio/voices says; None: 404
    content_type: str = "audio/pcm"
    pause_s: float = 0.0  # between pieces
    said: list[Int16] = field(default_factory=list)

    async def _one_request(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        headers = {k.lower(): v for k, _, v in (h.partition(": ") for h in head[1:] if h)}
        self.headers.append(headers)
        if method == "GET":
            assert path == "/v1/audio/voices"
            body = json.dumps({"voices": self.voices}).encode()
            status = 404 if self.voices is None else 200
            writer.write(_head(status, {"content-length": str(len(body))}) + body)
            return True
        assert (method, path) == ("POST", "/v1/audio/speech")
        body = json.loads(await reader.readexactly(int(headers["content-length"])))
        self.bodies.append(body)
        reply = self.replies.pop(0) if self.replies else await self._speech(body)
        return await self._play(reply, reader, writer)

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
    """A running server on a free port; its connections are closed with it."""
    server = SpeechServer("", synthesizer=synthesizer)
    handlers: set[asyncio.Task[None]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        handlers.add(task)
        with contextlib.suppress(asyncio.CancelledError):
            await server.serve(reader, writer)
        writer.close()

    listener = await asyncio.start_server(handle, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    server.base_url = f"http://127.0.0.1:{port}/v1"
    try:
        yield server
    finally:
        listener.close()
        for task in handlers:
            task.cancel()
        if handlers:
            await asyncio.wait(handlers)
        await listener.wait_closed()
