"""When nobody says anything: prompts, then a goodbye. Pure; it is asked every so often."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Remark:
    """To be said now; `last`: and then the call ends."""

    text: str  # "": as the language spoken has it
    last: bool
    again: bool = False  # it was due before, and has not ended the call: there is no voice for it


class SilenceWatch:
    """`silence_ms` without anybody speaking brings the next prompt, after all of them `goodbye`; 0
    never brings any."""

    def __init__(self, silence_ms: int, prompts: Sequence[str], goodbye: str) -> None:
        self._silence_s = silence_ms / 1000
        self._remarks = [*(Remark(text, last=False) for text in prompts), Remark(goodbye, True)]
        self._next = 0
        self._since: float | None = None  # nobody has spoken since then

    def user_heard(self) -> None:
        """The user is there: the prompts begin anew."""
        self._next = 0
        self._since = None

    def due(self, now: float, *, at_rest: bool) -> Remark | None:
        """What to say at `now` (seconds); `at_rest`: nobody speaks and nothing is being prepared.
        The answer counts as said."""
        if not at_rest or not self._silence_s:
            self._since = None
            return None
        if self._since is None:
            self._since = now
        if now - self._since < self._silence_s:
            return None
        self._since = None
        if self._next == len(self._remarks):
            return replace(self._remarks[-1], again=True)
        self._next += 1
        return self._remarks[self._next - 1]
