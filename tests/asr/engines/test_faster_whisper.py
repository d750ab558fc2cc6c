"""The engine on a model of random weights with the stock shape: windows, prompts, limits, start and
end. What it hears is tested on the built-in model (`test_builtin_model.py`)."""

from __future__ import annotations

import asyncio
import math
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.asr.engines.random_whisper import SPECIALS, make_random_whisper, make_tokenizer
from voicepipe.asr.contract import AsrOptions
from voicepipe.asr.decoding import Decoded, DecodeRequest
from voicepipe.asr.engines.faster_whisper import FasterWhisperRecognizer
from voicepipe.asr.engines.model_file import ModelFile
from voicepipe.asr.engines.whisper_decoder import WhisperDecoder
from voicepipe.asr.engines.whisper_text import WhisperText, split_words
from voicepipe.audio.pcm import SAMPLE_RATE, Int16
from voicepipe.config import AsrSettings
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import EngineError, EngineUnavailable, RequestRefused

WINDOW = 10 * SAMPLE_RATE


@pytest.fixture(scope="module")
def model_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_random_whisper(tmp_path_factory.mktemp("asr") / "model")


@pytest.fixture(scope="module")
def english_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_random_whisper(tmp_path_factory.mktemp("asr") / "english", multilingual=False)


def load(model_dir: Path, rules: ModelFile | None = None, **settings: Any) -> WhisperDecoder:
    return WhisperDecoder(AsrSettings(**settings), model_dir, rules or ModelFile())


def noise(seconds: float, seed: int = 1) -> Int16:
    rng = np.random.default_rng(seed)
    return (rng.standard_normal(round(seconds * SAMPLE_RATE)) * 3000).astype(np.int16)


@asynccontextmanager
async def started(model_dir: Path, **settings: Any) -> AsyncIterator[FasterWhisperRecognizer]:
    recognizer = FasterWhisperRecognizer(AsrSettings(**settings), model_dir, MonotonicClock())
    await recognizer.start()
    yield recognizer
    await recognizer.aclose()


def prompt_names(decoder: WhisperDecoder, language: str | None, text: str | None) -> str:
    tokenizer = decoder._whisper.hf_tokenizer
    tokens = decoder.text.prompt(decoder.text.tokenizer(language), text)
    return str(tokenizer.decode(tokens, skip_special_tokens=False))


def test_the_window_is_short(model_dir: Path) -> None:
    decoder = load(model_dir)
    requests = [DecodeRequest(noise(seconds), WINDOW, 9) for seconds in (3.0, 5.0)]
    assert np.array(decoder._features(requests)).shape == (2, 80, 1000)
    decoder.unload()


def test_prompts_of_multilingual_models(model_dir: Path) -> None:
    decoder = load(model_dir, hotwords="Pizza")
    start = "<|startoftranscript|><|de|><|transcribe|><|notimestamps|>"
    assert prompt_names(decoder, "de", None) == f"<|startofprev|> Pizza{start}"
    assert prompt_names(decoder, "de", "Hallo") == f"<|startofprev|> Pizza Hallo{start}"
    long = "x" * 500 + " Ende"
    assert len(decoder.text.prompt(decoder.text.tokenizer("de"), long)) == 1 + 64 + 4
    shown = prompt_names(decoder, "de", long)
    assert shown.startswith("<|startofprev|> Pizzaxxx")  # hotwords stay, old text goes
    assert shown.endswith(f"xxx Ende{start}")
    decoder.unload()


def test_prompts_of_english_models(english_dir: Path) -> None:
    decoder = load(english_dir)
    assert prompt_names(decoder, "en", None) == "<|startoftranscript|><|notimestamps|>"
    assert prompt_names(decoder, "en", "Hi").startswith("<|startofprev|> Hi<|startoftranscript|>")
    decoder.unload()


def test_a_model_that_names_its_start_tokens_gets_just_these(english_dir: Path) -> None:
    decoder = load(english_dir, ModelFile(prompt=("<|startoftranscript|>",)), hotwords="Pizza")
    assert prompt_names(decoder, "en", "Hi") == "<|startoftranscript|>"
    decoder.unload()
    with pytest.raises(EngineUnavailable, match=r"does not hold: <\|start\|>"):
        load(english_dir, ModelFile(prompt=("<|start|>",)))


