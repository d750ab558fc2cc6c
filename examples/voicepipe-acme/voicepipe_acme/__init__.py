"""What voicepipe reads at start: the engine's name, settings and needs. Heavy imports come later,
in `make`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, SecretStr

from voicepipe.config import LlmSettings
from voicepipe.config.engines import Engine, EngineContext
from voicepipe.config.section import Section
from voicepipe.runtime.errors import ConfigError

if TYPE_CHECKING:
    from voicepipe_acme.model import AcmeModel


class AcmeSettings(Section):
    """`[llm.acme]`. Every setting has a default; `make` says which of them must be given."""

    api_key: SecretStr | None = None
    region: str = "eu"
    url: str = "https://{region}.api.acme.example/v2"
    timeout_ms: int = Field(10_000, ge=100, le=600_000)


def make(context: EngineContext[LlmSettings, AcmeSettings]) -> AcmeModel:
    """See `Engine.make`."""
    from voicepipe_acme.model import AcmeModel

    own = context.own
    if own.api_key is None:
        raise ConfigError("llm.acme.api_key: must be given, e.g. VOICEPIPE_LLM__ACME__API_KEY=...")
    return AcmeModel(
        model=context.stage.model,  # a name of Acme's: no file is looked for
        url=own.url.format(region=own.region),
        api_key=own.api_key.get_secret_value(),
        timeout_s=own.timeout_ms / 1000,
    )


ENGINE = Engine(make, settings=AcmeSettings)
