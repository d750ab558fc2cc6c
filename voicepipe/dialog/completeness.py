"""Does the text look like a finished turn? Pure rules on the last words; an audio model can take
their place behind the same interface.
"""

from __future__ import annotations

from enum import Enum
from typing import Protocol


class Verdict(Enum):
    COMPLETE = "complete"
    UNKNOWN = "unknown"
    INCOMPLETE = "incomplete"


class Completeness(Protocol):
    """Judges a transcript (any case, with or without punctuation)."""

    def judge(self, text: str) -> Verdict: ...


_NEVER_LAST = frozenset(
    "a an the and or but so because if when while that which who whose my your our their his its "
    "to of for from with at in on into onto by about between until till than as is are was were am "
    "be been have has had do does did can could would should will shall may might must i'd i'll "
    "i'm we'll we'd let let's um uh er erm like please set turn put add remind call book order "
    "make some any every each this these those very really quite maybe half quarter".split()
)
"""Words after which English goes on. Some do end turns ("what is it for"): a wrong guess here
costs a longer wait, never a cut-off."""

_WHOLE_ANSWERS = frozenset(
    "yes no yeah nope sure okay ok thanks hello hi hey goodbye bye stop cancel maybe never always "
    "today tomorrow tonight please again repeat wait help nothing enough correct right".split()
)
"""One-word turns."""


_PARTICLES = frozenset("on off up down in out".split())
_PARTICLE_VERBS = frozenset("turn switch put shut".split())
"""'Turn the lights on' is whole, though 'on' hardly ever ends a sentence."""


class TextRules:
    """Punctuation first, then the last word."""

    def judge(self, text: str) -> Verdict:
        stripped = text.strip().lower()
        words = stripped.strip(".?!,;:-… ").replace("’", "'").split()
        if not words:
            return Verdict.UNKNOWN
        if stripped.endswith(("...", "…", ",", "-", ";", ":")):
            return Verdict.INCOMPLETE
        if len(words) == 1:
            return Verdict.COMPLETE if words[0] in _WHOLE_ANSWERS else Verdict.UNKNOWN
        if stripped.endswith("?") or _ends_in_particle(words):
            return Verdict.COMPLETE
        if words[-1] in _NEVER_LAST and words[-1] not in _WHOLE_ANSWERS:
            return Verdict.INCOMPLETE
        return Verdict.COMPLETE


def _ends_in_particle(words: list[str]) -> bool:
    """A verb that takes its particle at the end, with something between the two."""
    verbs = [at for at, word in enumerate(words) if word in _PARTICLE_VERBS]
    return bool(verbs) and words[-1] in _PARTICLES and len(words) - verbs[0] > 2
