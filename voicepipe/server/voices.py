"""Which voices the settings name for which languages, and how each is loaded."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from voicepipe.config import Settings
from voicepipe.models.resolve import model_path
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import VoicepipeError
from voicepipe.server.engine_factory import create_engine, create_synthesizer
from voicepipe.tts.by_language import VoicePlan, VoicesByLanguage
from voicepipe.tts.contract import Synthesizer
from voicepipe.tts.engines.piper import piper_language


def local_engine(name: str, settings: Settings, clock: Clock) -> Any:
    """An engine of this process; the main voice with those of other languages beside it."""
    engine = create_engine(name, settings, clock)
    return a_voice_for_each_language(engine, settings, clock) if name == "tts" else engine


def a_voice_for_each_language(main: Synthesizer, settings: Settings, clock: Clock) -> Synthesizer:
    """The main engine, and before it what chooses a voice for a language it does not speak."""
    tts = settings.tts
    if tts.engine not in ("espeak", "piper") and not tts.voices:
        return main  # whoever made it knows what it speaks

    def load(engine: str) -> Synthesizer:
        kind, model = ("espeak", "") if engine == "espeak" else ("piper", engine)
        other = {"engine": kind, "model": model, "voice": "", "workers": 1}
        return create_synthesizer(
            settings.model_copy(update={"tts": tts.model_copy(update=other)}), clock
        )

    return VoicesByLanguage(main, voice_plan(settings), load, tts.max_voices)


def voice_plan(settings: Settings) -> VoicePlan:
    """What the settings say of voices, and what is installed."""
    tts = settings.tts
    return VoicePlan(
        engine=tts.engine,
        voices=tts.voices,
        default=tts.voice,
        speaks=_language_of_voice(settings),
        espeak_installed=find_spec("espeakng_loader") is not None,
        own=settings.asr.language,
    )


def _language_of_voice(settings: Settings) -> str | None:
    """Of a Piper voice, by the file beside it; None: the engine speaks several, or nobody knows."""
    tts = settings.tts
    if tts.engine != "piper":
        return None
    try:
        return piper_language(model_path(tts.model, settings))
    except VoicepipeError:
        return None  # whoever loads it says so
