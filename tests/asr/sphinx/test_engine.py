"""The pocketsphinx engine on real sound."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from pathlib import Path

import numpy as np
import pytest

from tests.asr.sphinx.listening import (
    PHRASES,
    QUESTIONS,
    WORDS,
    feed,
    heard,
    phrases_only,
    question,
    started,
)
from tests.human_speech import needs_people, recordings
from voicepipe.asr.contract import AsrOptions
from voicepipe.asr.engines.pocketsphinx import PocketsphinxRecognizer
from voicepipe.audio import files
from voicepipe.audio.pcm import SAMPLE_RATE, Int16, silence
from voicepipe.audio.resample import resample
from voicepipe.config import AsrSettings, TtsSettings
from voicepipe.lab.hearing_score import digits, normal, word_errors
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import EngineUnavailable
from voicepipe.tts.contract import Voice
from voicepipe.tts.engines.espeak import EspeakSynthesizer
from voicepipe.vad import silero


async def test_an_agents_own_phrases_are_heard_offline() -> None:
    """Twelve sentences, spoken by a voice: the model is made from the agent's settings alone."""
    entries = [json.loads(x) for x in (QUESTIONS / "manifest.jsonl").read_text().splitlines()]
    errors = total = 0
    async with phrases_only() as engine:
        for entry in entries:
            sound = np.concatenate([files.read(QUESTIONS / entry["file"]), silence(300)])
            transcript = await heard(engine, sound)
            errors += word_errors(normal(entry["text"]), normal(transcript.text))
            total += len(normal(entry["text"]))

    assert errors / total < 0.1, f"{errors} of {total}"


async def test_words_have_times_and_confidences() -> None:
    async with phrases_only() as engine:
        transcript = await heard(engine, question("what_time_is_it"))

    assert transcript.text == "what time is it"
    assert [word.text for word in transcript.words] == ["what", "time", "is", "it"]
    assert all(0 < word.confidence < 1 for word in transcript.words)
    times = [(word.start_s, word.end_s) for word in transcript.words]
    assert times == sorted(times)
    assert 0.2 <= times[0][0] < times[-1][1] <= transcript.audio_s
    assert transcript.language == "en"
    assert 0 < transcript.work_s < 60


async def test_the_work_of_a_final_is_its_own() -> None:
    """Not that of the partials and of earlier finals, which the caller did not wait for."""
    async with phrases_only() as engine:
        utterance = engine.open(AsrOptions())
        first, *_ = halves = np.array_split(question("what_time_is_it"), 2)
        finals = []
        for half in (*halves, *halves, first):
            utterance.feed(half)
            began = time.monotonic()
            final = await utterance.final()
            finals.append((final.work_s, time.monotonic() - began))
        utterance.cancel()
    assert all(work_s <= took_s + 0.02 for work_s, took_s in finals), finals


async def test_silence_and_noise_are_not_words() -> None:
    noise = np.random.default_rng(1).normal(0, 300, 2 * SAMPLE_RATE).astype(np.int16)
    async with started() as engine:
        quiet = await heard(engine, silence(1000))
        hiss = await heard(engine, noise)
        nothing = await engine.open(AsrOptions()).final()

    assert (quiet.text, quiet.refused) == ("", "silence")
    assert (hiss.text, hiss.refused) == ("", "noise")
    assert (nothing.text, nothing.refused) == ("", "silence")


async def test_many_speakers_share_few_decoders() -> None:
    """Four at once, two decoders: everybody is heard, memory is bounded."""
    sound = question("what_time_is_it")
    async with started(
        None, phrases=PHRASES, domain_share=1.0, max_decoders=2, workers=2
    ) as engine:
        found = await asyncio.gather(*(heard(engine, sound) for _ in range(4)))
        assert engine.decoders == 2

    assert {transcript.text for transcript in found} == {"what time is it"}


async def test_who_speaks_next_finds_a_decoder_that_is_loaded() -> None:
    async with phrases_only() as engine:
        first = engine.open(AsrOptions())
        feed(first, question("what_time_is_it"))
        await first.final()  # while it had its decoder, another was loaded
        first.cancel()
        for _ in range(100):
            if engine.decoders == 2:
                break
            await asyncio.sleep(0.05)
        assert engine.decoders == 2
        two = [engine.open(AsrOptions()) for _ in range(2)]
        for utterance in two:
            feed(utterance, question("what_time_is_it"))
        said = await asyncio.gather(*(utterance.final() for utterance in two))
        assert [one.text for one in said] == ["what time is it"] * 2
        for utterance in two:
            utterance.cancel()


