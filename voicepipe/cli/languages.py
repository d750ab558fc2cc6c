"""What `voicepipe doctor` says of languages: which one lacks what under these settings."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from voicepipe.config import Settings
from voicepipe.languages.known import LANGUAGES, language_of
from voicepipe.languages.language import Language
from voicepipe.models.resolve import model_path
from voicepipe.runtime.errors import VoicepipeError
from voicepipe.server.voices import voice_plan
from voicepipe.tts.by_language import VoicePlan
from voicepipe.tts.contract import Voice

WHISPERS = ("faster_whisper", "transformers")
ENGLISH_ONLY = ("builtin/asr",)


@dataclass(frozen=True, slots=True)
class LanguageReport:
    """One language: who speaks it, and what it lacks. Rules for its turns and clauses it has."""

    code: str
    name: str
    voice: str
    lacks: tuple[str, ...]


def examine_languages(settings: Settings, packages: Collection[str]) -> list[LanguageReport]:
    """Of all that have a table. `packages`: those installed."""
    plan = voice_plan(settings)
    return [_report(language, settings, plan, packages) for language in LANGUAGES.values()]


def _report(
    language: Language, settings: Settings, plan: VoicePlan, packages: Collection[str]
) -> LanguageReport:
    choice = plan.choose(Voice(settings.tts.voice, language=language.code))
    voice = choice.engine or choice.voice or settings.tts.model or settings.tts.engine
    if choice.engine == "espeak":
        voice = f"espeak:{choice.voice}"
    heard, spoken = _hearing(language, settings), _speaking(language, choice.engine, settings, plan)
    if choice.engine == "espeak" and "espeakng-loader" not in packages:
        spoken = "a voice: install voicepipe with the extra [espeak]"
    lacks = tuple(one for one in (heard, spoken) if one)
    return LanguageReport(language.code, language.name, voice, lacks)


def _hearing(language: Language, settings: Settings) -> str:
    asr = settings.asr
    if asr.engine == "pocketsphinx":
        hears = language_of(asr.language or "en")
        if hears is language:
            return ""
        return f"a recognizer: pocketsphinx hears {hears.name} only; set asr.language, asr.phrases"
    if language.code == "en" or asr.engine not in WHISPERS:
        return ""
    if asr.model in ENGLISH_ONLY or asr.model.endswith(".en"):
        return f"a recognizer: {asr.model} knows English only; set asr.model"
    return ""


def _speaking(language: Language, engine: str, settings: Settings, plan: VoicePlan) -> str:
    """Of a Piper voice: is it the language's, and is it here?"""
    if engine in ("", "espeak"):
        other = settings.tts.engine == "piper" and plan.speaks not in (None, language.code)
        lacking = other and not engine
        return (
            f"a voice: {settings.tts.model} speaks {plan.speaks}; set tts.voices" if lacking else ""
        )
    try:
        model_path(engine, settings)
    except VoicepipeError as error:
        return f"a voice: {error}"
    return ""
