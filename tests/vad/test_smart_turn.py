"""smart-turn: what the model is shown, and what is said where it cannot be had."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import pytest
from onnx import TensorProto, helper
from scipy.signal import get_window

from scripts.make_smart_turn_stand_in import write_stand_in
from voicepipe.audio.pcm import SAMPLE_RATE, Int16
from voicepipe.dialog.options import TurnOptions
from voicepipe.runtime.errors import ConfigError, EngineUnavailable
from voicepipe.vad.engines import create_end_of_turn
from voicepipe.vad.prosody import Prosody
from voicepipe.vad.smart_turn import WINDOW_SAMPLES, SmartTurn


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("smart_turn") / "stand_in.onnx"
    write_stand_in(path)
    return path


def tone(hz: float, ms: int, level: int = 8000) -> Int16:
    t = np.arange(SAMPLE_RATE * ms // 1000) / SAMPLE_RATE
    return (level * np.sin(2 * np.pi * hz * t)).astype(np.int16)


def whisper_mel(samples: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Whisper's log-mel spectrogram, written out again from its definition."""
    padded = np.pad(samples, 200, mode="reflect")
    window = get_window("hann", 400)
    columns = [padded[i * 160 : i * 160 + 400] * window for i in range(samples.size // 160)]
    power = np.abs(np.fft.rfft(np.array(columns), axis=1)) ** 2

    def hz(mel: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:  # Slaney: linear, then log
        return np.where(mel < 15, mel * 200 / 3, 1000 * np.exp((mel - 15) * np.log(6.4) / 27))

    edges = hz(np.linspace(0, 15 + 27 * np.log(8) / np.log(6.4), 82))
    bins = np.arange(201) * 40.0
    filters = [
        np.interp(bins, edges[i : i + 3], [0, 2 / (edges[i + 2] - edges[i]), 0]) for i in range(80)
    ]
    log_mel = np.log10(np.maximum(np.array(filters) @ power.T, 1e-10))
    scaled: npt.NDArray[np.float64] = (np.maximum(log_mel, log_mel.max() - 8) + 4) / 4
    return scaled


def test_features_are_whispers_of_the_last_8_s_normalised(stand_in: Path) -> None:
    speech = np.concatenate((tone(300, 900), tone(2100, 600, 3000)))
    found = SmartTurn(stand_in).features(speech)
    assert found.shape == (1, 80, 800)
    assert found.dtype == np.float32
    whole = np.zeros(WINDOW_SAMPLES)
    whole[-speech.size :] = speech / 32768
    whole = (whole - whole.mean()) / np.sqrt(whole.var() + 1e-7)
    np.testing.assert_allclose(found[0], whisper_mel(whole), atol=2e-3)


def test_only_the_last_8_s_count_and_short_turns_end_at_the_same_place(stand_in: Path) -> None:
    model = SmartTurn(stand_in)
    last = np.concatenate([tone(hz, 800) for hz in range(200, 2200, 200)])
    assert last.size == WINDOW_SAMPLES
    longer = np.concatenate((tone(5000, 3000), last))
    np.testing.assert_array_equal(model.features(longer), model.features(last))
    short = model.features(tone(400, 500))[0]
    assert short[:, -20:].max() > short[:, :700].max() + 0.5, "zeros first, speech last"


def test_loudness_makes_no_difference(stand_in: Path) -> None:
    model = SmartTurn(stand_in)
    loud, soft = model.features(tone(700, 1000, 16000)), model.features(tone(700, 1000, 2000))
    np.testing.assert_allclose(loud, soft, atol=0.05)


def test_probability_is_the_models(stand_in: Path) -> None:
    model = SmartTurn(stand_in)
    assert model.probability(tone(200, 1000)) < 0.1
    assert model.probability(tone(5000, 1000)) > 0.8
    assert 0 <= model.probability(np.zeros(0, dtype=np.int16)) <= 1


def test_missing_file_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match=r"no file .*nowhere\.onnx.*docs/endpointing\.md"):
        SmartTurn(tmp_path / "nowhere.onnx")


def test_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_text("not a model")
    with pytest.raises(EngineUnavailable, match="no ONNX model that can be loaded"):
        SmartTurn(path)


def test_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node("Identity", ["audio"], ["out"])],
        "other",
        [value("audio", TensorProto.FLOAT, [1, 512])],
        [value("out", TensorProto.FLOAT, [1, 512])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(tmp_path / "other.onnx"))
    with pytest.raises(EngineUnavailable, match=r"takes \[\('audio'.*input_features \[1, 80, 800"):
        SmartTurn(tmp_path / "other.onnx")


def test_settings_say_whether_it_is_loaded(stand_in: Path) -> None:
    by_text = create_end_of_turn(TurnOptions(smart_turn_model=str(stand_in)))
    assert isinstance(by_text, Prosody)
    wanted = TurnOptions(endpointing="smart_turn", smart_turn_model=str(stand_in))
    assert isinstance(create_end_of_turn(wanted), SmartTurn)
    with pytest.raises(ConfigError, match="smart_turn_model names no file"):
        create_end_of_turn(replace(wanted, smart_turn_model=None))
