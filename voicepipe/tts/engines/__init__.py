"""The synthesizers, by name.

Worker processes import this package on their way to an engine's child module, so nothing heavy is
imported here: a crashed worker is back in a fraction of a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from voicepipe.config import Settings
    from voicepipe.runtime.clock import Clock
    from voicepipe.tts.contract import Synthesizer

ENTRY_POINT_GROUP = "voicepipe.tts"
"""Third parties register `NAME = "module:factory"`; the factory is called like
`create_synthesizer`."""

BUILT_IN = ("espeak", "openai", "piper", "simulated")


def create_synthesizer(settings: Settings, model_file: Path | None, clock: Clock) -> Synthesizer:
    """The engine that `settings.tts.engine` names, not yet started.

    `model_file` is where `settings.tts.model` lies on this machine, None if it does not (or the
    engine has no model). Raises ConfigError for an unknown engine.
    """
    name = settings.tts.engine
    if name == "espeak":
        from voicepipe.tts.engines.espeak import EspeakSynthesizer

        return EspeakSynthesizer(settings.tts, clock)
    if name == "openai":
        from voicepipe.tts.engines.openai import OpenAICompatibleSynthesizer

        return OpenAICompatibleSynthesizer(settings.tts)
    if name == "piper":
        from voicepipe.tts.engines.piper import PiperSynthesizer

        return PiperSynthesizer(settings.tts, model_file, clock)
    if name == "simulated":
        from voicepipe.tts.engines.simulated import SimulatedSynthesizer

        return SimulatedSynthesizer(settings.simulated)
    from voicepipe.runtime.plugins import load_plugin

    factory = load_plugin(ENTRY_POINT_GROUP, name, BUILT_IN)
    engine: Synthesizer = factory(settings, model_file, clock)
    return engine
