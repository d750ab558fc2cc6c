"""Engines that stand in for others: what they take from the first one's settings, and what not."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

import pytest
from pydantic import SecretStr

from tests.scripted_server import Reply
from tests.tts.speech import Spoken, speak
from tests.tts.speech_server import SpeechServer, speech_server
from voicepipe.config import Settings, TtsSettings
from voicepipe.config.loading import load_settings
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import ConfigError
from voicepipe.server.assembly import build_engines
from voicepipe.server.second_engine import second_settings
from voicepipe.tts.contract import Synthesizer, Voice
from voicepipe.tts.engines.espeak import EspeakSynthesizer

CLAUSE = "It is half past seven."
RATE = 22_050  # espeak-ng's, which speaks behind both servers


def loaded(**overrides: str) -> Settings:
    """The simulated profile and these settings."""
    dotted = {name.replace("__", "."): value for name, value in overrides.items()}
    return load_settings("simulated", None, {}, dotted)


def speaking(**overrides: str) -> Settings:
    """Two speech servers, the second of which stands in for the first."""
    servers = {
        "tts__engine": "openai",
        "tts__base_url": "http://first/v1",
        "tts__api_key": "first-key",
        "tts__sample_rate": str(RATE),
        "tts__fallback__engine": "openai",
        "tts__cache_mb": "0",
    }
    return loaded(**{**servers, **overrides})


def test_what_is_not_said_of_the_second_voice_is_as_of_the_first() -> None:
    second = second_settings(speaking(tts__model="kokoro"), "tts", "fallback").tts
    assert (second.engine, second.base_url, second.model) == ("openai", "http://first/v1", "kokoro")
    assert (second.sample_rate, second.audio_format) == (RATE, "pcm")
    assert second.api_key == SecretStr("first-key"), "the same server asks for the same key"


def test_another_server_gets_no_key_but_its_own() -> None:
    other = {"tts__fallback__base_url": "http://second/v1"}
    assert second_settings(speaking(**other), "tts", "fallback").tts.api_key is None
    settings = speaking(
        **other,
        tts__fallback__api_key="second-key",
        tts__fallback__sample_rate="16000",
        tts__fallback__audio_format="wav",
    )
    second = second_settings(settings, "tts", "fallback").tts
    assert (second.base_url, second.api_key) == ("http://second/v1", SecretStr("second-key"))
    assert (second.sample_rate, second.audio_format) == (16_000, "wav")
    assert settings.tts.base_url == "http://first/v1"


def test_an_engine_that_knows_its_host_gets_no_key_of_another_engine() -> None:
    """Both hosted, as plug-ins are: no address stands in the settings."""
    llm = {"engine": "acme", "api_key": "first-key", "others": {"big": {"engine": "simulated"}}}
    settings = Settings.model_validate({"llm": llm})
    assert second_settings(settings, "llm", "others.big").llm.api_key is None


def test_a_key_for_no_server_is_an_error_that_names_it() -> None:
    big = {"engine": "openai", "api_key": "its-key"}
    settings = Settings.model_validate({"llm": {"others": {"big": big}}})
    with pytest.raises(ConfigError, match=r"llm\.others\.big\.api_key.*base_url") as raised:
        second_settings(settings, "llm", "others.big")
    assert "its-key" not in str(raised.value)


def test_a_rate_out_of_range_names_the_setting() -> None:
    with pytest.raises(ConfigError, match=r"tts\.fallback\.sample_rate.* from 8000 to 48000"):
        speaking(tts__fallback__sample_rate="4000")


async def test_a_second_speech_server_speaks_when_the_first_one_fails() -> None:
    async with two_servers() as (first, second):
        settings = speaking(
            tts__base_url=first.base_url,
            tts__fallback__base_url=second.base_url,
            tts__fallback__api_key="second-key",
        )
        async with started(build_engines(settings, MonotonicClock()).synthesizer) as voice:
            asked = len(second.bodies)
            assert (await speak(voice, CLAUSE)).rms > 500
            assert len(second.bodies) == asked
            first.replies = [Reply((b"down",), status=500)] * 2
            assert await who_speaks(voice) == "fallback_error"
            assert second.bodies[-1]["input"] == CLAUSE
    assert {head.get("authorization") for head in first.headers} == {"Bearer first-key"}
    assert {head.get("authorization") for head in second.headers} == {"Bearer second-key"}


async def who_speaks(voice: Synthesizer) -> str:
    """The clause's route; something must be heard."""
    spoken, route = Spoken(voice.sample_rate), ""
    async for speech in voice.stream(CLAUSE, Voice()):
        spoken.chunks.append(speech.pcm)
        route = speech.route.get("tts", route)
    assert spoken.rms > 500
    return route


@contextlib.asynccontextmanager
async def two_servers() -> AsyncIterator[tuple[SpeechServer, SpeechServer]]:
    espeak = EspeakSynthesizer(TtsSettings(), MonotonicClock())
    async with started(espeak):
        async with speech_server(espeak) as first, speech_server(espeak) as second:
            yield first, second


@contextlib.asynccontextmanager
async def started(engine: Synthesizer) -> AsyncIterator[Synthesizer]:
    await engine.start()
    try:
        yield engine
    finally:
        await engine.aclose()


async def test_a_voice_that_stands_in_speaks_the_callers_language_too() -> None:
    """The first server is away; espeak-ng speaks in its place, not with its English voice."""
    settings = speaking(
        tts__base_url="http://127.0.0.1:9/v1",
        tts__fallback__engine="espeak",
        tts__voices='{"fr": "a voice of the first server", "it": "espeak:it+m3"}',
    )
    synthesizer = build_engines(settings, MonotonicClock()).synthesizer
    voices = {"de": "de+f3", "fr": "fr-fr+f3", "it": "it+m3", None: ""}
    async with started(EspeakSynthesizer(TtsSettings(), MonotonicClock())) as espeak:
        await synthesizer.fallback.start()  # type: ignore[attr-defined]
        try:
            for language, voice in voices.items():
                heard = await samples(synthesizer, Voice("one of its own", language=language))
                assert heard == await samples(espeak, Voice(voice)), language
        finally:
            await synthesizer.aclose()


async def samples(engine: Synthesizer, voice: Voice) -> int:
    """How many the clause takes, which tells the voices apart."""
    return sum([speech.pcm.size async for speech in engine.stream(CLAUSE, voice)])
