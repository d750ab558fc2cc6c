"""Which models a server's settings put to work, what they cannot do, and how to get better ones.

For `voicepipe doctor` and the page, which say it in the same words.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from voicepipe.config import Settings, catalogue
from voicepipe.models.registry import Registry, load_registry

STAGES = ("asr", "llm", "tts")

_WITHOUT_MODEL = {
    ("tts", "espeak"): ("espeak-ng, over a hundred languages", "it sounds like a robot"),
    ("asr", "simulated"): ("scripted, for load tests", "it hears nothing"),
    ("llm", "simulated"): ("scripted, for load tests", "it understands nothing"),
    ("tts", "simulated"): ("scripted, for load tests", "it says nothing"),
}

_BETTER = {
    "builtin": "scripts/serve --profile cpu",
    "simulated": "scripts/serve",
    "cpu": "voicepipe fit",
}
"""The one command, by profile. `gpu` has the largest that we know."""


@dataclass(frozen=True, slots=True)
class ModelAtWork:
    """`limits`: what it cannot do, in a sentence without its full stop; "" where none is known."""

    stage: str
    engine: str
    model: str
    about: str
    limits: str = ""


def models_at_work(settings: Settings, registry: Registry | None = None) -> list[ModelAtWork]:
    """One for each stage."""
    registry = registry or _shipped()
    return [_at_work(stage, settings, registry) for stage in STAGES]


@cache
def _shipped() -> Registry:
    """Read once: pages ask again and again."""
    return load_registry()


def better_models(settings: Settings) -> str:
    """The command; "" where there are none better."""
    return _BETTER.get(settings.profile, "")


def _at_work(stage: str, settings: Settings, registry: Registry) -> ModelAtWork:
    section = getattr(settings, stage)
    engine = section.engine
    known = registry.models.get(section.model) if _opens_a_model(stage, engine) else None
    if known is not None:
        return ModelAtWork(stage, engine, known.name, known.about, known.limits)
    about, limits = _WITHOUT_MODEL.get((stage, engine), (section.model or "its own", ""))
    return ModelAtWork(stage, engine, "", about, limits)


def _opens_a_model(stage: str, engine: str) -> bool:
    known = catalogue.BUILT_IN[stage].get(engine)  # type: ignore[index]
    return known is not None and known.model
