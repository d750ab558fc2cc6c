"""The pocketsphinx engine on real sound."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import Mock, patch

import numpy as np
import pytest

from tests.human_speech import needs_people, recordings
from voicepipe.asr.contract import AsrOptions, Hypothesis, Transcript
from voicepipe.asr.engines.pocketsphinx import PocketsphinxRecognizer
from voicepipe.asr.sphinx.utterance import SphinxUtterance
from voicepipe.audio import files
from voicepipe.audio.pcm import FRAME_SAMPLES, SAMPLE_RATE, Int16, silence
from voicepipe.audio.resample import resample
from voicepipe.config import AsrSettings, TtsSettings
from voicepipe.lab.hearing_score import digits, normal, word_errors
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import EngineError, EngineUnavailable
from voicepipe.tts.contract import Voice
from voicepipe.tts.engines.espeak import EspeakSynthesizer
from voicepipe.vad import silero

ROOT = Path(__file__).parents[3]
WORDS = ROOT / "models" / "builtin" / "words"
QUESTIONS = ROOT / "tests" / "data" / "questions"
PHRASES = (
    "what time is it", "set a timer for [five|ten] minutes", "play some music please",
    "turn on the lights in the kitchen", "tell me a joke", "cancel all the timers",
    "i would like to book a table for two at seven", "what is the weather in paris",
    "remind me to call the doctor tomorrow", "how are you today", "order a pizza for me",
    "what day of the week is it",
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Language models of these tests are made once, in a place of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@asynccontextmanager
async def started(
    model_dir: Path | None = WORDS, **settings: Any
) -> AsyncIterator[PocketsphinxRecognizer]:
    engine = PocketsphinxRecognizer(AsrSettings(**settings), model_dir, WORDS)
    await engine.start()
    try:
        yield engine
    finally:
        await engine.aclose()


def phrases_only() -> Any:
    """An engine that knows twelve sentences and no other English: loads at once."""
    return started(None, phrases=PHRASES, domain_share=1.0)


def question(name: str) -> Int16:
    sound = files.read(QUESTIONS / f"{name}.flac")
    return np.concatenate([sound, silence(300)])


def feed(utterance: SphinxUtterance, sound: Int16) -> None:
    for start in range(0, len(sound), FRAME_SAMPLES):
        utterance.feed(sound[start : start + FRAME_SAMPLES])


async def heard(engine: PocketsphinxRecognizer, sound: Int16) -> Transcript:
    utterance = engine.open(AsrOptions())
    feed(utterance, sound)
    try:
        return await utterance.final()
    finally:
        utterance.cancel()


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


async def test_partials_come_while_audio_does() -> None:
    sound = question("i_would_like_to_book_a_table_for_two_at_seven")
    seen: list[Hypothesis] = []
    async with phrases_only() as engine:
        utterance = engine.open(AsrOptions())

        async def read() -> None:
            async for hypothesis in utterance.hypotheses():
                seen.append(hypothesis)

        reader = asyncio.create_task(read())
        for start in range(0, len(sound), FRAME_SAMPLES):
            utterance.feed(sound[start : start + FRAME_SAMPLES])
            if utterance.task is not None:
                await asyncio.wait((utterance.task,))
                await asyncio.sleep(0)  # the reader's turn
        transcript = await utterance.final()
        utterance.cancel()
        await reader

    assert len(seen) >= 4
    assert all(one.audio_s <= transcript.audio_s for one in seen)
    for earlier, later in pairwise(seen):
        assert later.stable.startswith(earlier.stable)
    assert "table" in seen[-1].text


async def test_a_final_is_not_decoded_twice_but_more_speech_is_heard() -> None:
    first, second = question("what_time_is_it"), question("tell_me_a_joke")
    async with phrases_only() as engine:
        utterance = engine.open(AsrOptions())
        feed(utterance, first)
        early = await utterance.final()
        feed(utterance, silence(500))
        again = await utterance.final()
        feed(utterance, second)
        whole = await utterance.final()
        utterance.cancel()

    assert early == again  # the time it took too: nothing was decoded
    assert early.text == "what time is it"
    assert whole.text == "what time is it tell me a joke"


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


async def test_a_cancelled_utterance_gives_its_decoder_back() -> None:
    sound = question("what_time_is_it")
    async with started(None, phrases=PHRASES, domain_share=1.0, max_decoders=1) as engine:
        for _ in range(3):
            utterance = engine.open(AsrOptions())
            feed(utterance, np.concatenate([sound, sound]))
            await asyncio.sleep(0.05)  # it is being decoded
            utterance.cancel()
            with pytest.raises(EngineError, match="cancelled"):
                await utterance.final()
        assert (await heard(engine, sound)).text == "what time is it"


async def test_what_was_cancelled_before_its_turn_is_never_decoded() -> None:
    sound = question("what_time_is_it")
    async with started(None, phrases=PHRASES, domain_share=1.0, workers=1) as engine:
        pool = engine._pool
        assert pool is not None
        held = threading.Event()
        running = asyncio.create_task(pool.run(held.wait))  # the only thread
        utterance = engine.open(AsrOptions(partials=False))
        feed(utterance, sound)
        final = asyncio.create_task(utterance.final())
        await asyncio.sleep(0.05)  # it has a decoder, and waits for the thread
        decoder = utterance._decoder
        assert decoder is not None
        begun = Mock(wraps=decoder.begin)
        with patch.object(decoder, "begin", begun):
            utterance.cancel()
            held.set()
            await running
            with pytest.raises(EngineError, match="cancelled"):
                await final
        assert not begun.called
        assert (await heard(engine, sound)).text == "what time is it"


async def test_a_final_behind_a_cancelled_one_has_all_that_was_said() -> None:
    """The cancelled one is still being decoded; more is fed meanwhile, and asked for."""
    sound = question("turn_on_the_lights_in_the_kitchen")
    half = len(sound) // 2
    async with phrases_only() as engine:
        utterance = engine.open(AsrOptions(partials=False))
        feed(utterance, sound[:half])
        first = asyncio.create_task(utterance.final())
        await asyncio.sleep(0.005)
        first.cancel()
        feed(utterance, sound[half:])
        transcript = await utterance.final()
        utterance.cancel()

    assert transcript.text == "turn on the lights in the kitchen"
    assert transcript.audio_s == pytest.approx(len(sound) / SAMPLE_RATE, abs=0.02)


async def test_silence_behind_a_cancelled_final_is_not_decoded() -> None:
    sound = question("what_time_is_it")
    async with phrases_only() as engine:
        utterance = engine.open(AsrOptions(partials=False))
        feed(utterance, sound)
        first = asyncio.create_task(utterance.final())
        await asyncio.sleep(0.005)
        first.cancel()
        feed(utterance, silence(500))
        transcript = await utterance.final()
        utterance.cancel()

    assert transcript.text == "what time is it"
    assert transcript.audio_s == pytest.approx(len(sound) / SAMPLE_RATE, abs=0.02)


async def test_a_final_does_not_wait_for_partials_of_what_came_since(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a noisy line something always comes, and its partial begins with all that was said."""
    sound = question("what_time_is_it")
    async with phrases_only() as engine:
        utterance = engine.open(AsrOptions())
        feed(utterance, sound)
        assert utterance.task is not None
        await asyncio.wait((utterance.task,))
        real, told = utterance._advance, asyncio.Event()

        async def advance() -> None:
            await told.wait()
            await real()

        monkeypatch.setattr(utterance, "_advance", advance)
        final = asyncio.create_task(utterance.final())
        await asyncio.sleep(0)  # it is asked for
        feed(utterance, sound)
        try:
            transcript = await asyncio.wait_for(final, 20)
        finally:
            told.set()
        assert transcript.text == "what time is it"
        whole = await utterance.final()
        assert whole.text == "what time is it what time is it"
        utterance.cancel()


