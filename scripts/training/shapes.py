"""Templates of things said, and how each may be wrapped in politeness."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final


class Kind(enum.Enum):
    """How a shape may be wrapped in politeness."""

    PLAIN = "plain"  # said as it is
    QUESTION = "question"  # "what time is it": may follow "excuse me"
    INDIRECT = "indirect"  # "what time it is": must follow "could you tell me"
    REQUEST = "request"  # "turn on the light": may follow "could you"
    WISH = "wish"  # "a table for two": may follow "i'd like"


@dataclass(frozen=True)
class Shape:
    """One template and the way it may be wrapped."""

    kind: Kind
    template: str


#: One line a shape. "?" question, "~" indirect question, "!" request, "+" wish, "." as it is.
_SIGNS: Final = {
    "?": Kind.QUESTION,
    "~": Kind.INDIRECT,
    "!": Kind.REQUEST,
    "+": Kind.WISH,
    ".": Kind.PLAIN,
}


def parse_shapes(text: str) -> tuple[Shape, ...]:
    """Read one shape a line, its kind given by the first character."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return tuple(Shape(_SIGNS[line[0]], line[1:].strip()) for line in lines)
