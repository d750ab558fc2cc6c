"""What an engine is to voicepipe: how it is made, what it needs, and what it is given.

Built-in engines stand in `catalogue.py`. Other packages offer theirs by entry points that name an
`Engine`; `docs/guides/write-an-engine.md` shows one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from voicepipe.config.section import Section
from voicepipe.config.server import LimitSettings
from voicepipe.runtime.clock import Clock
from voicepipe.runtime.errors import ConfigError

Stage = Literal["vad", "asr", "llm", "tts"]

StageT = TypeVar("StageT", bound=Section)
OwnT = TypeVar("OwnT")


@dataclass(frozen=True, slots=True)
class EngineContext(Generic[StageT, OwnT]):
    """All that an engine is given when it is made."""

    name: str  # stage and engine, for messages: "llm.acme"
    stage: StageT  # the settings of its stage: [asr], [llm], [tts] or [vad]
    own: OwnT  # its own settings, an instance of `Engine.settings`; None: it has none
    model: Path | None  # the file or folder `STAGE.model` names; None: it asked for none
    clock: Clock  # monotonic; a virtual one in tests
    limits: LimitSettings = field(default_factory=LimitSettings)  # what one session may ask for
    find_model: Callable[[str], Path] = Path  # another model by name or path; raises ConfigError

    def required_model(self) -> Path:
        """`model`. Raises ConfigError where the setting is empty."""
        if self.model is None:
            stage = self.name.partition(".")[0]
            raise ConfigError(
                f"{self.name} needs a model, and {stage}.model is empty. Give a path or a name "
                "that `voicepipe models list` shows."
            )
        return self.model


MakeEngine = Callable[[EngineContext[Any, Any]], Any]
"""Gives an engine by its stage's contract, not yet started. May raise ConfigError and
EngineUnavailable, whose texts are shown to the user as they are."""


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine that the settings may name."""

    make: MakeEngine | str  # a function, or where one is: "package.module:function"
    settings: type[Section] | None = None  # its own, read from [STAGE.NAME]; all have defaults
    model: bool = False  # `STAGE.model` must name a model that lies here; else it is just a text
    packages: tuple[str, ...] = ()  # distributions that must be installed
    settings_at: str = ""  # where a built-in engine's own settings are, if not at STAGE.NAME

    def create(self, context: EngineContext[Any, Any]) -> Any:
        """The engine; the module it lives in is imported only now."""
        make = self.make
        if isinstance(make, str):
            module, _, function = make.partition(":")
            make = getattr(import_module(module), function)
        return make(context)