async def test_nothing_is_loaded_when_somebody_speaks() -> None:
    """The event loop would wait for it."""
    silero._session.cache_clear()
    async with phrases_only() as engine:
        assert silero._session.cache_info().currsize == 1
        engine.open(AsrOptions()).cancel()
    assert silero._session.cache_info().misses == 1


async def test_an_abandoned_utterance_is_not_decoded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who comes next must not wait for the later passes over words that nobody wants."""
    sound, decoded = question("what_time_is_it"), [0]
    async with started() as engine:
        assert engine._pool is not None
        decoder = await engine._pool.take()
        assert decoder._ear is not None
        blend = decoder._ear._blend
        real = blend._old

        def counted(*args: int) -> int:
            decoded[0] += 1
            return int(real(*args))

        monkeypatch.setattr(blend, "_old", counted)
        decoder.begin(decoder.mean_of(sound))
        decoder.feed(sound)
        while_fed = decoded[0]
        decoder.abandon()
        assert while_fed > 50
        assert decoded[0] == while_fed
        decoder.begin(decoder.mean_of(sound))
        decoder.feed(sound, whole=True)
        decoder.end()
        assert "what time is it" in decoder.text()
        engine._pool.give_back(decoder)


@pytest.mark.parametrize("where", ["Ear.hear", "Ear.rest", "SphinxDecoder._process"])
async def test_a_decoder_that_failed_once_serves_the_next_one(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In feeding, in ending and in measuring: an utterance left open would fail all later ones."""

    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    sound = question("what_time_is_it")
    async with started(None, phrases=PHRASES, domain_share=1.0, max_decoders=1) as engine:
        with monkeypatch.context() as patch:
            patch.setattr(f"voicepipe.asr.sphinx.decoder.{where}", fail)
            with pytest.raises(EngineError, match="failed"):
                await heard(engine, sound)
        assert (await heard(engine, sound)).text == "what time is it"


