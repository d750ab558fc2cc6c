"""What the built-in model hears: unseen sentences by voices that training never heard, with noise,
and sounds that are no speech."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from voicepipe.asr.agreement import fold
from voicepipe.asr.contract import AsrOptions, Hypothesis, Transcript
from voicepipe.asr.decoding import DecodeRequest
from voicepipe.asr.engines.faster_whisper import FasterWhisperRecognizer
from voicepipe.asr.engines.model_file import read_model_file
from voicepipe.asr.engines.whisper_decoder import WhisperDecoder
from voicepipe.asr.utterance import StreamingUtterance
from voicepipe.audio import files
from voicepipe.audio.pcm import FRAME_SAMPLES, SAMPLE_RATE, Int16, silence
from voicepipe.config import AsrSettings
from voicepipe.config.loading import load_settings
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import EngineError

ROOT = Path(__file__).parents[3]
MODEL = ROOT / "models" / "builtin" / "asr"
DATA = ROOT / "tests" / "data" / "asr"


@dataclass(frozen=True)
class Clip:
    name: str
    text: str
    snr_db: float | None
    pcm: Int16


def read_clips() -> list[Clip]:
    clips = []
    for line in (DATA / "manifest.jsonl").read_text().splitlines():
        entry = json.loads(line)
        pcm = files.read(DATA / entry["file"], SAMPLE_RATE)
        clips.append(Clip(entry["file"], entry["text"], entry["snr_db"], pcm))
    return clips


@pytest.fixture(scope="module")
def clips() -> list[Clip]:
    return read_clips()


@asynccontextmanager
async def started() -> AsyncIterator[FasterWhisperRecognizer]:
    settings = load_settings("builtin", None, {}, {}).asr  # as the profile decodes
    recognizer = FasterWhisperRecognizer(settings, MODEL, MonotonicClock())
    await recognizer.start()
    yield recognizer
    await recognizer.aclose()


async def hear(
    recognizer: FasterWhisperRecognizer, pcm: Int16, options: AsrOptions | None = None
) -> Transcript:
    utterance = recognizer.open(options or AsrOptions(partials=False))
    utterance.feed(pcm)
    transcript = await utterance.final()
    utterance.cancel()
    return transcript


def word_errors(said: Sequence[str], heard: Sequence[str]) -> int:
    row = list(range(len(heard) + 1))
    for n, word in enumerate(said, start=1):
        diagonal, row[0] = row[0], n
        for j, other in enumerate(heard, start=1):
            new = min(diagonal + (word != other), row[j] + 1, row[j - 1] + 1)
            diagonal, row[j] = row[j], new
    return row[-1]


def words_of(text: str) -> list[str]:
    return [fold(word) for word in text.split()]


def error_rate(pairs: Iterable[tuple[str, str]]) -> float:
    pairs = list(pairs)
    errors = sum(word_errors(words_of(said), words_of(heard)) for said, heard in pairs)
    return errors / sum(len(said.split()) for said, _ in pairs)


@pytest.mark.parametrize(("noisy", "limit"), [(False, 0.10), (True, 0.20)])
async def test_word_error_rate(clips: list[Clip], noisy: bool, limit: float) -> None:
    async with started() as recognizer:
        chosen = [clip for clip in clips if clip.text and (clip.snr_db is not None) == noisy]
        heard = [(clip.text, (await hear(recognizer, clip.pcm)).text) for clip in chosen]
    assert len(heard) >= 10
    assert error_rate(heard) <= limit, [pair for pair in heard if pair[0] != pair[1]]


async def test_what_is_no_speech_gives_no_text(clips: list[Clip]) -> None:
    async with started() as recognizer:
        chosen = [clip for clip in clips if not clip.text]
        heard = {clip.name: await hear(recognizer, clip.pcm) for clip in chosen}
        nothing = await hear(recognizer, silence(2000))
    assert len(heard) >= 5
    assert {name: t.text for name, t in heard.items() if t.text} == {}
    assert all(t.refused for t in heard.values())
    assert (nothing.text, nothing.refused) == ("", "silence")


async def stream(utterance: StreamingUtterance, pcm: Int16) -> Transcript:
    """Feed frame by frame, about five times as fast as speech."""
    for start in range(0, len(pcm), FRAME_SAMPLES):
        utterance.feed(pcm[start : start + FRAME_SAMPLES])
        await asyncio.sleep(0.004)
    return await utterance.final()


async def test_streaming_hears_what_one_piece_hears(clips: list[Clip]) -> None:
    async with started() as recognizer:
        for clip in [clip for clip in clips if clip.text][:6]:
            utterance = recognizer.open(AsrOptions())
            hypotheses: list[Hypothesis] = []

            async def read(
                utterance: StreamingUtterance = utterance,
                hypotheses: list[Hypothesis] = hypotheses,
            ) -> None:
                hypotheses += [hypothesis async for hypothesis in utterance.hypotheses()]

            reader = asyncio.create_task(read())
            transcript = await stream(utterance, clip.pcm)
            utterance.cancel()
            await reader
            assert transcript.text == (await hear(recognizer, clip.pcm)).text
            assert len(hypotheses) >= 2
            for before, after in pairwise(hypotheses):
                assert after.stable.startswith(before.stable)


async def test_speech_longer_than_the_window_is_heard_whole(clips: list[Clip]) -> None:
    chosen = [clip for clip in clips if clip.text and clip.snr_db is None][:12]
    pcm = np.concatenate([part for clip in chosen for part in (clip.pcm, silence(200))])
    said = " ".join(clip.text for clip in chosen)
    async with started() as recognizer:
        transcript = await hear(recognizer, pcm)
    assert transcript.audio_s > 20
    assert error_rate([(said, transcript.text)]) <= 0.15, transcript.text
    times = [word.start_s for word in transcript.words]
    assert times == sorted(times)


async def test_measured_word_times_lie_in_the_speech(clips: list[Clip]) -> None:
    clip = next(clip for clip in clips if len(clip.text.split()) >= 6)
    lead = silence(1000)
    async with started() as recognizer:
        options = AsrOptions(partials=False, word_times=True)
        transcript = await hear(recognizer, np.concatenate([lead, clip.pcm]), options)
    times = [time for word in transcript.words for time in (word.start_s, word.end_s)]
    assert times == sorted(times)
    assert 0.5 <= times[0] <= 1.6
    assert times[-1] <= transcript.audio_s + 0.05
    assert all(0 < word.confidence <= 1 for word in transcript.words)


def test_measured_word_times_survive_a_batch_with_a_silent_member(clips: list[Clip]) -> None:
    decoder = WhisperDecoder(AsrSettings(), MODEL, read_model_file(MODEL))

    def ask(clip: Clip) -> DecodeRequest:
        return DecodeRequest(clip.pcm[:40_000], 40_000, 60, "en", timed=True)

    wordless = next(
        clip for clip in clips if not clip.text and not decoder.decode([ask(clip)])[0].words
    )
    voiced = [clip for clip in clips if len(clip.text.split()) >= 4 and len(clip.pcm) < 35_000][:3]
    requests = [ask(clip) for clip in (voiced[0], wordless, *voiced[1:])]
    together = decoder.decode(requests)
    assert [bool(decoded.words) for decoded in together] == [True, False, True, True]
    for request, decoded in zip(requests, together, strict=True):
        (alone,) = decoder.decode([request])
        assert [word.text for word in decoded.words] == [word.text for word in alone.words]
        for one, other in zip(alone.words, decoded.words, strict=True):
            assert one.start_s == pytest.approx(other.start_s, abs=0.05)
            assert one.confidence == pytest.approx(other.confidence, abs=0.05)
    decoder.unload()


async def test_measured_times_find_the_pause_between_two_words(clips: list[Clip]) -> None:
    first, second = [c for c in clips if c.text and c.snr_db is None and len(c.pcm) < 35_000][:2]
    gap = silence(600)
    pcm = np.concatenate([first.pcm, gap, second.pcm])
    async with started() as recognizer:
        transcript = await hear(recognizer, pcm, AsrOptions(partials=False, word_times=True))
    words, border = transcript.words, len(first.text.split())
    assert transcript.text == f"{first.text} {second.text}"
    seconds = (len(first.pcm) + len(gap)) / SAMPLE_RATE
    assert words[border - 1].start_s < len(first.pcm) / SAMPLE_RATE
    assert words[border].start_s > seconds - 0.35
    assert all(0.3 < word.confidence <= 1 for word in words)


async def test_eight_at_once_and_finals_first(clips: list[Clip]) -> None:
    chosen = [clip for clip in clips if clip.text and clip.snr_db is None][:8]
    async with started() as recognizer:
        alone = [(await hear(recognizer, clip.pcm)).text for clip in chosen]
        utterances = [recognizer.open(AsrOptions()) for _ in chosen]
        done = await asyncio.gather(
            *(stream(u, clip.pcm) for u, clip in zip(utterances, chosen, strict=True))
        )
        assert [transcript.text for transcript in done] == alone
        assert recognizer.stats.deepest <= 8  # one waiting decode each
        for utterance in utterances:
            utterance.cancel()
        assert recognizer.stats.queued == 0


async def test_a_final_overtakes_waiting_partials(clips: list[Clip]) -> None:
    clip = next(clip for clip in clips if clip.text)
    async with started() as recognizer:
        talkers = [recognizer.open(AsrOptions()) for _ in range(8)]
        for talker in talkers:
            talker.feed(clip.pcm)
        waiting = recognizer.stats.queued
        transcript = await talkers[-1].final()
        assert waiting == 8
        assert transcript.text
        assert recognizer.stats.decodes <= 2  # at most one partial had started before
        for talker in talkers:
            talker.cancel()


async def test_cancelling_in_the_middle_of_a_decode_frees_the_engine(clips: list[Clip]) -> None:
    clip = next(clip for clip in clips if clip.text)
    async with started() as recognizer:
        utterance = recognizer.open(AsrOptions())
        utterance.feed(clip.pcm)
        final = asyncio.create_task(utterance.final())
        for _ in range(3):  # the decode's task starts; its thread has not answered yet
            await asyncio.sleep(0)
        assert recognizer.stats.running == 1
        utterance.cancel()
        with pytest.raises(EngineError, match="cancelled"):
            await final
        assert recognizer.stats.queued == 0
        assert (await hear(recognizer, clip.pcm)).text
        assert recognizer.stats.running == 0
