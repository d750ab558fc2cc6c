"""An utterance on pocketsphinx: partials, finals, and what is cancelled."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from itertools import pairwise
from unittest.mock import Mock, patch

import numpy as np
import pytest

from tests.asr.sphinx.listening import (
    PHRASES,
    WORDS,
    feed,
    heard,
    phrases_only,
    question,
    started,
)
from voicepipe.asr.contract import AsrOptions, Hypothesis
from voicepipe.asr.engines.pocketsphinx import PocketsphinxRecognizer
from voicepipe.asr.sphinx.decoder import SphinxDecoder
from voicepipe.audio.pcm import FRAME_SAMPLES, SAMPLE_RATE, silence
from voicepipe.config import AsrSettings
from voicepipe.runtime.errors import EngineError, EngineUnavailable


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


async def test_a_final_asked_for_while_the_first_partial_waits_for_a_decoder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The partial must not decode what came after the final was asked for: that can't be undone."""
    sound = question("what_time_is_it")
    async with phrases_only() as engine:
        pool = engine._pool
        assert pool is not None
        real, free = pool.take, asyncio.Event()

        async def take() -> SphinxDecoder:
            await free.wait()
            decoder: SphinxDecoder = await real()
            return decoder

        monkeypatch.setattr(pool, "take", take)
        utterance = engine.open(AsrOptions())
        feed(utterance, sound)  # a partial is due, and waits
        final = asyncio.create_task(utterance.final())
        await asyncio.sleep(0)  # it is asked for
        feed(utterance, silence(500))
        free.set()
        transcript = await final
        utterance.cancel()
    assert transcript.text == "what time is it"
    assert transcript.audio_s == pytest.approx(len(sound) / SAMPLE_RATE, abs=0.02)


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
        assert while_fed > 20
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


async def test_what_failed_while_nobody_waited_is_tried_again_by_the_final(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A partial that fails is no reason to hear nothing of what was said, nor is it begun anew,
    and logged, with every 20 ms that come."""
    tried = Mock(side_effect=MemoryError)
    async with phrases_only() as engine:
        utterance = engine.open(AsrOptions())
        with monkeypatch.context() as patch:
            patch.setattr("voicepipe.asr.sphinx.decoder.Ear.hear", tried)
            sound = question("what_time_is_it")
            for start in range(0, len(sound), FRAME_SAMPLES):
                utterance.feed(sound[start : start + FRAME_SAMPLES])
                if utterance.task is not None:
                    await asyncio.wait((utterance.task,))
        assert tried.call_count == 1
        assert len(caplog.records) == 1
        transcript = await utterance.final()
        utterance.cancel()
    assert transcript.text == "what time is it"


async def test_who_opens_an_utterance_while_the_engine_closes_is_refused() -> None:
    """It would take a decoder that is being freed, and wait for a thread that has ended."""
    async with phrases_only() as engine:
        first = engine.open(AsrOptions())
        feed(first, question("what_time_is_it"))
        await asyncio.sleep(0.05)  # it is being decoded
        closing = asyncio.create_task(engine.aclose())
        await asyncio.sleep(0)
        with pytest.raises(EngineUnavailable):
            engine.open(AsrOptions())
        await closing


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
