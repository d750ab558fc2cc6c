"""Synthesis."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, SecretStr, StringConstraints

from voicepipe.config.budget import BreakerSettings
from voicepipe.config.section import Ms, Section

LanguageCode = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}$")]
"""ISO 639-1, or -3 where that has none: "de"."""


VoiceName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][\w.+-]{0,63}$")]


class TtsFallbackSettings(Section):
    """A second synthesizer. What is not said here is as in `tts`."""

    engine: str = ""  # "" = none
    model: str = ""
    voice: str = ""  # for voices that it does not have; "" = its default
    base_url: str | None = None  # openai engine
    api_key: SecretStr | None = None  # goes to `base_url` alone, as that of `tts` does
    audio_format: Literal["pcm", "wav"] | None = None
    sample_rate: int | None = Field(None, ge=8000, le=48_000)  # Hz
    first_audio_ms: Ms = 400  # it starts when the first audio is this late; 0 = only on errors
    breaker: BreakerSettings = BreakerSettings()


class TtsSettings(Section):
    engine: str = "espeak"  # espeak, openai, piper, simulated, or an entry point's name
    model: str = ""  # piper: a voice from the registry or a .onnx file; openai: the server's name
    voice: str = ""  # the engine's default voice
    voices: dict[LanguageCode, str] = Field(default_factory=dict)  # by language:
    # {de = "piper-de_DE-thorsten-medium"}. A voice of the engine; for piper a name from the
    # registry or a .onnx file, loaded when it is first spoken; "espeak:NAME" and "piper:NAME": of
    # those, whatever the engine
    named_voices: dict[VoiceName, str] = Field(default_factory=dict)  # that agents and sessions
    # may name beside the engine's own: {ann = "ann.onnx"}, values as in `voices`. Piper voices that
    # were pulled have their names without being listed here
    max_voices: int = Field(3, ge=1, le=16)  # so many of both are loaded at once, beside the
    # engine's default
    speed: float = Field(1.0, ge=0.25, le=4)
    threads: int = Field(1, ge=1, le=64)  # of each worker; more help only long clauses
    workers: int = Field(1, ge=1, le=16)  # processes of espeak or piper; sessions share them chunk
    # by chunk, so one speaks for several; more than there are cores only cost memory
    base_url: str | None = None  # openai engine, e.g. http://127.0.0.1:8880/v1
    api_key: SecretStr | None = None
    audio_format: Literal["pcm", "wav"] = "pcm"  # openai engine: what is asked of the server
    sample_rate: int = Field(24_000, ge=8000, le=48_000)  # openai engine: Hz of its pcm, where it
    # does not say so itself
    first_audio_timeout_ms: Ms = 5000
    cache_mb: float = Field(16.0, ge=0, le=4096)  # clauses said before: three minutes of them; 0 =
    # off
    fallback: TtsFallbackSettings = TtsFallbackSettings()
