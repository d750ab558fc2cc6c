"""What every group of settings is made of."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Ms = Annotated[int, Field(ge=0, le=600_000)]
Port = Annotated[int, Field(ge=0, le=65_535)]


class Section(BaseModel):
    """A group of settings: unknown keys are errors, values never change after loading."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, validate_default=True, allow_inf_nan=False
    )
