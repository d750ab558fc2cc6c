"""The `cpu` profile from its settings alone, on a machine that has its models: pulled from a mirror
with their checksums, served by real processes, spoken to over a real socket.

The models are stand-ins of the same files and formats (`scripts/make_stand_in_models.py`); the
recognizer among them really hears."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import time
from pathlib import Path

import pytest

from scripts.make_stand_in_models import make_stand_ins
from tests.e2e.machine import Machine, bare_machine
from tests.e2e.speaking import recording_of
from tests.e2e.spoken_turn import ask_aloud, engines_of
from tests.e2e.test_builtin import spoken_session, turn_events
from tests.serving import free_port
from voicepipe.config.loading import load_settings
from voicepipe.models.lock import Lock
from voicepipe.models.registry import Registry

WHISPER = "whisper-base.en"
GGUF = "qwen2.5-0.5b-instruct-q4_k_m"
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


def test_doctor_finds_all_well_and_tells_what_is_at_work(machine: Machine) -> None:
    assert machine.missing("cpu") == []
    told = machine.run("doctor", "--profile", "cpu").stdout
    assert f"llm  {GGUF}: stand-in for: chat model, 0.5B" in told
    assert "it follows simple instructions" in told
    assert "better ones: voicepipe fit" in told


async def test_a_spoken_question_is_answered(machine: Machine) -> None:
    with machine.serving("--profile", "cpu") as address:
        engines = await engines_of(address, "cpu")
        assert engines == {"asr": "faster_whisper", "llm": "llama_cpp", "tts": "piper"}
        record = await ask_aloud(address, "tell me a joke")
        assert record["token_ms"]["first"] > 0


def llama_workers(machine: Machine) -> list[int]:
    """Processes of llama.cpp that serve this machine's model."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = entry.read_bytes().split(b"\0")
        except OSError:  # it ended meanwhile
            continue
        ours = any(str(machine.data).encode() in part for part in command)
        if ours and any(b"llama_cpp_child" in part for part in command):
            found.append(int(entry.parent.name))
    return found


async def test_a_call_outlives_the_language_models_process(machine: Machine) -> None:
    with machine.serving("--profile", "cpu") as address:
        async with spoken_session(address) as (connection, speaker):
            speaker.say(recording_of("tell me a joke"))
            assert (await turn_events(connection))["status"] == "completed"
            (worker,) = await asyncio.to_thread(llama_workers, machine)
            os.kill(worker, signal.SIGKILL)
            speaker.say(recording_of("tell me a joke"))
            heard = await turn_events(connection)
        assert heard["status"] == "completed"
        assert len(heard["said"].split()) >= 2
        (heir,) = await asyncio.to_thread(llama_workers, machine)
        assert heir != worker


async def test_one_command_says_what_it_fetches_then_fetches_then_serves(
    stand_ins: tuple[Path, Registry], tmp_path: Path
) -> None:
    """On a machine with nothing; the mirror is what a hub would be."""
    folder, registry = stand_ins
    bare = bare_machine(tmp_path, folder / "registry.toml")
    options = ("--profile", "cpu", "--mirror", str(folder / "mirror"))
    with bare.serving(*options) as address:
        assert (await engines_of(address, "cpu"))["llm"] == "llama_cpp"
    log = (bare.home / "serve.log").read_text()
    fitted = bare.data / "voicepipe" / "models" / "fitted-cpu.toml"
    assert f"The choice is kept in {fitted}" in " ".join(log.split())
    chosen = load_settings(None, fitted, {}, {})
    assert (chosen.profile, chosen.llm.model, chosen.asr.model) == ("cpu", GGUF, WHISPER)
    announced = log.index("Fetching about")
    for name in (WHISPER, GGUF, VOICE):
        assert announced < log.index(f"  {name}  about") < log.index(f"{name}/")
        assert f"licence: {registry.get(name).licence}" in log
    with bare.serving(*options) as address:
        assert await engines_of(address, "cpu")
    log = (bare.home / "serve.log").read_text()
    assert "Fetching" not in log, "once is enough"
    assert "Measuring" not in log


def test_without_the_hub_it_says_so_at_once_with_the_other_ways(
    stand_ins: tuple[Path, Registry], tmp_path: Path
) -> None:
    folder, _ = stand_ins
    hub = f"http://127.0.0.1:{free_port()}"
    cut_off = bare_machine(tmp_path, folder / "registry.toml", {"HF_ENDPOINT": hub})
    began = time.monotonic()
    failed = cut_off.run("serve", "--profile", "cpu")
    assert time.monotonic() - began < 40, "it waited for nobody"
    assert failed.returncode == 2
    assert "Traceback" not in failed.stderr
    assert f"The model hub at {hub} cannot be reached from here" in failed.stderr
    for way in ("--mirror DIR|URL", "HF_HOME=DIR", "--set llm.model=FILE.gguf", "scripts/serve"):
        assert way in failed.stderr


@pytest.mark.parametrize("gone", [WHISPER, VOICE, GGUF])
def test_a_missing_model_is_named_with_the_command_that_fetches_it(
    machine: Machine, gone: str, tmp_path: Path
) -> None:
    lacking = Machine(machine.checkout, tmp_path)
    shutil.copytree(machine.data, lacking.data)
    shutil.rmtree(lacking.model(gone))
    failed = lacking.run("serve", "--profile", "cpu", "--no-pull", "--port", str(free_port()))
    assert failed.returncode == 2
    assert "Traceback" not in failed.stderr
    commands = {name: f"voicepipe models pull {name}" for name in (WHISPER, VOICE, GGUF)}
    assert [name for name, pull in commands.items() if pull in failed.stderr] == [gone]
    first = failed.stderr.splitlines()[0]
    assert first.startswith(f"voicepipe: error: model {gone} is not at {lacking.model(gone)}")
    assert first.endswith("or all of the profile: voicepipe models pull cpu")
