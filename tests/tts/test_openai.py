"""The openai engine against a real server that speaks with espeak-ng."""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr

from tests.scripted_server import Reply
from tests.tts.speech import speak
from tests.tts.speech_server import SpeechServer, speech_server, wav
from voicepipe.config import TtsSettings
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import EngineError, EngineUnavailable
from voicepipe.tts.contract import Voice
from voicepipe.tts.engines.espeak import EspeakSynthesizer
from voicepipe.tts.engines.openai import OPENAI_VOICES, OpenAICompatibleSynthesizer
from voicepipe.tts.engines.speech_bytes import BadSound, SpeechBytes

CLAUSE = "It is half past seven, and the sun is up."


@contextlib.asynccontextmanager
async def serving() -> AsyncIterator[SpeechServer]:
    espeak = EspeakSynthesizer(TtsSettings(), MonotonicClock())
    await espeak.start()
    try:
        async with speech_server(espeak) as server:
            yield server
    finally:
        await espeak.aclose()


@contextlib.asynccontextmanager
async def started(
    server: SpeechServer, **settings: Any
) -> AsyncIterator[OpenAICompatibleSynthesizer]:
    settings = {"sample_rate": 22_050, "base_url": server.base_url} | settings
    engine = OpenAICompatibleSynthesizer(TtsSettings(engine="openai", **settings))
    await engine.start()
    try:
        yield engine
        assert engine.active == 0
    finally:
        await engine.aclose()


async def test_what_the_server_says_is_what_is_heard() -> None:
    async with serving() as server:
        async with started(server, model="kokoro", voice="af_heart") as engine:
            spoken = await speak(engine, CLAUSE)
            assert np.array_equal(spoken.pcm, server.said[-1])
            assert len(spoken.chunks) > 5
            assert server.bodies[-1] == {
                "model": "kokoro",
                "input": CLAUSE,
                "voice": "af_heart",
                "response_format": "pcm",
            }
            await speak(engine, "Say *this* ...", voice="alloy", speed=1.5)
            assert server.bodies[-1]["input"] == "Say this..."
            assert (server.bodies[-1]["voice"], server.bodies[-1]["speed"]) == ("alloy", 1.5)
            assert (await speak(engine, "🙂")).chunks == []
            assert server.connections == 1  # kept open


async def test_the_first_chunk_comes_before_the_last_is_made() -> None:
    async with serving() as server, started(server) as engine:
        server.pause_s = 5.0  # after every piece
        stream = engine.stream(CLAUSE, Voice())
        first = await anext(stream)
        assert 0 < first.pcm.size <= 2400
        await stream.aclose()
        assert engine.active == 0  # closed when that returns, and not some time later
        async with asyncio.timeout(20):
            await server.client_gone.wait()  # the server knows that nobody listens any more
        server.pause_s = 0.0
        assert (await speak(engine, "Next.")).rms > 500


async def test_a_wav_header_tells_the_rate() -> None:
    async with serving() as server:
        server.content_type = "audio/wav"
        async with started(server, audio_format="wav", sample_rate=24_000) as engine:
            assert engine.sample_rate == 22_050
            assert np.array_equal((await speak(engine, CLAUSE)).pcm, server.said[-1])
            server.replies.append(Reply((wav(b"\1\0" * 4000, 16_000),)))
            with pytest.raises(EngineError, match="changed from 22050 to 16000 Hz"):
                await speak(engine, CLAUSE)
            whole = wav(b"\1\0" * 4000, 22_050)  # Python's `wave` writes its first word apart
            server.replies.append(Reply((whole[:4], whole[4:])))
            assert (await speak(engine, CLAUSE)).seconds == 4000 / 22_050
        server.content_type = "audio/pcm;rate=22050;channels=1"
        async with started(server, sample_rate=24_000) as engine:
            assert engine.sample_rate == 22_050


async def test_voices_are_the_servers_or_openais() -> None:
    async with serving() as server:
        async with started(server) as engine:
            assert engine.voices() == OPENAI_VOICES
            assert server.bodies[-1]["voice"] == "alloy"
        server.voices = ["af_heart", "bf_emma"]
        async with started(server, voice="bf_emma") as engine:
            assert engine.voices() == ("bf_emma", "af_heart")
        server.voices = [{"id": "v1", "name": "One"}]
        async with started(server) as engine:
            assert engine.voices() == ("v1",)
            assert server.bodies[-1]["voice"] == "v1"


