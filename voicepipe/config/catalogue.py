"""Every engine that the settings may name: what ships with voicepipe, and what is installed.

This is the only list of built-in engines: loader, doctor and server read it.
"""

from __future__ import annotations

import difflib
import logging
from collections.abc import Mapping
from functools import cache
from typing import get_args

from voicepipe.config.engines import Engine, Stage
from voicepipe.config.section import Section
from voicepipe.runtime.errors import ConfigError
from voicepipe.runtime.plugins import installed, load_plugin

log = logging.getLogger(__name__)

STAGES: tuple[Stage, ...] = get_args(Stage)

_WHISPER = ("faster-whisper", "ctranslate2")

BUILT_IN: Mapping[Stage, Mapping[str, Engine]] = {
    "vad": {
        "gated": Engine(
            "voicepipe.vad.gated:make",
            packages=("webrtcvad-wheels", "faster-whisper", "onnxruntime"),
        ),
        "silero": Engine("voicepipe.vad.silero:make", packages=("faster-whisper", "onnxruntime")),
        "webrtc": Engine("voicepipe.vad.webrtc:make", packages=("webrtcvad-wheels",)),
    },
    "asr": {
        "faster_whisper": Engine(
            "voicepipe.asr.engines.faster_whisper:make", model=True, packages=_WHISPER
        ),
        "pocketsphinx": Engine(
            "voicepipe.asr.engines.pocketsphinx:make", model=True, packages=("pocketsphinx",)
        ),
        "ray": Engine("voicepipe.cluster.pool_engines:make_recognizer", settings_at="cluster"),
        "simulated": Engine("voicepipe.asr.engines.simulated:make", settings_at="simulated"),
        "transformers": Engine(
            "voicepipe.asr.engines.transformers:make",
            model=True,
            packages=("torch", "transformers"),
        ),
    },
    "llm": {
        "ctranslate2": Engine(
            "voicepipe.llm.engines.ctranslate2:make", model=True, packages=("ctranslate2",)
        ),
        "llama_cpp": Engine(
            "voicepipe.llm.engines.llama_cpp:make", model=True, packages=("xllamacpp",)
        ),
        "openai": Engine("voicepipe.llm.engines.openai:make"),
        "ray": Engine("voicepipe.cluster.pool_engines:make_language_model", settings_at="cluster"),
        "simulated": Engine("voicepipe.llm.engines.simulated:make", settings_at="simulated"),
        "vllm": Engine("voicepipe.llm.engines.vllm:make", model=True, packages=("vllm",)),
    },
    "tts": {
        "espeak": Engine("voicepipe.tts.engines.espeak:make", packages=("espeakng-loader",)),
        "openai": Engine("voicepipe.tts.engines.openai:make"),
        "piper": Engine(
            "voicepipe.tts.engines.piper:make",
            model=True,
            packages=("piper-tts", "onnx", "onnxruntime"),
        ),
        "ray": Engine("voicepipe.cluster.pool_engines:make_synthesizer", settings_at="cluster"),
        "simulated": Engine("voicepipe.tts.engines.simulated:make", settings_at="simulated"),
    },
}


def group_of(stage: Stage) -> str:
    """The entry point group in which packages offer engines of a stage."""
    return f"voicepipe.{stage}"


def names(stage: Stage) -> tuple[str, ...]:
    """All that `STAGE.engine` may be, sorted."""
    return tuple(sorted({*BUILT_IN[stage], *installed(group_of(stage))}))


def find(stage: Stage, name: str, setting: str = "") -> Engine:
    """The engine of that name. `setting`: the key that names it, by default `STAGE.engine`.

    Raises ConfigError for a name nobody knows, naming the nearest, and for a package that cannot
    be imported or offers something else.
    """
    setting = setting or f"{stage}.engine"
    if name in BUILT_IN[stage]:
        return BUILT_IN[stage][name]
    if name not in installed(group_of(stage)):
        near = difflib.get_close_matches(name, names(stage), n=1)
        hint = f"; did you mean {near[0]!r}?" if near else "."
        raise ConfigError(
            f"{setting}: there is no engine {name!r}{hint} Known: {', '.join(names(stage))}."
        )
    return load_plugin(group_of(stage), name, Engine, setting)


def settings_key(name: str) -> str:
    """Where an installed engine's own settings are, below its stage."""
    return name.replace("-", "_")


def own_settings(engine: Engine, section: Section) -> Section | None:
    """An installed engine's own settings, out of those of its stage; None: it has none."""
    if engine.settings is None:
        return None
    own = getattr(section, settings_key(getattr(section, "engine", "")), None)
    return own if isinstance(own, engine.settings) else engine.settings()


@cache
def plugged_in() -> Mapping[tuple[Stage, str], Engine]:
    """The installed packages' engines, by stage and name. One that cannot be imported is left out
    with a warning: only who asks for it must be told more."""
    found = {}
    for stage in STAGES:
        for name in installed(group_of(stage)):
            try:
                found[stage, name] = find(stage, name)
            except ConfigError as error:
                log.warning("%s", error)
    return found
