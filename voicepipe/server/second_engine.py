"""The settings of an engine that stands beside the first one of its stage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from voicepipe.config import Settings, TtsSettings, catalogue
from voicepipe.config.engines import Stage
from voicepipe.runtime.errors import ConfigError
from voicepipe.tts.by_language import ESPEAK

_SECTIONS: tuple[tuple[Stage, str], ...] = (
    ("asr", "second"),
    ("asr", "fallback"),
    ("llm", "fallback"),
    ("llm", "cascade"),
    ("tts", "fallback"),
)
"""Stage and section of those there may be one of; one whose `engine` is "" is not wanted."""

OTHERS = "others."
"""Before the name of a language model that a call may choose."""

SECOND_SEED = 1000
"""Added to the seed of simulated engines that stand in for others: they are not late together."""


def second_engines(settings: Settings) -> Iterator[tuple[Stage, str]]:
    """Stage and section of all that are wanted: ("llm", "fallback"), ("llm", "others.big")."""
    for stage, section in _SECTIONS:
        if second_section(settings, stage, section).engine:
            yield stage, section
    for name in settings.llm.others:
        yield "llm", OTHERS + name


def second_section(settings: Settings, stage: Stage, section: str) -> Any:
    """What the settings say of it."""
    if section.startswith(OTHERS):
        return settings.llm.others[section.removeprefix(OTHERS)]
    return getattr(getattr(settings, stage), section)


def second_settings(settings: Settings, stage: Stage, section: str) -> Settings:
    """The settings as they are for another engine of a stage: what `section` ("fallback",
    "others.big") leaves open is as for the first one, but no key goes to a host it was not meant
    for.

    Raises ConfigError for an engine nobody knows, and for a key that is for no server.
    """
    first = getattr(settings, stage)
    other = second_section(settings, stage, section)
    catalogue.find(stage, other.engine, f"{stage}.{section}.engine")
    changes = {"engine": other.engine, "model": other.model or first.model}
    if stage in {"llm", "tts"}:
        if other.base_url:
            changes |= {"base_url": other.base_url, "api_key": other.api_key}
        elif other.api_key is not None:
            name = f"{stage}.{section}"
            problem = f"{name}.api_key: set {name}.base_url too, the server that it is for"
            raise ConfigError(problem)
        elif first.base_url is None and other.engine != first.engine:
            changes["api_key"] = None  # each engine knows its own host
    if section == "cascade":
        changes["logprobs"] = first.logprobs or other.min_logprob is not None
    if stage == "tts":
        changes["voice"] = other.voice
        changes["voices"] = _voices(first, other.engine)
        changes["audio_format"] = other.audio_format or first.audio_format
        changes["sample_rate"] = other.sample_rate or first.sample_rate
    seed = settings.simulated.seed + SECOND_SEED
    return settings.model_copy(
        update={
            stage: first.model_copy(update=changes),
            "simulated": settings.simulated.model_copy(update={"seed": seed}),
        }
    )


def _voices(first: TtsSettings, engine: str) -> dict[str, str]:
    """Those of `first` that `engine` may speak with in its place: another engine does not have its
    voices, and is not to load one while a caller waits."""
    if engine == first.engine:
        return first.voices
    return {code: name for code, name in first.voices.items() if name.startswith(ESPEAK)}
