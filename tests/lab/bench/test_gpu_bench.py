"""scripts/gpu_bench.py: with simulated parts it runs anywhere; its floors are physics."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from scripts.llm_bench.load import Figures, Texts, measure
from scripts.llm_bench.report import floors_ms, row, table
from scripts.llm_bench.shapes import LLAMA_8B, TINY, write_shape
from voicepipe.config import LatencySettings, SimulatedSettings
from voicepipe.llm.chat_template import ChatTemplate
from voicepipe.llm.contract import Message
from voicepipe.llm.engines.simulated import SimulatedModel
from voicepipe.llm.token_prompt import TokenPrompts, stop_token_ids

ROOT = Path(__file__).resolve().parents[3]


def test_an_8b_shape_has_eight_billion_parameters() -> None:
    assert LLAMA_8B.linear_parameters / 1e9 == pytest.approx(6.98, abs=0.01)
    assert LLAMA_8B.head_parameters / 1e9 == pytest.approx(0.53, abs=0.01)
    assert LLAMA_8B.kv_bytes == pytest.approx(131_000, rel=0.01)


@pytest.mark.parametrize(
    ("weights", "first_ms", "token_ms"), [("bf16", 3.5, 3.5), ("fp8", 1.9, 1.9), ("int4", 1.1, 1.1)]
)
def test_floors_are_the_time_of_reading_the_weights(
    weights: str, first_ms: float, token_ms: float
) -> None:
    first, token = floors_ms(LLAMA_8B, weights, cache=True, sessions=1)
    assert first == pytest.approx(first_ms, abs=0.1)
    assert token == pytest.approx(token_ms, abs=0.1)
    assert floors_ms(LLAMA_8B, weights, cache=True, sessions=64)[1] > token + 1.5
    assert floors_ms(LLAMA_8B, weights, cache=False, sessions=1)[0] > 2 * first


def test_a_shape_is_a_model_directory_with_one_token_a_word(tmp_path: Path) -> None:
    folder = write_shape(TINY, tmp_path / "tiny", int4=True)
    config = json.loads((folder / "config.json").read_text())
    assert config["quantization_config"]["bits"] == 4
    tokenizer: Tokenizer = TokenPrompts(ChatTemplate(folder), 512).tokenizer
    system = Texts(system_tokens=100).system
    ids = tokenizer.encode(system, add_special_tokens=False).ids
    assert len(ids) == 100
    assert tokenizer.decode(ids) == system
    text = ChatTemplate(folder).render((Message("user", "w1 w2"),))
    assert len(tokenizer.encode(text, add_special_tokens=False).ids) == 7
    assert stop_token_ids(tokenizer, folder), "its end of turn is known"


def test_prompts_have_their_number_of_tokens_for_real_tokenizers_too() -> None:
    tokenizer = ChatTemplate(ROOT / "models" / "builtin" / "llm-hf").tokenizer
    texts = Texts(tokenizer, system_tokens=200)
    assert 200 <= len(tokenizer.encode(texts.system).ids) < 205
    chosen = random.Random(1)
    assert texts.question(chosen) != texts.question(chosen)


async def test_sessions_are_measured_and_told_in_a_table() -> None:
    settings = SimulatedSettings(
        answer="one two three four",
        llm_first_token=LatencySettings(mean_ms=20),
        llm_per_token=LatencySettings(mean_ms=5),
    )
    figures = await measure(SimulatedModel(settings), Texts(), sessions=3, rounds=2, seed=1)
    assert len(figures.first_ms) == len(figures.token_ms) == 6
    assert min(figures.first_ms) >= 19
    assert min(figures.token_ms) >= 3
    made = row("fp8", True, "", 3, figures, LLAMA_8B)
    assert made.floor_token_ms is not None
    (line,) = table([made]).splitlines()[2:]
    assert line.startswith("| fp8 | on | none | 3 | 6 |")
    drafted = row("fp8", True, "ngram", 3, Figures([1.0], [1.0], [1.0], 4, 2, 8, 6), LLAMA_8B)
    assert drafted.floor_token_ms is None, "a drafter may pass it"
    assert (drafted.cached_share, drafted.accepted_share) == (0.5, 0.75)


def test_it_runs_with_simulated_parts(tmp_path: Path) -> None:
    out = tmp_path / "rows.json"
    command = [sys.executable, "scripts/gpu_bench.py", "--simulated", "--sessions", "2"]
    command += ["--requests", "4", "--turn-sessions", "0", "--json", str(out)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 0, done.stderr
    assert "gpu_bench.py --simulated" in done.stdout, "the command stands with its figures"
    assert "the figures are the settings' own" in done.stdout
    (found,) = json.loads(out.read_text())
    assert (found["weights"], found["sessions"], found["requests"]) == ("simulated", 2, 4)
    assert found["floor_first_ms"] is None
