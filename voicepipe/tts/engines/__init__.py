"""The synthesizers, by name.

Worker processes import this package on their way to an engine's child module, so nothing heavy is
imported here: a crashed worker is back in a fraction of a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from voicepipe.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from voicepipe.clock import Clock
    from voicepipe.config import Settings
    from voicepipe.tts.contract import Synthesizer

ENTRY_POINT_GROUP = "voicepipe.tts"
"""Third parties register `NAME = "module:factory"`; the factory is called like
`create_synthesizer`."""

BUILT_IN = ("espeak", "piper", "simulated")


def create_synthesizer(settings: Settings, model_file: Path | None, clock: Clock) -> Synthesizer:
    """The engine that `settings.tts.engine` names, not yet started.

    `model_file` is where `settings.tts.model` lies on this machine, None if it does not (or the
    engine has no model). Raises ConfigError for an unknown engine.
    """
    name = settings.tts.engine
    if name == "espeak":
        from voicepipe.tts.engines.espeak import EspeakSynthesizer

        return EspeakSynthesizer(settings.tts, clock)
    if name == "piper":
        from voicepipe.tts.engines.piper import PiperSynthesizer

        return PiperSynthesizer(settings.tts, model_file, clock)
    if name == "simulated":
        from voicepipe.tts.engines.simulated import SimulatedSynthesizer

        return SimulatedSynthesizer(settings.simulated)
    return _from_entry_point(name, settings, model_file, clock)


def _from_entry_point(
    name: str, settings: Settings, model_file: Path | None, clock: Clock
) -> Synthesizer:
    import difflib
    from importlib.metadata import entry_points

    found = {entry.name: entry for entry in entry_points(group=ENTRY_POINT_GROUP)}
    if name in found:
        engine: Synthesizer = found[name].load()(settings, model_file, clock)
        return engine
    known = sorted({*BUILT_IN, *found})
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ConfigError(f"tts.engine: there is no engine {name!r}{hint} Known: {', '.join(known)}.")
