"""Measuring, on small models: figures that a turn could be made of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.make_piper_voice import write_voice
from scripts.stand_in_gguf import write_gguf
from tests.e2e.machine import ROOT, Machine
from voicepipe.config.loading import load_settings
from voicepipe.fit.measure import Answered, llm_speed, measure_asr, measure_llm, measure_tts
from voicepipe.fit.table import probe
from voicepipe.models.registry import packaged_models_dir


async def test_each_stage_is_run_as_a_turn_runs_it(tmp_path: Path) -> None:
    settings = load_settings("cpu", None, {}, {})
    told: list[str] = []
    asr = await measure_asr(settings, "tiny", packaged_models_dir() / "builtin/asr", told.append)
    assert asr.model == "tiny"
    assert 0 < asr.decode_ms < 5000
    write_gguf(tmp_path / "model.gguf")
    llm = await measure_llm(settings, "small", tmp_path / "model.gguf", told.append)
    assert llm.prefill_ms > 0
    assert llm.step_ms > 0
    assert llm.step_of_four_ms > 0
    assert llm.prompt_ms(20) > llm.prompt_ms(10) > 0
    write_voice(tmp_path / "voice.onnx")
    tts = await measure_tts(settings, "murmur", tmp_path / "voice.onnx", told.append)
    assert tts.first_ms > 0
    assert 0 < tts.ms_per_s < 1000, "faster than it is heard"
    assert 5 < tts.chars_per_s < 40
    assert told == ["recognizer tiny", "language model small", "voice murmur"]


def test_a_step_is_the_least_of_what_was_timed_and_one_of_four_the_most() -> None:
    talks = [
        (Answered(130.0, 3.0, 120), Answered(21.0, 2.5, 10)),
        (Answered(120.0, 2.0, 120), Answered(20.0, 4.0, 10)),
    ]
    four = [Answered(step_ms=step) for step in (5.0, 6.0, 5.5, 5.0)]
    speed = llm_speed("small", talks, four)
    assert (speed.step_ms, speed.step_of_four_ms) == (2.0, 6.0)
    assert speed.prefill_ms == pytest.approx(100 / 110)
    assert speed.request_ms == pytest.approx(20 - 10 * 100 / 110)


def test_one_answer_is_no_slower_than_four_where_the_machine_was_busy_with_the_one() -> None:
    talks = [(Answered(120.0, 3.5, 120), Answered(20.0, 3.6, 10))]
    four = [Answered(step_ms=step) for step in (2.1, 2.3, 2.2, 2.1)]
    speed = llm_speed("small", talks, four)
    assert (speed.step_ms, speed.step_of_four_ms) == (2.3, 2.3)


def test_no_request_takes_longer_than_its_answer_where_the_machine_was_busy_with_the_long_one() -> (
    None
):
    talks = [(Answered(5.0, 3.5, 120), Answered(9.0, 3.6, 10))]
    speed = llm_speed("small", talks, [Answered(step_ms=4.0)] * 4)
    assert speed.prefill_ms == 0.01
    assert speed.request_ms == pytest.approx(8.9)


def test_the_probe_finds_a_machine() -> None:
    found = probe()
    assert found.gflops > 0.1
    assert found.gbytes > 0.1


def test_the_command_shows_a_table_a_picture_and_advice_and_writes_settings(
    tmp_path: Path,
) -> None:
    machine = Machine(ROOT, tmp_path)
    out, measured = tmp_path / "voicepipe.toml", tmp_path / "speeds.json"
    done = machine.run("fit", "--table", "--write", str(out), "--json", str(measured))
    assert done.returncode == 0, done.stderr
    for words in ("1 callers", "64 callers", "together", "┤ 800 ms", "What takes longest is"):
        assert words in done.stdout
    assert load_settings(None, out, {}, {}).llm.engine == "llama_cpp"
    assert json.loads(measured.read_text())["speeds"]["source"].startswith("a table")
    again = machine.run("fit", "--table", "--write", str(out))
    assert again.returncode == 2
    assert "--force writes over it" in again.stderr
