"""The `cpu` profile from its settings alone, on a machine that has its models: pulled from a mirror
with their checksums, served by real processes, spoken to over a real socket.

The models are stand-ins of the same files and formats (`scripts/make_stand_in_models.py`); the
recognizer among them really hears. Two settings are given because tests may run side by side: the
server's port and the language model server's."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.make_stand_in_models import make_stand_ins
from tests.e2e.machine import Machine, bare_machine
from tests.e2e.spoken_turn import ask_aloud, engines_of
from tests.llm.llama_server import llama_server
from tests.serving import free_port
from voicepipe.config.loading import load_settings
from voicepipe.models.lock import Lock
from voicepipe.models.registry import Registry

WHISPER = "whisper-base.en"
GGUF = "qwen2.5-1.5b-instruct-q4_k_m"
VOICE = "piper-en_US-ljspeech-medium"


@pytest.fixture(scope="module")
def stand_ins(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Registry]:
    """A mirror with its registry beside it, and what that says."""
    folder = tmp_path_factory.mktemp("stand-ins")
    return folder, make_stand_ins(folder, ["cpu"])


@pytest.fixture(scope="module")
def machine(stand_ins: tuple[Path, Registry], tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """One that has pulled the profile."""
    folder, _ = stand_ins
    made = bare_machine(tmp_path_factory.mktemp("machine"), folder / "registry.toml")
    done = made.run("models", "pull", "cpu", "--mirror", str(folder / "mirror"))
    assert done.returncode == 0, done.stderr
    return made


@pytest.fixture(scope="module")
def llama(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Base URL of llama.cpp, serving the file that `models path` names."""
    place = machine.run("models", "path", GGUF).stdout.strip()
    log = tmp_path_factory.mktemp("llama") / "log"
    with llama_server(Path(place), free_port(), log) as url:
        yield url


def test_a_pull_fetches_all_that_the_profile_names_and_checks_it(
    machine: Machine, stand_ins: tuple[Path, Registry]
) -> None:
    settings = load_settings("cpu", None, {}, {})
    named = {settings.asr.model, settings.llm.model, settings.tts.model}
    assert named == {WHISPER, GGUF, VOICE}
    _, registry = stand_ins
    locked = Lock.read(machine.data / "voicepipe" / "models").models
    assert locked.keys() == named
    for name, model in locked.items():
        assert model.complete
        known = {file.name: (file.size, file.sha256) for file in registry.get(name).files}
        assert {file: (it.size, it.sha256) for file, it in model.files.items()} == known
        assert {file.origin for file in model.files.values()} == {"registry"}
    verified = machine.run("models", "verify")
    assert (verified.returncode, verified.stdout.count("ok ")) == (0, 7)


def test_a_file_with_a_wrong_byte_is_refused(
    machine: Machine, stand_ins: tuple[Path, Registry], tmp_path: Path
) -> None:
    folder, _ = stand_ins
    shutil.copytree(folder / "mirror", tmp_path / "mirror")
    weights = tmp_path / "mirror" / WHISPER / "model.bin"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x7f")
    other = Machine(machine.checkout, tmp_path)
    done = other.run("models", "pull", "cpu", "--mirror", str(tmp_path / "mirror"))
    assert done.returncode == 2
    assert f"{WHISPER} could not be pulled" in done.stderr
    assert "its sha256 is" in done.stderr
    assert not (other.model(WHISPER) / "model.bin").exists()
    assert (other.model(VOICE) / "en_US-ljspeech-medium.onnx").exists(), "the others have come"


def test_doctor_finds_all_well(machine: Machine, llama: str) -> None:
    assert machine.missing("cpu", "--set", f"llm.base_url={llama}") == []


async def test_a_spoken_question_is_answered(machine: Machine, llama: str) -> None:
    with machine.serving("--profile", "cpu", "--set", f"llm.base_url={llama}") as address:
        engines = await engines_of(address, "cpu")
        assert engines == {"asr": "faster_whisper", "llm": "openai", "tts": "piper"}
        await ask_aloud(address, "tell me a joke")


@pytest.mark.parametrize("gone", [WHISPER, VOICE, GGUF])
def test_a_missing_model_is_named_with_the_command_that_fetches_it(
    machine: Machine, gone: str, tmp_path: Path
) -> None:
    lacking = Machine(machine.checkout, tmp_path)
    shutil.copytree(machine.data, lacking.data)
    shutil.rmtree(lacking.model(gone))
    nobody = f"http://127.0.0.1:{free_port()}/v1"
    options = ("--port", str(free_port()), "--set", f"llm.base_url={nobody}")
    failed = lacking.run("serve", "--profile", "cpu", *options)
    assert failed.returncode == 2
    assert "Traceback" not in failed.stderr
    commands = {name: f"voicepipe models pull {name}" for name in (WHISPER, VOICE, GGUF)}
    assert [name for name, pull in commands.items() if pull in failed.stderr] == [gone]
    assert f"missing: a language model server at {nobody}" in failed.stderr
    assert "llama-server -m" in failed.stderr
    if gone != GGUF:  # then it is found before anything starts, and told first
        first = failed.stderr.splitlines()[0]
        assert first.startswith(f"voicepipe: error: model {gone} is not at {lacking.model(gone)}")
        assert first.endswith("or all of the profile: voicepipe models pull cpu")
