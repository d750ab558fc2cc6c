"""One sentence in a voice, so that it can be heard before a call: `GET /web/sample?voice=NAME`."""

from __future__ import annotations

import asyncio
import io
import logging
import wave

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from voicepipe.audio import pcm
from voicepipe.audio.pcm import Int16
from voicepipe.runtime.errors import EngineError
from voicepipe.runtime.streams import closing
from voicepipe.server import authorization
from voicepipe.server.service import Service
from voicepipe.tts.contract import Synthesizer, Voice

log = logging.getLogger(__name__)

SENTENCE = "Hello. This is how I sound."
DEADLINE_S = 10.0

_turnstile = asyncio.Semaphore(1)
"""One sample at a time: callers come first."""


async def voice_sample(request: Request) -> Response:
    """WAV, 16 bit, at the engine's rate; for those who may open a call."""
    service: Service = request.app.state.service
    entry = authorization.enter(request)
    if isinstance(entry, Response):
        return entry
    synthesizer, name = service.engines.synthesizer, request.query_params.get("voice", "")
    if name and name not in synthesizer.voices():
        return _refused(404, f"voice is {name[:60]!r}, and there is none so named.", "no_voice")
    try:
        async with asyncio.timeout(DEADLINE_S), _turnstile:
            samples = await _spoken(synthesizer, name)
    except TimeoutError:
        return _refused(503, "The voice is busy; try again in a moment.", "busy")
    except EngineError as error:
        log.warning("the voice %r could not be heard: %s", name, error)
        return _refused(503, "The voice's engine fails; the log says why.", "engine_failed")
    if not samples.size:
        return _refused(503, "The voice gives no sound for an English sentence.", "no_sound")
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    return Response(_wav(samples, synthesizer.sample_rate), media_type="audio/wav", headers=headers)


async def _spoken(synthesizer: Synthesizer, name: str) -> Int16:
    async with closing(synthesizer.stream(SENTENCE, Voice(name))) as pieces:
        spoken = [speech.pcm async for speech in pieces]
    return np.concatenate((np.zeros(0, dtype=np.int16), *spoken))


def _wav(samples: Int16, rate: int) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(pcm.to_bytes(samples))
    return out.getvalue()


def _refused(status: int, message: str, code: str) -> Response:
    return JSONResponse({"error": {"message": message, "code": code}}, status_code=status)
