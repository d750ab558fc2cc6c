"""Ranges of `TurnOptions`, which is a plain dataclass and has none of its own."""

from __future__ import annotations

from dataclasses import fields

from pydantic import ValidationError
from pydantic_core import InitErrorDetails

from voicepipe.dialog.options import TurnOptions


def turn_option_range(name: str) -> tuple[float, float] | None:
    """Least and greatest sensible value of one of `TurnOptions`' numbers; None: not a number."""
    if name.endswith("_ms"):
        return 0, 600_000
    if name.endswith("_threshold"):
        return 0, 1
    return (1, 100) if name.endswith("_words") else None


def turn_options_in_range(options: TurnOptions) -> TurnOptions:
    """`TurnOptions` is a plain dataclass, so its ranges are checked here, field by field."""
    problems: list[InitErrorDetails] = []
    for field in fields(options):
        value, limits = getattr(options, field.name), turn_option_range(field.name)
        if limits is not None and value is not None and not limits[0] <= value <= limits[1]:
            ctx = {"ge": limits[0]}
            problems.append(
                InitErrorDetails(type="greater_than_equal", loc=(field.name,), input=value, ctx=ctx)
            )
    if problems:
        raise ValidationError.from_exception_data("turns", problems)
    return options
