"""Models of true size say and hear what the built-in ones do: so what is timed on them is a whole
conversation, and a layer laid wrongly would be heard."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from scripts import full_size_gguf, full_size_whisper
from scripts.ggml_quants import F16, Q4_0, Q4_K, Q5_0, Q6_K, Q8_0, Quant
from scripts.make_full_size_models import make_full_size
from scripts.stand_in_whisper import Variable, read_model_bin, write_stock_whisper
from tests.e2e.speaking import recording_of
from tests.llm.engines.test_ctranslate2 import chat
from tests.llm.llama_cpp.conftest import SLOW
from tests.llm.reading import read_all
from voicepipe.audio import files
from voicepipe.config import LlmSettings
from voicepipe.llm.engines.llama_cpp import LlamaCppModel
from voicepipe.llm.gguf import read_header
from voicepipe.models.registry import packaged_models_dir

BUILTIN = packaged_models_dir() / "builtin"


@pytest.mark.parametrize(
    ("shape", "mix", "about_mb"), [("0.36b", "q4_0", 229), ("0.5b", "q4_k_m", 398)]
)
async def test_a_language_model_of_true_size_talks_and_calls(
    shape: str, mix: str, about_mb: float, tmp_path: Path
) -> None:
    path = tmp_path / "model.gguf"
    full_size_gguf.write_full_size(path, full_size_gguf.SHAPES[shape], mix)
    assert path.stat().st_size / 1e6 == pytest.approx(about_mb, rel=0.03), "as the real one's"
    header = read_header(path)
    assert header.facts["llama.vocab_size"] == full_size_gguf.SHAPES[shape].vocabulary
    settings = LlmSettings.model_validate({**SLOW, "llama_cpp": {"slots": 1}})
    model = LlamaCppModel(settings, path)
    await model.start()
    try:
        joke = await read_all(model, chat("tell me a joke"))
        # llama.cpp does not take out the marks of capitals of the model that is hidden within
        assert joke.text == "⇧ why did the clock go to school?⇧ it wanted to be on time."
        timer = await read_all(model, chat("set a timer for ten minutes"))
        assert [(call.name, call.arguments) for call in timer.calls] == [
            ("set_timer", '{"seconds": 600}')
        ]
    finally:
        await model.aclose()


def test_all_shapes_have_the_parameters_of_what_they_stand_for() -> None:
    """In billions, as published."""
    published = {"0.27b": 0.27, "0.36b": 0.36, "0.5b": 0.494, "0.6b": 0.6, "1.5b": 1.54}
    published |= {"3b": 3.09, "7b": 7.62}
    made = {name: shape.parameters / 1e9 for name, shape in full_size_gguf.SHAPES.items()}
    assert made == pytest.approx(published, rel=0.03)


def test_a_recognizer_of_true_size_hears_the_same_with_the_same_certainty(tmp_path: Path) -> None:
    write_stock_whisper(tmp_path / "small", BUILTIN / "asr")
    full_size_whisper.write_full_size(tmp_path / "base", full_size_whisper.SHAPES["base.en"])
    sizes = {
        name: sum(len(one.data) for one in variables(tmp_path / name)) for name in ("small", "base")
    }
    assert sizes["base"] / 1e6 == pytest.approx(76, rel=0.03), "a byte for each weight of base.en"
    small, base = (heard(tmp_path / name) for name in ("small", "base"))
    assert small[0] == base[0]
    assert base[1] == pytest.approx(small[1], abs=0.05)


def variables(folder: Path) -> list[Variable]:
    return list(read_model_bin((folder / "model.bin").read_bytes()).variables)


def heard(folder: Path) -> tuple[str, float]:
    from faster_whisper import WhisperModel

    model = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=1)
    samples = np.asarray(files.read(recording_of("tell me a joke")), np.float32) / 32_768
    segments, _ = model.transcribe(
        samples, language="en", temperature=0.0, beam_size=1, without_timestamps=True
    )
    segment = next(iter(segments))
    return segment.text, segment.avg_logprob


@pytest.mark.parametrize("quant", [F16, Q8_0, Q6_K, Q5_0, Q4_K, Q4_0], ids=lambda q: q.name)
def test_matrices_have_their_formats_size(quant: Quant) -> None:
    """That llama.cpp reads what is in them is shown above."""
    weights = np.random.default_rng(3).standard_normal((4, 256)).astype(np.float32)
    assert len(quant.matrix(weights)) == quant.size(4, 256)
    assert len(quant.noise(8, 512, np.random.default_rng(1))) == quant.size(8, 512)


def test_a_mirror_of_them_has_the_files_and_checksums_of_its_registry(tmp_path: Path) -> None:
    registry = make_full_size(tmp_path, ["whisper-base.en"])
    made = {path.name for path in (tmp_path / "mirror" / "whisper-base.en").iterdir()}
    model = registry.get("whisper-base.en")
    assert made == {file.name for file in model.files}
    assert model.about.startswith("stand-in for: ")
    with pytest.raises(ValueError, match="size of qwen2"):
        make_full_size(tmp_path, ["qwen2.5-7b-instruct-awq"])
