"""The shapes of everything said in the small world, by what is meant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from intents_errands import ERRANDS
from intents_home import HOME
from intents_talk import SHORT, TALK, UNKNOWN
from shapes import Shape, parse_shapes

#: intent -> (weight, shapes). Weights are relative; see :func:`user_utterance`.
_ALL: Final[Mapping[str, tuple[float, str]]] = {**HOME, **ERRANDS, **TALK}

INTENTS: Final[Mapping[str, tuple[Shape, ...]]] = {
    name: parse_shapes(text) for name, (_, text) in _ALL.items()
}
WEIGHTS: Final[Mapping[str, float]] = {name: weight for name, (weight, _) in _ALL.items()}
SHORT_ANSWERS: Final = parse_shapes(SHORT)
OUT_OF_DOMAIN: Final = parse_shapes(UNKNOWN)
