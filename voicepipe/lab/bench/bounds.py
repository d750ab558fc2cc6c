"""Bounds that a report must keep: `--assert 'p99_overhead_ms<=10'`."""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voicepipe.runtime.errors import VoicepipeError

_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
}
_BOUND = re.compile(r"\s*(\w+)\s*(<=|>=|==|<|>)\s*(-?\d+(?:\.\d+)?)\s*(?:ms|%|s|mb)?\s*", re.I)


class BadBound(VoicepipeError):
    """A bound cannot be understood or names no figure; the message lists what there is."""


@dataclass(frozen=True, slots=True)
class Bound:
    name: str
    relation: str
    wanted: float

    @staticmethod
    def parse(text: str, known: Sequence[str]) -> Bound:
        """From `NAME OPERATOR NUMBER`, NAME one of `known`. Raises BadBound."""
        found = _BOUND.fullmatch(text)
        if found is None:
            raise BadBound(
                f"--assert {text!r}: expected NAME OPERATOR NUMBER, such as 'lost_turns==0'; "
                f"operators are {' '.join(_OPERATORS)}"
            )
        if found[1] not in known:
            close = difflib.get_close_matches(found[1], known, 1)
            raise BadBound(
                f"--assert {text!r}: there is no figure {found[1]!r}"
                + (f"; did you mean {close[0]!r}?" if close else ".")
                + f"\nKnown are: {', '.join(sorted(known))}"
            )
        return Bound(found[1], found[2], float(found[3]))

    def broken_by(self, summary: Mapping[str, Any]) -> str | None:
        """What was got and wanted, if the bound does not hold; a figure that this run does not
        have keeps no bound."""
        if self.name not in summary:
            return (
                f"{self.name}: this run has no such figure, wanted {self.relation} {self.wanted:g}"
            )
        got = float(summary[self.name])
        if _OPERATORS[self.relation](got, self.wanted):
            return None
        return f"{self.name}: got {got:g}, wanted {self.relation} {self.wanted:g}"


def broken(bounds: Iterable[Bound], summary: Mapping[str, Any]) -> list[str]:
    """All bounds that do not hold, in words."""
    return [text for bound in bounds if (text := bound.broken_by(summary)) is not None]
