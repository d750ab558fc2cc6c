"""Which voices the settings name, for languages and for sessions, and how each is loaded."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from voicepipe.config import Settings
from voicepipe.models.registry import load_registry
from voicepipe.models.resolve import is_present, model_path, models_dir
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import VoicepipeError
from voicepipe.server.engine_factory import create_engine, create_synthesizer
from voicepipe.tts.by_language import ESPEAK, PIPER, VoicePlan, VoicesByLanguage
from voicepipe.tts.contract import Synthesizer
from voicepipe.tts.engines.piper import piper_language

log = logging.getLogger(__name__)

PATIENCE_SHARE = 0.8
"""Of the time in which a reply must have its first sound: some is left for another voice then."""


def local_engine(name: str, settings: Settings, clock: Clock) -> Any:
    """An engine of this process; the main voice with those of other languages beside it, and so
    the one that stands in for it, which has no named ones: it is to speak at once."""
    engine = create_engine(name, settings, clock)
    if name.partition(".")[0] != "tts":
        return engine
    return a_voice_for_each_language(engine, settings, clock, with_names=name == "tts")


def a_voice_for_each_language(
    main: Synthesizer, settings: Settings, clock: Clock, *, with_names: bool = True
) -> Synthesizer:
    """The main engine, and before it what chooses a voice for a language it does not speak, and
    for a name it does not know."""
    tts = settings.tts
    names = tts.named_voices if with_names else {}
    if tts.engine not in ("espeak", "piper") and not tts.voices and not names:
        return main  # whoever made it knows what it speaks

    def load(engine: str) -> Synthesizer:
        kind, model = ("espeak", "") if engine == "espeak" else ("piper", engine)
        other = {"engine": kind, "model": model, "voice": "", "workers": 1}
        return create_synthesizer(
            settings.model_copy(update={"tts": tts.model_copy(update=other)}), clock
        )

    plan = voice_plan(settings)
    named = {**pulled_voices(settings), **_present(names, settings)} if with_names else {}
    patience_s = PATIENCE_SHARE * tts.first_audio_timeout_ms / 1000
    return VoicesByLanguage(main, replace(plan, named=named), load, tts.max_voices, patience_s)


def pulled_voices(settings: Settings) -> dict[str, str]:
    """The Piper voices of the registry that are on this machine, by name, as `tts.named_voices`."""
    if find_spec("piper") is None:
        return {}
    folder = models_dir(settings)
    voices = (m for m in load_registry().models.values() if m.kind == "tts")
    return {m.name: f"{PIPER}{m.name}" for m in voices if is_present(m, folder)}


def _present(named: Mapping[str, str], settings: Settings) -> dict[str, str]:
    """Without those whose model is not here; each of them is told now, by its name."""
    found = {}
    for name, voice in named.items():
        problem = _problem(voice, settings)
        if problem:
            log.warning("tts.named_voices.%s is left out: %s", name, problem)
        else:
            found[name] = voice
    return found


def _problem(voice: str, settings: Settings) -> str:
    """Why a Piper voice cannot be loaded; "" if nothing is known against it."""
    if voice.startswith(ESPEAK) or (settings.tts.engine != "piper" and not voice.startswith(PIPER)):
        return ""
    try:
        model_path(voice.removeprefix(PIPER), settings)
    except VoicepipeError as error:
        return str(error)
    return ""


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
