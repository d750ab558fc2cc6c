"""Plans as files, and the samples of the docs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from voicepipe.lab.capacity.plan import Plan, read_plan
from voicepipe.runtime.errors import VoicepipeError

SAMPLES = Path(__file__).parents[3] / "docs" / "capacity"

WORDS = {
    "asr": [{"model": "w", "decode_ms": "150", "threads": 2}],
    "llm": [
        {
            "model": "a",
            "prefill_ms": "2",
            "step_ms": "20",
            "step_of_four_ms": "50",
            "request_ms": "5",
            "threads": 2,
        }
    ],
    "tts": {"model": "p", "first_ms": "70", "ms_per_s": "90"},
}
"""Speeds that are no numbers."""


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_the_samples_say_what_was_measured_and_that_prices_are_samples(path: Path) -> None:
    plan = read_plan(path)
    pools = (plan.gateway, plan.asr, plan.llm, plan.tts)
    assert all(pool.source.startswith(("measured: ", "assumed: ")) for pool in pools)
    priced = [line for line in path.read_text().splitlines() if line.startswith("price_hour")]
    assert len(priced) == len(pools)
    assert all("SAMPLE" in line for line in priced)


def test_times_that_fit_measured_take_the_plans_place(tmp_path: Path) -> None:
    llm = {"model": "a", "prefill_ms": 2.0, "step_ms": 20.0, "step_of_four_ms": 50.0}
    speeds = {
        "cores": 2,
        "asr": [{"model": "w", "decode_ms": 150.0, "threads": 2}],
        "llm": [{**llm, "request_ms": 5.0, "threads": 2}],
        "tts": {"model": "p", "first_ms": 70.0, "ms_per_s": 90.0},
    }
    (tmp_path / "fit.json").write_text(json.dumps({"speeds": speeds}))
    (tmp_path / "plan.toml").write_text('speeds = "fit.json"\n[llm]\nslots = 4\n')
    plan = read_plan(tmp_path / "plan.toml")
    assert plan.asr.decode.mean_ms == 150.0
    assert plan.llm.first_token.mean_ms == 5.0 + plan.talk.new_tokens * 2.0
    assert plan.llm.slots == 4
    assert plan.llm.company == pytest.approx(0.5)
    assert (plan.tts.first_audio.mean_ms, plan.tts.ms_per_s) == (70.0, 90.0)


def test_times_may_come_from_the_turns_of_a_run(tmp_path: Path) -> None:
    turns = [{"work_ms": {"asr": 80.0}}, {"work_ms": {"asr": 120.0}}]
    (tmp_path / "turns.jsonl").write_text("\n".join(map(json.dumps, turns)))
    decode = {"kind": "recorded", "file": str(tmp_path / "turns.jsonl")}
    assert Plan.model_validate({"asr": {"decode": decode}}).asr.decode.kind == "recorded"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[llm]\nslot = 3", "llm.slot"),
        ("[talk]\nspeech_ms = [-9000, -8000]", "talk.speech_ms"),
        ("[talk]\nendpoint_ms = [-9000, 0]", "talk.endpoint_ms"),
        ("[traffic]\ncall_s = 0", "traffic.call_s"),
        ('[traffic]\npattern = "weekly"', "traffic.pattern"),
        ('speeds = "none.json"', "none.json"),
        ('speeds = "list.json"', "list.json: not what `voicepipe fit --json` writes"),
        ('speeds = "words.json"', "words.json: not what `voicepipe fit --json` writes"),
        ("= 3", "plan.toml"),
    ],
)
def test_a_wrong_plan_is_answered_with_its_field(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    (tmp_path / "list.json").write_text("[1]")
    (tmp_path / "words.json").write_text(json.dumps(WORDS))
    with pytest.raises(VoicepipeError) as error:
        read_plan(path)
    assert said in str(error.value)
