"""The transcripts of turns that are replayed together, on one time line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from voicepipe.dialog.completeness import Verdict
from voicepipe.ledger.trace import Final, Partial
from voicepipe.whatif.recorded import Stretch

_UNKNOWN = Verdict.UNKNOWN

TURN_STRIDE = 1_000_000
"""Added to the text numbers of each further turn: they are unique within one turn only."""


def unique(text: int, turn_number: int) -> int:
    """The number of a text within its stretch; `turn_number`: 0 for the stretch's first turn."""
    return text + turn_number * TURN_STRIDE


_ENDINGS = {Verdict.COMPLETE: "?", Verdict.INCOMPLETE: "...", Verdict.UNKNOWN: ""}


def named(text: int, verdict: str) -> str:
    """Something to tell the dialog in place of words that a recording does not hold: texts of one
    number are the same but for their punctuation, which says how complete each looked."""
    return f"t{text}{_ENDINGS[Verdict(verdict)]}"


def number_of(name: str) -> int:
    """The text that `named` stands for."""
    return int(name.rstrip(".?")[1:])


class AsRecorded:
    """Completeness of texts that were `named`."""

    def judge(self, text: str) -> Verdict:
        """`unknown` before anything was heard, as the rules have it."""
        return next((v for v, end in _ENDINGS.items() if end and text.endswith(end)), _UNKNOWN)


class Texts:
    """`offsets_ms`: where each turn begins on the time line."""

    def __init__(self, stretch: Stretch, offsets_ms: Sequence[int]) -> None:
        self._partials: list[Partial] = []
        self._finals: dict[int, Final] = {}
        for number, (turn, offset) in enumerate(zip(stretch, offsets_ms, strict=True)):
            for p in turn.trace.partials:
                known_ms = p.known_ms + offset
                self._partials.append(replace(p, known_ms=known_ms, text=unique(p.text, number)))
            for f in turn.trace.finals:
                self._finals[f.after_ms + offset] = replace(f, text=unique(f.text, number))

    def partials(self) -> Iterator[Partial]:
        """In the order in which they became known."""
        return iter(sorted(self._partials, key=lambda p: p.known_ms))

    def final(self, after_ms: int) -> Final | None:
        """The transcript of the speech that ended at `after_ms`, if one was ever made."""
        return self._finals.get(after_ms)
