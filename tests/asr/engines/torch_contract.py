"""The `transformers` engine, on the built-in model in Hugging Face's format and on a small one of
random weights. Runs in an environment of its own: `test_transformers.py` starts it."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import GenerationConfig, WhisperConfig, WhisperForConditionalGeneration

from tests.asr.engines.random_whisper import (
    HEADS,
    INNER,
    LANGUAGES,
    MELS,
    POSITIONS,
    SPECIALS,
    TEXT_POSITIONS,
    WIDTH,
    make_tokenizer,
)
from tests.asr.engines.test_builtin_model import MODEL, Clip, read_clips
from voicepipe.asr.contract import AsrOptions, Hypothesis, Transcript
from voicepipe.asr.decoding import Decoded, DecodeRequest
from voicepipe.asr.engines.model_file import ModelFile, read_model_file
from voicepipe.asr.engines.torch_decoder import TorchDecoder, device, dtype
from voicepipe.asr.engines.transformers import TransformersRecognizer
from voicepipe.asr.engines.whisper_decoder import WhisperDecoder
from voicepipe.audio.pcm import FRAME_SAMPLES, SAMPLE_RATE, Int16, silence
from voicepipe.config import AsrSettings
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import EngineError, EngineUnavailable

HF_MODEL = Path(os.environ["HF_MODEL"])  # written by `test_transformers.py`
WINDOW = 10 * SAMPLE_RATE


@pytest.fixture(scope="module")
def clips() -> list[Clip]:
    return read_clips()


@pytest.fixture(scope="module")
def built_in() -> TorchDecoder:
    return TorchDecoder(AsrSettings(), HF_MODEL, read_model_file(HF_MODEL))


@pytest.fixture(scope="module")
def random_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stock shape in miniature, several languages, Hugging Face's files."""
    folder = tmp_path_factory.mktemp("asr") / "random"
    tokenizer = make_tokenizer(multilingual=True)
    special = {name: tokenizer.token_to_id(name) for name in SPECIALS}
    ends = {"bos_token_id": special["<|endoftext|>"], "eos_token_id": special["<|endoftext|>"]}
    ends |= {"pad_token_id": special["<|endoftext|>"]}
    start = special["<|startoftranscript|>"]
    torch.manual_seed(3)
    model = WhisperForConditionalGeneration(
        WhisperConfig(
            vocab_size=tokenizer.get_vocab_size(),
            num_mel_bins=MELS,
            d_model=WIDTH,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=HEADS,
            decoder_attention_heads=HEADS,
            encoder_ffn_dim=INNER,
            decoder_ffn_dim=INNER,
            max_source_positions=POSITIONS,
            max_target_positions=TEXT_POSITIONS,
            decoder_start_token_id=start,
            init_std=0.6,  # else every audio sounds the same
            **ends,
        )
    )
    model.generation_config = GenerationConfig(
        decoder_start_token_id=start,
        is_multilingual=True,
        lang_to_id={f"<|{code}|>": special[f"<|{code}|>"] for code in LANGUAGES},
        no_timestamps_token_id=special["<|notimestamps|>"],
        suppress_tokens=[token for name, token in special.items() if name != SPECIALS[0]],
        begin_suppress_tokens=[special["<|endoftext|>"]],
        **ends,
    )
    model.save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def noise(seconds: float, seed: int = 1) -> Int16:
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(round(seconds * SAMPLE_RATE)) * 3000).astype(np.int16)


def texts(decoded: Decoded) -> list[str]:
    return [word.text for word in decoded.words]


def ask(clip: Clip, timed: bool = True) -> DecodeRequest:
    window = read_model_file(HF_MODEL).windows(AsrSettings()).window(len(clip.pcm))
    return DecodeRequest(clip.pcm, window, 60, "en", timed=timed)


def test_it_hears_what_ctranslate2_hears(clips: list[Clip], built_in: TorchDecoder) -> None:
    settings = AsrSettings(compute_type="float32")
    other = WhisperDecoder(settings, MODEL, read_model_file(MODEL))
    apart_s: list[float] = []
    for clip in [*clips[:12], *(clip for clip in clips if clip.snr_db)][:20]:
        (expected,), (heard,) = other.decode([ask(clip)]), built_in.decode([ask(clip)])
        assert texts(heard) == texts(expected)
        assert heard.tokens == expected.tokens
        assert heard.avg_logprob == pytest.approx(expected.avg_logprob, abs=0.02)
        assert heard.no_speech_prob == pytest.approx(expected.no_speech_prob, abs=0.02)
        for one, two in zip(heard.words, expected.words, strict=True):
            apart_s += [one.start_s - two.start_s, one.end_s - two.end_s]
            assert one.confidence == pytest.approx(two.confidence, abs=0.03)
    assert np.abs(apart_s).mean() < 0.02
    assert np.abs(apart_s).max() < 0.25  # among equally good paths each takes its own
    other.unload()


