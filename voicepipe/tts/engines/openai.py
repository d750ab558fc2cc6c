"""Any server that speaks OpenAI's `POST /v1/audio/speech`: one of your own with Kokoro, Orpheus, a
cloned voice ..., or OpenAI itself. See docs/engines/openai-speech.md.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Any

import httpx
import numpy as np

from voicepipe.audio.pcm import Int16
from voicepipe.config import TtsSettings
from voicepipe.config.engines import EngineContext
from voicepipe.languages.known import language_of
from voicepipe.runtime.errors import EngineError, EngineUnavailable
from voicepipe.runtime.http_service import (
    RETRY_PAUSE_S,
    RETRYABLE_STATUS,
    HttpService,
    kind,
    reading,
    start_of,
)
from voicepipe.tts.contract import Speech, Voice
from voicepipe.tts.engines.speech_bytes import BadSound, SpeechBytes
from voicepipe.tts.speakable import speakable

OPENAI_VOICES = tuple(
    "alloy ash ballad coral echo fable onyx nova sage shimmer verse marin cedar".split()
)
"""What `voices` says where the server does not list its own; servers mostly map these names."""

DEFAULT_MODEL = "tts-1"
"""Asked for where `tts.model` is empty; most servers of one's own ignore it."""

START_TIMEOUT_S = 30.0  # a server may load its model at the first request
MAX_CONNECTIONS = 64
MIN_CHUNK_S = 0.02
MAX_DETAIL_BYTES = 200  # of a server's own words in an error
MAX_CLAUSE_S = 120.0  # of audio: a server that does not end is cut off