async def test_a_decoder_that_cannot_be_loaded_is_missed_by_nobody(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with phrases_only() as engine:

        def none(*_: object, **__: object) -> None:
            raise EngineUnavailable("no memory", stage="asr")

        monkeypatch.setattr("voicepipe.asr.engines.pocketsphinx.SphinxDecoder", none)
        sound = question("what_time_is_it")
        said = await asyncio.gather(*(heard(engine, sound) for _ in range(3)))
        assert [one.text for one in said] == ["what time is it"] * 3
        assert engine.decoders == 1
    assert "no further decoder can be loaded: no memory" in caplog.text


async def test_nothing_is_loaded_when_somebody_speaks() -> None:
    """The event loop would wait for it."""
    silero._session.cache_clear()
    async with phrases_only() as engine:
        assert silero._session.cache_info().currsize == 1
        engine.open(AsrOptions()).cancel()
    assert silero._session.cache_info().misses == 1


async def test_the_library_writes_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """Its warnings quote what callers said."""
    async with phrases_only() as engine:
        assert engine._pool is not None
        decoder = await engine._pool.take()
        decoder.begin()
        assert decoder._calls.ps_start_utt(decoder._handle) < 0  # "Utterance already started"
        engine._pool.give_back(decoder)
    assert capfd.readouterr().err == ""


async def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match=r"asr\.phrases names no sentence"):
        await PocketsphinxRecognizer(AsrSettings(), None, WORDS).start()
    with pytest.raises(EngineUnavailable, match=r"has no sentences\.txt"):
        await PocketsphinxRecognizer(AsrSettings(), tmp_path, WORDS).start()
    for share in (0.5, 1.0):
        unsayable = AsrSettings(
            phrases=("\u043f\u0440\u0438\u0432\u0435\u0442",), domain_share=share
        )
        with pytest.raises(
            EngineUnavailable, match=r"asr\.phrases and asr\.model have no sentence"
        ):
            await PocketsphinxRecognizer(unsayable, None, WORDS).start()
    with pytest.raises(EngineUnavailable, match="has not been started"):
        PocketsphinxRecognizer(AsrSettings(), WORDS, WORDS).open(AsrOptions())


async def test_a_folder_of_sentences_is_a_model(tmp_path: Path) -> None:
    (tmp_path / "sentences.txt").write_text("what time is it\ntell me a joke\n")
    async with started(tmp_path, domain_share=1.0) as engine:
        assert (await heard(engine, question("tell_me_a_joke"))).text == "tell me a joke"


async def test_phrases_that_cannot_be_said_are_named(caplog: pytest.LogCaptureFixture) -> None:
    """At each start: those of the built-in domain are there, so nothing fails."""
    cyrillic = "\u043f\u0440\u0438\u0432\u0435\u0442"
    for _ in range(2):
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            async with started(
                None,
                phrases=(*PHRASES, "[please|]", cyrillic),
                hotwords="tea, 50%",
                domain_share=1.0,
            ):
                pass
        assert caplog.messages == [
            "asr.phrases, asr.hotwords: 1 cannot be said in English and are not expected:"
            f" {cyrillic}"
        ]


async def test_a_server_that_may_write_nowhere_hears_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with caplog.at_level(logging.WARNING):
        async with started(None, phrases=PHRASES, domain_share=1.0) as engine:
            assert engine.decoders == 1

    assert "the language model is not kept" in caplog.text


@needs_people()
async def test_people_are_heard() -> None:
    """36 single words, 6 telephone numbers and 8 read sentences by people that no model knows. The
    figures: scripts/bench_people.py."""
    async with started() as engine:
        words = [(one, await heard(engine, one.pcm)) for one in recordings("words", 36)]
        read = [(one, await heard(engine, one.pcm)) for one in recordings("librispeech", 8)]
        numbers = [(one, await heard(engine, one.pcm)) for one in recordings("numbers", 6)]

    assert sum(normal(one.text) == normal(t.text) for one, t in words) >= 27
    wrong = sum(word_errors(digits(normal(one.text)), digits(normal(t.text))) for one, t in numbers)
    assert wrong / sum(len(digits(normal(one.text))) for one, _ in numbers) < 0.4
    errors = sum(word_errors(normal(one.text), normal(t.text)) for one, t in read)
    assert errors / sum(len(normal(one.text)) for one, _ in read) < 0.65
    assert sum(not t.text for _, t in [*words, *read]) <= 3


async def test_a_number_may_be_the_same_digit_many_times() -> None:
    """What repeats in a sentence is a recognizer's loop; in a number it is what was said."""
    async with started() as engine:
        transcript = await heard(engine, await spoken("one one one one one one one one"))

    assert transcript.text.split() == ["one"] * 8
    assert transcript.refused is None


async def spoken(text: str) -> Int16:
    """Int16 [n] at 16 kHz, by espeak-ng."""
    voice = EspeakSynthesizer(TtsSettings(), MonotonicClock())
    await voice.start()
    try:
        pieces = [piece.pcm async for piece in voice.stream(text, Voice())]
    finally:
        await voice.aclose()
    return resample(np.concatenate(pieces), voice.sample_rate, SAMPLE_RATE)