@pytest.mark.parametrize("prompt", [None, "some earlier text"])
@pytest.mark.parametrize("most", [1, 5, 40])
def test_the_token_cap_is_what_was_asked_for(
    model_dir: Path, prompt: str | None, most: int
) -> None:
    decoder = load(model_dir)
    tokens = [
        decoder.decode([DecodeRequest(noise(3.0, seed), WINDOW, most, "en", prompt)])[0].tokens
        for seed in range(4)
    ]
    # Random weights seldom end by themselves, so the cap is what ends them.
    assert max(tokens) == most
    decoder.unload()


def test_a_batch_hears_what_its_members_hear_alone(model_dir: Path) -> None:
    decoder = load(model_dir, compute_type="float32")
    requests = [DecodeRequest(noise(2.0 + n, n), WINDOW, 12, "en") for n in range(3)]
    together = decoder.decode(requests)
    for request, decoded in zip(requests, together, strict=True):
        (alone,) = decoder.decode([request])
        assert [word.text for word in alone.words] == [word.text for word in decoded.words]
        assert alone.avg_logprob == pytest.approx(decoded.avg_logprob, abs=1e-3)
    decoder.unload()


def test_a_batch_may_hold_several_languages(model_dir: Path) -> None:
    decoder = load(model_dir, compute_type="float32", language=None)
    requests = [
        DecodeRequest(noise(3.0, n), WINDOW, 12, language)
        for n, language in enumerate(["de", "en", None, "en"])
    ]
    assert len({request.batch_key for request in requests}) == 1
    together = decoder.decode(requests)
    assert [decoded.language for decoded in together[:2]] == ["de", "en"]
    for request, decoded in zip(requests, together, strict=True):
        (alone,) = decoder.decode([request])
        assert [word.text for word in alone.words] == [word.text for word in decoded.words]
        assert alone.language == decoded.language
        assert alone.language_probability == pytest.approx(decoded.language_probability, abs=1e-3)
    decoder.unload()


def test_measured_times_need_a_batch_of_one_language() -> None:
    requests = [
        DecodeRequest(noise(1.0), WINDOW, 9, language, timed=True)
        for language in ("de", "de", "en", None, None)
    ]
    assert requests[0].batch_key == requests[1].batch_key
    assert len({request.batch_key for request in requests}) == 4


def test_members_of_a_batch_keep_their_own_token_caps(model_dir: Path) -> None:
    decoder = load(model_dir, compute_type="float32")
    requests = [DecodeRequest(noise(3.0, n), WINDOW, most, "en") for n, most in enumerate((3, 20))]
    together = decoder.decode(requests)
    alone = [decoder.decode([request])[0] for request in requests]
    assert [decoded.tokens for decoded in together] == [decoded.tokens for decoded in alone]
    assert together[0].tokens <= 3 < together[1].tokens
    decoder.unload()


@pytest.mark.parametrize("timed", [False, True])
@pytest.mark.parametrize("seconds", [0.01, 0.2, 4.0])
def test_word_times_are_in_order_and_inside_the_audio(
    model_dir: Path, timed: bool, seconds: float
) -> None:
    decoder = load(model_dir)
    (decoded,) = decoder.decode([DecodeRequest(noise(seconds), WINDOW, 30, "en", None, timed)])
    times = [time for word in decoded.words for time in (word.start_s, word.end_s)]
    assert times == sorted(times)
    assert not times or 0 <= times[0] <= times[-1] <= max(seconds, 0.2) + 0.02
    assert all(0 <= word.confidence <= 1 for word in decoded.words)
    assert decoded.work_s > 0
    decoder.unload()


def test_an_unset_language_is_detected(model_dir: Path) -> None:
    decoder = load(model_dir, language=None)
    (decoded,) = decoder.decode([DecodeRequest(noise(2.0), WINDOW, 4)])
    assert decoded.language in ("en", "de")
    (decoded,) = decoder.decode([DecodeRequest(noise(2.0), WINDOW, 4, "de")])
    assert decoded.language == "de"
    decoder.unload()


