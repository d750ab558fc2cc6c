"""What doctor says of each profile, and a start that failed."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from voicepipe.cli.diagnosis import Facts, examine, with_all_missing
from voicepipe.cli.main import app
from voicepipe.config.loading import load_settings
from voicepipe.runtime.errors import ConfigError, EngineUnavailable


def facts(**changes: object) -> Facts:
    everything = dict.fromkeys(("webrtcvad-wheels", "faster-whisper", "ctranslate2"), "1")
    everything |= {"onnxruntime": "1", "espeakng-loader": "1", "piper-tts": "1"}
    everything |= {"xllamacpp": "1", "onnx": "1"}
    base: dict[str, object] = {
        "python": "3.11.9",
        "packages": everything,
        "gpus": 1,
        "gpu_driver": True,
        "cpu_vllm": False,
        "free_mb": 1,
        "answers": lambda _url: True,
    }
    return Facts(**(base | changes))  # type: ignore[arg-type]


def test_examine_names_each_missing_thing_and_how_to_get_it(tmp_path: Path) -> None:
    def missing(profile: str, **changes: object) -> str:
        settings = load_settings(profile, None, {}, {"models_dir": str(tmp_path)})
        report = examine(settings, facts(**changes))
        return "\n".join(f"{m.what} <- {m.get}" for m in report.missing)

    assert missing("simulated") == ""
    assert "model whisper-large-v3-turbo" in missing("gpu")
    assert "CUDA" not in missing("gpu")
    assert "asr.device=cpu" in missing("gpu", gpus=0)
    assert "package vllm" in missing("gpu")
    assert "model qwen3-4b-instruct-2507-fp8" in missing("gpu")
    assert "GPU for vLLM" not in missing("gpu")
    assert "GPU for vLLM" in missing("gpu", gpu_driver=False)
    assert "GPU for vLLM" not in missing("gpu", gpu_driver=False, cpu_vllm=True)
    assert "model qwen2.5-0.5b-instruct-q4_k_m" in missing("cpu")
    assert "server" not in missing("cpu", answers=lambda _url: False)
    assert "package piper-tts" in missing("cpu", packages={})
    assert "package onnx <-" in missing("cpu", packages={})  # which piper-tts does not bring
    assert "package xllamacpp" in missing("cpu", packages={})
    assert "package espeakng-loader" in missing("builtin", packages={})


def test_an_agents_phrases_are_model_enough_for_pocketsphinx() -> None:
    def lacks_a_model(**asr: object) -> bool:
        wanted: dict[str, object] = {
            "asr.engine": "pocketsphinx",
            "asr.model": "",
            "asr.second.engine": "",
        }
        wanted |= {f"asr.{key}": value for key, value in asr.items()}
        found = examine(load_settings("builtin", None, {}, wanted), facts()).missing
        return any(one.what == "asr model (none set)" for one in found)

    assert lacks_a_model()
    assert not lacks_a_model(phrases=["wo ist mein Paket"], language="de")


def test_examine_knows_compute_types_that_this_cpu_lacks() -> None:
    def asks(**changes: object) -> list[str]:
        settings = load_settings("gpu", None, {}, {"asr.device": changes.pop("device", "cpu")})
        found = examine(settings, facts(**changes)).missing
        return [one.get for one in found if "asr" in one.get]

    whole = "an NVIDIA driver with CUDA 12 (libcublas.so.12), or --set asr.device=cpu"
    assert asks(device="cuda", gpus=0) == [f"{whole} --set asr.compute_type=int8"]
    assert asks(device="cuda") == []
    assert asks() == ["--set asr.compute_type=int8"]
    assert asks(device="auto", gpus=0) == ["--set asr.compute_type=int8"]
    assert asks(device="auto") == []
    both = frozenset({"float32", "float16"})
    assert asks(cpu_types=both) == []
    assert asks(device="cuda", gpus=0, cpu_types=both) == [whole]


def test_a_start_that_failed_names_all_that_is_missing(tmp_path: Path) -> None:
    overrides = {"models_dir": str(tmp_path), "llm.base_url": "http://127.0.0.1:9/v1"}
    overrides |= {"llm.engine": "openai"}
    settings = load_settings("cpu", None, {}, overrides)
    failure = EngineUnavailable("model whisper-base.en is not there", stage="asr")
    told = with_all_missing(failure, settings)
    assert isinstance(told, EngineUnavailable)
    assert told.stage == "asr"
    first, *lines = str(told).splitlines()
    assert first == "model whisper-base.en is not there"
    assert len(lines) == 6, "two models and a server, each with its remedy"
    assert "    get: voicepipe models pull piper-en_US-ljspeech-medium" in lines
    (server,) = [line for line in lines if "llama-server" in line]
    assert server.endswith(
        "voicepipe models pull qwen2.5-0.5b-instruct-q4_k_m; then llama-server -m "
        '"$(voicepipe models path qwen2.5-0.5b-instruct-q4_k_m)" --port 9'
    )
    simulated = load_settings("simulated", None, {}, {})
    assert with_all_missing(failure, simulated) is failure, "nothing is missing there"
    other = ConfigError("no such engine")
    assert with_all_missing(other, settings) is other


def test_examine_looks_at_the_engines_that_stand_in_for_others(tmp_path: Path) -> None:
    def report(**settings: str) -> tuple[dict[str, str], str]:
        overrides = {name.replace("__", "."): value for name, value in settings.items()}
        overrides["models_dir"] = str(tmp_path)
        found = examine(load_settings("simulated", None, {}, overrides), facts(answers=is_ours))
        return found.engines, "\n".join(f"{m.what} <- {m.get}" for m in found.missing)

    def is_ours(url: str) -> bool:
        return ":8000/" in url

    engines, missing = report()
    assert set(engines) == {"vad", "asr", "llm", "tts"}
    assert missing == ""
    engines, missing = report(
        asr__fallback__engine="faster_whisper",
        asr__fallback__model="whisper-base.en",
        tts__fallback__engine="piper",
    )
    assert engines["asr.fallback"] == "faster_whisper"
    assert "model whisper-base.en" in missing
    assert "voicepipe models pull whisper-base.en" in missing
    assert "set tts.fallback.model to a model" in missing
    servers = {"llm__fallback__engine": "openai", "llm__cascade__engine": "openai"}
    assert report(**servers, llm__fallback__base_url="http://gpu:8000/v1") == (
        {**engines_of_simulated(), "llm.fallback": "openai", "llm.cascade": "openai"},
        "llm.cascade.base_url <- --set llm.cascade.base_url=http://127.0.0.1:8081/v1",
    )
    _, missing = report(**servers, llm__base_url="http://gpu:8002/v1")
    assert missing.count("a language model server at http://gpu:8002/v1") == 2
    assert "set llm.fallback.base_url to where it is" in missing
    _, missing = report(tts__fallback__engine="esbeak")
    assert (
        "tts.fallback.engine: there is no engine 'esbeak'; did you mean 'espeak'? Known: espeak, "
        "openai, piper" in missing
    )
    voice = {"tts__fallback__engine": "openai"}
    assert report(**voice)[1] == (
        "tts.fallback.base_url <- --set tts.fallback.base_url=http://127.0.0.1:8880/v1"
    )
    assert report(**voice, tts__fallback__base_url="http://gpu:8000/v1")[1] == ""
    _, missing = report(**voice, tts__fallback__base_url="http://gpu:8002/v1")
    assert missing.startswith("a speech server at http://gpu:8002/v1 <- start the server, or set ")
    assert missing.endswith("set tts.fallback.base_url to where it is")


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:99999/v1", "http://[::1/v1", "http://gpu..example/v1"]
)
def test_an_address_that_is_none_is_told_and_ends_no_diagnosis(url: str) -> None:
    """It would hide, too, why a start has failed."""
    overrides = {"llm.engine": "openai", "llm.base_url": url}
    overrides["llm.model"] = "qwen2.5-0.5b-instruct-q4_k_m"
    settings = load_settings("simulated", None, {}, overrides)
    told = str(with_all_missing(EngineUnavailable("it did not start", stage="llm"), settings))
    assert told.startswith("it did not start\nmissing: a language model server at " + url)


def engines_of_simulated() -> dict[str, str]:
    return {**dict.fromkeys(("asr", "llm", "tts"), "simulated"), "vad": "webrtc"}


TOOLS = """
[[tools.http]]
name = "order"
url = "http://127.0.0.1:9/orders"
[[tools.mcp]]
label = "bookings"
command = ["no-such-program-x"]
[[tools.mcp]]
label = "diary"
url = "http://127.0.0.1:9/mcp"
"""


def test_tools_behind_which_nobody_is_keep_no_server_from_starting(tmp_path: Path) -> None:
    file = tmp_path / "voicepipe.toml"
    file.write_text(TOOLS)
    report = examine(load_settings("simulated", file, {}), facts(answers=lambda _url: False))
    assert report.can_run
    assert report.absent_tools == (
        "tools.http[0] (order): nobody answers at its url",
        "tools.mcp[0] (bookings): there is no program 'no-such-program-x'",
        "tools.mcp[1] (diary): nobody answers at its url",
    )
    told = CliRunner().invoke(app, ["doctor", "--profile", "simulated", "--config", str(file)])
    assert told.output.count("tools.http[0] (order)") == 1, "once, not once for each profile"


def test_a_program_is_looked_for_where_it_will_be_started(tmp_path: Path) -> None:
    place = tmp_path / "tools"
    place.mkdir()
    program = place / "diary"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    file = tmp_path / "voicepipe.toml"
    file.write_text(
        f'''
[[tools.mcp]]
label = "by_folder"
command = ["./diary"]
cwd = "{place}"
[[tools.mcp]]
label = "by_path"
command = ["diary"]
env = {{ PATH = "{place}" }}
[[tools.mcp]]
label = "nowhere"
command = ["./no-diary"]
cwd = "{place}"
'''
    )
    report = examine(load_settings("simulated", file, {}), facts())
    assert report.absent_tools == ("tools.mcp[2] (nowhere): there is no program './no-diary'",)


def test_tools_that_are_set_up_wrongly_do(tmp_path: Path) -> None:
    file = tmp_path / "voicepipe.toml"
    file.write_text(
        TOOLS + 'headers = { a = "${NO_SUCH_VARIABLE_X}" }\n[tools]\nfiles = ["x.py"]\n'
    )
    report = examine(load_settings("simulated", file, {}), facts())
    assert [missing.what for missing in report.missing] == [
        "tools.files: x.py: no such file",
        "tools.mcp[1] (diary): headers.a needs the environment variable NO_SUCH_VARIABLE_X, "
        "which is not set",
    ]