async def test_one_retry_while_nothing_has_come() -> None:
    async with serving() as server, started(server) as engine:
        count = len(server.bodies)
        server.replies = [Reply((b"busy",), status=503)]
        assert (await speak(engine, "Hello.")).rms > 500
        assert len(server.bodies) == count + 2
        server.replies = [Reply((b"busy",), status=503), Reply((b"still busy",), status=503)]
        with pytest.raises(EngineError, match="status 503: still busy") as raised:
            await speak(engine, "Hello.")
        assert raised.value.retryable
        server.replies = [Reply((b"no such voice",), status=400)]
        with pytest.raises(EngineError, match="status 400: no such voice") as raised:
            await speak(engine, "Hello.")
        assert not raised.value.retryable
        assert len(server.bodies) == count + 5


PIECE = b"\1\0" * 2400


@pytest.mark.parametrize(
    ("reply", "said", "retryable"),
    [
        (Reply((PIECE, None)), "broke off", False),
        (Reply((None,)), "broke off", True),
        (Reply(()), "sent no sound", True),
        (Reply((PIECE, 30.0)), "sent nothing for 300 ms", False),
        (Reply((30.0,)), "sent nothing for 300 ms", True),
        (
            Reply((b"ID3",), headers={"content-type": "audio/mpeg"}),
            "sent audio/mpeg, not pcm",
            True,
        ),
        (Reply((b"RIFF....AVI ",)), "a RIFF file that is no WAV", True),
        (Reply((b"\0" * 1_000_000,) * 6), "more than 120 s for one clause", False),
    ],
)
async def test_a_server_that_misbehaves_fails_one_clause(
    reply: Reply, said: str, retryable: bool
) -> None:
    async with serving() as server, started(server, first_audio_timeout_ms=300) as engine:
        server.replies = [reply]
        with pytest.raises(EngineError, match=said) as raised:
            await speak(engine, "Hello.")
        assert raised.value.retryable is retryable
        assert "127.0.0.1" in str(raised.value)
        assert engine.active == 0


async def test_a_start_that_cannot_be_says_why() -> None:
    with pytest.raises(EngineUnavailable, match=r"needs tts\.base_url"):
        OpenAICompatibleSynthesizer(TtsSettings(engine="openai"))
    async with serving() as server:
        url = server.base_url
        server.replies = [Reply((b"bad key s3cret",), status=401)]
        with pytest.raises(EngineUnavailable, match=r"status 401: bad key \*\*\*; set tts.api_key"):
            async with started(server, api_key=SecretStr("s3cret")):
                pass
        assert server.headers[-1]["authorization"] == "Bearer s3cret"
    engine = OpenAICompatibleSynthesizer(TtsSettings(engine="openai", base_url=url))
    with pytest.raises(EngineUnavailable, match=r"cannot be reached .*set tts\.base_url"):
        await engine.start()
    with pytest.raises(EngineError, match="not started"):
        await speak(engine, "Hello.")


# --- bytes --------------------------------------------------------------------------------------


def read(data: bytes, step: int, content_type: str = "") -> tuple[bytes, int]:
    sound = SpeechBytes(content_type, 24_000)
    out = b"".join(sound.feed(data[n : n + step]).tobytes() for n in range(0, len(data), step))
    return out, sound.rate


@pytest.mark.parametrize("step", [1, 3, 44, 1000])
def test_sound_cut_anywhere_is_the_same(step: int) -> None:
    pcm = np.random.default_rng(1).integers(-3000, 3000, 500).astype("<i2").tobytes()
    assert read(pcm, step) == (pcm, 24_000)
    assert read(pcm + b"\7", step) == (pcm, 24_000)
    whole = wav(pcm, 16_000)
    assert read(whole, step) == (pcm, 16_000)
    assert read(whole + b"LIST\4\0\0\0abcd", step) == (pcm, 16_000)  # no noise at the end
    for unknown in (0, 0xFFFFFFFF):
        streamed = whole[:40] + struct.pack("<I", unknown) + whole[44:]
        assert read(streamed, step) == (pcm, 16_000)
    extra = b"fact\3\0\0\0abc\0"  # odd chunks are padded
    assert read(whole[:12] + extra + whole[12:], step) == (pcm, 16_000)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"RIFF\0\0\0\0WAVEdata\4\0\0\0abcd", "does not state its format"),
        (b"RIFF" + b"\0" * 4 + b"WAVE" + b"junk\0\0\1\0" + b"\0" * 70_000, "without sound"),
        (wav(b"", 8000)[:22] + b"\2\0" + wav(b"", 8000)[24:], r"2 channel\(s\), 16 bits"),
    ],
)
def test_other_files_are_refused(data: bytes, said: str) -> None:
    with pytest.raises(BadSound, match=said):
        read(data, 1000)


def test_other_kinds_of_sound_are_refused() -> None:
    with pytest.raises(BadSound, match="text/"):
        SpeechBytes("text/html; charset=utf-8", 24_000)