def test_languages_may_carry_a_region_and_unknown_ones_are_named(
    model_dir: Path, english_dir: Path
) -> None:
    decoder, english = load(model_dir), load(english_dir)
    assert decoder.text.tokenizer("de-AT").language_code == "de"
    assert decoder.text.tokenizer("de_CH") is decoder.text.tokenizer("DE")
    with pytest.raises(EngineError, match="does not know the language 'xx'"):
        decoder.decode([DecodeRequest(noise(1.0), WINDOW, 4, "xx")])
    assert english.text.tokenizer("xx").language_code == "en"
    decoder.unload()
    english.unload()


@pytest.mark.parametrize(
    ("named", "code"),
    [("nb-NO", "no"), ("cmn-Hans-CN", "zh"), ("fil", "tl"), ("iw", "he"), ("jv", "jw")],
)
def test_languages_have_several_names(
    named: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    specials = (*SPECIALS, *(f"<|{one}|>" for one in ("no", "zh", "tl", "he", "jw")))
    monkeypatch.setattr("tests.asr.engines.random_whisper.SPECIALS", specials)
    text = WhisperText(make_tokenizer(True), Path(), ModelFile(), multilingual=True, hotwords=None)
    assert text.tokenizer(named).language_code == code


def test_an_unknown_language_is_no_fault_of_the_engine(model_dir: Path) -> None:
    text = WhisperText(make_tokenizer(True), model_dir, ModelFile(), multilingual=True, hotwords="")
    with pytest.raises(RequestRefused):
        text.tokenizer("xx")


def test_words_are_what_stands_between_spaces(model_dir: Path) -> None:
    decoder = load(model_dir)

    def split(text: str, language: str = "en") -> list[tuple[str, int]]:
        tokenizer = decoder.text.tokenizer(language)
        return split_words(tokenizer, tokenizer.encode(text))

    assert split(" I don't, know!") == [("I", 2), ("don't,", 7), ("know!", 6)]
    assert split("  Grüße  aus") == [("Grüße", 9), ("aus", 5)]
    assert split("") == split("  ") == []
    decoder.unload()


def test_words_of_other_scripts_keep_apart_where_no_spaces_are_written() -> None:
    text = WhisperText(make_tokenizer(True), Path(), ModelFile(), multilingual=True, hotwords=None)
    tokenizer = text.tokenizer("en")
    tokenizer.language_code = "ja"

    def said(text: str) -> str:
        return "".join(word for word, _ in split_words(tokenizer, tokenizer.encode(text)))

    assert said(" Visual Studioを使う") == "Visual Studioを使う"
    assert said("番号は 10 20 です") == "番号は10 20です"
    assert said(" 明天 去上海 ") == "明天去上海"
    assert said("") == said("  ") == ""


async def test_hotwords_reach_the_model(model_dir: Path) -> None:
    async def hear(hotwords: str | None, prompt: str | None) -> str:
        async with started(model_dir, hotwords=hotwords, compute_type="float32") as recognizer:
            utterance = recognizer.open(AsrOptions(partials=False, prompt=prompt))
            utterance.feed(noise(3.0))
            return (await utterance.final()).text

    plain, hot = await hear(None, None), await hear("Pizza", None)
    assert hot != plain  # the model saw them: on random weights that is all there is to see
    assert hot == await hear(None, "Pizza")


@pytest.fixture
def own_prompt_dir(model_dir: Path, tmp_path: Path) -> Path:
    for path in model_dir.iterdir():
        (tmp_path / path.name).symlink_to(path)
    (tmp_path / "voicepipe.json").write_text('{"prompt": ["<|startoftranscript|>"]}')
    return tmp_path


async def test_hotwords_that_a_model_cannot_take_are_said_so(
    model_dir: Path, own_prompt_dir: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with started(own_prompt_dir, hotwords="Pizza"):
        assert "asr.hotwords is ignored" in caplog.text
    caplog.clear()
    async with started(model_dir, hotwords="Pizza"):
        assert "hotwords" not in caplog.text


async def test_stock_rules_hold_without_a_model_file(model_dir: Path) -> None:
    async with started(model_dir) as recognizer:
        utterance = recognizer.open(AsrOptions(partials=False))
        utterance.feed(noise(40.0))
        transcript = await utterance.final()
        assert (transcript.audio_s, transcript.language) == (40.0, "en")
        assert recognizer.stats.decodes == 2  # 28 s fit, the rest is a second piece
        assert transcript.work_s > 0
        assert math.isfinite(transcript.confidence)


async def test_silence_costs_no_decode(model_dir: Path) -> None:
    async with started(model_dir) as recognizer:
        utterance = recognizer.open(AsrOptions())
        utterance.feed(np.zeros(5 * SAMPLE_RATE, np.int16))
        utterance.feed((noise(1.0) / 1000).astype(np.int16))
        assert (await utterance.final()).refused == "silence"
        assert recognizer.stats.decodes == 0


async def test_closing_ends_utterances_and_threads(model_dir: Path) -> None:
    async with started(model_dir) as recognizer:
        utterance = recognizer.open(AsrOptions())
        utterance.feed(noise(20.0))
        final = asyncio.create_task(utterance.final())
        await asyncio.sleep(0.01)
    with pytest.raises(EngineError, match="cancelled"):
        await final
    await recognizer.aclose()
    for thread in threading.enumerate():
        if thread.name.startswith("asr-decode"):
            await asyncio.to_thread(thread.join, 5.0)
            assert not thread.is_alive()
    with pytest.raises(EngineUnavailable, match="not been started"):
        recognizer.open(AsrOptions())


async def test_a_decode_that_never_ends_holds_nobody_up_at_closing_time(
    model_dir: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("voicepipe.asr.scheduler.CLOSE_TIMEOUT_S", 0.1)
    ends, begun = threading.Event(), threading.Event()

    def stuck(*_: object) -> list[Decoded]:
        begun.set()
        ends.wait(10)
        return []

    recognizer = FasterWhisperRecognizer(AsrSettings(), model_dir, MonotonicClock())
    await recognizer.start()
    monkeypatch.setattr(WhisperDecoder, "decode", stuck)
    utterance = recognizer.open(AsrOptions())
    utterance.feed(noise(2.0))
    final = asyncio.create_task(utterance.final())
    await asyncio.to_thread(begun.wait, 5)
    try:
        async with asyncio.timeout(2):
            await recognizer.aclose()
        assert "still decodes" in caplog.text
        with pytest.raises(EngineError, match="cancelled"):
            await final
        with pytest.raises(EngineUnavailable, match="not been started"):
            recognizer.open(AsrOptions())
    finally:
        ends.set()


async def test_a_missing_directory_says_what_to_do(tmp_path: Path) -> None:
    recognizer = FasterWhisperRecognizer(AsrSettings(), tmp_path / "none", MonotonicClock())
    with pytest.raises(EngineUnavailable, match=r"none does not exist.*models pull"):
        await recognizer.start()
    (tmp_path / "model.bin").touch()
    recognizer = FasterWhisperRecognizer(AsrSettings(), tmp_path, MonotonicClock())
    with pytest.raises(EngineUnavailable, match=r"has no config.json, tokenizer.json"):
        await recognizer.start()


@pytest.fixture
def broken_dir(model_dir: Path, tmp_path: Path) -> Path:
    for path in model_dir.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes()[:1000])
    return tmp_path


async def test_a_broken_model_names_its_directory(broken_dir: Path) -> None:
    recognizer = FasterWhisperRecognizer(AsrSettings(), broken_dir, MonotonicClock())
    with pytest.raises(EngineUnavailable) as broken:
        await recognizer.start()
    assert str(broken_dir) in str(broken.value)


async def test_a_missing_package_is_named(model_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "faster_whisper", None)
    recognizer = FasterWhisperRecognizer(AsrSettings(), model_dir, MonotonicClock())
    with pytest.raises(EngineUnavailable, match="pip install faster-whisper"):
        await recognizer.start()


SCRIPT = """
import asyncio, sys
from pathlib import Path
import numpy as np
from voicepipe.asr.contract import AsrOptions
from voicepipe.asr.engines.faster_whisper import FasterWhisperRecognizer
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.config import AsrSettings

async def main():
    global recognizer
    recognizer = FasterWhisperRecognizer(AsrSettings(), Path(sys.argv[1]), MonotonicClock())
    await recognizer.start()
    utterance = recognizer.open(AsrOptions())
    utterance.feed(np.full(32000, 900, np.int16))
    await utterance.final()
    await recognizer.aclose()
    print("closed")

asyncio.run(main())
"""


def test_the_process_ends_cleanly(model_dir: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(model_dir)],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "closed\n", "")
