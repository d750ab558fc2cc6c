"""Which language lacks what, as `voicepipe doctor` says it."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from voicepipe.cli.languages import LanguageReport, examine_languages
from voicepipe.cli.main import app
from voicepipe.config import Settings

ESPEAK = ("espeakng-loader",)


def of(code: str, settings: Settings, packages: tuple[str, ...] = ESPEAK) -> LanguageReport:
    return next(one for one in examine_languages(settings, packages) if one.code == code)


def piper_voice(folder: Path, language: str) -> str:
    voice = folder / f"{language}.onnx"
    voice.write_bytes(b"")
    about = {"espeak": {"voice": language}}
    voice.with_name(f"{voice.name}.json").write_text(json.dumps(about), encoding="utf-8")
    return str(voice)


def test_the_built_in_recognizer_knows_english_only() -> None:
    settings = Settings()
    assert of("en", settings).lacks == ()
    assert of("de", settings).voice == "de+f3"
    (lack,) = of("de", settings).lacks
    assert "builtin/asr knows English only" in lack


def test_pocketsphinx_hears_the_language_it_is_set_to() -> None:
    settings = Settings(asr={"engine": "pocketsphinx", "model": "", "language": "de"})
    assert of("de", settings).lacks == ()
    assert "pocketsphinx hears German only" in of("fr", settings).lacks[0]


def test_a_multilingual_whisper_and_espeak_lack_nothing() -> None:
    settings = Settings(asr={"model": "whisper-large-v3-turbo", "language": None})
    assert [one.code for one in examine_languages(settings, ESPEAK) if one.lacks] == []


def test_a_piper_voice_speaks_one_language_and_espeak_the_others(tmp_path: Path) -> None:
    asr = {"model": "whisper-large-v3-turbo"}
    voice = piper_voice(tmp_path, "en-us")
    settings = Settings(asr=asr, tts={"engine": "piper", "model": voice})
    assert of("en", settings).lacks == ()
    assert of("de", settings).voice == "espeak:de+f3"
    named = {"de": piper_voice(tmp_path, "de"), "fr": "nowhere.onnx"}
    settings = Settings(asr=asr, tts={"engine": "piper", "model": voice, "voices": named})
    assert of("de", settings).voice == named["de"]
    assert of("de", settings).lacks == ()
    (lack,) = of("fr", settings).lacks
    assert "nowhere.onnx" in lack


def test_doctor_says_it() -> None:
    result = CliRunner().invoke(app, ["doctor"])
    assert "of 22 are heard and spoken" in " ".join(result.output.split())
    assert "German" in result.output
    told = json.loads(CliRunner().invoke(app, ["doctor", "--json"]).output)
    assert told["languages"]["de"]["voice"] == "de+f3"
    assert told["languages"]["de"]["lacks"]
