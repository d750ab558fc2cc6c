"""Shapes that the recognizer was not trained on, for the chat model alone."""

from __future__ import annotations

from typing import Final

from more_shapes_errands import ERRANDS
from more_shapes_home import HOME
from more_shapes_talk import TALK, UNKNOWN
from shapes import parse_shapes

MORE_UNKNOWN: Final = parse_shapes(UNKNOWN)
MORE_SHAPES: Final = {
    name: parse_shapes(text) for name, text in {**HOME, **ERRANDS, **TALK}.items()
}
