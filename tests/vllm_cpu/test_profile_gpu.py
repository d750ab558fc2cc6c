"""The `gpu` profile on a machine that has its models and no GPU: all its engines in one
environment, and its own settings but for what a CPU cannot do. The models are stand-ins, pulled
from a mirror; see `tests/e2e/test_profile_cpu.py`, which does the same for the other profile."""

from __future__ import annotations

from pathlib import Path

from scripts.make_stand_in_models import make_stand_ins
from tests.e2e.machine import bare_machine
from tests.e2e.spoken_turn import ask_aloud, engines_of
from tests.vllm_cpu.conftest import VARIABLES

START_S = 300.0

WITHOUT_A_GPU = {
    "asr.device": "cpu",
    "asr.compute_type": "int8",  # CPUs have no float16
    "llm.vllm.enforce_eager": "true",  # it can compile, but that takes longer than all the rest
}
"""All settings that differ from the profile's."""


async def test_the_profile_answers_a_spoken_question(tmp_path: Path) -> None:
    make_stand_ins(tmp_path, ["gpu"])
    machine = bare_machine(tmp_path, tmp_path / "registry.toml", VARIABLES)
    pulled = machine.run("models", "pull", "gpu", "--mirror", str(tmp_path / "mirror"))
    assert pulled.returncode == 0, pulled.stderr
    forced = [f"{key}={value}" for key, value in WITHOUT_A_GPU.items()]
    options = [part for pair in forced for part in ("--set", pair)]
    (lacking,) = machine.missing("gpu")
    assert all(f"--set {pair}" in lacking["get"] for pair in forced[:2])
    assert machine.missing("gpu", *options) == []

    with machine.serving("--profile", "gpu", *options, start_s=START_S) as address:
        engines = await engines_of(address, "gpu")
        assert engines == {"asr": "faster_whisper", "llm": "vllm", "tts": "piper"}
        record = await ask_aloud(address, "tell me a joke")
        assert record["token_ms"]["first"] > 0