class OpenAICompatibleSynthesizer:
    """`Synthesizer` over kept-alive connections; one request a clause.

    Closing the stream closes the HTTP reply, by which servers notice and stop. Word times are not
    known: the interface has none. `active` counts the clauses being spoken.
    """

    name = "openai"

    def __init__(self, settings: TtsSettings) -> None:
        if not settings.base_url:
            raise EngineUnavailable(
                "The openai engine needs tts.base_url, e.g. http://127.0.0.1:8880/v1.", stage="tts"
            )
        self.sample_rate = settings.sample_rate
        self.active = 0
        self._settings = settings
        self._server = HttpService(
            settings.base_url, settings.api_key, max_connections=MAX_CONNECTIONS
        )
        self._voices: tuple[str, ...] = ()
        self._limit_ms = round(START_TIMEOUT_S * 1000)  # of any wait; shorter once it has started

    async def start(self) -> None:
        """Connect, ask for the voices, say one word: the server loads its model, and the rate of
        its sound is known. Raises EngineUnavailable."""
        if self._server.is_open:
            return
        self._server.open()
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                self._voices = await self._list_voices()
                await self._say_one_word()
        except BaseException as error:
            await self.aclose()
            if isinstance(error, TimeoutError):
                raise EngineUnavailable(
                    f"The speech server at {self._server.host} was not ready within "
                    f"{START_TIMEOUT_S:g} s.",
                    stage="tts",
                ) from None
            if isinstance(error, EngineError):
                raise EngineUnavailable(str(error), stage="tts") from error
            raise
        self._limit_ms = self._settings.first_audio_timeout_ms

    async def _list_voices(self) -> tuple[str, ...]:
        """`GET audio/voices` is no part of OpenAI's interface, but many servers have it."""
        try:
            reply = await self._server.get("audio/voices")
            found = reply.json()["voices"] if reply.is_success else []
            names = tuple(str(v["id"] if isinstance(v, dict) else v) for v in found)
        except (httpx.HTTPError, ValueError, LookupError, TypeError):
            names = ()
        return names or OPENAI_VOICES

    async def _say_one_word(self) -> None:
        async for _ in self._spoken("Ready.", self._settings.voice, 1.0, first=True):
            pass

    async def stream(self, clause: str, voice: Voice) -> AsyncGenerator[Speech]:
        """Speak one clause; see the contract."""
        text = speakable(clause, language_of(voice.language)).text
        if not text:
            return
        async with aclosing(self._spoken(text, voice.name, voice.speed)) as spoken:
            async for samples in spoken:
                yield Speech(samples)

    def voices(self) -> tuple[str, ...]:
        """The server's own, else OpenAI's names; with `tts.voice` first if it is set."""
        own = self._settings.voice
        return tuple(dict.fromkeys((own, *self._voices))) if own else self._voices

    async def aclose(self) -> None:
        """Close the connections. Idempotent."""
        await self._server.aclose()

    # --- one request

    async def _spoken(
        self, text: str, voice: str, speed: float, *, first: bool = False
    ) -> AsyncGenerator[Int16]:
        self.active += 1
        try:
            reply = await self._open(self._body(text, voice, speed))
            async with (
                reading(reply) as pieces,
                aclosing(self._samples(reply, pieces, first)) as sound,
            ):
                async for samples in sound:
                    yield samples
        finally:
            self.active -= 1

    def _body(self, text: str, voice: str, speed: float) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._settings.model or DEFAULT_MODEL,
            "input": text,
            "voice": voice or self.voices()[0],
            "response_format": self._settings.audio_format,
        }
        if speed != 1.0:  # some models refuse the field
            body["speed"] = speed
        return body

    async def _samples(
        self, reply: httpx.Response, pieces: AsyncIterator[bytes], first: bool
    ) -> AsyncGenerator[Int16]:
        """Chunks of at least `MIN_CHUNK_S`. The first reply of all settles the sample rate."""
        delivered = 0
        try:
            sound = SpeechBytes(reply.headers.get("content-type", ""), self.sample_rate)
            waiting: list[Int16] = []
            while True:
                data = await self._next(pieces, delivered)
                if data is not None:
                    waiting.append(sound.feed(data))
                if first:
                    self.sample_rate = sound.rate
                self._check(sound.rate, delivered)
                count = sum(piece.size for piece in waiting)
                if count and (data is None or count >= MIN_CHUNK_S * self.sample_rate):
                    delivered += count
                    yield np.concatenate(waiting)
                    waiting = []
                if data is None:
                    break
        except BadSound as error:
            raise self._error(f"sent {error}; set tts.audio_format", delivered) from None
        if not delivered:
            raise self._error("sent no sound", delivered)

    def _check(self, rate: int, delivered: int) -> None:
        if rate != self.sample_rate:
            raise self._error(f"changed from {self.sample_rate} to {rate} Hz", delivered)
        if delivered > MAX_CLAUSE_S * rate:
            raise self._error(f"sent more than {MAX_CLAUSE_S:g} s for one clause", delivered)

    async def _next(self, pieces: AsyncIterator[bytes], delivered: int) -> bytes | None:
        try:
            async with asyncio.timeout(self._limit_ms / 1000):
                return await anext(pieces, None)
        except TimeoutError:
            raise self._late(delivered) from None
        except httpx.HTTPError as error:
            raise self._error(f"broke off ({kind(error)})", delivered) from error

    async def _open(self, body: dict[str, Any]) -> httpx.Response:
        """The reply's head, status 200."""
        if not self._server.is_open:
            raise EngineError("The speech engine is not started.", stage="tts")
        try:
            async with asyncio.timeout(self._limit_ms / 1000):
                reply = await self._attempt(body, last=False)
                if reply is None:
                    await asyncio.sleep(RETRY_PAUSE_S)
                    reply = await self._attempt(body, last=True)
        except TimeoutError:
            raise self._late(0) from None
        assert reply is not None
        return reply

    async def _attempt(self, body: dict[str, Any], *, last: bool) -> httpx.Response | None:
        """The reply; None: worth one more try."""
        try:
            reply = await self._server.post("audio/speech", body)
        except httpx.HTTPError as error:
            # Also a kept connection that the server closed meanwhile.
            if last:
                why = f"cannot be reached ({kind(error)}); start it or set tts.base_url"
                raise self._error(why, 0) from error
            return None
        if reply.status_code == httpx.codes.OK:
            return reply
        body_start = (await start_of(reply))[:MAX_DETAIL_BYTES]
        detail = body_start.decode(errors="replace").strip() or "no reason given"
        retryable = reply.status_code in RETRYABLE_STATUS
        if retryable and not last:
            return None
        if reply.status_code in (401, 403):
            detail = f"{detail}; set tts.api_key"
        raise self._error(
            f"answered with status {reply.status_code}: {detail}", 0, retryable=retryable
        )

    def _late(self, delivered: int) -> EngineError:
        what = f"sent nothing for {self._limit_ms} ms (tts.first_audio_timeout_ms)"
        return self._error(what, delivered)

    def _error(self, what: str, delivered: int, *, retryable: bool = True) -> EngineError:
        text = f"The speech server at {self._server.host} {what}."
        text = self._server.masked(text)
        return EngineError(text, stage="tts", retryable=retryable and not delivered)


def make(context: EngineContext[TtsSettings, None]) -> OpenAICompatibleSynthesizer:
    """See `Engine.make`."""
    return OpenAICompatibleSynthesizer(context.stage)
