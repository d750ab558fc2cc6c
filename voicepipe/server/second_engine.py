"""The settings of an engine that stands in for another one of its stage."""

from __future__ import annotations

from voicepipe.config import Settings, catalogue
from voicepipe.config.engines import Stage

SECOND_ENGINES: tuple[tuple[Stage, str], ...] = (
    ("asr", "second"),
    ("asr", "fallback"),
    ("llm", "fallback"),
    ("llm", "cascade"),
    ("tts", "fallback"),
)
"""Stage and section of all there may be; one whose `engine` is "" is not wanted."""

SECOND_SEED = 1000
"""Added to the seed of simulated engines that stand in for others: they are not late together."""


def second_settings(settings: Settings, stage: Stage, section: str) -> Settings:
    """The settings as they are for another engine of a stage: what `section` ("fallback",
    "cascade") leaves open is as for the first one, but no key goes to a host it was not meant for.

    Raises ConfigError for an engine nobody knows.
    """
    first = getattr(settings, stage)
    other = getattr(first, section)
    catalogue.find(stage, other.engine, f"{stage}.{section}.engine")
    changes = {"engine": other.engine, "model": other.model or first.model}
    if stage in {"llm", "tts"} and other.base_url:
        changes |= {"base_url": other.base_url, "api_key": other.api_key}
    if section == "cascade":
        changes["logprobs"] = first.logprobs or other.min_logprob is not None
    if stage == "tts":
        changes["voice"] = other.voice
        changes["audio_format"] = other.audio_format or first.audio_format
        changes["sample_rate"] = other.sample_rate or first.sample_rate
    seed = settings.simulated.seed + SECOND_SEED
    return settings.model_copy(
        update={
            stage: first.model_copy(update=changes),
            "simulated": settings.simulated.model_copy(update={"seed": seed}),
        }
    )
