"""`Settings` with a section for each engine that has settings of its own.

So `[llm.acme]` in the file, VOICEPIPE_LLM__ACME__REGION and --set llm.acme.region=eu are checked,
layered and explained like any setting of ours.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import ValidationError, create_model

from voicepipe.config import Settings, catalogue
from voicepipe.config.engines import Stage
from voicepipe.config.section import Section
from voicepipe.runtime.errors import ConfigError


@cache
def settings_type() -> type[Settings]:
    """Made once per process: installed packages do not change while it runs.

    Raises ConfigError for an engine whose settings cannot stand there.
    """
    sections = {stage: _extended_section(stage) for stage in catalogue.STAGES}
    fields: dict[str, Any] = {
        stage: (section, section()) for stage, section in sections.items() if section is not None
    }
    return create_model("Settings", __base__=Settings, **fields) if fields else Settings


def _extended_section(stage: Stage) -> type[Section] | None:
    base: type[Section] = type(getattr(Settings(), stage))
    fields: dict[str, Any] = {}
    installed = {name: one for (at, name), one in catalogue.plugged_in().items() if at == stage}
    for name, engine in {**catalogue.BUILT_IN[stage], **installed}.items():
        if engine.settings is not None:
            key = catalogue.settings_key(name)
            if key in base.model_fields:
                raise ConfigError(f"{stage}.{key} is a setting; no engine can have that name")
            fields[key] = (engine.settings, _defaults(engine.settings, f"{stage}.{key}"))
    return create_model(base.__name__, __base__=base, **fields) if fields else None


def _defaults(kind: type[Section], where: str) -> Section:
    try:
        return kind()
    except ValidationError as error:
        names = ", ".join(".".join(map(str, detail["loc"])) for detail in error.errors())
        raise ConfigError(f"{where}: each setting of an engine needs a default: {names}") from error