def test_a_batch_hears_what_its_members_hear_alone(
    clips: list[Clip], built_in: TorchDecoder
) -> None:
    chosen = [clip for clip in clips if ask(clip).window == ask(clips[0]).window][:4]
    requests = [ask(clip) for clip in chosen]
    together = built_in.decode(requests)
    assert len({decoded.tokens for decoded in together}) > 1  # ends lie at different steps
    for request, decoded in zip(requests, together, strict=True):
        (alone,) = built_in.decode([request])
        assert texts(alone) == texts(decoded)
        assert alone.avg_logprob == pytest.approx(decoded.avg_logprob, abs=0.01)
        starts = [word.start_s for word in decoded.words]
        assert [word.start_s for word in alone.words] == pytest.approx(starts, abs=0.05)


def test_a_wider_search_finds_no_less_likely_text(clips: list[Clip]) -> None:
    rules = read_model_file(HF_MODEL)
    greedy, wide = (TorchDecoder(AsrSettings(beam_size=beams), HF_MODEL, rules) for beams in (1, 5))
    said = [clip for clip in clips if clip.text][:6]
    scores = [
        [decoder.decode([ask(clip, timed=False)])[0].avg_logprob for clip in said]
        for decoder in (greedy, wide)
    ]
    assert np.mean(scores[1]) >= np.mean(scores[0]) - 0.01
    assert texts(wide.decode([ask(said[0])])[0])


def test_a_batch_may_hold_several_languages(random_dir: Path) -> None:
    decoder = TorchDecoder(AsrSettings(language=None), random_dir, ModelFile())
    requests = [
        DecodeRequest(noise(3.0, n), WINDOW, 12, code) for n, code in enumerate(["de", "en", None])
    ]
    together = decoder.decode(requests)
    assert [decoded.language for decoded in together[:2]] == ["de", "en"]
    assert [decoded.language_probability for decoded in together[:2]] == [1.0, 1.0]
    assert together[2].language in LANGUAGES
    assert 0.5 <= together[2].language_probability < 1.0
    for request, decoded in zip(requests, together, strict=True):
        (alone,) = decoder.decode([request])
        assert (texts(alone), alone.language) == (texts(decoded), decoded.language)


@pytest.mark.parametrize("most", [1, 5, 40])
def test_the_token_cap_is_what_was_asked_for(random_dir: Path, most: int) -> None:
    decoder = TorchDecoder(AsrSettings(), random_dir, ModelFile())
    requests = [DecodeRequest(noise(3.0, n), WINDOW, cap, "en") for n, cap in enumerate((most, 50))]
    together = decoder.decode(requests)
    assert together[0].tokens == most  # random weights seldom end by themselves
    assert together[1].tokens > 40


def test_hotwords_and_earlier_text_are_shown_to_the_model(random_dir: Path) -> None:
    def hear(hotwords: str | None, prompt: str | None) -> list[str]:
        decoder = TorchDecoder(AsrSettings(hotwords=hotwords), random_dir, ModelFile())
        return texts(decoder.decode([DecodeRequest(noise(3.0), WINDOW, 20, "en", prompt)])[0])

    plain, hot = hear(None, None), hear("Pizza", None)
    assert plain != hot == hear(None, "Pizza")


def test_unknown_languages_and_devices_are_named(random_dir: Path) -> None:
    decoder = TorchDecoder(AsrSettings(), random_dir, ModelFile())
    with pytest.raises(EngineError, match="does not know the language 'xx'"):
        decoder.decode([DecodeRequest(noise(1.0), WINDOW, 4, "xx")])
    with pytest.raises(EngineUnavailable, match=r"compute_type must be float32, float16"):
        TorchDecoder(AsrSettings(compute_type="int4"), random_dir, ModelFile())


def test_types_follow_the_device_where_torch_has_no_int8() -> None:
    cpu, cuda = torch.device("cpu"), torch.device("cuda")
    assert (dtype("int8", cpu), dtype("int8", cuda)) == (torch.float32, torch.float16)
    assert dtype("int8_bfloat16", cuda) is torch.bfloat16
    assert dtype("float16", cuda) is torch.float16
    assert device("cpu") == cpu


def test_a_missing_gpu_is_said_plainly(monkeypatch: pytest.MonkeyPatch, random_dir: Path) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert device("auto").type == "cpu"
    with pytest.raises(EngineUnavailable, match=r"no CUDA device here: set asr\.device=cpu"):
        TorchDecoder(AsrSettings(device="cuda"), random_dir, ModelFile())


