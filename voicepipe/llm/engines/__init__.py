"""Language model engines by name: the built-in ones, and third parties' by entry points.

Worker processes import this package on their way to an engine's child module, so nothing heavy is
imported here: a crashed worker is back in a fraction of a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from voicepipe.runtime.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from voicepipe.config import Settings
    from voicepipe.llm.contract import LanguageModel

ENTRY_POINT_GROUP = "voicepipe.llm"
"""Each entry is a callable `(settings: Settings, model_dir: Path | None) -> LanguageModel`."""

BUILTIN_ENGINES = ("ctranslate2", "llama_cpp", "openai", "simulated", "vllm")


def create_language_model(settings: Settings, model_dir: Path | None) -> LanguageModel:
    """The engine that `settings.llm.engine` names, not yet started.

    `model_dir`: where `settings.llm.model` was found, for engines that load weights. Raises
    ConfigError for an unknown name, a missing model directory or an entry point that cannot be
    loaded; EngineUnavailable if a built-in engine lacks a setting."""
    name = settings.llm.engine
    if name == "ctranslate2":
        from voicepipe.llm.engines.ctranslate2 import CTranslate2Model

        return CTranslate2Model(settings.llm, _found(model_dir, settings))
    if name == "llama_cpp":
        from voicepipe.llm.engines.llama_cpp import LlamaCppModel

        draft_file = _draft(settings.llm.llama_cpp.speculative.model, settings)
        return LlamaCppModel(settings.llm, _found(model_dir, settings), draft_file)
    if name == "openai":
        from voicepipe.llm.engines.openai import OpenAICompatibleModel

        return OpenAICompatibleModel(settings.llm)
    if name == "simulated":
        from voicepipe.llm.engines.simulated import SimulatedModel

        return SimulatedModel(settings.simulated)
    if name == "vllm":
        from voicepipe.llm.engines.vllm import VllmModel

        draft_dir = _draft(settings.llm.vllm.speculative.model, settings)
        return VllmModel(settings.llm, _found(model_dir, settings), draft_dir)
    from voicepipe.runtime import plugins

    factory = plugins.load_plugin(ENTRY_POINT_GROUP, name, BUILTIN_ENGINES)
    model: LanguageModel = factory(settings, model_dir)
    return model


def _draft(name: str, settings: Settings) -> Path | None:
    from voicepipe.models.resolve import model_path

    return model_path(name, settings) if name else None


def _found(model_dir: Path | None, settings: Settings) -> Path:
    if model_dir is None:
        raise ConfigError(
            f"llm.engine = {settings.llm.engine!r} needs a model; llm.model = "
            f"{settings.llm.model!r} was not found. Give a directory or a name that "
            "`voicepipe models list` shows."
        )
    return model_dir
