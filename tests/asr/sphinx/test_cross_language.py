"""Words of other languages by the sounds of English."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest

from scripts.bench_round_trip import letters, phrases
from voicepipe.asr.contract import AsrOptions, Transcript
from voicepipe.asr.engines.pocketsphinx import PocketsphinxRecognizer
from voicepipe.asr.sphinx.cross_language import pronunciations, spoken_words
from voicepipe.asr.sphinx.nearest_phones import nearest_phones
from voicepipe.asr.sphinx.texts import with_phrases
from voicepipe.audio.pcm import FRAME_SAMPLES, SAMPLE_RATE, Int16, silence
from voicepipe.audio.resample import resample
from voicepipe.config import AsrSettings, TtsSettings
from voicepipe.languages.known import LANGUAGES
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import EngineUnavailable
from voicepipe.tts.contract import Voice
from voicepipe.tts.engines.espeak import EspeakSynthesizer

BUILTIN = Path(__file__).parents[3] / "models" / "builtin" / "words"
GERMAN = ("einen [kleinen|großen] Kaffee bitte", "wo ist mein Paket", "das wäre alles")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@pytest.mark.parametrize(
    ("ipa", "phones"),
    [
        ("mˈœçtə", "M ER HH T AH"),  # möchte: a cedilla is no mark to be dropped
        ("ʃˈɑ̃bʁ", "SH AA N B R"),  # chambre: the nasal vowel is a vowel and N
        ("sˈɛtːe", "S EH T EY"),  # sette: a doubled consonant is one
        ("tʃʲitvʲirˈyx", "CH IY T V IY R UW HH"),  # четверых
        ("mˈiɜŋ", "M IY NG"),  # 明: the third sign is a tone
        ("(en)dʒˈapəniːz(ja)", "JH AA P AH N IY Z"),
        ("ʔ", ""),
    ],
)
def test_the_nearest_english_sounds(ipa: str, phones: str) -> None:
    assert nearest_phones(ipa, tonal=True) == phones


@pytest.mark.parametrize(
    ("code", "text", "words"),
    [
        ("de", "Können Sie mir, bitte, 'helfen'?", "können sie mir bitte helfen"),
        ("fr", "Est-ce qu’il est à 3 h ?", "est-ce qu'il est à 3 h"),
        ("tr", "İstanbul'a ISIN", "istanbul'a ısın"),
        ("ar", "إلى طاولة", "إلى طاولة"),  # as it is spelled, for that is how it is said
        ("hi", "क्या कमरा है?", "क्या कमरा है"),
        ("zh", "我想 订票。", "我 想 订 票"),
        ("th", "ผมอยาก จองโต๊ะ", "ผมอยาก จองโต๊ะ"),
    ],
)
def test_phrases_as_the_dictionary_spells_them(code: str, text: str, words: str) -> None:
    assert spoken_words(text, LANGUAGES[code]) == words


async def test_every_word_of_every_language_has_a_sound() -> None:
    """A word without phones would be a phrase that is never heard."""
    for code in ("ar", "he", "hi", "ja", "ru", "vi", "zh"):
        language = LANGUAGES[code]
        texts = [spoken_words(text, language) for text in phrases(code)]
        said = await pronunciations(texts, language)
        assert [word for word, ways in said.items() if not ways] == []


async def spoken(text: str, voice: str) -> Int16:
    engine = EspeakSynthesizer(TtsSettings(), MonotonicClock())
    await engine.start()
    try:
        pieces = [piece.pcm async for piece in engine.stream(text, Voice(voice))]
    finally:
        await engine.aclose()
    sound = resample(np.concatenate(pieces), engine.sample_rate, SAMPLE_RATE)
    return np.concatenate([silence(300), sound, silence(300)])


async def heard(settings: AsrSettings, sound: Int16, model_dir: Path | None = None) -> Transcript:
    engine = PocketsphinxRecognizer(settings, model_dir, BUILTIN)
    await engine.start()
    try:
        utterance = engine.open(AsrOptions())
        for start in range(0, len(sound), FRAME_SAMPLES):
            utterance.feed(sound[start : start + FRAME_SAMPLES])
            await asyncio.sleep(0)
        return await utterance.final()
    finally:
        await engine.aclose()


async def test_an_agents_german_phrases_are_heard() -> None:
    settings = AsrSettings(engine="pocketsphinx", model="", language="de", phrases=GERMAN)
    transcript = await heard(settings, await spoken("Einen großen Kaffee, bitte.", "de+m3"))
    assert transcript.text == "einen großen kaffee bitte"
    assert transcript.language == "de"
    assert [word.text for word in transcript.words] == transcript.text.split()
    times = [word.start_s for word in transcript.words]
    assert times == sorted(times)
    assert transcript.audio_s > times[-1] > 0.3


async def test_chinese_has_no_spaces() -> None:
    asked = tuple(phrases("zh"))
    settings = AsrSettings(engine="pocketsphinx", model="", language="zh", phrases=asked)
    transcript = await heard(settings, await spoken("明天北京的天气怎么样", "cmn+f2"))
    assert letters(transcript.text) == letters("明天北京的天气怎么样")
    assert " " not in transcript.text


async def test_what_is_missing_is_said() -> None:
    with pytest.raises(EngineUnavailable, match="names no sentence of German"):
        await heard(AsrSettings(engine="pocketsphinx", model="", language="de"), silence(100))
    klingon = AsrSettings(engine="pocketsphinx", model="", language="tlh", phrases=("nuqneH",))
    with pytest.raises(EngineUnavailable, match="no language 'tlh'"):
        await heard(klingon, silence(100))

    english = AsrSettings(engine="pocketsphinx", model="builtin/words", language="de")
    with pytest.raises(EngineUnavailable, match="has English sentences: for German"):
        await heard(english, silence(100), BUILTIN)


async def test_a_directory_of_german_sentences(tmp_path: Path) -> None:
    (tmp_path / "sentences.txt").write_text("wo ist mein Paket\nwas kostet das\n", encoding="utf-8")
    settings = AsrSettings(engine="pocketsphinx", model=str(tmp_path), language="de")
    transcript = await heard(settings, await spoken("Was kostet das?", "de+f3"), tmp_path)
    assert transcript.text == "was kostet das"


def test_hotwords_are_spelled_as_the_phrases() -> None:
    def spell(text: str) -> str:
        return spoken_words(text, LANGUAGES["de"])

    assert set(with_phrases([], ["Grüße an Öztürk"], "Öztürk, Käse", spell)) == {
        "grüße an öztürk",
        "öztürk",
        "käse",
    }