# --- as a recognizer ---


@asynccontextmanager
async def started(
    folder: Path = HF_MODEL, **settings: Any
) -> AsyncIterator[TransformersRecognizer]:
    recognizer = TransformersRecognizer(AsrSettings(**settings), folder, MonotonicClock())
    await recognizer.start()
    yield recognizer
    await recognizer.aclose()


async def hear(recognizer: TransformersRecognizer, pcm: Int16, **options: Any) -> Transcript:
    utterance = recognizer.open(AsrOptions(partials=False, **options))
    utterance.feed(pcm)
    transcript = await utterance.final()
    utterance.cancel()
    return transcript


async def test_partials_and_finals_of_real_speech(clips: list[Clip]) -> None:
    async with started() as recognizer:
        for clip in [clip for clip in clips if clip.text][:4]:
            utterance = recognizer.open(AsrOptions())
            hypotheses: list[Hypothesis] = []

            async def read(
                utterance: Any = utterance, hypotheses: list[Hypothesis] = hypotheses
            ) -> None:
                hypotheses += [hypothesis async for hypothesis in utterance.hypotheses()]

            reader = asyncio.create_task(read())
            for start in range(0, len(clip.pcm), FRAME_SAMPLES):
                utterance.feed(clip.pcm[start : start + FRAME_SAMPLES])
                await asyncio.sleep(0.004)
            transcript = await utterance.final()
            utterance.cancel()
            await reader
            assert transcript.text == (await hear(recognizer, clip.pcm)).text
            assert (transcript.language, transcript.refused) == ("en", None)
            assert hypotheses
            for before, after in pairwise(hypotheses):
                assert after.stable.startswith(before.stable)


async def test_what_is_no_speech_gives_no_text(clips: list[Clip]) -> None:
    async with started() as recognizer:
        for clip in [clip for clip in clips if not clip.text]:
            assert (await hear(recognizer, clip.pcm)).text == ""
        assert (await hear(recognizer, silence(2000))).refused == "silence"


async def test_sessions_share_batches(clips: list[Clip]) -> None:
    chosen = [clip for clip in clips if ask(clip).window == ask(clips[0]).window][:4]
    async with started() as recognizer:
        alone = [(await hear(recognizer, clip.pcm)).text for clip in chosen]
        together = await asyncio.gather(*(hear(recognizer, clip.pcm) for clip in chosen))
        assert [transcript.text for transcript in together] == alone
        assert recognizer.stats.largest >= 3  # the first may have left alone


async def test_measured_word_times(clips: list[Clip]) -> None:
    clip = next(clip for clip in clips if len(clip.text.split()) >= 6)
    lead = silence(1000)
    async with started() as recognizer:
        pcm = np.concatenate([lead, clip.pcm])
        transcript = await hear(recognizer, pcm, word_times=True)
    times = [time for word in transcript.words for time in (word.start_s, word.end_s)]
    assert times == sorted(times)
    assert 0.5 <= times[0] <= 1.6
    assert all(0 < word.confidence <= 1 for word in transcript.words)


async def test_the_stock_shape_takes_short_windows(random_dir: Path) -> None:
    async with started(random_dir) as recognizer:
        transcript = await hear(recognizer, noise(40.0))
        assert recognizer.stats.decodes == 2  # 28 s fit, the rest is a second piece
        assert transcript.audio_s == 40.0


async def test_cancelling_and_closing_free_everything(clips: list[Clip]) -> None:
    async with started() as recognizer:
        utterance = recognizer.open(AsrOptions())
        utterance.feed(clips[0].pcm)
        final = asyncio.create_task(utterance.final())
        for _ in range(3):
            await asyncio.sleep(0)
        utterance.cancel()
        with pytest.raises(EngineError, match="cancelled"):
            await final
        decoder = recognizer._decoder
        assert isinstance(decoder, TorchDecoder)
        weights = weakref.ref(decoder._model)
        del decoder
    gc.collect()
    assert weights() is None
    for thread in threading.enumerate():
        if thread.name.startswith("asr-decode"):
            await asyncio.to_thread(thread.join, 5.0)
            assert not thread.is_alive()


@pytest.fixture
def broken_dir(tmp_path: Path) -> Path:
    for path in HF_MODEL.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes()[:2000])
    return tmp_path


async def test_a_broken_model_names_its_directory(broken_dir: Path) -> None:
    (broken_dir / "voicepipe.json").unlink()
    recognizer = TransformersRecognizer(AsrSettings(), broken_dir, MonotonicClock())
    with pytest.raises(EngineUnavailable) as broken:
        await recognizer.start()
    assert str(broken_dir) in str(broken.value)