async def test_the_library_writes_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """Its warnings quote what callers said."""
    async with phrases_only() as engine:
        assert engine._pool is not None
        decoder = await engine._pool.take()
        decoder.begin()
        assert decoder._calls.ps_start_utt(decoder._handle) < 0  # "Utterance already started"
        engine._pool.give_back(decoder)
    assert capfd.readouterr().err == ""


async def test_the_event_loop_is_free_while_words_are_decoded() -> None:
    """pocketsphinx's own Python module would hold the interpreter's lock all the time."""
    sound = np.concatenate([question("what_time_is_it")] * 4)
    async with started() as engine:
        utterance = engine.open(AsrOptions(partials=False))
        feed(utterance, sound)
        began = time.perf_counter()
        final = asyncio.ensure_future(utterance.final())
        turns = 0
        while not final.done():
            await asyncio.sleep(0.005)
            turns += 1
        took = time.perf_counter() - began
        utterance.cancel()

    assert turns > took / 0.005 / 10, f"{turns} turns of the loop in {took:.2f} s"


async def test_what_has_piled_up_on_a_late_machine_is_decoded() -> None:
    """The library crashes the process on a long stretch behind a long first one: 7.3 s and 8.3 s
    did. A server whose decoders are all taken hands over such stretches."""
    sound = np.resize(question("what_time_is_it"), round(8.3 * SAMPLE_RATE))
    first = round(7.3 * SAMPLE_RATE)
    async with phrases_only() as engine:
        utterance = engine.open(AsrOptions())
        utterance.feed(sound[:first])
        await asyncio.sleep(0)  # its mean is being measured
        utterance.feed(sound[first:])
        transcript = await utterance.final()
        utterance.cancel()
    assert transcript.audio_s == pytest.approx(8.3)


async def test_a_long_utterance_is_cut_and_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    engine = PocketsphinxRecognizer(
        AsrSettings(phrases=PHRASES, domain_share=1.0), None, WORDS, max_utterance_s=2.0
    )
    await engine.start()
    try:
        utterance = engine.open(AsrOptions())
        with caplog.at_level(logging.WARNING):
            feed(utterance, np.concatenate([question("what_time_is_it")] * 3))
        assert utterance.dropped_samples > 0
        assert (await utterance.final()).audio_s == pytest.approx(2.0)
        utterance.cancel()
    finally:
        await engine.aclose()
    assert len(caplog.records) == 1


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
